package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// A final write is tried finalTries times. The wait before the second try is finalWait, and doubles
// for each further one. If the platform asks for another wait, that wait is used.
const (
	finalTries = 6
	finalWait  = 500 * time.Millisecond
)

// writer creates, edits and deletes messages until a thread's messages match a view. It is not safe
// for concurrent use.
type writer[P any] struct {
	Deps[P]
	to        thread.Ref
	group     *replyGroup // writers of the same turn's answers; nil if there are no others
	pages     []Page
	appender  *appender[P] // nil: messages are posted and edited
	firstWait time.Duration
	finish    <-chan struct{} // closed when the final write is due
	// adopt searched for messages with an unknown outcome, so surplus messages may exist
	adopted  bool
	form     Form               // the form that the platform last accepted
	moved    bool               // the messages were not editable, so all are posted again
	replaced []thread.MessageID // messages that are, or will be, replaced by others

	opened         time.Time
	calls          int  // calls made, including failed ones
	hasText        bool // the current view has text
	textSeen       bool // the reader has seen text
	removed        bool // the answer was removed: messages are edited and deleted, none is posted
	deleteAll      bool // there is no answer: all its messages are deleted
	messageDeleted bool // a message of the answer was deleted, so no more are posted
	shown          int  // number of messages of the last view
}

func newWriter[P any](to thread.Ref, deps Deps[P], pages []Page, firstWait time.Duration, finish <-chan struct{}, group *replyGroup) writer[P] {
	w := writer[P]{Deps: deps, to: to, group: group, pages: pages, firstWait: firstWait, finish: finish, opened: time.Now()}
	// an earlier attempt's messages are edited; only a new answer is appended to
	if len(pages) == 0 {
		w.appender = newAppender(deps)
	}
	return w
}

// progress writes the current state of the answer. It first waits until no other writer of the
// group writes. If an append fails permanently, progress edits the answer from then on.
func (w *writer[P]) progress(ctx context.Context, v *View) error {
	done, err := w.group.acquire(ctx, w.finish)
	if err != nil {
		return err
	}
	defer done()
	w.hasText, w.removed = v.Len() > 0, v.Removed
	w.editIfPlanned(v)
	if w.appender == nil {
		return w.showInBestForm(ctx, v, thread.Progress)
	}
	if v.uncut != nil && w.canEdit() {
		return nil // the final write edits the messages
	}
	if err := w.appender.enqueue(ctx, w.finish, v, false); err != nil {
		w.switchToEdits()
		return err
	}
	err = w.flush(ctx, thread.Progress)
	if err == nil || ctx.Err() != nil || !w.stepDown(ctx, err) {
		return err
	}
	return w.showInBestForm(ctx, v, thread.Progress)
}

// stepDown switches from appends to edits after err. It does nothing and returns false if the same
// call may succeed later.
func (w *writer[P]) stepDown(ctx context.Context, err error) bool {
	var limited *thread.RateLimitError
	instead := errors.Is(err, thread.ErrNoStream) // the answer can be posted instead
	if !instead && (errors.As(err, &limited) || errors.Is(err, thread.ErrNoRoom)) {
		return false
	}
	if !instead {
		w.Logger.WarnContext(ctx, "appending to the answer failed; editing it from now on", "error", err)
	}
	w.switchToEdits()
	return true
}

func (w *writer[P]) switchToEdits() {
	w.appender = nil
	for n := range w.pages {
		w.pages[n].Hash = "" // appended text differs from the renderer's pages
	}
}

