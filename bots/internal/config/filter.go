package config

import (
	"github.com/footnotehq/footnote/core/filter"
	"github.com/goccy/go-yaml/ast"
)

// FilterRule is the file's list of words and patterns that are blocked in questions or in answers.
type FilterRule struct {
	Words    []string
	Patterns []string
	Say      string        // for questions: the sentence to the asker
	Action   filter.Action // for answers
}

// Any reports whether the list has entries.
func (f FilterRule) Any() bool { return len(f.Words)+len(f.Patterns) > 0 }

func (r *fileReader) filters(path string, n ast.Node) {
	r.fields(path, n,
		field{"questions", func(path string, n ast.Node) {
			r.filterRule(path, n, &r.file.Questions, field{"say", r.text(&r.file.Questions.Say)})
		}},
		field{"answers", func(path string, n ast.Node) {
			r.filterRule(path, n, &r.file.Answers, field{"action", word(&r.reader, &r.file.Answers.Action, filter.Mask, filter.Stop)})
		}},
	)
}

func (r *fileReader) filterRule(path string, n ast.Node, to *FilterRule, more field) {
	before := len(r.faults)
	r.fields(path, n, field{"words", r.listed(&to.Words, false)}, field{"patterns", r.listed(&to.Patterns, true)}, more)
	if len(r.faults) == before && !to.Any() {
		r.fault(n, "%s names nothing to look for: write words: or patterns:", path)
	}
}

func (r *fileReader) listed(to *[]string, patterns bool) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.items(path, n, func(path string, n ast.Node) {
			var entry string
			r.text(&entry)(path, n)
			if entry == "" {
				return
			}
			words, expressions := []string{entry}, []string(nil)
			if patterns {
				words, expressions = nil, words
			}
			if _, err := filter.NewList(words, expressions); err != nil {
				r.fault(n, "%s: %v", path, err)
				return
			}
			*to = append(*to, entry)
		})
	}
}
