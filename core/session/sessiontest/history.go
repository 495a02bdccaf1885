package sessiontest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

func answer(text string) session.Run {
	doc := document.Ref{ID: "docs:a.md", Source: "docs", Kind: "file", Title: "A", URL: "https://example.org/a",
		UpdatedAt: time.Unix(1_600_000_000, 0).UTC()}
	bare := document.Ref{ID: "docs:b.md", Source: "docs", Kind: "file", Title: "B"}
	at := time.Unix(1_700_000_100, 0).UTC()
	return session.Run{
		Model: "m-1", Usage: llm.Usage{Input: 1200, Output: 80}, Reasoning: 33, Shown: "Looking.\n\n" + text,
		Ending: session.Ending{
			Outcome: session.Answered, Grounding: packet.Cited, Sentence: "Said.", Reference: "ref-2", Retryable: true,
			Closest: []document.Ref{doc, bare}, Notices: []string{"A file was left out."},
		},
		Messages: []message.Message{
			{Role: message.ToolCall, At: at, Calls: []message.Call{
				{ID: "c1", Name: "internal_search", Arguments: json.RawMessage(`{"queries": ["x", "y"]}`)},
				{ID: "c2", Name: "open_url", Arguments: json.RawMessage(`{}`)},
			}},
			{Role: message.ToolResult, CallID: "c1", Text: "found", Tokens: 1, At: at},
			{Role: message.ToolResult, CallID: "c2", Text: "read", Tokens: 1, At: at},
			{
				Role: message.Assistant, Text: text, Tokens: 12, At: at,
				Citations: []message.Citation{
					{Number: 1, ModelSees: 4, Document: doc, Anchor: "top", Section: "Top", Link: "https://example.org/a#top", Quote: "A is"},
					{Number: 2, ModelSees: 2, Document: bare},
				},
				Documents: []message.Reference{
					{Number: 4, Document: doc, Chunk: new(document.ChunkID(77)), Anchor: "top", Heading: "Top", Text: "A is the first.", Score: 0.75},
					{Number: 2, Document: bare, Chunk: new(document.ChunkID(0)), Text: "B", Score: 0.5},
					{Number: 2, Document: bare, Chunk: new(document.ChunkID(79)), Text: "B again", Score: 0.25},
					{Number: 2, Document: bare, Text: "B from its file"},
				},
			},
		},
	}
}

func history(f *fixture) {
	in := f.question("first?")
	in.Files = []message.File{{ID: "f1", Name: "a.md", Media: "text/markdown", Text: "# A", Tokens: 3}}
	f.accept(in)
	f.accept(f.question("second?"))
	first := f.lease("r1")
	saved := session.Saved{
		Outcome: session.Answered, Sentence: "Next to it.", Reference: "ref-1", Runs: []session.Run{answer("the other model's"), answer("one")},
		Timings: map[string]time.Duration{"first_delta": 120 * time.Millisecond, "total": 3 * time.Second},
	}
	saved.Runs[0].Model, saved.Runs[0].Ending = "m-2", session.Ending{Outcome: session.Failed, Sentence: "It failed."}
	f.must(f.Finish(f.ctx, first.Fence(), saved))
	got, err := f.Saved(f.ctx, first)
	f.must(err)
	ids := map[message.ID]bool{first.Question.ID: true}
	for r := range got.Runs {
		for i := range got.Runs[r].Messages {
			m := &got.Runs[r].Messages[i]
			if m.ID == "" || ids[m.ID] || m.Turn != 1 {
				f.Errorf("message %d of run %d has id %q and turn %d", i, r, m.ID, m.Turn)
			}
			ids[m.ID] = true
			m.ID, m.Turn = "", 0
		}
	}
	f.equal("saved", got, saved)
	f.must(f.Delivered(f.ctx, first.Fence(), ""))

	second := f.lease("r1")
	past, err := f.Load(f.ctx, second, 10)
	f.must(err)
	want := append([]message.Message{{Role: message.User, Author: "Ada", Text: "first?", Files: in.Files, At: in.At}}, answer("one").Messages...)
	if len(past) != len(want) {
		f.Fatalf("the history has %d messages, want %d", len(past), len(want))
	}
	for i := range past {
		if past[i].Turn != 1 || past[i].ID == "" {
			f.Errorf("message %d of the history has id %q and turn %d", i, past[i].ID, past[i].Turn)
		}
		past[i].ID, past[i].Turn = "", 0
	}
	f.equal("history", past, want)
	numbers, err := f.Numbers(f.ctx, second)
	f.must(err)
	f.equal("numbers", numbers, map[int]cite.Passage{4: {Document: "docs:a.md"}, 2: {Document: "docs:b.md"}})
}

