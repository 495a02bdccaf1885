package call

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	api "github.com/slack-go/slack"
)

func TestRefusalsNameWholeSeconds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		"7": 7 * time.Second, "0": time.Second, "0.2": time.Second, "1.5": 2 * time.Second, " 3 ": 3 * time.Second,
		"": unsaidPause, "soon": unsaidPause, "-4": unsaidPause, "NaN": unsaidPause, "1e300": unsaidPause,
		"Sat, 21 Nov 2026 12:00:20 GMT": 21 * time.Second, "Sat, 21 Nov 2026 11:00:00 GMT": time.Second,
	} {
		if got := retryAfter(http.Header{"Retry-After": {said}}, now); got != want {
			t.Errorf("Retry-After %q is %v, want %v", said, got, want)
		}
	}
	if got := retryAfter(http.Header{}, now); got != unsaidPause {
		t.Errorf("without Retry-After it is %v, want %v", got, unsaidPause)
	}
}

// answers is a Slack that refuses calls as long as it is told to.
type answers struct {
	refuse string // Retry-After; empty: everything is fine
	calls  []string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.calls = append(a.calls, method(r))
	if a.refuse == "" {
		res := refused(r, 0)
		res.StatusCode, res.Header = http.StatusOK, http.Header{}
		return res, nil
	}
	res := refused(r, 0)
	res.Header.Set("Retry-After", a.refuse)
	return res, nil
}

func call(t *testing.T, o *obedient, method, channel string) (status int, retry string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://slack.example/api/"+method, strings.NewReader(url.Values{"channel": {channel}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	res, err := o.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Retry-After")
}

func TestNothingIsAskedBeforeTheTimeThatSlackNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		there := &answers{refuse: "30.5"}
		o := &obedient{next: there}
		if status, retry := call(t, o, "users.info", ""); status != http.StatusTooManyRequests || retry != "31" {
			t.Errorf("status %d, Retry-After %s; want 429 and 31", status, retry)
		}
		there.refuse = ""
		time.Sleep(10 * time.Second)
		if status, retry := call(t, o, "users.info", ""); status != http.StatusTooManyRequests || retry != "21" || len(there.calls) != 1 {
			t.Errorf("too early: status %d, Retry-After %s, calls %v", status, retry, there.calls)
		}
		if status, _ := call(t, o, "users.list", ""); status != http.StatusOK {
			t.Errorf("another method: status %d", status)
		}
		time.Sleep(20 * time.Second)
		began := time.Now()
		if status, _ := call(t, o, "users.info", ""); status != http.StatusOK || time.Since(began) != time.Second {
			t.Errorf("a little too early: status %d after %v, want a wait of 1s", status, time.Since(began))
		}
		there.refuse = "9"
		call(t, o, "chat.postMessage", "C1")
		there.refuse = ""
		if status, _ := call(t, o, "chat.postMessage", "C2"); status != http.StatusOK {
			t.Errorf("another channel: status %d", status)
		}
		if status, _ := call(t, o, "chat.postMessage", "C1"); status != http.StatusTooManyRequests {
			t.Errorf("the same channel: status %d", status)
		}
	})
}

// The library takes a refusal without a whole number of seconds for an error of another kind.
func TestRefusalOfAnyFormIsOne(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"1", "0.5", "soon", "Sat, 21 Nov 2026 12:00:20 GMT"} {
		c := api.New("xoxb-1", api.OptionHTTPClient(&http.Client{Transport: &obedient{next: &answers{refuse: said}}}))
		_, _, err := c.PostMessageContext(t.Context(), "C1", api.MsgOptionText("x", false))
		if !errors.As(err, new(*api.RateLimitedError)) {
			t.Errorf("Retry-After %q: %v", said, err)
		}
	}
}
