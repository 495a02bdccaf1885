package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// appender writes an answer to messages that are appended to. What is to be written waits in a
// queue, so that a refused call is made again with the same piece: nothing is lost or repeated. It
// is used by one goroutine at a time.
type appender[P any] struct {
	thread.Streamer[P]
	tail   Tail[P]
	maxAge time.Duration

	queue   []piece[P]
	last    P // that was appended last
	open    thread.MessageID
	number  int // of the open message, or of the next one
	since   time.Time
	renewed bool // an age has cut messages where the renderer's pages do not end
	ended   bool // the last piece is queued
}

// piece is one call to be made.
type piece[P any] struct {
	page P
	stop bool // it ends its message
}

// newAppender returns nil where answers are posted and edited.
func newAppender[P any](deps Deps[P]) *appender[P] {
	streamer, ok := deps.Surface.(thread.Streamer[P])
	if !ok {
		return nil
	}
	tail := deps.Renderer.Tail()
	if tail == nil {
		return nil
	}
	return &appender[P]{Streamer: streamer, tail: tail, maxAge: deps.Surface.Capabilities().MaxStreamAge}
}

// enqueue queues what is new in the view. Nothing new is asked for while something waits, so that a
// slow platform gets fewer, longer pieces. After an error the appender must not be used again: its
// tail may still be at work.
func (a *appender[P]) enqueue(ctx context.Context, finish <-chan struct{}, v *View, last bool) error {
	if a.ended || !last && (len(a.queue) > 0 || v.Phase == Done) {
		return nil // the last piece ends its message, which is for the final write to do
	}
	ok := false
	next, err := renderWithin(ctx, finish, v, func(v *View) (piece P) { piece, ok = a.tail(v); return piece })
	if err != nil {
		return err
	}
	if ok && !last {
		a.renew()
	}
	parts, end := []P{next}, *new(P)
	if ok {
		parts, end = a.Split(next)
	}
	started := a.open != "" || len(a.queue) > 0
	for i, part := range parts {
		if i > 0 {
			a.queue = append(a.queue, piece[P]{stop: true})
		}
		if ok {
			a.queue = append(a.queue, piece[P]{page: part})
		}
	}
	if ok {
		a.last = parts[len(parts)-1]
	}
	if !last {
		return nil
	}
	a.ended = true
	switch {
	case ok && len(parts) == 1 && started: // its last piece ends the message
		a.queue[len(a.queue)-1] = piece[P]{page: next, stop: true}
	case ok || started:
		a.queue = append(a.queue, piece[P]{page: end, stop: true})
	}
	return nil
}

// renew ends a message that has grown too old.
func (a *appender[P]) renew() {
	if a.open == "" || a.maxAge == 0 || time.Since(a.since) < a.maxAge {
		return
	}
	end, begin, more := a.Renew(a.last)
	a.queue = append(a.queue, piece[P]{page: end, stop: true})
	if more {
		a.queue = append(a.queue, piece[P]{page: begin})
	}
	a.renewed = true
}

// flush makes the calls that are due. After an error the rest stays in the queue.
func (w *writer[P]) flush(ctx context.Context, class thread.Class) error {
	for a := w.appender; len(a.queue) > 0; a.queue = a.queue[1:] {
		p, err := a.queue[0], error(nil)
		switch {
		case a.open == "" && p.stop: // the message was never begun
		case a.open == "":
			err = w.start(ctx, p.page, class)
		case p.stop:
			err = w.stop(ctx, p.page)
		default:
			class := class
			if class == thread.Progress && w.hasText && !w.textSeen {
				class = thread.First // nothing is to be read here yet: it goes before more of what others read
			}
			if err = w.reserve(ctx, thread.StreamAppend, class); err != nil {
				return err
			}
			calling, made, err := w.beginCall(ctx, thread.StreamAppend)
			if err == nil {
				err = made(a.Append(calling, w.to, a.open, p.page))
			}
			if err != nil {
				return fmt.Errorf("append to the answer: %w", err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stop ends a message. That is never put off: an open one looks as if the bot were still writing.
func (w *writer[P]) stop(ctx context.Context, page P) error {
	if err := w.reserve(ctx, thread.StreamStop, thread.Final); err != nil {
		return err
	}
	a := w.appender
	calling, made, err := w.beginCall(ctx, thread.StreamStop)
	if err == nil {
		err = made(a.Stop(calling, w.to, a.open, page))
	}
	if err != nil {
		return fmt.Errorf("end the stream of the answer: %w", err)
	}
	n := a.number
	a.open, a.number = "", n+1
	if n < len(w.pages) {
		w.pages[n].Final = true
	}
	return w.Log.Final(ctx, n, "")
}

// start begins a message. When there is no room for a stream within the time that first words may
// take, it says ErrNoStream.
func (w *writer[P]) start(ctx context.Context, page P, class thread.Class) error {
	if class == thread.Progress {
		class = thread.First
	}
	waiting, cancel := context.WithTimeout(ctx, w.firstWait)
	err := w.reserve(waiting, thread.StreamStart, class)
	cancel()
	if err != nil {
		if ctx.Err() == nil {
			return fmt.Errorf("%w: %w", thread.ErrNoStream, err)
		}
		return err
	}
	a := w.appender
	if err := w.Log.Intend(ctx, a.number); err != nil {
		return fmt.Errorf("record page %d of the answer: %w", a.number+1, err)
	}
	var id thread.MessageID
	calling, made, err := w.beginCall(ctx, thread.StreamStart)
	if err == nil {
		id, err = a.Start(calling, w.to, page)
		err = made(err)
	}
	if err != nil {
		var limited *thread.RateLimitError
		switch {
		case errors.As(err, &limited):
			return fmt.Errorf("%w: %w", thread.ErrNoStream, err)
		case errors.Is(err, thread.ErrOutcomeUnknown):
			w.pages = append(w.pages, Page{Number: a.number})
		}
		return fmt.Errorf("begin to stream the answer: %w", err)
	}
	a.open, a.since = id, time.Now()
	w.pages = append(w.pages, Page{Number: a.number, ID: id})
	w.group.addMessage(id)
	if err := w.Log.Posted(ctx, a.number, id, ""); err != nil {
		return fmt.Errorf("record page %d of the answer: %w", a.number+1, err)
	}
	return nil
}
