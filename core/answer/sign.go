package answer

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/thread"
)

// Sign says how a platform shows that the bot is working, until text is visible.
type Sign struct {
	// Show shows a line. If the sign can be removed, an empty line removes it. Show is nil if the
	// platform has no sign.
	Show  func(ctx context.Context, to thread.Ref, line string) error
	Every time.Duration // interval at which the line is shown again
	Again time.Duration // delay after a rate limit
	First string        // the first line
	// Line returns the line for a packet, or "" to keep the last line. If Line is nil, the line
	// never changes.
	Line func(p packet.Packet) string
	// Lingers reports whether the sign may still be visible and must be removed. It is nil if the
	// sign cannot be removed. The sign is then last shown before the answer's last text.
	Lingers func() bool
}

const (
	// lineLength is the maximum number of characters in a line of a sign.
	lineLength = 80
	// clearLimit is the maximum time of the call that removes a sign. The next question in the
	// thread waits for this call.
	clearLimit = time.Second
)

// sign shows a [Sign] while an answer is being made. A nil sign shows nothing.
type sign struct {
	Sign

	to     thread.Ref
	logger *slog.Logger
	latest chan string // has the newest line
	stop   context.CancelFunc
	ended  sync.WaitGroup

	mu        sync.Mutex
	textShown bool // text is visible
}

// showSign shows a [Sign] in the background until the sign is stopped. It calls seen once, after
// the first attempt to show the sign. Without a permit it shows nothing.
func showSign(ctx context.Context, how Sign, to thread.Ref, permit chat.Permit, logger *slog.Logger, seen func(context.Context)) *sign {
	s := &sign{Sign: how, to: to, logger: logger, latest: make(chan string, 1)}
	s.Show = func(ctx context.Context, to thread.Ref, line string) error {
		if err := permit(); err != nil {
			return err
		}
		return how.Show(ctx, to, line)
	}
	lasting := ctx
	ctx, s.stop = context.WithCancel(ctx)
	s.ended.Go(func() {
		s.run(ctx, sync.OnceFunc(func() { seen(lasting) }))
		// the line appeared after the message that should have removed it
		if s.hasText() && s.Lingers != nil && s.Lingers() && lasting.Err() == nil {
			s.clear(lasting)
		}
	})
	return s
}

func (s *sign) run(ctx context.Context, seen func()) {
	line := s.First
	timer := time.NewTimer(s.Every)
	defer timer.Stop()
	for {
		err := s.Show(ctx, s.to, line)
		next := s.Every
		var refused *thread.RateLimitError
		switch {
		case errors.Is(err, thread.ErrNoRoom): // rate limit of concurrent signs
			next = s.Again
		case errors.As(err, &refused):
			next = max(refused.RetryAfter, s.Again)
		case err != nil && ctx.Err() == nil:
			// expected if the platform shows no sign there
			s.logger.DebugContext(ctx, "sign that the bot is at work not shown", "error", err)
		}
		seen()
		timer.Reset(next)
		select {
		case line = <-s.latest:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *sign) accept(p packet.Packet) {
	if s == nil {
		return
	}
	if _, done := p.Payload.(packet.Stop); done && s.Lingers == nil {
		s.stop()
	}
	if s.Line == nil {
		return
	}
	line := strings.Join(strings.Fields(s.Line(p)), " ")
	if line == "" {
		return
	}
	if r := []rune(line); len(r) > lineLength {
		line = string(r[:lineLength-1]) + "…"
	}
	select {
	case <-s.latest:
	default:
	}
	select {
	case s.latest <- line:
	default:
	}
}

func (s *sign) endForText() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.textShown = true
	s.mu.Unlock()
	s.stop()
}

func (s *sign) hasText() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.textShown
}

// wait stops the sign and blocks until its current call to the platform has returned.
func (s *sign) wait() {
	if s != nil {
		s.stop()
		s.ended.Wait()
	}
}

// beforeLast stops a sign that cannot be removed later. It must be called before the answer's last
// text is written.
func (s *sign) beforeLast() {
	if s != nil && s.Lingers == nil {
		s.wait()
	}
}

// afterLast removes a sign that is still visible. It must be called after the answer's last write,
// with the error of that write. After an error it only stops the sign.
func (s *sign) afterLast(ctx context.Context, err error) {
	if s == nil {
		return
	}
	s.wait()
	if err == nil && s.Lingers != nil && s.Lingers() {
		s.clear(ctx) // no message was posted that would remove it
	}
}

func (s *sign) clear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clearLimit)
	defer cancel()
	if err := s.Show(ctx, s.to, ""); err != nil {
		s.logger.DebugContext(ctx, "sign that the bot is at work not removed", "error", err)
	}
}
