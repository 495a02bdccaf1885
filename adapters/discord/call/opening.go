package call

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// openPrefix is the prefix of rate limit keys for opening threads. Discord allows five openings in
// five seconds per channel, which all processes of a bot share.
const openPrefix = "POST threads "

func openBucket(channel string) string { return openPrefix + channel }

var openTier = thread.Tier{Burst: assumedRequests, Every: assumedWindow / assumedRequests}

func openKey(global, bucket string) string {
	return global + ":threads:" + strings.TrimPrefix(bucket, openPrefix)
}

// open waits until the shared limiter allows opening a thread. It returns at once if that limiter
// does not answer.
func (b *budget) open(ctx context.Context, bucket string) error {
	return b.draw(ctx, openKey(b.key, bucket), openTier)
}

// opened pauses thread openings in all processes if the response headers say that no request is
// left. The pause lasts until the window ends. Responses to other calls are ignored.
func (b *budget) opened(ctx context.Context, bucket string, h http.Header) {
	if !strings.HasPrefix(bucket, openPrefix) {
		return
	}
	now := time.Now()
	if said := stated(h, now); said.present && said.remaining == 0 && said.resets.After(now) {
		b.shared.Pause(ctx, openKey(b.key, bucket), said.resets.Sub(now))
	}
}
