package report_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/report"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/thread"
	"pgregory.net/rapid"
)

var monday = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// world is two workspaces with people, and channels that some of them can open. Unless filters is
// set it returns every question whatever the scope is, so that a report rests on what the core
// decides alone.
type world struct {
	filters bool

	rooms   map[thread.Ref]chat.Room
	openers map[thread.Ref][]string // people, by name
	asked   []review.Question
	cited   []document.Ref
	readers map[document.ID][]string // people who may read a document
	acls    map[document.ID]access.ACL
	rows    []spend.Row
	broken  thread.Ref // about which the platform says nothing
}

func (w *world) Questions(_ context.Context, _ access.TenantID, s review.Scope, _ review.Query) ([]review.Question, error) {
	return slices.DeleteFunc(slices.Clone(w.asked), func(q review.Question) bool { return w.filters && !s.May(q) }), nil
}

func (w *world) QuestionVectors(_ context.Context, _ access.TenantID, _ string, asked []review.Question) (map[session.TurnID][]float32, error) {
	vectors := make(map[session.TurnID][]float32)
	for _, q := range asked {
		vectors[q.Turn] = []float32{1, 0}
	}
	return vectors, nil
}

func (w *world) KeepQuestionVectors(context.Context, access.TenantID, string, []review.Question, [][]float32) error {
	return nil
}

func (w *world) Nearest(_ context.Context, _ access.TenantID, asked []review.Question) (map[session.TurnID][]document.Ref, error) {
	near := make(map[session.TurnID][]document.Ref)
	for _, q := range asked {
		near[q.Turn] = slices.Clone(w.cited)
	}
	return near, nil
}

func (w *world) Statements(context.Context, knowledge.Question) ([]knowledge.Statement, error) {
	return nil, nil
}

func (w *world) Readable(_ context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	may := make(map[document.ID]bool)
	for _, id := range ids {
		may[id] = audience.MayRead(w.acls[id])
	}
	return may, nil
}

func (w *world) QuestionChannels(context.Context, access.TenantID, time.Time, time.Time) ([]thread.Ref, error) {
	var all []thread.Ref
	for _, q := range w.asked {
		q.Ref.Thread = ""
		if !slices.Contains(all, q.Ref) {
			all = append(all, q.Ref)
		}
	}
	return all, nil
}

func (w *world) QuestionOutcomes(_ context.Context, _ access.TenantID, s review.Scope, since, until time.Time) (map[session.Outcome]int, error) {
	counts := make(map[session.Outcome]int)
	for _, q := range w.asked {
		if s.May(q) && !q.At.Before(since) && q.At.Before(until) {
			counts[q.Outcome]++
		}
	}
	return counts, nil
}

func (w *world) CitedBefore(context.Context, access.TenantID, review.Scope, time.Time, time.Time, time.Time) ([]document.Ref, error) {
	return slices.Clone(w.cited), nil
}

func (w *world) Standing(context.Context, access.TenantID, string) (spend.Standing, error) {
	return spend.Standing{}, nil
}

func (w *world) Report(context.Context, time.Time) ([]spend.Row, error) { return w.rows, nil }

func (w *world) Room(_ context.Context, at thread.Ref) (chat.Room, error) {
	at.Thread = ""
	if at == w.broken {
		return chat.Room{}, errors.New("Slack is away")
	}
	return w.rooms[at], nil
}

type embedder struct{ retrieve.Embedder }

func (embedder) Model() string { return "m" }

// byChannel makes one cluster of the questions of each channel.
func byChannel(_ context.Context, asked []gaps.Asked) ([][]int, error) {
	of := make(map[string][]int)
	for i, a := range asked {
		of[a.Ref.Channel] = append(of[a.Ref.Channel], i)
	}
	return slices.Collect(maps.Values(of)), nil
}

