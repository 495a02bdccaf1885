package answer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/access/accesstest"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// stage is a platform with its messages, an index, and one or more replicas that write to it
// through real streams, pages and fences.
type stage struct {
	chat.Unsupported
	*testing.T
	store  *sessiontest.Memory
	signal session.Signal

	mu        sync.Mutex
	acl       map[document.ID]access.ACL
	channel   access.Audience            // whoever listens in the channel
	person    map[string]access.Audience // what one person may read
	taken     string                     // text that documents do not hold any more
	away      bool                       // the platform does not say who listens
	fails     bool                       // the model fails
	slow      time.Duration              // that the model takes
	pair      []string                   // models that answer at once; the first of them takes slow, and the others no time
	messages  []shown
	deletes   int
	whispers  []string
	histories []string // what the models were given, each as one text
	acted     []thread.Action
	searches  []access.Audience
	serial    int
}

// shown is a message on the platform.
type shown struct {
	id    thread.MessageID
	owner string // who alone sees it; empty: the channel does
	text  string
}

var channelRef = thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}

// services are a replica: what answers, with what is done to answers and what people type.
type services struct {
	*answer.Service
	*actions
	*commands
}

type (
	actions  = action.Service
	commands = command.Service
)

// serve adds the other services to the one that answers. Of the store the actions and commands use
// what is given to both.
func serve(t testing.TB, deps answer.Deps, config answer.Config, acting action.Deps, typing command.Deps) *services {
	t.Helper()
	answers, err := answer.New(deps, config)
	if err != nil {
		t.Fatal(err)
	}
	acting.Answerer, acting.Signal, acting.Library, acting.Quotes = answers, deps.Signal, deps.Library, deps.Quotes
	typing.Answerer, typing.Signal, typing.Library = answers, deps.Signal, deps.Library
	acts, err := action.New(acting)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := command.New(typing)
	if err != nil {
		t.Fatal(err)
	}
	return &services{answers, acts, typed}
}

// perform runs a test in a bubble with one replica.
func perform(t *testing.T, test func(s *stage, r *services)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		test(s, s.replica())
	})
}

func newStage(t *testing.T) *stage {
	return &stage{
		T: t, store: sessiontest.NewMemory(), signal: new(session.LocalSignal), acl: map[document.ID]access.ACL{},
		channel: access.NewAudience(tenant, access.Members),
		person: map[string]access.Audience{
			"U1": access.NewAudience(tenant, access.Members, access.User("slack", "U1")), "U2": access.NewAudience(tenant, access.Members),
		},
	}
}

// replica starts a service that ends with the test.
func (s *stage) replica() *services {
	s.Helper()
	service := s.service()
	s.Cleanup(s.run(service))
	return service
}

// run runs a service until it is told to end.
func (s *stage) run(service *services) (end func()) {
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			s.Errorf("run: %v", err)
		}
	}
}

// service is one that does not run yet: it takes in, and answers nothing.
func (s *stage) service() *services {
	s.Helper()
	m := s.store
	return serve(s, answer.Deps{
		Store: m, Prompts: m,
		Signal: s.signal, Engine: s, Setups: setups{}, Library: s, Quotes: s, Surfaces: s, Retriever: s, Metrics: s,
	}, answer.Config{}, action.Deps{Store: m, Metrics: s}, command.Deps{Store: m})
}

// settle lets everything happen that is going to.
func (s *stage) settle() { time.Sleep(time.Minute); synctest.Wait() }

func (s *stage) ask(r *services, text string, change ...func(*thread.Mention)) session.Turn {
	s.Helper()
	s.serial++
	m := thread.Mention{
		Ref: channelRef, EventKey: fmt.Sprint("e", s.serial), Message: thread.MessageID(fmt.Sprint("q", s.serial)),
		Asker: thread.Person{ID: "U1", Name: "Ada"}, Text: text, At: time.Now(), Tenant: tenant, Listens: s.channel,
	}
	for _, c := range change {
		c(&m)
	}
	accepted, err := r.Accept(s.Context(), m)
	if err != nil {
		s.Fatal(err)
	}
	return accepted.Turn
}

// act does something to an answer as somebody, with a press of its own.
func (s *stage) act(r *services, do thread.Action, id session.TurnID, by string, change ...func(*action.Request)) action.Reply {
	s.Helper()
	s.serial++
	a := action.Request{
		Do: do, Tenant: tenant, Ref: channelRef, Turn: id, Key: fmt.Sprint("k", s.serial), By: thread.Person{ID: by, Name: "name of " + by}, Moderator: by == "MOD",
	}
	for _, c := range change {
		c(&a)
	}
	reply, err := r.Perform(s.Context(), a)
	if err != nil {
		s.Fatalf("%s: %v", do, err)
	}
	return reply
}

