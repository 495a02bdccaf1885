package main_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// Slow senders without a signature hold a bounded number of bodies: of more, the oldest are turned
// away, and what Slack signed gets through.
func TestSlowSendersKeepNoRequestOut(t *testing.T) {
	t.Parallel()
	const atOnce, more = 64, 16
	addr := footnotetest.FreeAddress(t)
	slack := slacktest.Start(slacktest.Config{EventsURL: "http://" + addr + "/slack/events", Redeliver: []time.Duration{}})
	t.Cleanup(slack.Close)
	p := newProgram(t, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret, "SLACK_API_URL="+slack.URL(), "HTTP_ADDR="+addr)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.readiness(ctx, t, http.StatusOK, map[string]string{"slack": "takes signed requests"})
	answers := make(chan string, atOnce+more)
	for range atOnce + more {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := fmt.Fprintf(c, "POST /slack/events HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n\r\n{", addr); err != nil {
			t.Fatal(err)
		}
		go func() {
			line, _ := bufio.NewReader(c).ReadString('\n') // empty where the test has ended
			answers <- line
		}()
	}
	for range more {
		select {
		case line := <-answers:
			if !strings.Contains(line, "503") {
				t.Fatalf("a slow request is answered by %q", line)
			}
		case <-ctx.Done():
			t.Fatal("no slow request is turned away")
		}
	}
	body := `{"type": "url_verification", "challenge": "abc"}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/slack/events", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	slacktest.Sign(req.Header, []byte(body), time.Now())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("a signed request beside them: %s", res.Status)
	}
}