// alike makes one cluster of all questions.
func alike(_ context.Context, asked []gaps.Asked) ([][]int, error) {
	var all []int
	for i := range asked {
		all = append(all, i)
	}
	return [][]int{all}, nil
}

func (w *world) reader(group func(context.Context, []gaps.Asked) ([][]int, error)) report.Reader {
	return report.Reader{
		Tenant: access.DefaultTenant, Store: w, Library: w, Books: w, Room: w.Room,
		Gaps: gaps.Reader{
			Tenant: access.DefaultTenant, Store: w, Library: w, Graph: graph{Graph: nil, world: w},
			Embedder: func() (retrieve.Embedder, error) { return embedder{}, nil }, Group: group,
		},
	}
}

type graph struct {
	knowledge.Graph
	*world
}

func (g graph) Statements(ctx context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	return g.world.Statements(ctx, q)
}

var (
	members = []string{"ann", "bob", "cy"}
	guests  = []string{"gus"}
)

// draw makes a world. A channel's Room says of it what a platform would, by who can open it.
func draw(t *rapid.T) *world {
	w := &world{rooms: make(map[thread.Ref]chat.Room), openers: make(map[thread.Ref][]string), readers: make(map[document.ID][]string), acls: make(map[document.ID]access.ACL)}
	w.filters = rapid.Bool().Draw(t, "filters")
	var all []thread.Ref
	for n := range 5 {
		at := thread.Ref{Platform: "slack", Workspace: rapid.SampledFrom([]string{"W1", "W2"}).Draw(t, "workspace"), Channel: fmt.Sprint("C", n)}
		var in []string
		public := rapid.Bool().Draw(t, "public")
		for _, p := range members {
			if public || rapid.Bool().Draw(t, "in") {
				in = append(in, at.Workspace+" "+p)
			}
		}
		outside := false
		for _, p := range guests {
			if rapid.IntRange(0, 2).Draw(t, "guest") == 0 {
				in, outside = append(in, at.Workspace+" "+p), true
			}
		}
		there := access.Presence{Tenant: access.DefaultTenant, Open: true, Outsiders: outside, Held: []access.Held{{Principal: access.Channel("slack", at.Channel)}}}
		if !outside {
			there.Held = append(there.Held, access.Held{Principal: access.Members})
		}
		w.openers[at], w.rooms[at] = in, chat.Room{Ref: at, Present: there, Open: public}
		all = append(all, at)
	}
	for n := range rapid.IntRange(0, 25).Draw(t, "questions") {
		q := review.Question{
			Turn: session.TurnID(fmt.Sprint("t", n)), Ref: rapid.SampledFrom(all).Draw(t, "channel"), Asker: thread.Person{ID: rapid.SampledFrom(members).Draw(t, "asker")},
			Outcome: rapid.SampledFrom([]session.Outcome{session.NoEvidence, session.Answered, session.Declined}).Draw(t, "outcome"), Text: fmt.Sprintf("question%d?", n),
			Direct: rapid.IntRange(0, 5).Draw(t, "direct") == 0, Enclosed: rapid.IntRange(0, 5).Draw(t, "enclosed") == 0,
			At: monday.Add(-time.Duration(rapid.IntRange(1, 20).Draw(t, "age")) * 24 * time.Hour),
		}
		q.Ref.Thread = fmt.Sprint("T", n)
		if rapid.IntRange(0, 5).Draw(t, "private") == 0 {
			q.Owner = q.Asker.ID
		}
		w.asked = append(w.asked, q)
	}
	for n, acl := range []access.ACL{{access.Public}, {access.Members}, {access.Channel("slack", "C0")}, {access.User("slack", "ann")}} {
		d := document.Ref{ID: document.ID(fmt.Sprint("d", n)), Title: fmt.Sprintf("title%d.", n), UpdatedAt: monday.AddDate(-2, 0, 0)}
		w.cited, w.acls[d.ID] = append(w.cited, d), acl
	}
	w.broken = rapid.SampledFrom(append(all, thread.Ref{})).Draw(t, "broken")
	return w
}