func saying(text string) func(*action.Request) {
	return func(a *action.Request) { a.Text, a.Submitted = text, true }
}

// seen is what stands in the channel, or what one person alone sees.
func (s *stage) seen(owner string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []string{}
	for _, m := range s.messages {
		if m.owner == owner {
			out = append(out, m.text)
		}
	}
	return out
}

// want compares what is seen.
func (s *stage) want(owner string, want ...string) {
	s.Helper()
	if got := s.seen(owner); !slices.Equal(got, want) {
		s.Errorf("%q sees\n%q, want\n%q", owner, got, want)
	}
}

// publish adds a document that holds its own name.
func (s *stage) publish(name string, to ...access.Principal) document.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := document.ID("docs:" + name)
	s.acl[id] = to
	return id
}

// Search implements retrieve.Retriever: a document is found by its name.
func (s *stage) Search(_ context.Context, q retrieve.Search) (retrieve.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searches = append(s.searches, q.Audience)
	var found retrieve.Result
	for _, id := range sortedIDs(s.acl) {
		name := strings.TrimPrefix(string(id), "docs:")
		wanted := slices.ContainsFunc(q.Queries, func(one retrieve.Query) bool { return strings.Contains(one.Text, name) })
		if wanted && q.Audience.MayRead(s.acl[id]) && (len(q.Documents) == 0 || slices.Contains(q.Documents, id)) {
			found.Hits = append(found.Hits, retrieve.Hit{Document: document.Ref{ID: id, Title: name, URL: "https://docs.example/" + name}, ACL: s.acl[id]})
		}
	}
	found.Evidence = len(found.Hits) > 0
	return found, nil
}

func sortedIDs(acl map[document.ID]access.ACL) []document.ID {
	var ids []document.ID
	for id := range acl {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Readable implements answer.Library.
func (s *stage) Readable(_ context.Context, a access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := make(map[document.ID]bool)
	for _, id := range ids {
		if acl, ok := s.acl[id]; ok && a.MayRead(acl) {
			found[id] = true
		}
	}
	return found, nil
}

// Standing implements answer.Quotes.
func (s *stage) Standing(_ context.Context, _ access.TenantID, shown []message.Reference) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stands := make([]bool, len(shown))
	for i, r := range shown {
		stands[i] = r.Text != s.taken
	}
	return stands, nil
}

// Beyond implements answer.Library.
func (s *stage) Beyond(_ context.Context, one, other access.Audience) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, acl := range s.acl {
		if one.MayRead(acl) && !other.MayRead(acl) {
			return true, nil
		}
	}
	return false, nil
}

// Run implements answer.Engine: it repeats the names of the documents that a search finds, with a
// footnote for each.
func (s *stage) Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error) {
	s.mu.Lock()
	fails, slow, pair := s.fails, s.slow, s.pair
	history := ""
	for _, m := range req.History {
		history += string(m.Role) + ": " + m.Text + "\n"
	}
	s.histories = append(s.histories, history)
	s.mu.Unlock()
	if len(pair) > 0 {
		return answerAs(ctx, req, pair, slow, sink), nil
	}
	a := turn.Answer{Model: "m", Ending: turn.Ending{Outcome: session.NoEvidence, Sentence: "Nothing found."}}
	if slow > 0 {
		sink.Accept(packet.Packet{Payload: packet.MessageDelta{Text: "written while it runs"}})
		a.Text, a.Shown = "written while it runs", "written while it runs"
		select {
		case <-time.After(slow):
		case <-ctx.Done():
		}
	}
	switch {
	case errors.Is(context.Cause(ctx), turn.ErrStopped):
		a.Ending = turn.Ending{Outcome: session.Stopped, Sentence: "Stopped."}
	case fails:
		a.Ending = turn.Ending{Outcome: session.Failed, Sentence: "It failed.", Reference: "ref", Retryable: true}
	default:
		found, err := s.Search(ctx, retrieve.Search{Audience: req.Audience, Queries: []retrieve.Query{{Text: req.Question.Text}}})
		if err != nil {
			return turn.Report{}, err
		}
		for i, hit := range found.Hits {
			n := i + 1
			a.Ending = turn.Ending{Outcome: session.Answered, Grounding: packet.Cited}
			a.Text += fmt.Sprintf("%s says so [%d]. ", hit.Document.Title, n)
			a.Shown += fmt.Sprintf("%s says so [[%d]](%s). ", hit.Document.Title, n, hit.Document.URL)
			a.Citations = append(a.Citations, message.Citation{Number: n, ModelSees: n, Document: hit.Document, Link: hit.Document.URL})
			a.References = append(a.References, message.Reference{Number: n, Document: hit.Document, Text: hit.Document.Title})
			sink.Accept(packet.Packet{Payload: packet.CitationInfo{Number: n, Document: hit.Document.ID, Title: hit.Document.Title, URL: hit.Document.URL}})
		}
		for _, m := range req.History { // as the runner does
			for _, d := range m.Documents {
				a.Inherited = append(a.Inherited, message.Reference{Number: d.Number, Document: d.Document})
			}
		}
		sink.Accept(packet.Packet{Payload: packet.MessageDelta{Text: a.Shown}})
	}
	sink.Accept(packet.Packet{Payload: packet.Stop{Reason: string(a.Ending.Outcome), Message: string(a.Ending.Sentence)}})
	return turn.Report{Answers: []turn.Answer{a}, Took: time.Second}, nil
}

