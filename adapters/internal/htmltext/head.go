package htmltext

import (
	"encoding/json"
	"strings"
	"time"
)

func (x *extractor) meta(a attributes) {
	key := a.property
	if key == "" {
		key = a.name
	}
	switch strings.ToLower(key) {
	case "article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "date.modified":
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly, time.RFC1123} {
			if t, err := time.Parse(layout, strings.TrimSpace(a.content)); err == nil {
				x.page.UpdatedAt = t.UTC()
				return
			}
		}
	}
}

// comment reads the title and path from pages of the Go project. These pages begin with a comment
// that contains a JSON object.
func (x *extractor) comment(text []byte) {
	if x.head || x.all.Size() > 0 || len(text) == 0 || text[0] != '{' {
		return
	}
	var header struct{ Title, Path string }
	if json.Unmarshal(text, &header) != nil {
		return
	}
	x.page.Title = collapse(header.Title)
	x.page.Canonical = header.Path
	x.head = header.Title != ""
}

func (x *extractor) title(text string) {
	if !x.head && text != "" {
		x.page.Title, x.head = text, true
	}
}

func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
