package answer_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// outpost is a platform, its surface and its records. It notes what it is asked for.
type outpost struct {
	chat.Unsupported

	posted []session.Page
	refuse error         // of every write
	answer chan struct{} // writes wait until it is closed; nil: they do not

	mu    sync.Mutex
	calls []string
}

func (o *outpost) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, fmt.Sprintf(format, args...))
}

// outpostSurface is the outpost as a thread.Surface.
type outpostSurface struct {
	thread.Forgetful
	thread.Unpaced
	*outpost
}

func (s outpostSurface) Post(_ context.Context, _ thread.Ref, page string) (thread.MessageID, error) {
	s.note("post %s", page)
	if s.answer != nil {
		<-s.answer
		s.note("posted")
	}
	return "m1", s.refuse
}

func (s outpostSurface) Edit(_ context.Context, _ thread.Ref, id thread.MessageID, page string) error {
	s.note("edit %s %s", id, page)
	return s.refuse
}

func (s outpostSurface) Delete(context.Context, thread.Ref, thread.MessageID) error { return nil }

func (outpostSurface) Capabilities() thread.Capabilities { return thread.Capabilities{} }

// outpostRecords is the outpost as answer.Records.
type outpostRecords struct {
	answer.Unrecorded
	*outpost
}

func (r outpostRecords) Pages(context.Context, session.Fence) ([]session.Page, error) {
	return r.outpost.posted, nil
}

func (o *outpost) Whisper(_ context.Context, _ session.Turn, n chat.Note) error {
	o.note("whisper %s", n.Sentence)
	return nil
}

// plainText renders the words alone.
type plainText struct{ stream.Paged[string] }

func (plainText) Render(v *stream.View) []string { return []string{v.Text()} }

