package config

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/goccy/go-yaml/ast"
)

// Notion is what is read of a workspace of Notion.
type Notion struct {
	Readers map[string]access.ACL `json:"readers"` // by a page's or database's address or id; nil: no one
	Files   bool                  `json:"files,omitempty"`
	URL     string                `json:"url,omitempty"` // of the API; empty: Notion's own
}

var notionSystem = system{
	key:     "notion",
	set:     func(s *Systems) bool { return s.Notion != nil },
	read:    func(r *fileReader, s *Systems) func(string, ast.Node) { return r.notion(&s.Notion) },
	readers: "Notion: notion.readers says which pages are read, and who may read each",
	keys: []FileKey{
		{"sources.NAME.notion", "the keys below it", "", "pages of a Notion workspace that an integration is shown. Notion does not say who may read a page, so you say it here. See notion.md"},
		{"sources.NAME.notion.readers", "addresses of pages and databases, each with an access list", "", "who may read the page and everything below it, down to the next page that is named here. Nothing behind an address: no one may. What is below no such page is not read"},
		{"sources.NAME.notion.files", "true or false", "false", "files on pages are read, as far as files of a folder are"},
		{"sources.NAME.notion.url", "an address", "Notion's own", "of the API, with a slash at its end: for a proxy between here and Notion"},
	},
}

// notion reads what of a workspace of Notion is a source.
func (r *fileReader) notion(to **Notion) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		c := &Notion{Readers: make(map[string]access.ACL)}
		before := len(r.faults)
		r.fields(path, n,
			field{"readers", func(path string, n ast.Node) {
				r.pairs(path, n, func(page string, _, value ast.Node) {
					var list access.ACL
					if _, nobody := r.value(value).(*ast.NullNode); !nobody {
						r.acl(&list)(join(path, page), value)
					}
					c.Readers[page] = list
				})
			}},
			field{"files", r.yes(&c.Files)},
			field{"url", r.url(&c.URL)},
		)
		if len(c.Readers) == 0 && len(r.faults) == before {
			r.fault(n, "%s names no page: write readers: with the address of each page and who may read what is below it", path)
		}
		*to = c
	}
}
