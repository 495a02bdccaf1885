package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Final writes are tried so often, with waits doubling from the first: half a minute in all, or what the platform asks for.
const (
	finalTries = 6
	finalWait  = 500 * time.Millisecond
)

// writer brings a thread's messages in line with a view. It is used by one goroutine at a time.
type writer[P any] struct {
	Deps[P]
	to       thread.Ref
	pages    []Page
	streamer thread.Streamer[P]
	tail     Tail[P]
	streamed thread.MessageID // the message being appended to
	broken   bool             // an append failed: the rest is written by the final edit
}

func newWriter[P any](to thread.Ref, deps Deps[P], pages []Page) writer[P] {
	w := writer[P]{Deps: deps, to: to, pages: pages}
	// A message that an earlier attempt posted is repaired by edits; only a fresh answer is appended to.
	if streamer, ok := deps.Surface.(thread.Streamer[P]); ok && len(pages) == 0 {
		if r, ok := deps.Renderer.(TailRenderer[P]); ok {
			w.streamer, w.tail = streamer, r.Tail()
		}
	}
	return w
}

func (w *writer[P]) progress(ctx context.Context, v *View) error {
	if w.streamer != nil {
		return w.append(ctx, v)
	}
	return w.edit(ctx, v, thread.Progress)
}

// final leaves the thread showing the whole answer, or says why it cannot.
func (w *writer[P]) final(ctx context.Context, v *View, notBefore time.Time) error {
	wait := finalWait
	for try := 1; ; try++ {
		if err := sleep(ctx, time.Until(notBefore)); err != nil {
			return fmt.Errorf("wait to write the final answer: %w", err)
		}
		err := w.finish(ctx, v)
		if err == nil || errors.Is(err, thread.ErrNotPermitted) || try == finalTries {
			return err
		}
		var limited *thread.RateLimitError
		if errors.As(err, &limited) {
			notBefore = time.Now().Add(limited.RetryAfter)
		} else {
			notBefore = time.Now().Add(wait)
			wait *= 2
		}
	}
}

func (w *writer[P]) finish(ctx context.Context, v *View) error {
	if w.streamer == nil {
		return w.edit(ctx, v, thread.Final)
	}
	if !w.broken {
		err := w.appendLast(ctx, v)
		if err == nil {
			return nil
		}
		w.broken = true
		w.Logger.Warn("appending to the answer failed; it will be edited", "error", err)
	}
	w.streamer = nil
	return w.edit(ctx, v, thread.Final)
}

func (w *writer[P]) append(ctx context.Context, v *View) error {
	if w.broken {
		return nil
	}
	piece, ok := w.tail.Next(v)
	if !ok {
		return nil
	}
	if err := w.send(ctx, piece); err != nil {
		w.broken = true
		return fmt.Errorf("append to the answer: %w", err)
	}
	return nil
}

func (w *writer[P]) send(ctx context.Context, piece P) error {
	if w.streamed != "" {
		return w.streamer.Append(ctx, w.to, w.streamed, piece)
	}
	if err := w.Log.Intend(ctx, 0); err != nil {
		return err
	}
	id, err := w.streamer.Start(ctx, w.to, piece)
	if err != nil {
		return err
	}
	w.streamed = id
	w.pages = []Page{{ID: id}}
	return w.Log.Posted(ctx, 0, id, "")
}

func (w *writer[P]) appendLast(ctx context.Context, v *View) error {
	piece, ok := w.tail.Next(v)
	if w.streamed == "" {
		if !ok {
			return nil // nothing to say and nothing said
		}
		if err := w.send(ctx, piece); err != nil {
			return err
		}
		var nothing P
		piece = nothing
	}
	if err := w.streamer.Stop(ctx, w.to, w.streamed, piece); err != nil {
		return err
	}
	return w.Log.Final(ctx, 0, "")
}

// edit posts, edits and deletes messages until they equal the view's pages.
func (w *writer[P]) edit(ctx context.Context, v *View, class thread.Class) error {
	pages := w.Renderer.Render(v)
	for n, page := range pages {
		if err := w.bring(ctx, n, page, w.Renderer.Hash(page), class); err != nil {
			return err
		}
	}
	if class != thread.Final {
		return nil
	}
	for n := len(w.pages) - 1; n >= len(pages); n-- {
		if err := w.Surface.Delete(ctx, w.to, w.pages[n].ID); err != nil {
			return fmt.Errorf("delete page %d of the answer: %w", n+1, err)
		}
		w.pages = w.pages[:n]
	}
	return nil
}

// bring makes message n show page.
func (w *writer[P]) bring(ctx context.Context, n int, page P, hash string, class thread.Class) error {
	final := class == thread.Final
	known := n < len(w.pages) && w.pages[n].ID != ""
	if known && w.pages[n].Hash == hash {
		if !final || w.pages[n].Final {
			return nil
		}
		return w.finalised(ctx, n, hash)
	}
	if err := w.reserve(ctx, class, known); err != nil {
		return err
	}
	if known {
		err := w.Surface.Edit(ctx, w.to, w.pages[n].ID, page)
		if err == nil {
			w.pages[n].Hash = hash
			if final {
				return w.finalised(ctx, n, hash)
			}
			return nil
		}
		if !final || !errors.Is(err, thread.ErrMessageGone) && !errors.Is(err, thread.ErrNotEditable) {
			return fmt.Errorf("edit page %d of the answer: %w", n+1, err)
		}
		// The final answer must be seen: what cannot be edited any more is posted anew.
	}
	if err := w.Log.Intend(ctx, n); err != nil {
		return fmt.Errorf("record page %d of the answer: %w", n+1, err)
	}
	id, err := w.Surface.Post(ctx, w.to, page)
	if err != nil {
		return fmt.Errorf("post page %d of the answer: %w", n+1, err)
	}
	if n < len(w.pages) {
		w.pages[n] = Page{Number: n, ID: id, Hash: hash}
	} else {
		w.pages = append(w.pages, Page{Number: n, ID: id, Hash: hash})
	}
	if err := w.Log.Posted(ctx, n, id, hash); err != nil {
		return fmt.Errorf("record page %d of the answer: %w", n+1, err)
	}
	if final {
		return w.finalised(ctx, n, hash)
	}
	return nil
}

func (w *writer[P]) finalised(ctx context.Context, n int, hash string) error {
	w.pages[n].Final = true
	if err := w.Log.Final(ctx, n, hash); err != nil {
		return fmt.Errorf("record the final page %d of the answer: %w", n+1, err)
	}
	return nil
}

func (w *writer[P]) reserve(ctx context.Context, class thread.Class, known bool) error {
	if w.Pacing == nil {
		return nil
	}
	if class == thread.Progress && !known {
		class = thread.First
	}
	return w.Pacing.Reserve(ctx, w.to, class)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
