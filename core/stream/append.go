package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// appender writes an answer to messages to which text can be appended. It queues each piece of text
// until the call for it succeeds. A failed call is repeated with the same piece.
type appender[P any] struct {
	thread.Streamer[P]
	tail   Tail[P]
	maxAge time.Duration

	queue  []piece[P]
	last   P // the last appended page
	open   thread.MessageID
	number int // number of the open message, or of the next one
	since  time.Time
	// a message was ended because of its age, so the messages differ from the renderer's pages
	renewed bool
	ended   bool // the last piece is queued
}

type piece[P any] struct {
	page P
	stop bool // the call ends its message
}

// newAppender returns an appender, or nil if the surface or the renderer does not support appends.
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

// enqueue renders the part of the view that is not written yet, and adds it to the queue. It does
// nothing while earlier pieces wait, unless last is true. After an error the appender must not be
// used again.
func (a *appender[P]) enqueue(ctx context.Context, finish <-chan struct{}, v *View, last bool) error {
	if a.ended || !last && (len(a.queue) > 0 || v.Phase == Done) {
		return nil // only the final write ends the message
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

// end discards the queue and closes the open message.
func (a *appender[P]) end() { a.queue, a.ended = []piece[P]{{stop: true}}, true }

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

// flush makes the calls for the queued pieces. After an error, the remaining pieces stay in the
// queue.
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
				// this reader has no words yet, so the call goes before the progress of other
				// answers
				class = thread.First
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

// stop ends a message. It always uses the class thread.Final, because an open message looks as if
// the bot were still writing.
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

// start begins a message to which text can be appended. It returns ErrNoStream if the surface does
// not allow a stream within firstWait.
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