// may is the test's own decision: a person may read a question in a channel that they can open, if
// it is no one's private one and its thread has no fewer readers.
func (w *world) may(person string, q review.Question) bool {
	at := q.Ref
	at.Thread = ""
	return slices.Contains(w.openers[at], person) && !q.Direct && q.Owner == "" && !q.Enclosed && q.Outcome != session.Declined
}

func (w *world) mayRead(person string, acl access.ACL, at thread.Ref) bool {
	switch acl[0] {
	case access.Public:
		return true
	case access.Members:
		return !strings.HasSuffix(person, "gus")
	case access.Channel("slack", "C0"):
		for ref, in := range w.openers {
			if ref.Channel == "C0" && slices.Contains(in, person) {
				return true
			}
		}
		return false
	}
	return false // more than one person reads a channel, or may come to
}

// Whatever was asked, and wherever: no reader of a report finds a question in it that they may not
// read, or the title of such a document, and no gap is the question of fewer than three people.
func TestReportsHoldNothingThatTheirReadersMayNotRead(t *testing.T) {
	t.Parallel()
	shown := 0
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t)
		group := rapid.SampledFrom([]func(context.Context, []gaps.Asked) ([][]int, error){alike, byChannel}).Draw(t, "group")
		for at, to := range w.rooms {
			if at == w.broken {
				continue
			}
			made, err := w.reader(group).Report(t.Context(), to, monday, false)
			if err != nil {
				t.Fatal(err)
			}
			text := made.Text(time.UTC)
			for _, q := range w.asked {
				for _, person := range w.openers[at] {
					if strings.Contains(text, q.Text) && !w.may(person, q) {
						t.Fatalf("%s reads %q of %+v in a report to %v:\n%s", person, q.Text, q, at, text)
					}
				}
			}
			for _, c := range made.Gaps {
				askers := make(map[string]bool)
				for _, q := range c.Questions {
					askers[q.Asker.ID] = true
					for _, person := range w.openers[at] {
						if !w.may(person, q) {
							t.Fatalf("a gap in a report to %v counts %+v, which %s may not read", at, q, person)
						}
					}
				}
				if shown++; len(askers) < 3 {
					t.Fatalf("a gap of %d people: %+v", len(askers), c)
				}
			}
			for _, d := range w.cited {
				for _, person := range w.openers[at] {
					if strings.Contains(text, d.Title) && !w.mayRead(person, w.acls[d.ID], at) {
						t.Fatalf("%s reads the title %q in a report to %v:\n%s", person, d.Title, at, text)
					}
				}
			}
			counted := 0
			for _, n := range made.Outcomes {
				counted += n
			}
			for _, q := range w.asked {
				if !q.At.Before(made.Since) && !slices.ContainsFunc(w.openers[at], func(person string) bool { return !w.may(person, q) }) {
					counted--
				}
			}
			if counted > 0 {
				t.Fatalf("a report to %v counts %d questions that its readers may not read", at, counted)
			}
		}
	})
	if shown == 0 {
		t.Error("no report had a gap: the test says nothing")
	}
}

func room(channel string, open bool) chat.Room {
	return chat.Room{
		Ref: thread.Ref{Platform: "slack", Workspace: "W1", Channel: channel}, Open: open,
		Present: access.Presence{Tenant: access.DefaultTenant, Held: []access.Held{{Principal: access.Channel("slack", channel)}, {Principal: access.Members}}},
	}
}

// question is one that was asked on a day before the report.
func question(channel, asker, text string, days int) review.Question {
	return review.Question{
		Turn: session.TurnID(channel + asker + text), Ref: thread.Ref{Platform: "slack", Workspace: "W1", Channel: channel}, Asker: thread.Person{ID: asker},
		Outcome: session.NoEvidence, Text: text, At: monday.Add(-time.Duration(days) * 24 * time.Hour),
	}
}

