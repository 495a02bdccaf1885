package session_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// counted answers Live from its list, one entry a call; -1 is a database that cannot be asked.
type counted struct {
	session.Replicas

	live []int
}

func (c *counted) Live(ctx context.Context) (int, error) {
	if len(c.live) == 0 {
		return 0, ctx.Err()
	}
	n := c.live[0]
	c.live = c.live[1:]
	if n < 0 {
		return 0, errors.New("connection refused")
	}
	return n, nil
}

func TestShareFollowsLiveReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var told []int
		ctx, cancel := context.WithTimeout(t.Context(), 18*time.Second) // asked at 0, 5, 10 and 15 s
		defer cancel()
		session.Share(ctx, &counted{live: []int{1, 3, -1, 2}}, slog.New(slog.NewTextHandler(&log, nil)), func(n int) { told = append(told, n) })
		if want := []int{1, 3, 2}; !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
		if !strings.Contains(log.String(), "connection refused") {
			t.Errorf("the log does not say why replicas were not counted: %q", log.String())
		}
	})
}

func TestShareWithoutReplicasIsNeverCalled(t *testing.T) {
	session.Share(t.Context(), nil, nil, func(n int) { t.Errorf("told %d", n) })
}