func passageNumbers(f *fixture) {
	ref := document.Ref{ID: "docs:a.md", Source: "docs", Kind: "file", Title: "A"}
	for i, documents := range [][]message.Reference{
		{{Number: 1, Document: ref, Chunk: new(document.ChunkID(7)), Text: "x", Part: "c7"}, {Number: 2, Document: ref, Chunk: new(document.ChunkID(9)), Text: "y", Part: "c9"}},
		{{Number: 2, Document: ref, Chunk: new(document.ChunkID(9)), Text: "y", Part: "c9"}, {Number: 3, Document: ref, Text: "x y z", Part: cite.PagePart}, {Number: 1, Document: ref}},
	} {
		f.accept(f.question(fmt.Sprint("q", i)))
		t := f.lease("r1")
		run := session.Run{Model: "m", Shown: "A", Ending: session.Ending{Outcome: session.Answered},
			Messages: []message.Message{{Role: message.Assistant, Text: "A", Documents: documents}}}
		f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{run}}))
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
	}
	numbers, err := f.Numbers(f.ctx, f.accept(f.question("next")))
	f.must(err)
	f.equal("numbers", numbers, map[int]cite.Passage{
		1: {Document: ref.ID, Part: "c7"}, 2: {Document: ref.ID, Part: "c9"}, 3: {Document: ref.ID, Part: cite.PagePart},
	})
}

func historyLimits(f *fixture) {
	outcomes := []session.Outcome{session.Answered, session.Superseded, session.Stopped, session.Declined, session.NoEvidence, session.Failed}
	for i := range outcomes {
		f.accept(f.question(fmt.Sprint("q", i+1)))
	}
	last := f.accept(f.question("last"))
	elsewhere := f.question("elsewhere")
	elsewhere.Ref.Thread = "200.1"
	f.accept(elsewhere)
	for _, o := range outcomes {
		t := f.lease("r1")
		for t.Session.ID != last.Session.ID {
			f.finish(t, session.Answered)
			t = f.lease("r1")
		}
		f.finish(t, o)
	}
	for _, tt := range []struct {
		limit int
		want  []string
	}{
		{0, nil},
		{2, []string{"q5", "q6"}},
		{10, []string{"q1", "q3", "q5", "q6"}},
	} {
		past, err := f.Load(f.ctx, last, tt.limit)
		f.must(err)
		texts := []string{}
		for _, m := range past {
			texts = append(texts, m.Text)
		}
		f.equal(fmt.Sprintf("the newest %d turns", tt.limit), texts, append([]string{}, tt.want...))
	}
}

func stoppedHistory(f *fixture) {
	for _, outcome := range []session.Outcome{session.Stopped, session.Answered} {
		f.accept(f.question(string(outcome)))
		t := f.lease("r1")
		f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: outcome, Runs: []session.Run{answer("It is")}}))
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
	}
	past, err := f.Load(f.ctx, f.accept(f.question("next")), 10)
	f.must(err)
	var stopped []bool
	for _, m := range past {
		if m.Role == message.Assistant {
			stopped = append(stopped, m.Stopped)
		} else if m.Stopped {
			f.Errorf("%s is marked as stopped", m.Role)
		}
	}
	if len(stopped) != 2 || !stopped[0] || stopped[1] {
		f.Errorf("answers that were stopped: %v", stopped)
	}
}
