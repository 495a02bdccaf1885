package sourcehttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

const secret = "ghp_s3cretToken"

// source is a server that answers the first calls one way each, and all others with the last.
func source(t *testing.T, answers ...http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		n := min(int(asked.Add(1)), len(answers))
		answers[n-1](w, r)
	}))
	t.Cleanup(server.Close)
	return server, &asked
}

func client(t *testing.T, server *httptest.Server, change func(*sourcehttp.Config)) *sourcehttp.Client {
	t.Helper()
	config := sourcehttp.Config{
		Name: "Acme Wiki", Base: server.URL + "/api/", AllowHosts: []string{"127.0.0.1"}, Pause: time.Millisecond, Patience: 2 * time.Second,
		Authorize: func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+secret)
			return nil
		},
	}
	if change != nil {
		change(&config)
	}
	c, err := sourcehttp.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func says(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"message": "as you wish"}`)
	}
}

// cut announces more than it sends.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"message":`)
}

func TestWhatFailsForAMomentIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]http.HandlerFunc{
		"a server error":       says(http.StatusBadGateway),
		"a body that is cut":   cut,
		"too many requests":    says(http.StatusTooManyRequests, "Retry-After", "0.01"),
		"unavailable":          says(http.StatusServiceUnavailable),
		"unavailable, for now": says(http.StatusServiceUnavailable, "Retry-After", "0"),
		"a limit that is over": says(http.StatusTooManyRequests, "Retry-After", "Sat, 21 Nov 2020 12:00:20 GMT"),
		"a connection that is broken off": func(w http.ResponseWriter, _ *http.Request) {
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, asked := source(t, first, says(http.StatusOK))
			c := client(t, server, nil)
			r, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"})
			if err != nil || r.Status != http.StatusOK || asked.Load() != 2 {
				t.Fatalf("%v, %v after %d requests", r, err, asked.Load())
			}
			if cost := c.Cost(); cost.Requests != 2 || cost.Again != 1 || cost.Waited <= 0 {
				t.Errorf("the cost is %+v", cost)
			}
		})
	}
}

func TestItIsNotTriedForEver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		times  int64
		want   string
	}{
		"server errors":   {says(http.StatusInternalServerError, "X-GitHub-Request-Id", "AB:12"), 3, `Acme Wiki answered 500 to GET /api/pages ("as you wish"), request AB:12`},
		"cut bodies":      {cut, 3, "cut short"},
		"refusals":        {says(http.StatusForbidden), 1, "403"},
		"what is missing": {says(http.StatusNotFound), 1, "404"},
		"too much":        {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2000)) }, 1, "larger than"},
		"limits":          {says(http.StatusTooManyRequests, "Retry-After", "0.001"), 3, "allows no more requests"},
		"a circle":        {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) }, 6, "redirected more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, asked := source(t, tt.answer)
			c := client(t, server, func(config *sourcehttp.Config) { config.Attempts, config.MaxBytes = 3, 1000 })
			_, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages?token=hidden"})
			if err == nil || !strings.Contains(err.Error(), tt.want) || asked.Load() != tt.times {
				t.Fatalf("%v after %d requests", err, asked.Load())
			}
			if strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), secret) {
				t.Errorf("the error tells too much: %v", err)
			}
		})
	}
}

