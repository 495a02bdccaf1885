package render_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/google/go-cmp/cmp"
)

func TestSearchCardCountsCitedDocuments(t *testing.T) {
	t.Parallel()
	found := packet.SearchDocuments{Documents: []packet.Document{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}}
	cited := func(number int, id document.ID, title, url string) packet.CitationInfo {
		return packet.CitationInfo{Number: number, Document: id, Title: title, URL: url}
	}
	running := render.Task{ID: "search", Title: "Searching the documents", Status: render.TaskRunning}
	complete := render.Task{ID: "search", Title: "Searched the documents", Status: render.TaskComplete}
	ended := complete
	ended.Output = "3 documents cited"
	ended.Sources = []render.Source{{Title: "A", URL: "https://docs.example/a"}, {Title: "<\u200b!channel>", URL: "https://docs.example/c"}}

	view, tail := rendertest.View(), renderer().Tail()
	for _, step := range []struct {
		name    string
		packets []packet.Payload
		want    []render.Task
	}{
		{"no search", []packet.Payload{packet.ReasoningStart{}}, nil},
		{"a search", []packet.Payload{packet.SearchStart{}, packet.SearchQueries{Queries: []string{"how do I set it up?"}}}, []render.Task{running}},
		{"it has ended", []packet.Payload{found, packet.ReasoningStart{}}, []render.Task{complete}},
		{"another search", []packet.Payload{packet.SearchStart{}, packet.SearchQueries{Queries: []string{"set up"}}}, []render.Task{running}},
		{"the answer", []packet.Payload{packet.MessageStart{}, packet.MessageDelta{Text: "So."}}, []render.Task{complete}},
		{"citations", []packet.Payload{
			cited(1, "a", "A", "https://docs.example/a"), cited(2, "b", "B", "file:///etc/passwd"), cited(3, "c", "<!channel>", "https://docs.example/c"),
		}, nil},
		{"the end", []packet.Payload{packet.Stop{Reason: "answered"}}, []render.Task{ended}},
	} {
		for _, p := range step.packets {
			view.Apply(packet.Packet{Payload: p})
		}
		piece, _ := tail(view)
		if diff := cmp.Diff(step.want, piece.Tasks); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}
