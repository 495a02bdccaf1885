package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/core/document"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", "One. Two! Three?", []string{"One. ", "Two! ", "Three?"}},
		{"numbers and names are whole", "Version 3.14 of main.go is out. Use it.", []string{"Version 3.14 of main.go is out. ", "Use it."}},
		{"abbreviations", "Use e.g. Postgres, i.e. J. Doe's. Done.", []string{"Use e.g. Postgres, i.e. J. Doe's. ", "Done."}},
		{"goes on in lower case", "The file etc. is read. Then it ends.", []string{"The file etc. is read. ", "Then it ends."}},
		{"quotes", `He said "Stop." Then he left. (Twice.) Really…`, []string{`He said "Stop." `, "Then he left. ", "(Twice.) ", "Really…"}},
		{"scripts without spaces", "これは文。次の文！終わり", []string{"これは文。", "次の文！", "終わり"}},
		{"no mark", "no mark at all", []string{"no mark at all"}},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, pick(tt.text, document.Sentences(tt.text))); diff != "" {
				t.Errorf("Sentences(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func pick(text string, lengths []int) []string {
	var parts []string
	for _, n := range lengths {
		parts, text = append(parts, text[:n]), text[n:]
	}
	return parts
}
