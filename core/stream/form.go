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

// Form is the amount of formatting in an answer. If the platform refuses the content of a message
// (thread.ErrRefused), the writer tries the next form, which has less formatting. If it refuses
// only a file (thread.ErrNoFile), the writer omits the file. It gives up when [Plain] is refused.
type Form int

// The forms are the same on every platform. Each Renderer defines what a form includes.
const (
	Whole   Form = iota // all that the platform can show
	Unfiled             // without a file; a long answer takes more messages instead
	// Bare omits features that some channels refuse, such as files, link buttons and newer kinds of
	// blocks.
	Bare
	Plain // text alone, in shorter messages
)

var forms = map[Form]string{Whole: "whole", Bare: "without files, link buttons and newer blocks", Plain: "plain text"}

const refusedText = "The answer could not be posted: the chat platform does not take it. Ask in other words; if it happens again, tell whoever runs this bot."

// ErrNoNotice reports that an answer was abandoned, and that the platform also refused the notice
// about it.
var ErrNoNotice = errors.New("no notice about the abandoned answer could be posted")

// showInBestForm shows a view in the richest form that the platform accepts. It first tries the
// form that was accepted last.
func (w *writer[P]) showInBestForm(ctx context.Context, v *View, class thread.Class) error {
	for {
		v.Form = w.form
		err := w.show(ctx, v, class)
		switch {
		case errors.Is(err, thread.ErrNoFile) && w.form < Unfiled: // the surface has already logged why
			w.form = Unfiled
			continue
		case !errors.Is(err, thread.ErrRefused) || w.form == Plain:
			return err
		}
		w.form = max(w.form+1, Bare)
		w.Logger.WarnContext(ctx, "the platform refused a message of the answer; retrying with less formatting", "form", forms[w.form], "error", err)
	}
}

// abandon gives up an answer that cannot be written, and returns cause. If the platform refused the
// content, it writes refusedText instead. If that fails, the returned error also wraps ErrNoNotice.
// If no text is shown, abandon deletes the unfinished messages.
func (w *writer[P]) abandon(ctx context.Context, v *View, cause error) error {
	w.Logger.WarnContext(ctx, "the answer was abandoned", "error", cause)
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

// giveUp changes the view so that it shows only refusedText.
func (v *View) giveUp() {
	v.Form, v.Phase, v.Outcome, v.text = Plain, Done, session.Failed, nil
	v.Problem, v.Message = &packet.Error{Message: refusedText, Retryable: true}, ""
	v.Citations, v.Closest, v.Notices = nil, nil, nil
}

// deleteReplaced deletes messages that were replaced or not completed. It logs failed deletions and
// continues.
func (w *writer[P]) deleteReplaced(ctx context.Context) {
	for _, id := range w.replaced {
		if err := w.delete(ctx, id, thread.Final); err != nil {
			w.Logger.WarnContext(ctx, "a replaced message of an answer could not be deleted", "message", id, "error", err)
		}
	}
	w.replaced = nil
}
