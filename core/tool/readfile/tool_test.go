package readfile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/readfile"
	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	t.Parallel()
	files := []message.File{
		{Name: "a.log", Text: "old"}, {Name: "a.log", Text: "<ümläut> and more"}, {Name: "shot.png", Image: []byte{1}},
		{Name: "broken.pdf", Text: "x", Failed: "it is broken."}, {Name: "long.txt", Text: strings.Repeat("word ", 10_000)},
	}
	for _, tc := range []struct {
		name, args string
		budget     int
		want       string
		err        string
	}{
		{name: "the newest file of a name, whole", args: `{"name":"a.log"}`, want: `{"file":"a.log","start":0,"end":17,"total":17,"text":"<ümläut> and more"}`},
		{name: "a part, counted in characters", args: `{"name":"a.log","start":1,"length":6}`, want: `{"file":"a.log","start":1,"end":7,"total":17,"text":"ümläut"}`},
		{name: "part of a name", args: `{"name":"A.LOG"}`, want: `{"file":"a.log","start":0,"end":17,"total":17,"text":"<ümläut> and more"}`},
		{name: "to the end", args: `{"name":"a.log","start":13,"length":99}`, want: `{"file":"a.log","start":13,"end":17,"total":17,"text":"more"}`},
		{name: "beyond the end", args: `{"name":"a.log","start":17}`, err: "begin between 0 and 16"},
		{name: "no such file", args: `{"name":"b.log"}`, err: "the files are: long.txt, a.log"},
		{name: "an image has no text", args: `{"name":"shot.png"}`, err: "no file"},
		{name: "a file that failed", args: `{"name":"broken.pdf"}`, err: "no file"},
		{name: "wrong types", args: `{"name":5}`, err: "arguments"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			queue := make(chan packet.Packet, 4)
			result, err := readfile.New(budgettest.NewWords()).Run(t.Context(), tool.Call{Arguments: json.RawMessage(tc.args), Scope: tool.Scope{Files: files}},
				packet.NewEmitter(queue, nil, packet.Placement{}))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, want something with %q", err, tc.err)
				}
				return
			}
			if err != nil || result.Content != tc.want || len(queue) != 2 {
				t.Errorf("content %s, error %v, %d packets", result.Content, err, len(queue))
			}
		})
	}
}

// A file that is in the index as well, such as a project's, is what the answer then rests on.
func TestIndexedFileIsCited(t *testing.T) {
	t.Parallel()
	ref := document.Ref{ID: "docs:plan.md", Title: "Plan", URL: "https://docs.example/plan"}
	scope := tool.Scope{Citations: cite.NewMapping(), Files: []message.File{{Name: "Plan", Text: "We ship in May.", Document: ref}, {Name: "note", Text: "x"}}}
	scope.Citations.Restore(4, cite.Source{Document: "docs:other.md"})
	run := func(arguments string) tool.Result {
		result, err := readfile.New(budgettest.NewWords()).Run(t.Context(), tool.Call{Arguments: json.RawMessage(arguments), Scope: scope},
			packet.NewEmitter(make(chan packet.Packet, 4), nil, packet.Placement{}))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	got := run(`{"name":"Plan","length":7}`)
	want := tool.Result{
		Content:    `{"document":5,"file":"Plan","start":0,"end":7,"total":15,"text":"We ship"}`,
		References: []message.Reference{{Number: 5, Document: ref, Text: "We ship"}}, Citable: true, Evidence: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a project's file (-want +got):\n%s", diff)
	}
	if got := run(`{"name":"note"}`); got.References != nil || got.Citable {
		t.Errorf("an attached file is cited: %+v", got)
	}
}

func TestLongFilesAreReadInParts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 10_000)
	scope := tool.Scope{Files: []message.File{{Name: "long.txt", Text: text}}}
	for _, budget := range []int{0, 500} {
		scope.Budget = budget
		var got strings.Builder
		for calls := 0; got.Len() < len(text); calls++ {
			args, _ := json.Marshal(map[string]any{"name": "long.txt", "start": got.Len()})
			result, err := readfile.New(budgettest.NewWords()).Run(t.Context(), tool.Call{Arguments: args, Scope: scope},
				packet.NewEmitter(make(chan packet.Packet, 4), nil, packet.Placement{}))
			if err != nil || calls > 200 {
				t.Fatalf("call %d: %v", calls, err)
			}
			var part struct{ Text string }
			if err := json.Unmarshal([]byte(result.Content), &part); err != nil {
				t.Fatal(err)
			}
			if n := len(strings.Fields(part.Text)); budget > 0 && n > budget+1 || len(part.Text) > 16_000 {
				t.Errorf("a part has %d words and %d characters", n, len(part.Text))
			}
			got.WriteString(part.Text)
		}
		if got.String() != text {
			t.Error("the parts are not the text")
		}
	}
}

func TestOfferedOnlyWithFiles(t *testing.T) {
	t.Parallel()
	r := readfile.New(budgettest.NewWords())
	set, err := tool.NewSet(r)
	if err != nil {
		t.Fatal(err)
	}
	if n := set.For(tool.Scope{Files: []message.File{{Name: "shot.png", Image: []byte{1}}}}).Len(); n != 0 {
		t.Error("it is offered for an image")
	}
	if n := set.For(tool.Scope{Files: []message.File{{Name: "a.txt", Text: "a"}}}).Len(); n != 1 {
		t.Error("it is not offered for a text")
	}
}
