package stream

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/thread"
)

// adopt looks in the thread for an existing message of page n, if the log has no id for it. That is
// the case if the result of the post is unknown, for example because a process died. adopt records
// the message that it finds, and reports whether it found one.
func (w *writer[P]) adopt(ctx context.Context, n int) (bool, error) {
	if n >= len(w.pages) || w.pages[n].ID != "" {
		return false, nil
	}
	own, err := w.Surface.Own(ctx, w.to)
	if err != nil {
		return false, fmt.Errorf("look for page %d of the answer: %w", n+1, err)
	}
	w.adopted = true
	for _, id := range own {
		if other, err := w.isOther(ctx, id); err != nil {
			return false, err
		} else if other {
			continue
		}
		if err := w.Log.Posted(ctx, n, id, ""); err != nil {
			return false, fmt.Errorf("record page %d of the answer: %w", n+1, err)
		}
		w.pages[n] = Page{Number: n, ID: id}
		w.group.addMessage(id)
		return true, nil
	}
	return false, nil
}

// deleteExtras deletes the bot's messages in the thread that belong to no page. A post whose result
// is unknown can leave such messages.
func (w *writer[P]) deleteExtras(ctx context.Context) error {
	if !w.adopted {
		return nil
	}
	own, err := w.Surface.Own(ctx, w.to)
	if err != nil {
		return fmt.Errorf("list surplus messages of the answer: %w", err)
	}
	for _, id := range own {
		if other, err := w.isOther(ctx, id); err != nil {
			return err
		} else if other {
			continue
		}
		if err := w.delete(ctx, id, thread.Final); err != nil {
			return fmt.Errorf("delete a surplus message of the answer: %w", err)
		}
	}
	w.adopted = false
	return nil
}

// isOther reports whether a message must be neither adopted nor deleted as surplus, because it is a
// known page of the answer or recorded for something else.
func (w *writer[P]) isOther(ctx context.Context, id thread.MessageID) (bool, error) {
	if w.group.hasMessage(id) || slices.Contains(w.replaced, id) || slices.ContainsFunc(w.pages, func(p Page) bool { return p.ID == id }) {
		return true, nil
	}
	foreign, err := w.Log.Foreign(ctx, id)
	if err != nil {
		return false, fmt.Errorf("find out whose message %s is: %w", id, err)
	}
	return foreign, nil
}

func (w *writer[P]) delete(ctx context.Context, id thread.MessageID, class thread.Class) error {
	if err := w.reserve(ctx, thread.Edit, class); err != nil {
		return err
	}
	calling, made, err := w.beginCall(ctx, thread.Edit)
	if err != nil {
		return err
	}
	return made(w.Surface.Delete(calling, w.to, id))
}
