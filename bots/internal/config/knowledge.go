package config

import (
	"strings"

	"github.com/footnotehq/footnote/core/extract"
	"github.com/goccy/go-yaml/ast"
)

func (r *fileReader) knowledge(path string, n ast.Node) {
	to := &r.file.Knowledge
	r.fields(path, n,
		field{"entities", r.types(&to.Entities)},
		field{"relations", r.types(&to.Relations)},
		field{"instructions", func(path string, n ast.Node) {
			if r.text(&to.Notes)(path, n); len(to.Notes) > extract.LongestNotes {
				r.fault(n, "%s has %d bytes: at most %d are sent with every passage", path, len(to.Notes), extract.LongestNotes)
			}
		}},
	)
}

func (r *fileReader) types(to *[]extract.Type) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.pairs(path, n, func(name string, at, value ast.Node) {
			var means string
			r.text(&means)(join(path, name), value)
			means = strings.Join(strings.Fields(means), " ")
			switch wrong := extract.CheckType(name); {
			case wrong != "":
				r.fault(at, "%s %s", join(path, name), wrong)
			case len(means) > extract.LongestMeans:
				r.fault(value, "%s is explained in %d bytes: at most %d are sent", join(path, name), len(means), extract.LongestMeans)
			case len(*to) == extract.MostTypes:
				r.fault(at, "%s is one too many: at most %d are allowed", join(path, name), extract.MostTypes)
			default:
				*to = append(*to, extract.Type{Name: name, Means: means})
			}
		})
		if len(*to) == 0 {
			r.fault(n, "%s names nothing to look for: name something, or leave the key out", path)
		}
	}
}
