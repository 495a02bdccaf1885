package receive

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// scanPatience is how long a scan repeats a failed look-up, and how long a new message of the
	// channel waits for a scan. The scan is then interrupted and repeated later.
	scanPatience = 3 * time.Second
	// maxScanPause is the longest wait before a failed scan is repeated.
	maxScanPause = time.Minute
	// maxFailures is how often a missed message may fail in scans that are repeated after
	// maxScanPause. It is then ignored, so that the scan reads the later messages.
	maxFailures = 3
)

func always() bool { return true }

// catchUp queues a scan of a channel for messages that no process has received. The scan is skipped
// if some returns false. It has the lowest priority until a new message of the channel waits for
// it. A scan that fails is repeated until it succeeds or ctx ends.
// A message that fails again and again is ignored in the end.
func (in *intake) catchUp(ctx context.Context, channel, guild string, some func() bool) {
	in.scan(ctx, channel, guild, some, call.FirstPause)
}

func (in *intake) scan(ctx context.Context, channel, guild string, some func() bool, pause time.Duration) {
	s := in.scans.add(channel, func(hurry, over <-chan struct{}) {
		in.guard(ctx, "missed messages", func() error {
			if !in.isBehind(channel) && !some() {
				return nil
			}
			limited, cancel := until(call.Idle(ctx, hurry), over)
			defer cancel()
			after := in.begin(channel, guild)
			reached, err := in.missed(limited, channel, guild, after, pause == maxScanPause)
			if err != nil && !call.Lasting(err) {
				if in.advance(channel, reached); call.Newer(reached, after) {
					pause = call.FirstPause
				}
				in.scanLater(ctx, channel, guild, reached, pause)
				return err
			}
			in.caughtUp(channel)
			return err
		})
	})
	if s != nil {
		in.missing.do(channel, s.run)
	}
}

// until returns a copy of ctx that is canceled when over is closed.
func until(ctx context.Context, over <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-over:
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// scanLater repeats a scan after a pause. Messages after the given one count as missed until a scan
// has succeeded.
func (in *intake) scanLater(ctx context.Context, channel, guild, after string, pause time.Duration) {
	if ctx.Err() != nil || !in.fallBehind(channel, after) {
		return
	}
	in.retries.Go(func() {
		if sleep.For(ctx, pause) == nil && in.resume(channel) {
			in.scan(ctx, channel, guild, always, min(2*pause, maxScanPause))
		}
	})
}

// register registers the commands. It repeats that until it succeeds, Discord refuses it, or ctx
// ends.
func (in *intake) register(ctx context.Context) {
	const key = "commands"
	s := in.scans.add(key, func(_, _ <-chan struct{}) {
		in.guard(ctx, "register commands", func() error {
			return sleep.Backoff{First: call.FirstPause, Most: maxScanPause}.Retry(ctx, func() error {
				err := in.writer.Register(ctx)
				if err != nil && ctx.Err() == nil {
					in.discord.Logger.WarnContext(ctx, "commands not registered", "error", err)
				}
				return err
			}, call.RetryAfter)
		})
	})
	if s != nil {
		in.missing.do(key, s.run)
	}
}

// missed handles the messages of a channel after the given one. It returns the message up to which
// all are handled. If final is set, it counts failures of a message and ignores it after
// maxFailures.
func (in *intake) missed(ctx context.Context, channel, guild, after string, final bool) (reached string, err error) {
	guild = in.server(guild, channel)
	for {
		var found []*discordgo.Message
		err := sleep.Backoff{First: call.FirstPause, Within: scanPatience}.Retry(ctx, func() error {
			return in.discord.API.MessagesAfter(ctx, channel, after, call.HistoryLimit, &found)
		}, call.RetryAfter)
		if errors.Is(err, thread.ErrNotPermitted) {
			return after, nil // the bot cannot read there, so it was asked nothing
		}
		if err != nil {
			return after, err
		}
		for i, m := range slices.Backward(found) { // oldest first
			m.GuildID = guild
			var failed error
			in.guard(ctx, "missed message", func() error {
				failed = in.created(ctx, m, true, found[:i])
				return failed
			})
			if failed != nil && !call.Lasting(failed) {
				if !final || !in.hopeless(channel, m.ID) {
					return after, failed
				}
				in.discord.Logger.ErrorContext(ctx, "missed message is ignored because it failed too often", "message", m.ID, "error", failed)
			}
			after = m.ID
		}
		if len(found) < call.HistoryLimit {
			return after, nil
		}
	}
}

// before returns the largest id that is older than a message's.
func before(id string) string {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(n-1, 10)
}

// gap is a channel of which messages were not handled.
type gap struct {
	after   string // the message before the first of them
	waiting bool   // a scan will be repeated
	fresh   bool   // a message failed after the last scan began

	failing  string // the message that failed last in a scan
	failures int    // how often in a row
}

// fallBehind records that the messages of a channel after the given one are not handled. It returns
// false if a scan will be repeated anyway.
func (c *Receiver) fallBehind(channel, after string) (scan bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, known := c.gaps[channel]
	if !known || call.Newer(g.after, after) {
		g.after = after
	}
	scan = !g.waiting
	g.waiting, g.fresh = true, true
	c.gaps[channel] = g
	return scan
}

// begin records that a scan of a channel begins. It returns the message id after which the channel
// may hold unhandled messages.
func (c *Receiver) begin(channel, guild string) (after string) {
	c.mu.Lock()
	if g, known := c.gaps[channel]; known {
		g.fresh = false
		c.gaps[channel] = g
	}
	c.mu.Unlock()
	return c.baseline(channel, guild)
}

// resume records that the repeated scan of a channel begins. It returns false if there is nothing
// left to scan.
func (c *Receiver) resume(channel string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, known := c.gaps[channel]
	if known {
		g.waiting = false
		c.gaps[channel] = g
	}
	return known
}

// advance records that the last scan has handled all messages up to the given one.
func (c *Receiver) advance(channel, reached string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g, known := c.gaps[channel]; known && !g.fresh {
		g.after = reached
		c.gaps[channel] = g
	}
}

// hopeless counts a failure of a missed message. It reports whether there were too many.
func (c *Receiver) hopeless(channel, message string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, known := c.gaps[channel]
	if !known {
		return false
	}
	if g.failing != message {
		g.failing, g.failures = message, 0
	}
	g.failures++
	c.gaps[channel] = g
	return g.failures >= maxFailures
}

// caughtUp records that the scan that began last has succeeded. A message that has failed since
// may be older than what the scan read, so another scan looks for it.
func (c *Receiver) caughtUp(channel string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gaps[channel].fresh {
		delete(c.gaps, channel)
	}
}

func (c *Receiver) isBehind(channel string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, behind := c.gaps[channel]
	return behind
}
