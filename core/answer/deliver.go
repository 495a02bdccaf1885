package answer

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// Outlet configures how the answer to one turn is written on a platform. P is the type of a
// rendered page. To, Surface and Renderer are required.
type Outlet[P any] struct {
	To       thread.Ref        // the thread to write to
	Surface  thread.Surface[P] // also a thread.Streamer if answers are streamed
	Renderer stream.Renderer[P]
	Pace     stream.Pace        // zero fields default to the surface's
	Observe  func(stream.Write) // called for every write, from any goroutine; may be nil
	Sign     Sign               // shows that the bot is working
	// Barred reports whether err means that the bot may not write in the thread. The sentence is
	// for the asker only. Barred may be nil.
	Barred func(err error) (sentence string, barred bool)
	// Greet is called after the asker has seen the first sign. It makes calls that are not urgent.
	// It may be nil.
	Greet func(ctx context.Context)
	// Dismiss removes the sign of a turn that gets no answer. It may be nil.
	Dismiss func(ctx context.Context) error
	// Ended is called when the delivery has ended. It may be nil.
	Ended func(ctx context.Context)
}

// Desk holds the dependencies that all deliveries of one platform share. Platform and Records are
// required.
type Desk struct {
	Platform chat.Platform
	Records  Records
	// Begun is called when work on a turn begins. posted are the pages that earlier attempts posted
	// for the turn. Begun may be nil.
	Begun func(ctx context.Context, t session.Turn, posted []session.Page)
	// Recorded is called after a new message of an answer was recorded. It may be nil.
	Recorded func(ctx context.Context, t session.Turn)
	Logger   *slog.Logger // nil: silent
}

// Records is the part of session.Store that [Deliver] uses.
type Records interface {
	Deliveries
	Repairs
}

// Unrecorded implements [Records] without storing anything. It is for platforms such as a terminal,
// where no other process can continue an answer.
type Unrecorded struct{}

// Intend implements [Deliveries].
func (Unrecorded) Intend(context.Context, session.Fence, session.PageKey, thread.Ref) error {
	return nil
}

// Posted implements [Deliveries].
func (Unrecorded) Posted(context.Context, session.Fence, session.PageKey, thread.MessageID, string) error {
	return nil
}

// Final implements [Deliveries].
func (Unrecorded) Final(context.Context, session.Fence, session.PageKey, string) error { return nil }

// Pages implements [Deliveries].
func (Unrecorded) Pages(context.Context, session.Fence) ([]session.Page, error) { return nil, nil }

// TurnOf implements [Deliveries].
func (Unrecorded) TurnOf(context.Context, access.TenantID, thread.Ref, thread.MessageID) (session.Turn, error) {
	return session.Turn{}, session.ErrUnknownTurn
}

// Disturbed implements [Repairs].
func (Unrecorded) Disturbed(context.Context, session.Fence) error { return nil }

// Deliver starts to write a turn's answer to its thread. It calls open with the messages that
// earlier attempts posted, and continues in these messages. After ctx ends, the delivery makes no
// further call, and its Finish need not be called.
//
// If the turn's result is already stored, the answer is written at once and as a whole. Outlet.Sign
// is shown only for a turn without a stored result whose message addressed the bot.
func Deliver[P any](ctx context.Context, desk Desk, t session.Turn, permit chat.Permit, open func(ctx context.Context, posted []session.Page) (Outlet[P], error)) (chat.Delivery, error) {
	if desk.Logger == nil {
		desk.Logger = slog.New(slog.DiscardHandler)
	}
	posted, err := desk.Records.Pages(ctx, t.Fence())
	if err != nil {
		return nil, fmt.Errorf("read what was posted for the turn: %w", err)
	}
	o, err := open(ctx, posted)
	if err != nil {
		return nil, err
	}
	logs := OpenLogs(desk.Records, t, o.To, posted, desk.Recorded)
	begun := func(ctx context.Context) {
		if desk.Begun == nil {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, storeLimit)
		defer cancel()
		desk.Begun(ctx, t, posted)
	}
	again := t.Outcome != ""
	o.Pace.FinalOnly = o.Pace.FinalOnly || again
	d := &delivery[P]{desk: desk, turn: t, outlet: o, fresh: len(logs.Posted()) == 0}
	writing, cancel := context.WithCancel(ctx)
	d.cancel = cancel
	if o.Sign.Show == nil || again || t.Ambient {
		begun(ctx)
	} else {
		greet := o.Greet
		d.sign = showSign(writing, o.Sign, o.To, permit, desk.Logger, func(ctx context.Context) {
			begun(ctx)
			if greet != nil {
				greet(ctx)
			}
		})
	}
	d.replies, err = stream.OpenReplies(writing, o.To, o.Pace, logs, stream.Deps[P]{
		Surface: o.Surface, Renderer: o.Renderer, Guard: Guard(desk.Records, t, permit, desk.Logger), Turn: t, Observe: d.observe, Logger: desk.Logger,
	})
	if err != nil {
		cancel()
		d.sign.wait()
		return nil, err
	}
	return d, nil
}

type delivery[P any] struct {
	desk    Desk
	turn    session.Turn
	outlet  Outlet[P]
	replies *stream.Replies[P]
	sign    *sign // nil if there is none
	fresh   bool  // no earlier attempt wrote anything
	cancel  context.CancelFunc
}

// Accept implements packet.Sink.
func (d *delivery[P]) Accept(p packet.Packet) {
	d.sign.accept(p)
	d.replies.Accept(p)
}

// observe removes the sign that the bot is working at the first visible text. It passes every write
// to Outlet.Observe.
func (d *delivery[P]) observe(w stream.Write) {
	if w.First {
		d.sign.endForText()
	}
	if d.outlet.Observe != nil {
		d.outlet.Observe(w)
	}
}

// Finish implements chat.Delivery.
func (d *delivery[P]) Finish(ctx context.Context, final chat.Result) error {
	defer d.cancel()
	d.sign.beforeLast()
	err := d.write(ctx, final)
	d.sign.afterLast(ctx, err)
	if d.outlet.Barred != nil {
		d.whisperBarred(ctx, err)
	}
	if d.outlet.Ended != nil {
		d.outlet.Ended(ctx)
	}
	return err
}

// Close implements chat.Delivery.
func (d *delivery[P]) Close(ctx context.Context) {
	d.cancel()
	ended := make(chan struct{})
	go func() { // ends with the current calls, which have time limits
		defer close(ended)
		d.sign.wait()
		d.replies.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

func (d *delivery[P]) write(ctx context.Context, final chat.Result) error {
	if final.Outcome.Silent() && d.outlet.Dismiss != nil {
		return d.outlet.Dismiss(ctx)
	}
	return d.replies.Finish(ctx)
}

// whisperBarred tells the asker privately, once, that the bot may not write in the thread. It does
// nothing in a direct message, because a private message would fail there too.
func (d *delivery[P]) whisperBarred(ctx context.Context, err error) {
	sentence, barred := d.outlet.Barred(err)
	if t := d.turn; !barred || !d.fresh || t.Ambient || t.Direct || t.Session.Owner != "" {
		return
	}
	if err := d.desk.Platform.Whisper(ctx, d.turn, chat.Note{Sentence: sentence}); err != nil {
		d.desk.Logger.WarnContext(ctx, "the asker is not told that the answer cannot be written", "turn", d.turn.ID, "error", err)
	}
}
