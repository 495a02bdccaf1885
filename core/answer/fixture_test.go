package answer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/access/accesstest"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

const tenant = access.DefaultTenant

// world is what replicas share: the store, the platform, the fast signal, and who may read what.
type world struct {
	*testing.T
	store    *sessiontest.Memory
	signal   session.Signal
	thread   platform
	readable map[document.ID]bool
	library  func() error                                 // fails instead of saying who may read what
	may      func(a access.Audience, id document.ID) bool // if set, says it instead of readable
	events   int
	taken    string                // text that documents do not hold any more
	before   func(op string) error // a fault of replicas that start

	mu sync.Mutex // guards readable while a replica runs
}

// bubble runs a test in a synctest bubble, where time passes when everybody waits; goroutines that
// are left behind fail the test.
func bubble(t *testing.T, test func(w *world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		test(&world{T: t, store: sessiontest.NewMemory(), signal: new(session.LocalSignal)})
	})
}

// replica is one service with its own faults.
type replica struct {
	*answer.Service
	w      *world
	engine *engine
	faults *faults
	cancel context.CancelFunc
	done   chan error
}

// start runs a replica until stop or the end of the test.
func (w *world) start(name string, script script, change ...func(*answer.Config)) *replica {
	w.Helper()
	r := &replica{w: w, engine: &engine{script: script}, faults: &faults{Store: w.store, before: w.before}, done: make(chan error, 1)}
	config := answer.Config{Replica: session.ReplicaID(name)}
	for _, c := range change {
		c(&config)
	}
	f := r.faults
	service, err := answer.New(answer.Deps{
		Store: f, Prompts: f,
		Signal: w.signal, Engine: r.engine, Setups: setups{}, Library: w, Quotes: w, Surfaces: &w.thread,
	}, config)
	if err != nil {
		w.Fatal(err)
	}
	r.Service = service
	ctx, cancel := context.WithCancel(w.Context())
	r.cancel = cancel
	go func() { r.done <- service.Run(ctx) }()
	w.Cleanup(r.stop)
	return r
}

// stop shuts the replica down and waits for it.
func (r *replica) stop() {
	r.cancel()
	if err := <-r.done; err != nil {
		r.w.Errorf("run: %v", err)
	}
	r.done <- nil
}

// die cuts a replica off: from now on nothing that it does reaches the store.
func (r *replica) die() { r.faults.set(func(string) error { return errors.New("cut off") }, nil) }

// ask takes a question in.
func (w *world) ask(r *replica, text string, change ...func(*thread.Mention)) session.Turn {
	w.Helper()
	w.events++
	m := thread.Mention{
		Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}, EventKey: fmt.Sprint("e", w.events),
		Message: thread.MessageID(fmt.Sprint("m", w.events)), Asker: thread.Person{ID: "U1", Name: "Ada"}, Text: text, At: time.Now(),
		Tenant: tenant, Listens: access.NewAudience(tenant, access.Members),
	}
	for _, c := range change {
		c(&m)
	}
	accepted, err := r.Accept(w.Context(), m)
	if err != nil {
		w.Fatal(err)
	}
	return accepted.Turn
}

func inThread(id string) func(*thread.Mention) { return func(m *thread.Mention) { m.Ref.Thread = id } }

// finals wants the thread to show exactly these final answers, each once, by the turn's number.
func (w *world) finals(want ...string) {
	w.Helper()
	w.thread.mu.Lock()
	defer w.thread.mu.Unlock()
	if !slices.Equal(w.thread.finals, want) {
		w.Errorf("the thread shows %q, want %q", w.thread.finals, want)
	}
}

// shown counts the final answers in the thread.
func (w *world) shown() int {
	w.thread.mu.Lock()
	defer w.thread.mu.Unlock()
	return len(w.thread.finals)
}

// allow changes who may read what.
func (w *world) allow(readable map[document.ID]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readable = readable
}

