// Package rendertest contains code for the tests of every platform's renderer: views of answers
// with sources, and a corpus of Markdown.
package rendertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/goldentest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

// Now is the current time in the tests. The ages of documents are relative to it.
var Now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// Cited returns the packets of an answer that cites three documents, for [View]. A search found the
// first document, which is five months old.
func Cited() []packet.Payload {
	updated := Now.AddDate(0, -5, 0)
	return []packet.Payload{
		packet.SearchStart{}, packet.SearchQueries{Queries: []string{"set up replication"}},
		packet.SearchDocuments{Documents: []packet.Document{{ID: "r", Title: "Replication", UpdatedAt: &updated}}},
		packet.MessageStart{},
		packet.CitationInfo{Number: 1, Document: "r", Title: "Replication", URL: "https://docs.example/r#wal"},
		packet.CitationInfo{Number: 2, Document: "s", Title: "Settings", URL: "https://docs.example/s"},
		packet.CitationInfo{Number: 3, Document: "f", Title: "notes.txt"},
	}
}

// View returns a view to which the payloads have been applied in order.
func View(payloads ...packet.Payload) *stream.View {
	v := &stream.View{}
	for _, p := range payloads {
		v.Apply(packet.Packet{Payload: p})
	}
	return v
}

// Corpus renders each text in the Markdown corpus of package answer as a finished answer with
// citations. It compares the results with the files in testdata/render of the package under test.
func Corpus(t *testing.T, render func(t *testing.T, v *stream.View) string) {
	t.Helper()
	files, err := filepath.Glob("../../internal/markdown/answer/testdata/corpus/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			view := View(append(Cited(), packet.MessageDelta{Text: string(source)})...)
			view.Phase = stream.Done
			goldentest.Check(t, filepath.Join("testdata", "render", name+".golden"), render(t, view))
		})
	}
}