func TestALongLimitEndsAtOnceUntilItIsOver(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	unix := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).Unix(), 10) }
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		wait   time.Duration
	}{
		"seconds":                 {says(http.StatusTooManyRequests, "Retry-After", "3600"), time.Hour},
		"a date":                  {says(http.StatusTooManyRequests, "Retry-After", "Sat, 21 Nov 2026 13:00:00 GMT"), time.Hour + time.Second},
		"absurd":                  {says(http.StatusTooManyRequests, "Retry-After", "1e300"), 2 * time.Hour},
		"the reset of its budget": {says(http.StatusForbidden, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", unix(time.Hour), "Date", now.Format(http.TimeFormat)), time.Hour + time.Second},
		"a reset by its own clock": {says(http.StatusForbidden, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", unix(3*time.Hour),
			"Date", now.Add(2*time.Hour).Format(http.TimeFormat)), time.Hour + time.Second},
		"a reset that is over": {says(http.StatusForbidden, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", unix(-time.Hour), "Date", now.Format(http.TimeFormat)), time.Minute},
		"no time":              {says(http.StatusTooManyRequests), time.Minute},
		"a secondary limit":    {says(http.StatusForbidden, "Retry-After", "3600"), time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, asked := source(t, tt.answer, says(http.StatusOK))
			var mu sync.Mutex
			at := now
			c := client(t, server, func(config *sourcehttp.Config) {
				config.Now = func() time.Time {
					mu.Lock()
					defer mu.Unlock()
					return at
				}
				config.Limited = func(r *sourcehttp.Response) bool {
					return r.Status == http.StatusForbidden && (r.Header.Get("Retry-After") != "" || r.Header.Get("X-RateLimit-Remaining") == "0")
				}
			})
			for range 3 {
				_, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"})
				var later *index.Later
				if !errors.As(err, &later) || !errors.Is(err, index.ErrPaused) || !later.At.Equal(now.Add(tt.wait)) {
					t.Fatalf("error %v, want to come back at %s", err, now.Add(tt.wait))
				}
			}
			if asked.Load() != 1 {
				t.Errorf("while it was limited it asked %d times", asked.Load())
			}
			mu.Lock()
			at = now.Add(tt.wait)
			mu.Unlock()
			if _, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"}); err != nil {
				t.Errorf("once it is over: %v", err)
			}
		})
	}
}

// Of what is used up no more is asked, so that nothing is refused.
func TestNothingIsAskedOnceNothingIsLeft(t *testing.T) {
	t.Parallel()
	reset := strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)
	server, asked := source(t, says(http.StatusOK, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset))
	c := client(t, server, nil)
	if _, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"}); !errors.Is(err, index.ErrPaused) || asked.Load() != 1 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
}

