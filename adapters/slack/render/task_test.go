package render_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/google/go-cmp/cmp"
)

// A search that has ended tells what it found, each document once, and links where a reader can go.
func TestSearchesTellWhatTheyFound(t *testing.T) {
	t.Parallel()
	docs := func(titles ...string) packet.SearchDocuments {
		var d packet.SearchDocuments
		for _, title := range titles {
			d.Documents = append(d.Documents, packet.Document{ID: document.ID(title), Title: title, URL: "https://docs.example/" + title})
		}
		return d
	}
	view, tail := rendertest.View(packet.SearchStart{}, packet.SearchQueries{Queries: []string{"first"}}), renderer().Tail()
	next := func(payloads ...packet.Payload) []render.Task {
		for _, p := range payloads {
			view.Apply(packet.Packet{Payload: p})
		}
		piece, _ := tail.Next(view)
		return piece.Tasks
	}
	if diff := cmp.Diff([]render.Task{{ID: "search-1", Title: "first", Status: render.TaskRunning}}, next()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	found := docs("a", "b", "c", "d", "e", "<!channel>")
	found.Documents[1].URL = "file:///etc/passwd"
	source := func(title string) render.Source {
		return render.Source{Title: title, URL: "https://docs.example/" + title}
	}
	want := []render.Task{{
		ID: "search-1", Title: "first", Status: render.TaskComplete, Output: "looked at 6 documents",
		Sources: []render.Source{source("a"), source("c"), source("d"), source("e"), {Title: "<\u200b!channel>", URL: "https://docs.example/%3C!channel%3E"}},
	}}
	if diff := cmp.Diff(want, next(found, packet.ReasoningStart{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	next(packet.SearchStart{}, packet.SearchQueries{Queries: []string{"second"}})
	want = []render.Task{{ID: "search-2", Title: "second", Status: render.TaskComplete, Output: "looked at 1 document", Sources: []render.Source{source("z")}}}
	if diff := cmp.Diff(want, next(docs("a", "z"), packet.MessageStart{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
