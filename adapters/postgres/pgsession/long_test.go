package pgsession_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

// BenchmarkLongSession asks 500 questions in one thread, each answered from ten documents and from
// what the 50 turns before it said, and reports what the store takes for a turn at the beginning
// and at the end of it: for a thread whose documents come again, and for one in which every answer
// rests on new ones.
func BenchmarkLongSession(b *testing.B) {
	for _, kind := range []struct {
		name   string
		corpus int
	}{{"200 documents", 200}, {"always new documents", 1 << 30}} {
		b.Run(kind.name, func(b *testing.B) {
			for b.Loop() {
				store := pgsession.New(postgrestest.Open(b))
				if _, err := store.Beat(b.Context(), "r", time.Hour); err != nil {
					b.Fatal(err)
				}
				for n := 1; n <= 500; n++ {
					c := converse(b, store, n, kind.corpus)
					if n == 60 || n == 500 {
						b.ReportMetric(float64(c.accept.Microseconds())/1000, fmt.Sprintf("ms-intake-%d", n))
						b.ReportMetric(float64(c.load.Microseconds())/1000, fmt.Sprintf("ms-load-%d", n))
						b.ReportMetric(float64(c.finish.Microseconds())/1000, fmt.Sprintf("ms-finish-%d", n))
						b.ReportMetric(float64(c.references), fmt.Sprintf("references-%d", n))
					}
				}
			}
		})
	}
}

// costs of one turn.
type costs struct {
	accept, load, finish time.Duration
	references           int // that the history brings
}

func converse(b *testing.B, store *pgsession.Store, n, corpus int) (c costs) {
	b.Helper()
	began := time.Now()
	if _, err := store.Accept(b.Context(), session.Intake{
		Tenant: access.DefaultTenant, Ref: thread.Ref{Platform: "slack", Workspace: "T", Channel: "C", Thread: "long"}, EventKey: fmt.Sprint("long", n),
		Message: thread.MessageID(fmt.Sprint("long", n)), Asker: thread.Person{ID: "U"}, Text: "And how do I monitor it?",
		Audience: access.NewAudience(access.DefaultTenant, access.Members),
	}); err != nil {
		b.Fatal(err)
	}
	c.accept = time.Since(began)
	t, err := sessiontest.One(store.Lease(b.Context(), session.LeaseRequest{Replica: "r"}))
	if err != nil || t == nil {
		b.Fatal(t, err)
	}
	began = time.Now()
	numbers, err := store.Numbers(b.Context(), *t)
	if err != nil {
		b.Fatal(err)
	}
	history, err := store.Load(b.Context(), *t, 50)
	if err != nil {
		b.Fatal(err)
	}
	c.load = time.Since(began)
	answer := message.Message{Role: message.Assistant, Text: "You do it so [1].", At: time.Now()}
	known := make(map[document.ID]bool)
	for i := range 10 {
		d := document.ID(fmt.Sprint("docs:", (n*10+i)%corpus))
		number := 0
		for n, p := range numbers {
			if p.Document == d {
				number = n
			}
		}
		if number == 0 {
			number = len(numbers) + 1
			numbers[number] = cite.Passage{Document: d}
		}
		known[d] = true
		ref := document.Ref{ID: d, Source: "docs", Kind: "file", Title: fmt.Sprint("Document ", d), URL: fmt.Sprint("https://docs.example/", d)}
		answer.Documents = append(answer.Documents, message.Reference{Number: number, Document: ref, Chunk: new(document.ChunkID(n)), Text: "A passage of some words."})
	}
	for _, m := range history {
		c.references += len(m.Documents)
		for _, r := range m.Documents { // as turn.Answer keeps what the history rests on
			if !known[r.Document.ID] {
				known[r.Document.ID] = true
				answer.Documents = append(answer.Documents, message.Reference{Number: r.Number, Document: r.Document})
			}
		}
	}
	began = time.Now()
	run := session.Run{Model: "m", Messages: []message.Message{answer}, Shown: answer.Text, Ending: session.Ending{Outcome: session.Answered}}
	if err := store.Finish(b.Context(), t.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{run}}); err != nil {
		b.Fatal(err)
	}
	c.finish = time.Since(began)
	if err := store.Delivered(b.Context(), t.Fence(), ""); err != nil {
		b.Fatal(err)
	}
	return c
}
