package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Form is the degree of formatting with which an answer is written. If the platform refuses a
// message's content (thread.ErrRefused), the answer is written in the next form. If it refuses only
// the file (thread.ErrNoFile), the answer is written without it. After a refusal in the last form
// the answer is given up.
type Form int

// The forms, on every platform. Each Renderer defines what a form includes.
const (
	Whole   Form = iota // all that the platform can show
	Unfiled             // without a file, as a separate message
	// without features that some places refuse: files, link buttons, newer kinds of blocks
	Bare
	Plain // text alone, in shorter messages
)

// forms names them in the log.
var forms = map[Form]string{Whole: "whole", Bare: "without files, link buttons and newer blocks", Plain: "plain text"}

// refusedText replaces an answer of which the platform takes no form.
const refusedText = "The answer could not be posted: the chat platform does not take it. Ask in other words; if it happens again, tell whoever runs this bot."

// ErrNoNotice reports that an answer was given up and that no notice about it could be posted in its
// thread.
var ErrNoNotice = errors.New("nothing of the answer could be said in its thread")

// edit shows a view in the first form that the platform takes, beginning with the one that it took
// last.
func (w *writer[P]) edit(ctx context.Context, v *View, class thread.Class) error {
	for {
		v.Form = w.form
		err := w.show(ctx, v, class)
		switch {
		case errors.Is(err, thread.ErrNoFile) && w.form < Unfiled: // who says so has told why
			w.form = Unfiled
			continue
		case !errors.Is(err, thread.ErrRefused) || w.form == Plain:
			return err
		}
		w.form = max(w.form+1, Bare)
		w.Logger.WarnContext(ctx, "the platform refuses a message of the answer; it is written with less", "form", forms[w.form], "error", err)
	}
}

// abandon ends an answer that cannot be written: its place says so, or, where not even that is
// taken, nothing of it is left that looks as if it were being written. It returns the cause, with
// ErrNoNotice where the platform refused even that sentence.
func (w *writer[P]) abandon(ctx context.Context, v *View, cause error) error {
	w.Logger.WarnContext(ctx, "the answer is given up", "error", cause)
	if errors.Is(cause, thread.ErrRefused) && !w.removed {
		v.giveUp()
		if err := w.show(ctx, v, thread.Final); err == nil {
			return cause
		}
		cause = fmt.Errorf("%w: %w", ErrNoNotice, cause)
	}
	for _, p := range w.pages {
		if p.ID != "" && !p.Final && !slices.Contains(w.replaced, p.ID) {
			w.replaced = append(w.replaced, p.ID)
		}
	}
	w.deleteReplaced(ctx)
	return cause
}

// giveUp makes the view one of an answer of which the platform took no form.
func (v *View) giveUp() {
	v.Form, v.Phase, v.Outcome, v.text = Plain, Done, session.Failed, nil
	v.Problem, v.Message = &packet.Error{Message: refusedText, Retryable: true}, ""
	v.Citations, v.Closest, v.Notices = nil, nil, nil
}

// deleteReplaced deletes messages in whose place others were posted, or of which nothing came. One that
// cannot be deleted stays.
func (w *writer[P]) deleteReplaced(ctx context.Context) {
	for _, id := range w.replaced {
		if err := w.delete(ctx, id, thread.Final); err != nil {
			w.Logger.WarnContext(ctx, "a message of an answer that stands elsewhere, or nowhere, stays", "message", id, "error", err)
		}
	}
	w.replaced = nil
}
