package redis

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/thread"
	"github.com/redis/go-redis/v9"
)

// Tiers stores rate limits that all processes on one Redis server share. It uses the clock of
// Redis, so the processes' clocks need not agree. Methods return an error if Redis does not answer.
type Tiers struct{ client *Client }

var _ thread.Tiers = (*Tiers)(nil)

// NewTiers returns the Tiers of a client. It needs no Close.
func NewTiers(client *Client) *Tiers { return &Tiers{client} }

//go:embed tiers.lua
var tiersScript string

var takeScript = redis.NewScript(tiersScript)

// doTake, doCount and doPause are the commands of the script tiers.lua.
const (
	doTake  = "take"
	doCount = "count"
	doPause = "pause"
)

// Take implements thread.Tiers.
func (t *Tiers) Take(ctx context.Context, key string, tier thread.Tier, class thread.Class) (time.Duration, error) {
	room := tier.Burst
	if class != thread.Final {
		room -= tier.Reserve
	}
	return t.run(ctx, key, doTake, room, tier.Every)
}

// Count implements thread.Tiers.
func (t *Tiers) Count(ctx context.Context, key string, tier thread.Tier) error {
	_, err := t.run(ctx, key, doCount, tier.Burst, tier.Every)
	return err
}

// Pause implements thread.Tiers.
func (t *Tiers) Pause(ctx context.Context, key string, d time.Duration) error {
	_, err := t.run(ctx, key, doPause, 0, d)
	return err
}

func (t *Tiers) run(ctx context.Context, key, do string, room int, every time.Duration) (time.Duration, error) {
	wait, err := takeScript.Run(ctx, t.client.rdb, []string{t.client.prefix + "tier:" + key}, do, room, every.Microseconds()).Int64()
	if err != nil {
		t.client.refreshTopology(ctx)
		return 0, fmt.Errorf("%s a call of a shared rate tier: %w: %w", do, ErrUnreachable, err)
	}
	return time.Duration(wait) * time.Microsecond, nil
}
