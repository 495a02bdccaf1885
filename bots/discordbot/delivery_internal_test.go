package discordbot

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// crowded is a presence that finds no room for its first calls.
type crowded struct {
	refused int
	called  int
	shown   chan struct{}
}

func (c *crowded) Status(context.Context, thread.Ref, string) error {
	if c.called++; c.called <= c.refused {
		return errors.Join(thread.ErrNoRoom, nil)
	}
	close(c.shown)
	return nil
}

// The first sign is shown as soon as there is room, and not when typing would be shown anew.
func TestTypingIsShownAsSoonAsThereIsRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, hush := context.WithCancel(t.Context())
		began, surface := time.Now(), &crowded{refused: 3, shown: make(chan struct{})}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			show(ctx, surface.Status, slog.New(slog.DiscardHandler), thread.Ref{})
		}()
		<-surface.shown
		if took := time.Since(began); took > time.Second {
			t.Errorf("typing was shown after %s", took)
		}
		hush()
		<-ended
	})
}
