package knowledge

import (
	"path"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// owners reads a CODEOWNERS file. It skips GitLab's sections in brackets. The format is described
// at
// https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
func (r *reader) owners(chunks []document.Chunk) {
	for i, c := range chunks {
		for line := range strings.Lines(c.Words()) {
			line, _, _ = strings.Cut(line, "#")
			fields := strings.Fields(line)
			if len(fields) < 2 || strings.HasPrefix(line, "[") || strings.HasPrefix(line, "^[") {
				continue
			}
			object := files(r.document, fields[0])
			for _, name := range fields[1:min(len(fields), maxNames)] {
				if who := personOrTeam(name); who != nil {
					r.add(Fact{Subject: who, Relation: Owns, Object: object, Chunk: i})
				}
			}
		}
	}
}

func files(d *document.Document, pattern string) *Entity {
	source, _, _ := strings.Cut(string(d.ID), ":")
	e := &Entity{Kind: Path, Key: source + ":" + pattern, Name: pattern}
	bare := strings.Trim(pattern, "/*")
	bare = strings.TrimSuffix(bare, path.Ext(bare))
	e.Other = []string{bare, path.Base(bare), strings.TrimPrefix(bare, "docs/")}
	return e
}

// SourceOf splits the key of an entity of the kind [Path] into its source and pattern.
func SourceOf(key string) (source document.SourceID, pattern string) {
	before, pattern, _ := strings.Cut(key, ":")
	return document.SourceID(before), pattern
}

// Covers reports whether a CODEOWNERS pattern matches a file path, which is relative to the root of
// its repository. An invalid pattern matches nothing.
//
// A pattern with a slash before its end is anchored at the root. A folder matches all files below
// it. "*" matches anything but a slash, and "**" matches anything.
func Covers(pattern, file string) bool {
	rooted := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	bare := strings.Trim(pattern, "/")
	if bare == "" || bare == "*" || bare == "**" {
		return true
	}
	segments := strings.Split(bare, "/")
	names := strings.Split(strings.TrimPrefix(file, "/"), "/")
	if len(segments)+len(names) > maxSegments {
		return false
	}
	last := len(names)
	for start := range names {
		if rooted && start > 0 {
			break
		}
		for end := start + 1; end <= last; end++ {
			if end < last && strings.HasSuffix(bare, "/*") {
				continue // only files directly in this folder
			}
			if end == last && strings.HasSuffix(pattern, "/") {
				continue // only a folder
			}
			if matches(segments, names[start:end]) {
				return true
			}
		}
	}
	return false
}

const maxSegments = 64

// matches reports whether a pattern matches a path, both split at slashes. A segment "**" matches
// any number of segments. The time is at most proportional to the product of both lengths.
func matches(pattern, names []string) bool {
	p, n := 0, 0
	star, from := -1, 0
	for n < len(names) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, from = p, n
			p++
		case p < len(pattern) && segment(pattern[p], names[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

func segment(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
