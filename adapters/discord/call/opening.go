package call

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Threads are opened five times in five seconds in each channel, by all processes of a bot
// together. What one of them learns from an answer the others do not: so each opening is drawn from
// a tier that they share, and whoever takes the last one of a window has all of them wait for the
// next. The tier fills evenly and a window at once, so that an opening can still be refused where a
// window began slowly; it is made when Discord says.
const openPrefix = "POST threads "

func openBucket(channel string) string { return openPrefix + channel }

var openTier = thread.Tier{Burst: assumedRequests, Every: assumedWindow / assumedRequests}

// openKey is a channel's openings as the processes on one Redis count them, for a bot whose share
// is counted under global.
func openKey(global, bucket string) string {
	return global + ":threads:" + strings.TrimPrefix(bucket, openPrefix)
}

// open waits until a thread may be opened, as far as the shared tiers know. While they cannot be
// asked the process uses what it knows itself.
func (b *budget) open(ctx context.Context, bucket string) error {
	return b.draw(ctx, openKey(b.key, bucket), openTier)
}

// opened has the other processes wait where an answer says that its window is used up, for so long
// as it says; h is nil where there was none.
func (b *budget) opened(ctx context.Context, bucket string, h http.Header) {
	if !strings.HasPrefix(bucket, openPrefix) {
		return
	}
	now := time.Now()
	if said := stated(h, now); said.told && said.left == 0 && said.resets.After(now) {
		b.shared.Pause(ctx, openKey(b.key, bucket), said.resets.Sub(now))
	}
}
