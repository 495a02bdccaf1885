package review_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/thread"
	"pgregory.net/rapid"
)

// archive is a Store and a Library of one conversation. Every text that rests on a document holds
// the word "word" and the document's number.
type archive struct {
	turns  []session.Turn
	asked  []review.Question
	saved  map[session.TurnID]session.Saved
	acls   map[document.ID]access.ACL
	gone   map[document.ID]bool // the text was taken back
	failed error
}

func (a *archive) Turn(_ context.Context, _ access.TenantID, id session.TurnID) (session.Turn, error) {
	for _, t := range a.turns {
		if t.ID == id {
			return t, nil
		}
	}
	return session.Turn{}, session.ErrUnknownTurn
}

func (a *archive) TurnOf(context.Context, access.TenantID, thread.Ref, thread.MessageID) (session.Turn, error) {
	return session.Turn{}, session.ErrUnknownTurn
}

func (a *archive) Verdict(context.Context, access.TenantID, thread.Ref, thread.MessageID) (session.Verdict, error) {
	return session.Verdict{}, nil
}

func (a *archive) Saved(_ context.Context, of session.Turn) (session.Saved, error) {
	return a.saved[of.ID], a.failed
}

func (a *archive) Questions(context.Context, access.TenantID, review.Scope, review.Query) ([]review.Question, error) {
	return a.asked, nil
}

func (a *archive) Conversation(context.Context, access.TenantID, session.TurnID) ([]review.Question, error) {
	return slices.Clone(a.asked), nil
}

func (a *archive) Readable(_ context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	may := make(map[document.ID]bool)
	for _, id := range ids {
		may[id] = audience.MayRead(a.acls[id])
	}
	return may, nil
}

func (a *archive) Chunks(_ context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	var all []retrieve.Passage
	for _, id := range ids {
		if doc := document.ID(fmt.Sprint("d", id)); audience.MayRead(a.acls[doc]) {
			all = append(all, retrieve.Passage{ID: id, Chunk: document.Chunk{Text: fmt.Sprintf("passage word%d.", id)}})
		}
	}
	return all, nil
}

func (a *archive) Standing(_ context.Context, _ access.TenantID, shown []message.Reference) ([]bool, error) {
	stands := make([]bool, len(shown))
	for i, r := range shown {
		stands[i] = !a.gone[r.Document.ID]
	}
	return stands, nil
}

const documents = 4

var acls = []access.ACL{{access.Public}, {access.Members}, {access.Channel("slack", "C1")}, {access.User("slack", "U2")}}

// drawArchive makes a conversation whose answers rest on some documents in every way in which one
// can: cited, read, listed as closest, found by a search, part of a plan, in a correction.
func drawArchive(t *rapid.T) *archive {
	a := &archive{saved: make(map[session.TurnID]session.Saved), acls: make(map[document.ID]access.ACL), gone: make(map[document.ID]bool)}
	for i := range documents {
		id := document.ID(fmt.Sprint("d", i))
		a.acls[id], a.gone[id] = acls[rapid.IntRange(0, len(acls)-1).Draw(t, "acl")], rapid.IntRange(0, 9).Draw(t, "gone") == 0
	}
	for n := range 3 {
		q := review.Question{
			Turn: session.TurnID(fmt.Sprint("t", n)), Ref: thread.Ref{Platform: "slack", Workspace: "W", Channel: rapid.SampledFrom([]string{"C1", "C2"}).Draw(t, "channel")},
			Direct: rapid.Bool().Draw(t, "direct"), Asker: thread.Person{ID: rapid.SampledFrom([]string{"U1", "U2"}).Draw(t, "asker")},
			Outcome: rapid.SampledFrom([]session.Outcome{session.Answered, session.NoEvidence, session.Declined}).Draw(t, "outcome"), Text: fmt.Sprintf("question%d?", n),
		}
		if rapid.Bool().Draw(t, "private") {
			q.Owner = q.Asker.ID
		}
		a.asked = append(a.asked, q)
		a.turns = append(a.turns, session.Turn{
			ID: q.Turn, Session: session.Session{Tenant: access.DefaultTenant, Ref: q.Ref, Owner: q.Owner}, Asker: q.Asker, Outcome: q.Outcome, Audience: access.NewAudience(access.DefaultTenant),
		})
		a.saved[q.Turn] = drawSaved(t, q.Outcome)
	}
	return a
}

func drawSaved(t *rapid.T, outcome session.Outcome) session.Saved {
	answer := message.Message{Role: message.Assistant}
	run := session.Run{Model: "m", Usage: llm.Usage{Input: 1_000_000}, Ending: session.Ending{Outcome: outcome}}
	saved := session.Saved{Outcome: outcome}
	correction := "corrected"
	for i := range documents {
		ref, word, chunk := document.Ref{ID: document.ID(fmt.Sprint("d", i)), Title: fmt.Sprintf("Title word%d.", i)}, fmt.Sprintf(" word%d.", i), document.ChunkID(i)
		read := message.Reference{Number: i + 1, Document: ref, Chunk: &chunk, Text: word}
		switch rapid.IntRange(0, 6).Draw(t, "use") {
		case 0:
			answer.Documents = append(answer.Documents, read)
			answer.Citations = append(answer.Citations, message.Citation{Number: i + 1, ModelSees: i + 1, Document: ref, Quote: word, Section: word, Link: word})
			run.Shown += word + fmt.Sprintf("[[%d]](https://x.example/%d)", i+1, i+1)
			correction += word
		case 1:
			answer.Documents = append(answer.Documents, read)
			run.Shown += word
		case 2:
			run.Ending.Closest = append(run.Ending.Closest, ref)
		case 3:
			run.Searches = append(run.Searches, retrieve.Account{Trace: retrieve.Trace{Queries: []string{"asked"}}, Found: []retrieve.Found{{Document: ref.ID, Title: ref.Title}}})
		case 4: // what was looked for next comes from what was read before
			answer.Documents = append(answer.Documents, read)
			run.Searches = append(run.Searches, retrieve.Account{Trace: retrieve.Trace{Queries: []string{word}, Synonyms: []string{word}}})
		case 5:
			saved.Plan = append(saved.Plan, session.PlanRow{Number: i + 1, Question: "part", State: "found", Shown: word, Citations: []message.Citation{{Document: ref}}})
		}
	}
	run.Messages = []message.Message{answer}
	saved.Runs = []session.Run{run}
	if rapid.IntRange(0, 3).Draw(t, "corrected") == 0 {
		saved.Correction = &session.Correction{Text: correction}
	}
	return saved
}

