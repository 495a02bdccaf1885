package call

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// openPrefix begins the keys of tiers that limit the opening of threads. Discord allows five
// openings in five seconds in each channel, for all processes of a bot together. A process sees
// only its own responses, so the processes draw openings from a shared tier. When one process uses
// up a window, all wait for the next. The tier refills evenly but Discord's window at once, so
// Discord may still refuse an opening. The call is then retried when Discord says.
const openPrefix = "POST threads "

func openBucket(channel string) string { return openPrefix + channel }

var openTier = thread.Tier{Burst: assumedRequests, Every: assumedWindow / assumedRequests}

// openKey returns the key in Redis for the openings in a channel. global is the key of the bot's
// rate.
func openKey(global, bucket string) string {
	return global + ":threads:" + strings.TrimPrefix(bucket, openPrefix)
}

// open waits until the shared tiers allow opening a thread. If they do not answer, it returns at
// once, and the process's own limits apply.
func (b *budget) open(ctx context.Context, bucket string) error {
	return b.draw(ctx, openKey(b.key, bucket), openTier)
}

// opened makes the other processes wait if a response says that its window is used up, until that
// window ends. h is nil if there was no response.
func (b *budget) opened(ctx context.Context, bucket string, h http.Header) {
	if !strings.HasPrefix(bucket, openPrefix) {
		return
	}
	now := time.Now()
	if said := stated(h, now); said.present && said.remaining == 0 && said.resets.After(now) {
		b.shared.Pause(ctx, openKey(b.key, bucket), said.resets.Sub(now))
	}
}
