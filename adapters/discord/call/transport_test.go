package call

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"
)

// carrier answers every request with the same answer and keeps what it was asked.
type carrier struct {
	status int
	header http.Header
	body   string
	asked  []string
	host   string
}

// RoundTrip implements http.RoundTripper.
func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked, c.host = append(c.asked, r.URL.String()), r.Host
	return &http.Response{StatusCode: c.status, Header: c.header.Clone(), Body: io.NopCloser(strings.NewReader(c.body)), Request: r}, nil
}

func TestEveryCallGoesToTheConfiguredAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, api, asked, want string }{
		{"Discord's own", "", "https://discord.com/api/v9/gateway", "https://discord.com/api/v9/gateway"},
		{"a proxy", "http://127.0.0.1:8080/api", "https://discord.com/api/v9/channels/1/messages?limit=2", "http://127.0.0.1:8080/api/v9/channels/1/messages?limit=2"},
		{"a proxy with a path and a slash", "https://proxy.example/discord/", "https://discord.com/api/v9/gateway", "https://proxy.example/discord/v9/gateway"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			api, err := parseAPI(tt.api)
			if err != nil {
				t.Fatal(err)
			}
			c := &carrier{status: http.StatusOK}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.asked, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := (&transport{api: api, base: c, limits: newLimits()}).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			if err := res.Body.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tt.want}, c.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if c.host != "" {
				t.Errorf("the server is told that it is %q", c.host)
			}
		})
	}
}

func TestRefusalsBecomeWhatTheClientCanRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		header     http.Header
		want       string
		paused     bool
	}{
		{"of a route", `{"message":"slow","retry_after":1.5,"global":false}`, nil, `{"code":0,"global":false,"message":"slow","retry_after":1.5}`, false},
		{"of everything", `{"message":"slow","retry_after":1.5,"global":true}`, nil, `{"code":0,"global":true,"message":"slow","retry_after":1.5}`, true},
		{"by Cloudflare", `<html>1015</html>`, http.Header{"Retry-After": {"7"}},
			`{"code":0,"global":true,"message":"Discord refuses all calls for a while.","retry_after":7}`, true},
		{"by Cloudflare without a time", ``, nil, `{"code":0,"global":true,"message":"Discord refuses all calls for a while.","retry_after":60}`, true},
		{"of old messages", `{"message":"old","retry_after":5,"code":30046}`, nil, `{"code":30046,"global":false,"message":"30046","retry_after":5}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLimits()
			api, err := parseAPI("")
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(withBucket(t.Context(), "a"), http.MethodGet, DefaultAPI, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tt.header == nil {
				tt.header = make(http.Header)
			}
			res, err := (&transport{api: api, base: &carrier{status: http.StatusTooManyRequests, header: tt.header, body: tt.body}, limits: l}).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err := errors.Join(err, res.Body.Close()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if paused := l.paused.Left(everything) > 0; paused != tt.paused {
				t.Errorf("everything is paused: %v, want %v", paused, tt.paused)
			}
		})
	}
}

// A call that waits for its turn has not been sent, however long that takes: nobody has to look for
// what came of it.
func TestWaitingBeforeACallIsNoTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		address, err := parseAPI("")
		if err != nil {
			t.Fatal(err)
		}
		l := newLimits()
		c := &carrier{status: http.StatusOK, body: `{"id":"7"}`}
		a, err := newAPI("token", &transport{api: address, base: c, limits: l}, l)
		if err != nil {
			t.Fatal(err)
		}
		l.must(t, "a") // as Reserve does, before Discord refused everything
		l.refused("b", 4*RequestTimeout, true)
		var made Posted
		err = a.Do(t.Context(), Request{
			Doing: "post", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages("1"), Bucket: "a", Body: map[string]any{}, Paid: true,
		}, &made)
		if err != nil || made.ID != "7" || len(c.asked) != 1 {
			t.Errorf("the call = %+v, %v; %d were sent", made, err, len(c.asked))
		}
		time.Sleep(2 * time.Second) // until its place is free again
	})
}

// held answers once it is let, or when its request is given up.
type held struct{ let chan struct{} }

// RoundTrip implements http.RoundTripper.
func (h held) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-h.let:
		return &http.Response{StatusCode: http.StatusOK, Header: headers("4", "5"), Body: http.NoBody, Request: r}, nil
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
}

// Whoever wanted a call may give up: once it is sent it is counted by Discord, sooner or later, and
// so it is here until it is answered.
func TestCallThatNobodyWaitsForIsStillCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, err := parseAPI("")
		if err != nil {
			t.Fatal(err)
		}
		l, let := newLimits(), make(chan struct{})
		l.must(t, "a")
		ctx, cancel := context.WithCancel(withBucket(t.Context(), "a"))
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://discord.com/api/v9/gateway", nil)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			res, err := (&transport{api: api, base: held{let}, limits: l}).RoundTrip(req)
			if err == nil {
				err = res.Body.Close()
			}
			ended <- err
		}()
		synctest.Wait()
		cancel()
		time.Sleep(5 * time.Second)
		if len(l.window) != 1 || l.buckets["a"].inFlight != 1 {
			t.Errorf("%d calls are counted in all and %d of the bucket, want the one that is on its way", len(l.window), l.buckets["a"].inFlight)
		}
		close(let)
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		time.Sleep(2 * time.Second)
		if len(l.window) != 0 || l.buckets["a"].inFlight != 0 || l.buckets["a"].remaining != 4 {
			t.Errorf("after its answer %d calls are counted, and of the bucket %+v", len(l.window), l.buckets["a"])
		}
	})
}
