package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// lacking adds to a permission error the names of the permissions that the bot lacks in a channel.
// It returns other errors unchanged.
func (c *Writer) lacking(ctx context.Context, channel string, err error) error {
	if call.Code(err) != call.CodeMissingPermission && call.Code(err) != call.CodeMissingAccess {
		return err
	}
	p, known := c.directory.Peek(channel)
	if known && p.Thread {
		p, known = c.directory.Peek(p.Parent)
	}
	if !known {
		return err
	}
	list, asked := c.directory.Lacking(ctx, p.Guild, []string{p.ID})
	if asked != nil || len(list) == 0 {
		return err
	}
	names := make([]string, len(list[0].Permissions))
	for i, lacks := range list[0].Permissions {
		names[i] = lacks.Name
	}
	return &barredError{error: err, place: "#" + p.Name, lacks: strings.Join(names, ", ")}
}

type barredError struct {
	error
	place, lacks string
}

func (e *barredError) Error() string {
	return fmt.Sprintf("%v; in %s the bot's role lacks: %s", e.error, e.place, e.lacks)
}

func (e *barredError) Unwrap() error { return e.error }

// Barred reports whether err means that a question cannot be answered in its channel. sentence is
// the message for the asker.
func Barred(err error) (sentence string, yes bool) {
	var barred *barredError
	switch {
	case errors.Is(err, stream.ErrNoNotice):
		return "Discord refused my answer to your question, and did not take a word instead of it. Ask in other words, or ask me here.", true
	case call.Code(err) == call.CodeThreadLocked, call.Code(err) == call.CodeArchived && errors.Is(err, thread.ErrNotPermitted):
		return "The thread was locked before my answer was complete, and I can finish it nowhere else. Ask whoever moderates the server to unlock the thread, or ask me here.", true
	case errors.As(err, &barred):
		return fmt.Sprintf("I may not answer your question in %s, because my role lacks: %s. Ask whoever manages the server to grant that, or ask me here.",
			render.EscapeText(barred.place), barred.lacks), true
	}
	return "I may not answer your question where you asked it. Ask whoever manages the server to let me write there, or ask me here.",
		errors.Is(err, thread.ErrNotPermitted) && call.Code(err) != call.CodeUnknownChannel
}

// fileRefused adds thread.ErrRefused to err if Discord refused a write with a file. Discord may
// accept the message without the file, because files need a separate permission and have separate
// limits.
func fileRefused(p render.Page, err error) error {
	if p.Attachment == "" || !call.Lasting(err) || errors.Is(err, call.ErrTokenOver) || errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotEditable) ||
		slices.Contains([]int{call.CodeThreadLocked, call.CodeUnknownChannel, call.CodeMissingAccess}, call.Code(err)) {
		return err
	}
	return fmt.Errorf("%w: %w", thread.ErrRefused, err)
}
