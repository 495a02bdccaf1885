package crashtest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/access/accesstest"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// The environment of a process under test.
const (
	envDatabase = "CRASHTEST_DATABASE"
	envSocket   = "CRASHTEST_PLATFORM"
	envReplica  = "CRASHTEST_REPLICA"
)

const (
	lease   = time.Second
	workers = 16
	words   = 25
	pause   = 40 * time.Millisecond // between two words
)

// work is the process under test: a replica that answers from a script until SIGTERM, or until it
// is killed.
func work() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	db, err := postgres.Open(ctx, postgres.Config{URL: os.Getenv(envDatabase), MaxConns: 8})
	if err != nil {
		return err
	}
	defer db.Close()
	store := pgsession.New(db)
	service, err := answer.New(answer.Deps{
		Store: store, Prompts: admin.NewSettings(db),
		Signal: new(session.LocalSignal), Engine: typist{}, Setups: nobody{}, Library: nobody{},
		Surfaces: &surfaces{platform: dial(os.Getenv(envSocket)), store: store},
		Logger:   slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}, answer.Config{
		Replica: session.ReplicaID(os.Getenv(envReplica)), Workers: workers, Lease: lease, Beat: lease / 8, Poll: 100 * time.Millisecond,
		MaxDeaths: 1000, // no turn is at fault here
	})
	if err != nil {
		return err
	}
	return service.Run(ctx)
}

// reply is what the script answers to a question.
func reply(question string) string {
	return "To " + question + ": " + strings.TrimSpace(strings.Repeat("word ", words))
}

// typist writes a reply word by word.
type typist struct{}

func (typist) Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error) {
	text := reply(req.Question.Text)
	for _, word := range strings.SplitAfter(text, " ") {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return turn.Report{Answers: []turn.Answer{{Ending: turn.Ending{Outcome: session.Failed}}}}, nil
		}
		sink.Accept(packet.Packet{Payload: packet.MessageDelta{Text: word}})
	}
	sink.Accept(packet.Packet{Payload: packet.Stop{Reason: string(session.Answered)}})
	return turn.Report{Answers: []turn.Answer{{Model: "typist", Text: text, Shown: text, Ending: turn.Ending{Outcome: session.Answered}}}}, nil
}

type nobody struct{}

func (nobody) Setup(context.Context, session.Turn) (answer.Setup, error) { return answer.Setup{}, nil }

// Listeners are those of the intake: nobody joins or leaves here.
func (s *surfaces) Listeners(_ context.Context, t session.Turn) (access.Presence, error) {
	return accesstest.Present(t.Audience), nil
}

func (nobody) Readable(context.Context, access.Audience, []document.ID) (map[document.ID]bool, error) {
	return nil, nil
}

func (nobody) Beyond(context.Context, access.Audience, access.Audience) (bool, error) {
	return true, nil
}

// surfaces opens deliveries that show progress in one message, which is adopted on a take-over.
type surfaces struct {
	chat.Unsupported

	platform *client
	store    *pgsession.Store
}

func (s *surfaces) Open(ctx context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	posted, err := s.store.Pages(ctx, t.Fence())
	if err != nil {
		return nil, err
	}
	logs := answer.OpenLogs(s.store, t, t.Session.Ref, posted, nil)
	d := &delivery{platform: s.platform, turn: t.ID, to: t.Session.Ref, guard: answer.Guard(s.store, t, permit, slog.Default()), log: logs.Log(0),
		finish: make(chan struct{})}
	if pages := logs.Posted()[0]; len(pages) > 0 {
		if err := d.adopt(ctx, pages[0]); err != nil {
			return nil, err
		}
	}
	d.owned.Go(func() { d.progress(ctx) })
	return d, nil
}

type delivery struct {
	platform *client
	turn     session.TurnID
	to       thread.Ref
	guard    stream.Guard
	log      stream.Log
	finish   chan struct{}
	owned    sync.WaitGroup

	mu   sync.Mutex
	text string
	id   thread.MessageID
}

// adopt finds the message of an earlier attempt: the one that was recorded, or the one whose
// recording was cut off.
func (d *delivery) adopt(ctx context.Context, page stream.Page) error {
	d.id = page.ID
	var found []post
	if err := d.platform.call(ctx, "/list", post{Turn: d.turn}, &found); err != nil {
		return err
	}
	for _, m := range found {
		if d.id == "" {
			d.id = m.ID
			if err := d.log.Posted(ctx, 0, m.ID, ""); err != nil {
				return err
			}
		}
		if m.ID != d.id {
			if err := d.guarded(ctx, func() error { return d.platform.Delete(ctx, d.to, m.ID) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *delivery) Accept(p packet.Packet) {
	if delta, ok := p.Payload.(packet.MessageDelta); ok {
		d.mu.Lock()
		d.text += delta.Text
		d.mu.Unlock()
	}
}

// progress shows what there is, now and then.
func (d *delivery) progress(ctx context.Context) {
	for {
		select {
		case <-time.After(5 * pause):
		case <-d.finish: // a write under way is waited for: cut off, it could arrive after the final one
			return
		case <-ctx.Done():
			return
		}
		if d.write(ctx, false) != nil {
			return // the final write, or another replica, repairs it
		}
	}
}

func (d *delivery) write(ctx context.Context, final bool) error {
	d.mu.Lock()
	text := d.text
	d.mu.Unlock()
	if text == "" && !final {
		return nil
	}
	page := post{Turn: d.turn, Text: text, Final: final}
	if d.id != "" {
		return d.guarded(ctx, func() error { return d.platform.Edit(ctx, d.to, d.id, page) })
	}
	if err := d.log.Intend(ctx, 0); err != nil {
		return err
	}
	var id thread.MessageID
	err := d.guarded(ctx, func() (err error) { id, err = d.platform.Post(ctx, d.to, page); return err })
	if err != nil {
		return err
	}
	d.id = id
	return d.log.Posted(ctx, 0, id, "")
}

// guarded makes one call to the platform.
func (d *delivery) guarded(ctx context.Context, call func() error) error {
	if err := d.guard.Permit(); err != nil {
		return err
	}
	return d.guard.Made(ctx, call())
}

// Close implements chat.Delivery. The attempt's context has ended.
func (d *delivery) Close(context.Context) { d.owned.Wait() }

func (d *delivery) Finish(ctx context.Context, final chat.Result) error {
	close(d.finish)
	d.owned.Wait()
	if final.Outcome != session.Answered {
		return fmt.Errorf("the outcome is %s", final.Outcome)
	}
	return errors.Join(d.write(ctx, true), d.log.Final(ctx, 0, ""))
}
