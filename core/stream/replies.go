package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Logs records the messages that one turn posted, with a separate log for each model. It is safe
// for concurrent use.
type Logs interface {
	// Log returns the log of one model's answer.
	Log(model int) Log
	// Posted returns the pages of all models at the time when the logs were opened, by model and
	// number.
	Posted() map[int][]Page
}

// Replies writes the answers of several models to one question into one thread, in separate
// messages. Use it like a [ThreadStream]. An answer that has ended is completed while other answers
// still run.
//
// It makes one write at a time, so no writer mistakes a message of another writer for its own.
type Replies[P any] struct {
	open   func(model int) (*ThreadStream[P], error)
	posted map[int][]Page // pages of earlier attempts, by model

	mu      sync.Mutex
	streams map[int]*ThreadStream[P] // guarded by mu
	failed  error                    // guarded by mu
}

// OpenReplies starts to write answers to a thread. The writing ends with Finish, or when ctx is
// done. OpenReplies uses logs and ignores deps.Log.
func OpenReplies[P any](ctx context.Context, to thread.Ref, pace Pace, logs Logs, deps Deps[P]) (*Replies[P], error) {
	posted := logs.Posted()
	group := &replyGroup{token: make(chan struct{}, 1)}
	for _, pages := range posted {
		for _, p := range pages {
			group.addMessage(p.ID)
		}
	}
	group.token <- struct{}{}
	r := &Replies[P]{posted: posted, streams: make(map[int]*ThreadStream[P])}
	r.open = func(model int) (*ThreadStream[P], error) {
		deps := deps
		deps.Log = logs.Log(model)
		return open(ctx, to, model, pace, deps, group)
	}
	first, err := r.open(0)
	r.streams[0] = first
	return r, err
}

// Accept implements packet.Sink. It never waits for the platform.
func (r *Replies[P]) Accept(p packet.Packet) {
	if s := r.streamOf(p.Placement.ModelIndex); s != nil {
		s.Accept(p)
	}
}

// streamOf opens the stream of a model if necessary. It returns nil if the stream could not be
// opened.
func (r *Replies[P]) streamOf(model int) *ThreadStream[P] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.streams[model]; s != nil || r.failed != nil {
		return s
	}
	s, err := r.open(model)
	if err != nil {
		r.failed = err
		return nil
	}
	r.streams[model] = s
	return s
}

// Finish makes the final writes. It deletes messages that an earlier attempt posted for models that
// no longer answer. If several writes fail, it returns a temporary error if there is one, so that
// the turn is retried.
func (r *Replies[P]) Finish(ctx context.Context) error {
	for model := range r.posted {
		r.streamOf(model)
	}
	r.mu.Lock()
	streams, failed := maps.Clone(r.streams), r.failed
	r.mu.Unlock()
	for model, s := range streams {
		s.stopProgress()
		// model 0 also shows the outcome of a turn that no model answered
		s.writer.deleteAll = model > 0 && s.hasNoPackets()
	}
	for _, model := range slices.Sorted(maps.Keys(streams)) {
		err := streams[model].Finish(ctx)
		switch {
		case err == nil:
		case errors.Is(err, session.ErrFenced) || ctx.Err() != nil:
			return err
		case failed == nil || thread.Lasting(failed) && !thread.Lasting(err):
			failed = err
		}
	}
	return failed
}

// Wait waits until the current call to the platform has returned, after the context of OpenReplies
// has ended. Call it after Accept and Finish.
func (r *Replies[P]) Wait() {
	r.mu.Lock()
	streams := maps.Clone(r.streams)
	r.mu.Unlock()
	for _, s := range streams {
		<-s.ended
	}
}

func (s *ThreadStream[P]) hasNoPackets() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view.Label == "" && s.view.Phase == Waiting
}

// replyGroup ensures that only one writer of a turn's answers writes at a time.
type replyGroup struct {
	token chan struct{} // holds one token; its holder may write and use ids
	ids   []thread.MessageID
}

// addMessage records a message of the group. The caller must hold the token or be the only user of
// the group.
func (c *replyGroup) addMessage(id thread.MessageID) {
	if c != nil && id != "" {
		c.ids = append(c.ids, id)
	}
}

func (c *replyGroup) hasMessage(id thread.MessageID) bool {
	return c != nil && slices.Contains(c.ids, id)
}

// acquire waits until no other writer of the group writes. It fails when finish is closed or ctx
// ends. The caller must call done after writing.
func (c *replyGroup) acquire(ctx context.Context, finish <-chan struct{}) (done func(), err error) {
	if c == nil {
		return func() {}, nil
	}
	select {
	case <-c.token:
		return func() { c.token <- struct{}{} }, nil
	case <-finish:
		return nil, thread.ErrNoRoom
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the other answers of the turn: %w", context.Cause(ctx))
	}
}
