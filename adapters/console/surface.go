package console

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/footnotehq/footnote/core/thread"
)

// Platform identifies the console in a [thread.Ref].
const Platform thread.Platform = "console"

// Surface writes answers to a terminal or a pipe. It only appends, because written text cannot be
// edited.
type Surface struct {
	thread.Forgetful
	thread.Unpaced
	thread.Endless[string]

	mu  sync.Mutex
	out io.Writer
}

var (
	_ thread.Surface[string]  = (*Surface)(nil)
	_ thread.Streamer[string] = (*Surface)(nil)
)

// NewSurface returns a surface that writes to out.
func NewSurface(out io.Writer) *Surface { return &Surface{out: out} }

// Capabilities implements thread.Surface.
func (s *Surface) Capabilities() thread.Capabilities { return thread.Capabilities{} }

// Post implements thread.Surface.
func (s *Surface) Post(_ context.Context, _ thread.Ref, page string) (thread.MessageID, error) {
	return "out", s.print(page)
}

// Edit implements thread.Surface. It always returns thread.ErrNotPermitted, because printed text
// cannot be changed.
func (s *Surface) Edit(context.Context, thread.Ref, thread.MessageID, string) error {
	return fmt.Errorf("edit what a terminal shows: %w", thread.ErrNotPermitted)
}

// Delete implements thread.Surface. It always returns thread.ErrNotPermitted, because printed text
// cannot be removed.
func (s *Surface) Delete(context.Context, thread.Ref, thread.MessageID) error {
	return fmt.Errorf("delete what a terminal shows: %w", thread.ErrNotPermitted)
}

// Start implements thread.Streamer.
func (s *Surface) Start(ctx context.Context, to thread.Ref, page string) (thread.MessageID, error) {
	return s.Post(ctx, to, page)
}

// Append implements thread.Streamer.
func (s *Surface) Append(_ context.Context, _ thread.Ref, _ thread.MessageID, page string) error {
	return s.print(page)
}

// Stop implements thread.Streamer.
func (s *Surface) Stop(_ context.Context, _ thread.Ref, _ thread.MessageID, page string) error {
	return s.print(page)
}

func (s *Surface) print(page string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.WriteString(s.out, page); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