func TestReportNamesGapsOfThisWeek(t *testing.T) {
	t.Parallel()
	of := func(askers ...string) []review.Question {
		var all []review.Question
		for i, a := range askers {
			all = append(all, question("C1", a, "How do I get a parking permit?", 2+8*i))
		}
		return all
	}
	late := of("z", "a", "b", "c")[1:]
	private := of("a", "b", "c", "d")
	private[3].Ref.Channel = "C9"
	for name, tt := range map[string]struct {
		asked []review.Question
		want  bool
	}{
		"three people, one of them this week":  {of("a", "b", "c"), true},
		"one person":                           {of("a", "a", "a"), false},
		"two people":                           {of("a", "b", "a"), false},
		"three people, none of them this week": {late, false},
		// and a fourth in a private channel, who does not count
		"three people in this channel": {private, true},
		"two in this channel":          {append(slices.Clone(private[:2]), private[3]), false},
	} {
		w := &world{filters: true, asked: tt.asked, rooms: map[thread.Ref]chat.Room{{Platform: "slack", Workspace: "W1", Channel: "C9"}: room("C9", false)}}
		made, err := w.reader(alike).Report(t.Context(), room("C1", false), monday, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(made.Text(time.UTC), "parking permit"); got != tt.want {
			t.Errorf("%s: named %t, want %t\n%s", name, got, tt.want, made.Text(time.UTC))
		}
	}
}

// A report to a channel of full members covers the open channels of their workspace.
func TestScopeTakesOpenChannelsForMembers(t *testing.T) {
	t.Parallel()
	guests := room("C1", true)
	guests.Present.Outsiders, guests.Present.Held = true, guests.Present.Held[:1]
	elsewhere, discord := room("C5", true), room("C6", true)
	elsewhere.Ref.Workspace, discord.Ref.Platform = "W2", "discord"
	for name, tt := range map[string]struct {
		to   chat.Room
		want []access.Principal
	}{
		"members":          {room("C1", false), []access.Principal{access.Channel("slack", "C1"), access.Channel("slack", "C2")}},
		"guests":           {guests, []access.Principal{access.Channel("slack", "C1")}},
		"nothing is known": {chat.Room{Ref: guests.Ref}, nil},
	} {
		s := report.Scope(tt.to, []chat.Room{room("C2", true), room("C3", false), elsewhere, discord, room("C2", true)})
		if !slices.Equal(s.Channels, tt.want) || s.Everywhere || s.Person != (access.Account{}) {
			t.Errorf("%s: %+v, want %v", name, s, tt.want)
		}
	}
}

func TestCostsAreThoseOfThePeriod(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return monday.Truncate(24*time.Hour).AddDate(0, 0, -n) }
	row := func(n int, tenant access.TenantID, currency string) spend.Row {
		r := spend.Row{Day: day(n)}
		r.Tenant, r.Currency, r.Amount = tenant, currency, spend.Unit
		return r
	}
	w := &world{
		asked: []review.Question{question("C1", "a", "x", 1)},
		rows: []spend.Row{
			row(8, access.DefaultTenant, "EUR"), row(7, access.DefaultTenant, "EUR"), row(1, access.DefaultTenant, "EUR"), row(0, access.DefaultTenant, "EUR"),
			row(1, "other", "EUR"), row(1, access.DefaultTenant, ""), row(2, access.DefaultTenant, "USD"),
		},
	}
	for costs, want := range map[bool]string{true: "Cost of models, all questions: 2.00 EUR, 1.00 USD.", false: ""} {
		made, err := w.reader(alike).Report(t.Context(), room("C1", false), monday, costs)
		if err != nil {
			t.Fatal(err)
		}
		if text := made.Text(time.UTC); strings.Contains(text, "Cost") != costs || !strings.Contains(text, want) {
			t.Errorf("with costs %t:\n%s", costs, text)
		}
	}
}
