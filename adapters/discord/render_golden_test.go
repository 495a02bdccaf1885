package discord_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/google/go-cmp/cmp"
)

var updateRender = flag.Bool("update-render", false, "write the golden files of the renderer")

var renderNow = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// cited are documents as cite.Processor announces them.
func cited() []packet.Payload {
	updated := renderNow.AddDate(0, -5, 0)
	return []packet.Payload{
		packet.SearchStart{}, packet.SearchQueries{Queries: []string{"set up replication"}},
		packet.SearchDocuments{Documents: []packet.Document{{ID: "r", Title: "Replication", UpdatedAt: &updated}}},
		packet.MessageStart{},
		packet.CitationInfo{Number: 1, Document: "r", Title: "Replication", URL: "https://docs.example/r#wal"},
		packet.CitationInfo{Number: 2, Document: "s", Title: "Settings", URL: "https://docs.example/s"},
		packet.CitationInfo{Number: 3, Document: "f", Title: "notes.txt"},
	}
}

func viewOf(payloads ...packet.Payload) *stream.View {
	v := &stream.View{}
	for _, p := range payloads {
		v.Apply(packet.Packet{Payload: p})
	}
	return v
}

func renderer() *discord.Renderer {
	return &discord.Renderer{
		Now:   func() time.Time { return renderNow },
		Links: func(address string) bool { return strings.HasPrefix(address, "https://docs.example") },
	}
}

// TestCorpus renders each text of the corpus in the form that Discord is sent.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../internal/markdown/answer/testdata/corpus/*.md")
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
			view := viewOf(append(cited(), packet.MessageDelta{Text: string(source)})...)
			view.Phase = stream.Done
			var b strings.Builder
			for _, p := range renderer().Render(view) {
				content, _, _ := strings.Cut(p.Content, "\n\n-# **Sources**")
				fmt.Fprintf(&b, "== page\n%s\n", content)
			}
			golden := filepath.Join("testdata", "render", name+".golden")
			if *updateRender {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
