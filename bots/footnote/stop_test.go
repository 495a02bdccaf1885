package main_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// A server that is told to stop ends well, wherever it is with starting: while it opens its
// database, or just as it is there.
func TestServeEndsWellWhereverItIsToldTo(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	there := newProgram(t, socketSettings(slack)...)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	until := func(s *server, holds func() bool) {
		t.Helper()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for !holds() {
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatalf("it never came so far\n%s", s.log)
			}
		}
	}
	listens := func(s *server) func() bool {
		return func() bool {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.addr)
			return err == nil && conn.Close() == nil
		}
	}
	says := func(s *server, what string) func() bool {
		return func() bool { return strings.Contains(s.log.String(), what) }
	}
	s := serve(t, there)
	until(s, listens(s))
	s.stop(t)
	s = serve(t, there)
	until(s, says(s, "msg=serving"))
	s.stop(t)
	s = serve(t, there)
	s.inSlack(ctx, t, slack)
	s.stop(t)
}