// Readable implements answer.Library.
func (w *world) Readable(_ context.Context, a access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	if w.library != nil {
		if err := w.library(); err != nil {
			return nil, err
		}
	}
	if w.may != nil {
		found := make(map[document.ID]bool)
		for _, id := range ids {
			found[id] = w.may(a, id)
		}
		return found, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found := maps.Clone(w.readable)
	maps.DeleteFunc(found, func(id document.ID, _ bool) bool { return !slices.Contains(ids, id) })
	return found, nil
}

func (*world) Beyond(context.Context, access.Audience, access.Audience) (bool, error) {
	return true, nil
}

// Standing implements answer.Quotes.
func (w *world) Standing(_ context.Context, _ access.TenantID, shown []message.Reference) ([]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stands := make([]bool, len(shown))
	for i, r := range shown {
		stands[i] = r.Text != w.taken
	}
	return stands, nil
}

type setups struct{}

func (setups) Setup(context.Context, session.Turn) (answer.Setup, error) { return answer.Setup{}, nil }

// script is what an engine does with a question; its text is the answer.
type script func(ctx context.Context, req turn.Request) (string, error)

// echo answers at once.
func echo(_ context.Context, req turn.Request) (string, error) {
	return "re: " + req.Question.Text, nil
}

// slow answers after a while, or when it is stopped.
func slow(d time.Duration) script {
	return func(ctx context.Context, req turn.Request) (string, error) {
		select {
		case <-time.After(d):
			return "re: " + req.Question.Text, nil
		case <-ctx.Done():
			return "partial", context.Cause(ctx)
		}
	}
}

// engine stands for the turn.Runner: it reports every end as the runner does.
type engine struct {
	script  script
	cites   []document.ID // by every answer
	closest []document.ID // named at the end of it
	mu      sync.Mutex
	ran     []turn.Request
}

func (e *engine) Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error) {
	e.mu.Lock()
	e.ran = append(e.ran, req)
	e.mu.Unlock()
	text, err := e.script(ctx, req)
	a := turn.Answer{Model: "m", Text: text, Shown: text, Ending: turn.Ending{Outcome: session.Answered}}
	switch {
	case errors.Is(err, turn.ErrStopped):
		a.Ending.Outcome = session.Stopped
	case err != nil:
		a.Ending.Outcome = session.Failed
	}
	stop := packet.Stop{Reason: string(a.Ending.Outcome)}
	for i, id := range e.cites {
		a.Citations = append(a.Citations, message.Citation{Number: i + 1, ModelSees: i + 1, Document: document.Ref{ID: id}})
		sink.Accept(packet.Packet{Payload: packet.CitationInfo{Number: i + 1, Document: id}})
	}
	for _, id := range e.closest {
		a.Ending.Closest = append(a.Ending.Closest, document.Ref{ID: id})
		stop.Closest = append(stop.Closest, packet.Document{ID: id})
	}
	sink.Accept(packet.Packet{Payload: packet.MessageDelta{Text: text}})
	sink.Accept(packet.Packet{Payload: stop})
	return turn.Report{Answers: []turn.Answer{a}, Took: time.Second}, nil
}

func (e *engine) requests() []turn.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.ran)
}

// platform is a thread that shows finals. It refuses calls that no permit covers.
type platform struct {
	chat.Unsupported

	mu      sync.Mutex
	finals  []string
	deeper  []bool              // of each final: whether looking deeper is offered
	sources [][]document.ID     // of each final: cited and closest documents, in this order
	fail    func(try int) error // of a final write
	tries   int
	opens   int
	closing func() // called when a delivery is closed; nil: nothing

	zone      *time.Location                              // of whoever asks; nil: not known
	listeners func(session.Turn) (access.Audience, error) // nil: those of the intake
	people    []access.Account                            // by name
	whispers  []string
}

// Features implements chat.Platform.
func (*platform) Features(thread.Ref) chat.Features { return chat.Features{Whispers: true} }

// Whisper implements chat.Platform.
func (p *platform) Whisper(_ context.Context, _ session.Turn, note chat.Note) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whispers = append(p.whispers, note.Sentence)
	return nil
}

func (p *platform) whispered() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.whispers)
}

