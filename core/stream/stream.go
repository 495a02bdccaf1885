package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// Deps are the dependencies of a ThreadStream. Surface, Renderer and Log are required.
type Deps[P any] struct {
	Surface  thread.Surface[P]
	Renderer Renderer[P]
	Log      Log
	Guard    Guard // nil permits every call
	// Turn is the turn of the answer. The view uses it to show that the answer is private or a
	// copy. With the zero value the answer is neither.
	Turn session.Turn
	// Observe is called after every call to the surface, by one goroutine at a time. It may be nil.
	Observe func(Write)
	Logger  *slog.Logger // nil: silent
}

// Write is one completed call to a surface.
type Write struct {
	Call thread.Call
	Err  error // after the guard's review
	// First reports that this call made the first words of the answer visible. Since is then the
	// time since the stream was opened.
	First bool
	Since time.Duration
}

// ThreadStream writes one answer into one thread while the answer is produced. One goroutine
// writes. It may skip states of the answer, but never the final one. Accept may be called by any
// goroutine.
type ThreadStream[P any] struct {
	mu   sync.Mutex
	view View

	dirty         chan struct{} // holds one token when the view has changed since the last write
	finish        chan struct{}
	ended         chan struct{}
	once          sync.Once
	writer        writer[P]
	pacer         pacer
	logger        *slog.Logger
	fixedInterval time.Duration // interval between two writes; 0 uses the surface's
}

// Open starts writing to a thread. The stream ends with Finish, or when ctx is done. It then leaves
// no goroutine running. If an earlier attempt at the turn posted messages, the stream edits these
// messages instead of posting again.
func Open[P any](ctx context.Context, to thread.Ref, model int, pace Pace, deps Deps[P]) (*ThreadStream[P], error) {
	return open(ctx, to, model, pace, deps, nil)
}

func open[P any](ctx context.Context, to thread.Ref, model int, pace Pace, deps Deps[P], group *replyGroup) (*ThreadStream[P], error) {
	if deps.Surface == nil || deps.Renderer == nil || deps.Log == nil {
		return nil, errors.New("open a thread stream: surface, renderer and log are required")
	}
	if pace.FirstRunes == 0 {
		pace.FirstRunes = 40
	}
	if pace.FirstWait == 0 {
		pace.FirstWait = time.Second
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	pages, err := deps.Log.Pages(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the messages of the turn: %w", err)
	}
	finish := make(chan struct{})
	view := View{Model: model, Private: deps.Turn.Session.Owner != "", Copy: deps.Turn.Origin.As == session.Shared}
	if deps.Turn.Message == "" {
		view.Question, view.Asker = deps.Turn.Question.Text, deps.Turn.Asker.Name
	}
	s := &ThreadStream[P]{
		view:  view,
		dirty: make(chan struct{}, 1), finish: finish, ended: make(chan struct{}),
		writer: newWriter(to, deps, pages, pace.FirstWait, finish, group), pacer: pacer{Pace: pace}, logger: deps.Logger, fixedInterval: pace.Interval,
	}
	s.pacer.Interval = s.interval()
	go s.run(ctx)
	return s, nil
}

// Accept applies a packet to the view. It implements packet.Sink and never waits for the platform.
func (s *ThreadStream[P]) Accept(p packet.Packet) {
	s.mu.Lock()
	changed := s.view.Apply(p)
	s.mu.Unlock()
	if changed {
		select {
		case s.dirty <- struct{}{}:
		default:
		}
	}
}

// Finish stops progress writes and makes the final write. It retries until the write succeeds, the
// platform refuses the write permanently, or ctx is done.
func (s *ThreadStream[P]) Finish(ctx context.Context) error {
	s.stopProgress()
	return s.writer.final(ctx, s.snapshot(), s.pacer.notBefore)
}

// stopProgress ends the progress writes and waits for a write that is in progress.
func (s *ThreadStream[P]) stopProgress() {
	s.once.Do(func() { close(s.finish) })
	<-s.ended
}

func (s *ThreadStream[P]) snapshot() *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view.snapshot()
}

func (s *ThreadStream[P]) run(ctx context.Context) {
	defer close(s.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for {
		select {
		case <-s.dirty:
		case <-s.finish:
			return
		case <-ctx.Done():
			return
		}
		for {
			view := s.snapshot()
			over := view.Phase == Done && view.Label != "" && !s.pacer.FinalOnly
			if over { // complete this answer before those of other models; if it fails, Finish tries again
				s.complete(ctx, view)
			}
			wait := s.pacer.due(time.Now(), view)
			if wait == 0 && !over {
				break
			}
			if wait < 0 || over { // only the final write remains
				select {
				case <-s.finish:
				case <-ctx.Done():
				}
				return
			}
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-s.dirty: // more text may make the first post worth it
			case <-s.finish:
				return
			case <-ctx.Done():
				return
			}
		}
		view, before := s.snapshot(), s.writer.calls
		err := s.writer.progress(ctx, view)
		s.recordWrite(ctx, view, s.writer.calls > before, err)
		select {
		case <-s.finish: // skip another write of the same view
			return
		default:
		}
	}
}

func (s *ThreadStream[P]) interval() time.Duration {
	limits := s.writer.Surface.Capabilities()
	switch {
	case s.fixedInterval > 0:
		return s.fixedInterval
	case s.writer.appender != nil && limits.MinAppendInterval > 0:
		return limits.MinAppendInterval
	default:
		return limits.MinEditInterval
	}
}

// complete makes the final write of one answer while other answers are still being written. It only
// logs errors, because Finish tries again.
func (s *ThreadStream[P]) complete(ctx context.Context, view *View) {
	err := sleep.For(ctx, time.Until(s.pacer.notBefore))
	if err == nil {
		err = s.writer.complete(ctx, s.finish, view)
	}
	if err != nil && ctx.Err() == nil {
		s.logger.DebugContext(ctx, "early completion of one model's answer failed", "error", err)
	}
}

// recordWrite tells the pacer the result of a write. It logs most errors without handling them,
// because a later write repeats the content.
func (s *ThreadStream[P]) recordWrite(ctx context.Context, view *View, called bool, err error) {
	s.pacer.Interval = s.interval()
	if err == nil && !s.pacer.posted && !called {
		return // nothing was shown, so the first words need not wait for the interval
	}
	s.pacer.recordWrite(time.Now(), view.Len() > 0)
	var limited *thread.RateLimitError
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.As(err, &limited):
		s.pacer.rateLimited(time.Now(), limited.RetryAfter)
	case errors.Is(err, thread.ErrNoRoom):
		select {
		case s.dirty <- struct{}{}: // the same view again, after the interval
		default:
		}
	case thread.Lasting(err):
		// The message is deleted, the bot was removed, the thread is locked, or every form was
		// refused. Only the final write tries again.
		s.pacer.FinalOnly = true
		s.logger.WarnContext(ctx, "progress writes of the answer stopped", "error", err)
	default:
		s.logger.WarnContext(ctx, "progress write failed", "error", err)
	}
}