// What matters less leaves a part of the budget to the rest, and what is used up of one budget says
// nothing of another.
func TestBudgets(t *testing.T) {
	t.Parallel()
	reset := strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)
	server, asked := source(t, says(http.StatusOK, "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "900", "X-RateLimit-Reset", reset))
	c := client(t, server, nil)
	ask := func(budget string, spare float64) error {
		_, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages", Budget: budget, Spare: spare})
		return err
	}
	if err := ask("a", 0.2); err != nil {
		t.Fatal(err)
	}
	if err := ask("a", 0.2); !errors.Is(err, index.ErrPaused) {
		t.Errorf("what is to leave a fifth takes of it: %v", err)
	}
	if ask("a", 0) != nil || ask("a", 0.1) != nil || ask("b", 0.2) != nil || asked.Load() != 4 {
		t.Errorf("others were kept from asking: %d requests", asked.Load())
	}
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for name, change := range map[string]func(*sourcehttp.Config){
		"for a limit":           func(config *sourcehttp.Config) { config.Patience = 2 * time.Hour },
		"for another attempt":   func(config *sourcehttp.Config) { config.Pause = time.Hour },
		"for a token":           func(config *sourcehttp.Config) { config.Every, config.Burst = time.Hour, 1 },
		"for an answer at last": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancelCause(t.Context())
			answer := map[string]http.HandlerFunc{
				"for a limit": says(http.StatusTooManyRequests, "Retry-After", "3600"), "for another attempt": says(http.StatusBadGateway), "for a token": says(http.StatusOK),
			}[name]
			server, _ := source(t, func(w http.ResponseWriter, r *http.Request) {
				if answer == nil {
					stop(stopped)
					<-r.Context().Done()
					return
				}
				answer(w, r)
				stop(stopped)
			})
			c := client(t, server, change)
			_, err := c.Do(ctx, sourcehttp.Request{Path: "pages"})
			if name == "for a token" {
				_, err = c.Do(ctx, sourcehttp.Request{Path: "pages"})
			}
			if !errors.Is(err, stopped) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestWhatHasNotChangedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	server, _ := source(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"v1"` || r.Header.Get("If-Modified-Since") == "yesterday" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Last-Modified", "yesterday")
		_, _ = io.WriteString(w, "text")
	})
	c := client(t, server, nil)
	first, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"})
	if err != nil || string(first.Body) != "text" || first.NotModified {
		t.Fatal(first, err)
	}
	for _, r := range []sourcehttp.Request{{Path: "pages", ETag: first.ETag}, {Path: "pages", LastModified: first.LastModified}} {
		if again, err := c.Do(t.Context(), r); err != nil || !again.NotModified || len(again.Body) != 0 {
			t.Errorf("%+v: %v, %v", r, again, err)
		}
	}
	if cost := c.Cost(); cost.Requests != 3 || cost.Unchanged != 2 {
		t.Errorf("the cost is %+v", cost)
	}
	// Without a condition a 304 says nothing.
	odd, _ := source(t, says(http.StatusNotModified))
	if r, err := client(t, odd, nil).Do(t.Context(), sourcehttp.Request{Path: "pages"}); sourcehttp.Status(err) != http.StatusNotModified {
		t.Errorf("%v, %v", r, err)
	}
}

// The credential goes to the source's own host alone, over the line that was asked for.
func TestTheCredentialStaysWithItsHost(t *testing.T) {
	t.Parallel()
	other, asked := source(t, says(http.StatusOK))
	server, _ := source(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/api/pages", http.StatusFound)
	})
	c := client(t, server, nil)
	for _, path := range []string{"pages", other.URL + "/api/pages", "//" + strings.TrimPrefix(other.URL, "http://") + "/x", "https" + strings.TrimPrefix(server.URL, "http")} {
		if _, err := c.Do(t.Context(), sourcehttp.Request{Path: path}); !errors.Is(err, outhttp.ErrRefused) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if asked.Load() != 0 {
		t.Error("another host was asked")
	}
	for _, base := range []string{"http://api.example/", "https://api.example", "api.example/", "ftp://api.example/"} {
		if _, err := sourcehttp.New(sourcehttp.Config{Name: "Acme Wiki", Base: base}); err == nil {
			t.Errorf("%s is taken for an address", base)
		}
	}
	if _, err := sourcehttp.New(sourcehttp.Config{Name: "Acme Wiki", Base: "http://wiki.invalid/"}); err == nil || !strings.Contains(err.Error(), "ALLOW_PRIVATE_HOSTS") {
		t.Errorf("a credential for a name that is not listed: %v", err)
	}
	if _, err := sourcehttp.New(sourcehttp.Config{Name: "Acme Wiki", Base: "http://wiki.invalid/", AllowHosts: []string{"*.invalid"}}); err != nil {
		t.Errorf("a name that is listed: %v", err)
	}
	if _, err := client(t, server, func(config *sourcehttp.Config) { config.AllowHosts = []string{"127.0.0.2", "localhost"} }).Do(t.Context(), sourcehttp.Request{Path: "pages"}); !errors.Is(err, outhttp.ErrRefused) {
		t.Errorf("a private host that is not listed: %v", err)
	}
}

func TestNoMoreRequestsAtOnceThanAllowed(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	server, _ := source(t, func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		_, _ = io.WriteString(w, "text")
	})
	c := client(t, server, func(config *sourcehttp.Config) { config.AtOnce = 2 })
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if _, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() > 2 {
		t.Errorf("%d requests were under way at once", most.Load())
	}
}

func TestWithoutACredentialNothingIsAsked(t *testing.T) {
	t.Parallel()
	server, asked := source(t, says(http.StatusOK))
	missing := errors.New("set ACME_TOKEN")
	c := client(t, server, func(config *sourcehttp.Config) {
		config.Authorize = func(context.Context, *http.Request) error { return fmt.Errorf("no token: %w", missing) }
	})
	if _, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"}); !errors.Is(err, missing) || asked.Load() != 0 {
		t.Errorf("%v", err)
	}
}

// The words of a refusal are found in whatever form vendors give them.
func TestARefusalSaysWhatTheSourceSaid(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"message": "Bad credentials"}`:                                                          `("Bad credentials")`,
		`{"errorMessages": ["No project"], "errors": {}}`:                                         `("No project")`,
		`{"error": {"code": 403, "message": "not enough rights"}}`:                                `("not enough rights")`,
		`{"errors": [{"status": 400, "code": "INVALID", "title": "Bad status", "detail": null}]}`: `("Bad status")`,
		`{"errors": [{"title": "Bad status", "detail": "draft"}]}`:                                `("Bad status: draft")`,
		`{"errors": {"field": "is odd"}}`:                                                         `answered 403`,
		`{"error": "invalid_grant"}`:                                                              `("invalid_grant")`,
		`<html>gateway</html>`:                                                                    `answered 403 to GET /api/pages`,
		`{"message": "` + strings.Repeat("é", 300) + `"}`:                                         "…",
		``: `answered 403`,
	} {
		server, _ := source(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, body)
		})
		_, err := client(t, server, nil).Do(t.Context(), sourcehttp.Request{Path: "pages"})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Some sources ask to be tried again after a second, and then ever later.
func TestALimitWithoutATimeIsWaitedForAsTheSourceAsks(t *testing.T) {
	t.Parallel()
	server, asked := source(t, says(http.StatusTooManyRequests), says(http.StatusTooManyRequests), says(http.StatusOK))
	c := client(t, server, func(config *sourcehttp.Config) { config.SilentLimit = time.Millisecond })
	if _, err := c.Do(t.Context(), sourcehttp.Request{Path: "pages"}); err != nil || asked.Load() != 3 || c.Cost().Limited != 2 {
		t.Errorf("%v after %d requests, %+v", err, asked.Load(), c.Cost())
	}
}