// final writes the whole answer. It makes up to finalTries attempts after temporary errors, and
// abandons the answer after a permanent error.
func (w *writer[P]) final(ctx context.Context, v *View, notBefore time.Time) error {
	wait := finalWait
	for try := 1; ; try++ {
		if err := sleep.For(ctx, time.Until(notBefore)); err != nil {
			return fmt.Errorf("wait to write the final answer: %w", err)
		}
		err := w.complete(ctx, nil, v)
		switch {
		case err == nil || errors.Is(err, session.ErrFenced) || errors.Is(err, errRenderTimeout):
			return err
		case errors.Is(err, thread.ErrNotPermitted), errors.Is(err, thread.ErrRefused), thread.Lasting(err) && try == finalTries:
			return w.abandon(ctx, v, err)
		case try == finalTries:
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

// complete makes the final write as soon as no other writer of the group writes. It stops waiting
// when finish is closed.
func (w *writer[P]) complete(ctx context.Context, finish <-chan struct{}, v *View) error {
	done, err := w.group.acquire(ctx, finish)
	if err != nil {
		return err
	}
	defer done()
	w.hasText, w.removed = v.Len() > 0, v.Removed
	w.editIfPlanned(v)
	if w.appender == nil {
		return w.showInBestForm(ctx, v, thread.Final)
	}
	if v.uncut != nil && w.canEdit() {
		w.appender.end()
		if err := w.flush(ctx, thread.Final); err != nil && (ctx.Err() != nil || !w.stepDown(ctx, err)) {
			return err
		}
		w.switchToEdits()
		return w.showInBestForm(ctx, v, thread.Final)
	}
	if err := w.appender.enqueue(ctx, nil, v, true); err != nil {
		w.switchToEdits()
		return w.showInBestForm(ctx, v, thread.Final)
	}
	if err := w.flush(ctx, thread.Final); err != nil {
		if ctx.Err() != nil || !w.stepDown(ctx, err) {
			return err
		}
	} else if !w.appender.renewed {
		return nil
	}
	w.appender = nil
	return w.showInBestForm(ctx, v, thread.Final)
}

func (w *writer[P]) show(ctx context.Context, v *View, class thread.Class) error {
	var finish <-chan struct{}
	if class != thread.Final {
		finish = w.finish
	}
	pages, err := renderWithin(ctx, finish, v, func(v *View) []P {
		if w.deleteAll {
			return nil
		}
		return renderPages(w.Renderer, v)
	})
	if err != nil {
		return err
	}
	if err := w.shrink(ctx, len(pages), class); err != nil {
		return err
	}
	for n := 0; n < len(pages); n++ {
		hash, err := hashOf(pages[n])
		if err != nil {
			return err
		}
		switch err := w.syncPage(ctx, n, pages[n], hash, class); {
		case class == thread.Final && errors.Is(err, errMoved):
			n = -1 // start again: all parts of an answer must be posted together and in order
		case err != nil:
			return err
		}
	}
	if class != thread.Final {
		return nil
	}
	w.deleteReplaced(ctx)
	return w.deleteExtras(ctx)
}

// shrink deletes the messages that are no longer needed, if the answer now has the given number of
// pages. A progress write deletes only messages that this writer has written.
func (w *writer[P]) shrink(ctx context.Context, pages int, class thread.Class) error {
	most := len(w.pages)
	if class != thread.Final {
		most = min(most, w.shown)
	}
	w.shown = max(pages, most)
	for n := most - 1; n >= pages && n == len(w.pages)-1; n-- {
		if _, err := w.adopt(ctx, n); err != nil {
			return err
		}
		if id := w.pages[n].ID; id != "" {
			if class != thread.Final { // another worker must not conclude that a person deleted it
				if err := w.Log.Intend(ctx, n); err != nil {
					return fmt.Errorf("record page %d of the answer: %w", n+1, err)
				}
			}
			if err := w.delete(ctx, id, class); err != nil {
				return fmt.Errorf("delete page %d of the answer: %w", n+1, err)
			}
		}
		w.pages, w.shown = w.pages[:n], n
	}
	return nil
}

// syncPage makes message n show page: it posts the message, edits it, or does nothing if it is up
// to date. It returns errMoved if all messages must be posted again.
func (w *writer[P]) syncPage(ctx context.Context, n int, page P, hash string, class thread.Class) error {
	if _, err := w.adopt(ctx, n); err != nil {
		return err
	}
	if n >= len(w.pages) || w.pages[n].ID == "" || slices.Contains(w.replaced, w.pages[n].ID) {
		err := w.post(ctx, n, page, hash, class)
		if err != nil || n >= len(w.pages) || w.pages[n].ID == "" || w.pages[n].Hash != "" {
			return err
		}
	}
	final := class == thread.Final
	if w.pages[n].Hash == hash {
		if !final || w.pages[n].Final {
			return nil
		}
		return w.recordFinal(ctx, n, hash)
	}
	if err := w.reserve(ctx, thread.Edit, class); err != nil {
		return err
	}
	calling, made, err := w.beginCall(ctx, thread.Edit)
	if err == nil {
		err = made(w.Surface.Edit(calling, w.to, w.pages[n].ID, page))
	}
	switch {
	case err == nil:
		w.pages[n].Hash = hash
		if final {
			return w.recordFinal(ctx, n, hash)
		}
		return nil
	case final && errors.Is(err, thread.ErrMessageGone):
		w.messageDeleted = true
		return w.recordFinal(ctx, n, hash)
	case final && w.removed && errors.Is(err, thread.ErrNotEditable):
		if err := w.delete(ctx, w.pages[n].ID, class); err != nil {
			return fmt.Errorf("delete page %d of an answer that was removed: %w", n+1, err)
		}
		return w.recordFinal(ctx, n, hash)
	case final && errors.Is(err, thread.ErrExpired):
		return w.post(ctx, n, page, hash, class) // the final answer must be visible
	case final && errors.Is(err, thread.ErrNotEditable) && !w.moved:
		w.moved = true
		w.replaceAll()
		return errMoved
	case final && errors.Is(err, thread.ErrNotEditable):
		// the replacement is locked too by now
		w.replaced = append(w.replaced, w.pages[n].ID)
		return w.post(ctx, n, page, hash, class)
	default:
		return fmt.Errorf("edit page %d of the answer: %w", n+1, err)
	}
}

var errMoved = errors.New("the answer must be posted again")

func (w *writer[P]) replaceAll() {
	for _, p := range w.pages {
		if p.ID != "" {
			w.replaced = append(w.replaced, p.ID)
		}
	}
}

// post creates message n and records it in the log. It does nothing if the answer or one of its
// messages was removed. If an earlier post of the page had an unknown outcome, the platform may
// return the message of that post, which has older text. post then records no hash, and the caller
// must edit the message.
func (w *writer[P]) post(ctx context.Context, n int, page P, hash string, class thread.Class) error {
	if w.removed || w.messageDeleted {
		return nil // a person deleted the answer and does not want it back
	}
	if class == thread.Progress {
		class = thread.First
	}
	if err := w.reserve(ctx, thread.Create, class); err != nil {
		return err
	}
	if err := w.Log.Intend(ctx, n); err != nil {
		return fmt.Errorf("record page %d of the answer: %w", n+1, err)
	}
	again := w.Surface.Capabilities().Deduplicates && n < len(w.pages) && w.pages[n].ID == ""
	var id thread.MessageID
	calling, made, err := w.beginCall(ctx, thread.Create)
	if err == nil {
		id, err = w.Surface.Post(calling, w.to, page)
		err = made(err)
	}
	if n == len(w.pages) && (err == nil || errors.Is(err, thread.ErrOutcomeUnknown)) {
		w.pages = append(w.pages, Page{Number: n})
	}
	if err != nil {
		if n < len(w.pages) {
			w.pages[n] = Page{Number: n}
		}
		return fmt.Errorf("post page %d of the answer: %w", n+1, err)
	}
	if again {
		hash = ""
	}
	w.pages[n] = Page{Number: n, ID: id, Hash: hash}
	w.group.addMessage(id)
	if err := w.Log.Posted(ctx, n, id, hash); err != nil {
		return fmt.Errorf("record page %d of the answer: %w", n+1, err)
	}
	if class == thread.Final && !again {
		return w.recordFinal(ctx, n, hash)
	}
	return nil
}

func (w *writer[P]) recordFinal(ctx context.Context, n int, hash string) error {
	w.pages[n].Final = true
	if err := w.Log.Final(ctx, n, hash); err != nil {
		return fmt.Errorf("record the final page %d of the answer: %w", n+1, err)
	}
	return nil
}

func (w *writer[P]) reserve(ctx context.Context, call thread.Call, class thread.Class) error {
	if class == thread.Final {
		return w.Surface.Reserve(ctx, w.to, call, class)
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the call, so that a progress write does not delay the final one
		select {
		case <-w.finish:
			cancel()
		case <-waiting.Done():
		}
	}()
	err := w.Surface.Reserve(waiting, w.to, call, class)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return thread.ErrNoRoom
	}
	return err
}