// Features implements chat.Platform.
func (s *stage) Features(thread.Ref) chat.Features { return chat.Features{Whispers: true} }

// Listeners implements chat.Platform.
func (s *stage) Listeners(_ context.Context, t session.Turn) (access.Presence, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return access.Presence{}, errors.New("the platform is away")
	}
	if t.Session.Owner != "" || t.Direct {
		return accesstest.Present(s.person[t.Asker.ID]), nil
	}
	return accesstest.Present(s.channel), nil
}

// Whisper implements chat.Platform.
func (s *stage) Whisper(_ context.Context, t session.Turn, note chat.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := fmt.Sprintf("%s about %s: %s", t.Asker.ID, t.Question.Text, note.Sentence)
	for _, b := range note.Buttons {
		said += fmt.Sprintf(" [%s]", b.Action)
	}
	s.whispers = append(s.whispers, said)
	return nil
}

// Open implements chat.Platform.
func (s *stage) Open(ctx context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	to := t.Session.Ref
	if t.Session.Owner != "" {
		to.Channel = "DM " + t.Session.Owner
	}
	return answer.Deliver(ctx, answer.Desk{Platform: s, Records: s.store}, t, permit, func(context.Context, []session.Page) (answer.Outlet[string], error) {
		return answer.Outlet[string]{
			To: to, Surface: posts{stage: s}, Renderer: plainPages{}, Pace: stream.Pace{Interval: time.Second},
			Dismiss: func(context.Context) error { return nil },
		}, nil
	})
}

// posts is the stage as a thread.Surface.
type posts struct {
	thread.Forgetful
	thread.Unpaced
	*stage
}

func (s posts) Post(_ context.Context, to thread.Ref, page string) (thread.MessageID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := thread.MessageID(fmt.Sprint("m", len(s.messages)+s.deletes))
	owner, _ := strings.CutPrefix(to.Channel, "DM ")
	if owner == to.Channel {
		owner = ""
	}
	s.messages = append(s.messages, shown{id, owner, page})
	return id, nil
}

func (s posts) Edit(_ context.Context, _ thread.Ref, id thread.MessageID, page string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range s.messages {
		if m.id == id {
			s.messages[i].text = page
			return nil
		}
	}
	return thread.ErrMessageGone
}

func (s posts) Delete(_ context.Context, _ thread.Ref, id thread.MessageID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = slices.DeleteFunc(s.messages, func(m shown) bool { return m.id == id })
	s.deletes++
	return nil
}

func (s posts) Capabilities() thread.Capabilities { return thread.Capabilities{} }

// Turn, Stopped, Acted, Repeated and TakenOver implement answer.Metrics.
func (s *stage) Turn(thread.Platform, session.Saved) {}
func (s *stage) Stopped(time.Duration)               {}
func (s *stage) Repeated(thread.Platform)            {}
func (s *stage) TakenOver()                          {}
func (s *stage) Acted(a thread.Action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acted = append(s.acted, a)
}

// plainPages renders a page for each three sentences, the notes under the last, and which buttons
// stand there.
type plainPages struct{ stream.Paged[string] }

func (plainPages) Render(v *stream.View) []string {
	var pages []string
	parts := strings.SplitAfter(strings.TrimSpace(v.Text()), ". ")
	for chunk := range slices.Chunk(parts, 3) {
		if text := strings.TrimSpace(strings.Join(chunk, "")); text != "" {
			pages = append(pages, text)
		}
	}
	notes := slices.DeleteFunc(append([]string{v.Message}, v.Notices...), func(n string) bool { return n == "" })
	if v.Problem != nil {
		notes = append(notes, v.Problem.Message)
	}
	if v.Phase != stream.Done {
		return pages
	}
	if len(pages) == 0 {
		pages = []string{strings.Join(notes, " ")}
	} else if len(notes) > 0 {
		pages[len(pages)-1] += " (" + strings.Join(notes, " ") + ")"
	}
	for _, b := range stream.Buttons(v) {
		pages[len(pages)-1] += " <" + string(b.Action) + ">"
	}
	return pages
}
