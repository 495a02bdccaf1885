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

// Sign is how a platform shows that the bot is at work, until there are words to read.
type Sign struct {
	// Show shows a line. Nil: the platform has no sign. Where the sign can be removed, an empty line
	// removes it.
	Show  func(ctx context.Context, to thread.Ref, line string) error
	Every time.Duration // a sign is shown again after
	Again time.Duration // likewise, one that there was no room for
	First string        // the line to begin with
	// Line returns the line for a packet; empty: the last one stays. Nil: there is one line.
	Line func(p packet.Packet) string
	// Lingers reports whether the sign may still be visible although the platform was asked for
	// nothing since, and has to be removed. Nil: it cannot be removed, so the last sign comes
	// before the answer's last words.
	Lingers func() bool
}

const (
	// lineLength is the number of characters that fit on a line.
	lineLength = 80
	// clearLimit bounds the call that removes a sign. The thread's next question would wait for it.
	clearLimit = time.Second
)

// sign shows a Sign while an answer is made. The nil sign shows nothing.
type sign struct {
	Sign

	to     thread.Ref
	logger *slog.Logger
	latest chan string // holds the newest line
	stop   context.CancelFunc
	ended  sync.WaitGroup

	mu    sync.Mutex
	words bool // there are words to read
}

// showSign shows a first line and then calls seen. No line is begun without a permit. A call that
// ends late disturbs no answer.
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
		// the line was shown after the message that should have removed it
		if s.read() && s.Lingers != nil && s.Lingers() && lasting.Err() == nil {
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
		case errors.Is(err, thread.ErrNoRoom): // many have asked at once
			next = s.Again
		case errors.As(err, &refused):
			next = max(refused.RetryAfter, s.Again)
		case err != nil && ctx.Err() == nil:
			// Expected where the platform shows none. The answer is not affected.
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

// accept replaces the line by that of a packet.
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

// hush ends the sign because there are words to read. The platform removes it.
func (s *sign) hush() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.words = true
	s.mu.Unlock()
	s.stop()
}

func (s *sign) read() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.words
}

// wait ends the sign, and returns when no call is running.
func (s *sign) wait() {
	if s != nil {
		s.stop()
		s.ended.Wait()
	}
}

// beforeLast is called before the answer's last words are written.
func (s *sign) beforeLast() {
	if s != nil && s.Lingers == nil {
		s.wait()
	}
}

// afterLast is called after the answer's last words were written, or could not be: the answer does
// not wait for the sign.
func (s *sign) afterLast(ctx context.Context, err error) {
	if s == nil {
		return
	}
	s.wait()
	if err == nil && s.Lingers != nil && s.Lingers() {
		s.clear(ctx) // nothing was posted that would remove it
	}
}

// clear removes the line.
func (s *sign) clear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clearLimit)
	defer cancel()
	if err := s.Show(ctx, s.to, ""); err != nil {
		s.logger.DebugContext(ctx, "sign that the bot is at work not removed", "error", err)
	}
}
