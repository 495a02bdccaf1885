package index_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/google/go-cmp/cmp"
)

func TestSearchText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		d    document.Document
		c    document.Chunk
		want string
	}{
		{"text alone", document.Document{}, document.Chunk{Text: "Text."}, "Text."},
		{
			"everything",
			document.Document{Ref: document.Ref{Title: "Guide"}, Metadata: map[string]string{"tags": "ops, dr", "owner": "infra"}},
			document.Chunk{Heading: []string{"Backup", "Restore"}, Text: "Text.", Lead: "a | b"},
			"Guide › Backup › Restore\nowner: infra\ntags: ops, dr\n\na | b\nText.",
		},
		{
			"nothing is said twice",
			document.Document{Ref: document.Ref{Title: "Guide"}},
			document.Chunk{Heading: []string{"Guide", "Backup", "Restore"}, Text: "### Restore\n\nText."},
			"Guide › Backup\n\n### Restore\n\nText.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, index.SearchText(&tt.d, tt.c, "")); diff != "" {
				t.Errorf("SearchText() (-want +got):\n%s", diff)
			}
		})
	}
}