func (p *platform) listen(to func(session.Turn) (access.Audience, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listeners = to
}

// Zone implements chat.Platform.
func (p *platform) Zone(context.Context, session.Turn) *time.Location {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.zone
}

// Listeners implements chat.Platform.
func (p *platform) Listeners(_ context.Context, t session.Turn) (access.Presence, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listeners == nil {
		return accesstest.Present(t.Audience), nil
	}
	present, err := p.listeners(t)
	there := accesstest.Present(present)
	there.People = p.people
	return there, err
}

func (p *platform) Open(_ context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opens++
	return &delivery{platform: p, turn: t, permit: permit}, nil
}

type delivery struct {
	platform *platform
	turn     session.Turn
	permit   chat.Permit
	view     stream.View
	text     string
	outcome  string
	message  string
}

func (d *delivery) Accept(p packet.Packet) {
	d.view.Apply(p)
	switch payload := p.Payload.(type) {
	case packet.MessageDelta:
		d.text += payload.Text
	case packet.Error:
		d.message = payload.Message
	case packet.Stop:
		d.outcome = payload.Reason
		if payload.Message != "" {
			d.message = payload.Message
		}
	}
}

// Finish edits the turn's message in place, as a real surface does: a turn has one final, the
// latest.
func (d *delivery) Finish(ctx context.Context, final chat.Result) error {
	if err := d.permit(); err != nil {
		return err
	}
	p := d.platform
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tries++
	if p.fail != nil {
		if err := p.fail(p.tries); err != nil {
			return err
		}
	}
	if d.outcome != string(final.Outcome) {
		return fmt.Errorf("the packets say %q, the final %q", d.outcome, final.Outcome)
	}
	p.finals = append(p.finals, fmt.Sprintf("%d %s: %s", d.turn.Number, d.outcome, d.text))
	var sources []document.ID
	for _, c := range d.view.Citations {
		sources = append(sources, c.Document)
	}
	for _, c := range d.view.Closest {
		sources = append(sources, c.ID)
	}
	p.sources, p.deeper = append(p.sources, sources), append(p.deeper, d.view.Deeper)
	return ctx.Err()
}

// Close implements chat.Delivery.
func (d *delivery) Close(context.Context) {
	if d.platform.closing != nil {
		d.platform.closing()
	}
}

// faults is a store that can be made to fail before or after it did what was asked.
type faults struct {
	sessiontest.Store
	mu            sync.Mutex
	before, after func(op string) error
}

func (f *faults) set(before, after func(op string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before, f.after = before, after
}

func (f *faults) do(op string, call func() error) error {
	f.mu.Lock()
	before, after := f.before, f.after
	f.mu.Unlock()
	if before != nil {
		if err := before(op); err != nil {
			return err
		}
	}
	err := call()
	if err == nil && after != nil {
		err = after(op)
	}
	return err
}

func (f *faults) Lease(ctx context.Context, r session.LeaseRequest) (leased []session.Turn, err error) {
	err = f.do("lease", func() (err error) { leased, err = f.Store.Lease(ctx, r); return err })
	if err != nil {
		return nil, err
	}
	return leased, nil
}

func (f *faults) Finish(ctx context.Context, fence session.Fence, s session.Saved) error {
	return f.do("finish", func() error { return f.Store.Finish(ctx, fence, s) })
}

func (f *faults) Delivered(ctx context.Context, fence session.Fence, undelivered string) error {
	return f.do("delivered", func() error { return f.Store.Delivered(ctx, fence, undelivered) })
}

func (f *faults) Release(ctx context.Context, fence session.Fence, after time.Duration) error {
	return f.do("release", func() error { return f.Store.Release(ctx, fence, after) })
}

func (f *faults) Beat(ctx context.Context, id session.ReplicaID, ttl time.Duration) (work bool, err error) {
	err = f.do("beat", func() (err error) {
		work, err = f.Store.Beat(ctx, id, ttl)
		return err
	})
	return work, err
}

func (f *faults) Leave(ctx context.Context, id session.ReplicaID) error {
	return f.do("leave", func() error { return f.Store.Leave(ctx, id) })
}

func (f *faults) Load(ctx context.Context, before session.Turn, limit int) (past []message.Message, err error) {
	err = f.do("load", func() (err error) { past, err = f.Store.Load(ctx, before, limit); return err })
	return past, err
}

func (f *faults) Requested(ctx context.Context, turns []session.Fence) (ids []session.TurnID, err error) {
	err = f.do("requested", func() (err error) { ids, err = f.Store.Requested(ctx, turns); return err })
	return ids, err
}

// privately is a question whose answer the asker alone will see.
func privately(m thread.Mention) answer.Question {
	return answer.Question{Mention: m, Judgement: answer.Judgement{Decision: policy.Decision{Private: true}}}
}