func TestDeliver(t *testing.T) {
	t.Parallel()
	asked := session.Turn{ID: "t1", Attempt: 1}
	changed := func(change func(*session.Turn)) session.Turn {
		t := asked
		change(&t)
		return t
	}
	page := session.Page{PageKey: session.PageKey{Kind: session.Answer}, Message: "m1", Hash: "old"}
	notice := session.Page{PageKey: session.PageKey{Kind: session.Notice}, Message: "n1"}
	rewritten := changed(func(t *session.Turn) { t.Outcome = session.Answered })
	for name, test := range map[string]struct {
		turn    session.Turn
		posted  []session.Page
		refuse  error
		outcome session.Outcome
		want    string
	}{
		"an answer": {turn: asked, outcome: session.Answered, want: "sign at work, begun 0, greet, post hello, ended"},
		"with a notice about the queue": {
			turn: asked, posted: []session.Page{notice}, outcome: session.Answered, want: "sign at work, begun 1, greet, post hello, ended",
		},
		"continued": {turn: asked, posted: []session.Page{page}, outcome: session.Answered, want: "sign at work, begun 1, greet, edit m1 hello, ended"},
		"written again": {
			turn: rewritten, posted: []session.Page{page}, outcome: session.Answered, want: "begun 1, edit m1 hello, ended",
		},
		"unasked":  {turn: changed(func(t *session.Turn) { t.Ambient = true }), outcome: session.Answered, want: "begun 0, post hello, ended"},
		"declined": {turn: rewritten, outcome: session.Declined, want: "begun 0, dismiss, ended"},
		"barred": {
			turn: asked, refuse: thread.ErrNotPermitted, outcome: session.Answered, want: "sign at work, begun 0, greet, post hello, whisper barred, ended",
		},
		"barred when it continues": {
			turn: asked, posted: []session.Page{page}, refuse: thread.ErrNotPermitted, outcome: session.Answered,
			want: "sign at work, begun 1, greet, edit m1 hello, ended",
		},
		"barred in a direct message": {
			turn: changed(func(t *session.Turn) { t.Direct = true }), refuse: thread.ErrNotPermitted, outcome: session.Answered,
			want: "sign at work, begun 0, greet, post hello, ended",
		},
		"barred for its owner": {
			turn: changed(func(t *session.Turn) { t.Session.Owner = "ann" }), refuse: thread.ErrNotPermitted, outcome: session.Answered,
			want: "sign at work, begun 0, greet, post hello, ended",
		},
		"barred and unasked": {
			turn: changed(func(t *session.Turn) { t.Ambient = true }), refuse: thread.ErrNotPermitted, outcome: session.Answered,
			want: "begun 0, post hello, ended",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outpost{posted: test.posted, refuse: test.refuse}
			greeted := make(chan struct{})
			desk := answer.Desk{Platform: o, Records: outpostRecords{outpost: o}, Begun: func(_ context.Context, _ session.Turn, posted []session.Page) {
				o.note("begun %d", len(posted))
			}}
			d, err := answer.Deliver(t.Context(), desk, test.turn, func() error { return nil }, func(context.Context, []session.Page) (answer.Outlet[string], error) {
				return answer.Outlet[string]{
					Surface: outpostSurface{outpost: o}, Renderer: plainText{}, Pace: stream.Pace{FinalOnly: true},
					Sign: answer.Sign{
						Show: func(_ context.Context, _ thread.Ref, line string) error { o.note("sign %s", line); return nil }, Every: time.Hour, Again: time.Hour,
						First: "at work",
					},
					Greet: func(context.Context) { o.note("greet"); close(greeted) }, Barred: func(err error) (string, bool) { return "barred", err != nil },
					Dismiss: func(context.Context) error { o.note("dismiss"); return nil }, Ended: func(context.Context) { o.note("ended") },
				}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(test.want, "greet") {
				<-greeted
			}
			d.Accept(packet.Packet{Payload: packet.MessageDelta{Text: "hello"}})
			d.Accept(packet.Packet{Payload: packet.Stop{Reason: string(test.outcome)}})
			err = d.Finish(t.Context(), chat.Result{Outcome: test.outcome})
			if (err != nil) != (test.refuse != nil) {
				t.Errorf("finish: %v", err)
			}
			if got := strings.Join(o.calls, ", "); got != test.want {
				t.Errorf("calls: %s\nwant:  %s", got, test.want)
			}
		})
	}
}

func TestDeliverWithoutPermitWritesNothing(t *testing.T) {
	t.Parallel()
	o := &outpost{}
	lost := fmt.Errorf("another replica has the turn")
	d, err := answer.Deliver(t.Context(), answer.Desk{Platform: o, Records: outpostRecords{outpost: o}}, session.Turn{}, func() error { return lost },
		func(context.Context, []session.Page) (answer.Outlet[string], error) {
			return answer.Outlet[string]{Surface: outpostSurface{outpost: o}, Renderer: plainText{}}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	d.Accept(packet.Packet{Payload: packet.MessageDelta{Text: "hello"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Finish(ctx, chat.Result{Outcome: session.Answered}); err == nil || len(o.calls) > 0 {
		t.Errorf("finish: %v, calls: %q", err, o.calls)
	}
}

// A call that is under way when an attempt ends may still take effect. Close therefore waits for it,
// and nothing is written afterwards.
func TestClosedDeliveryHasNoCallUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outpost{answer: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		d, err := answer.Deliver(ctx, answer.Desk{Platform: o, Records: outpostRecords{outpost: o}}, session.Turn{ID: "t1", Attempt: 1}, func() error { return ctx.Err() },
			func(context.Context, []session.Page) (answer.Outlet[string], error) {
				return answer.Outlet[string]{Surface: outpostSurface{outpost: o}, Renderer: plainText{}, Pace: stream.Pace{FirstRunes: 1}}, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		d.Accept(packet.Packet{Payload: packet.MessageDelta{Text: "hello"}})
		synctest.Wait() // the call is under way
		cancel()
		short, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		d.Close(short)
		if short.Err() == nil {
			t.Error("Close returned while the call was under way")
		}
		time.AfterFunc(time.Minute, func() { close(o.answer) })
		d.Close(t.Context())
		if got := strings.Join(o.calls, ", "); got != "post hello, posted" {
			t.Errorf("calls: %s", got)
		}
	})
}