// Whatever was asked, answered and found: a viewer sees no question that Scope.May refuses, and no
// word of a document that the viewer may not read or that was taken back.
func TestViewersSeeNothingThatTheyMayNotRead(t *testing.T) {
	t.Parallel()
	shown, withheld := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := drawArchive(t)
		reader := review.Reader{Tenant: access.DefaultTenant, Store: a, Library: a, Prices: func() spend.Prices {
			return spend.Prices{Currency: "USD", Models: map[string]spend.Price{"m": {Input: 2}}}
		}}
		var held []access.Principal
		for _, acl := range acls {
			if rapid.Bool().Draw(t, "held") {
				held = append(held, acl...)
			}
		}
		v := review.Viewer{
			Person:   access.Account{Workspace: access.Workspace{Platform: "slack", ID: "W"}, ID: rapid.SampledFrom([]string{"U1", "U2", ""}).Draw(t, "viewer")},
			Audience: access.NewAudience(access.DefaultTenant, held...), Terminal: rapid.IntRange(0, 4).Draw(t, "terminal") == 0,
		}
		for _, q := range a.asked {
			d, err := reader.Open(t.Context(), v, q.Turn)
			if may := v.Scope().May(q); may != (err == nil) || err != nil && !errors.Is(err, session.ErrUnknownTurn) {
				t.Fatalf("a viewer who may see the question: %t, and Open says %v", may, err)
			}
			if err != nil {
				continue
			}
			if d.Models[0].Cost != 2 || d.Models[0].Currency != "USD" {
				t.Fatalf("it cost %+v", d.Models)
			}
			text := fmt.Sprintf("%+v", d)
			for i := range documents {
				id, word := document.ID(fmt.Sprint("d", i)), fmt.Sprintf("word%d.", i)
				if !v.Audience.MayRead(a.acls[id]) && strings.Contains(text, word) {
					t.Fatalf("a viewer who holds %v reads of %v: %s", held, a.acls[id], text)
				}
				if a.gone[id] && slices.ContainsFunc(a.saved[q.Turn].Runs[0].Messages[0].Documents, func(r message.Reference) bool { return r.Document.ID == id }) && d.Answer != "" {
					t.Fatalf("an answer with text that was taken back is shown: %s", text)
				}
			}
			for _, other := range a.asked {
				if !v.Scope().May(other) && strings.Contains(text, other.Text) {
					t.Fatalf("the viewer sees %q of the conversation", other.Text)
				}
			}
			if slices.ContainsFunc(d.Citations, func(c review.Cited) bool { return c.Quote != "" }) {
				t.Fatalf("a quote that is stored with the answer is shown: %s", text)
			}
			if d.Withheld {
				withheld++
			} else if d.Answer != "" {
				shown++
			}
		}
	})
	if shown == 0 || withheld == 0 {
		t.Errorf("%d answers were shown, %d withheld: the test says nothing", shown, withheld)
	}
}

func TestPiecesLinkCitations(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string][]review.Piece{
		"":                                      nil,
		"a":                                     {{Text: "a"}},
		"a [[1]](https://x.example/a)[[2]]. b":  {{Text: "a "}, {Note: 1}, {Note: 2}, {Text: ". b"}},
		"[[0]] [[x]](y) [1](https://x.example)": {{Text: "[[0]] [[x]](y) [1](https://x.example)"}},
	} {
		if got := review.Pieces(answer); !slices.Equal(got, want) {
			t.Errorf("Pieces(%q) = %+v", answer, got)
		}
	}
}

// A thread that may be closed to a reader of its channel shows its questions to their askers alone.
func TestEnclosedThreadsAreHidden(t *testing.T) {
	t.Parallel()
	channel := access.Channel("discord", "C1")
	asked := review.Question{
		Ref: thread.Ref{Platform: "discord", Channel: "C1", Thread: "T1"}, Asker: thread.Person{ID: "U1"}, Outcome: session.Answered,
	}
	enclosed := asked
	enclosed.Enclosed = true
	for name, test := range map[string]struct {
		scope review.Scope
		open  bool
	}{
		"in the channel":  {scope: review.Scope{Channels: []access.Principal{channel}}},
		"the asker":       {scope: review.Scope{Person: access.Account{Workspace: access.Workspace{Platform: "discord"}, ID: "U1"}}, open: true},
		"at the terminal": {scope: review.Scope{Everywhere: true}, open: true},
	} {
		if got := test.scope.May(enclosed); got != test.open {
			t.Errorf("%s: an enclosed thread is shown: %t, want %t", name, got, test.open)
		}
		if !test.scope.May(asked) {
			t.Errorf("%s: a thread as open as its channel is hidden", name)
		}
	}
}
