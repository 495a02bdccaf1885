package call

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// openPrefix begins the bucket keys for opening threads. Discord allows five openings in five
// seconds per channel, for all processes of a bot together. A process sees only its own responses,
// so the processes share a tier for openings. The tier refills evenly, but Discord's window refills
// at once. Discord may therefore still refuse an opening. The call is then retried when Discord
// says.
const openPrefix = "POST threads "

func openBucket(channel string) string { return openPrefix + channel }

var openTier = thread.Tier{Burst: assumedRequests, Every: assumedWindow / assumedRequests}

// openKey returns the Redis key for the openings in a channel. global is the Redis key of the bot's
// rate limit.
func openKey(global, bucket string) string {
	return global + ":threads:" + strings.TrimPrefix(bucket, openPrefix)
}

// open waits until the shared tiers allow opening a thread. If the tiers do not answer, open
// returns at once. The limits of this process then apply.
func (b *budget) open(ctx context.Context, bucket string) error {
	return b.draw(ctx, openKey(b.key, bucket), openTier)
}

// opened handles the response to opening a thread. If the response says that the window is used up,
// other processes pause until the window ends. h is nil if there was no response.
func (b *budget) opened(ctx context.Context, bucket string, h http.Header) {
	if !strings.HasPrefix(bucket, openPrefix) {
		return
	}
	now := time.Now()
	if said := stated(h, now); said.present && said.remaining == 0 && said.resets.After(now) {
		b.shared.Pause(ctx, openKey(b.key, bucket), said.resets.Sub(now))
	}
}
