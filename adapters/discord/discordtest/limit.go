package discordtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// bucket is a rate limit whose window starts at the first request.
type bucket struct {
	limit  int
	window time.Duration
	left   int
	resets time.Time
	forced time.Time // until then everything is refused, without counting
}

// Fault makes matching calls fail. A call fails before it has an effect, unless Done is set. Empty
// fields match everything.
type Fault struct {
	Method string
	Path   string // substring of the path
	Holds  string // substring of the body
	Times  int    // number of calls that fail; 0 means one
	After  int    // number of matching calls that pass first

	// of the response, which has exactly this Body; with Done after the call took effect
	Status     int
	Body       string
	RetryAfter time.Duration // sends a 429 for the route; with Global for all calls; with HTML not in JSON
	Global     bool
	HTML       bool
	Drop       bool // the connection is cut; with Done after the call took effect
	Done       bool
}

// Inject adds a fault. The server tries the faults in the order of Inject calls.
func (s *Server) Inject(f Fault) { s.faults.Add(f, f.After, f.Times) }

// Mend removes all faults that Inject added.
func (s *Server) Mend() { s.faults.Mend() }

func (s *Server) fault(method, path, body string) *Fault {
	found, ok := s.faults.Next(func(f Fault) bool {
		return (f.Method == "" || f.Method == method) && strings.Contains(path, f.Path) && strings.Contains(body, f.Holds)
	})
	if !ok {
		return nil
	}
	return &found
}

// route returns the bucket key of a call. The key consists of the method, the path without ids, and
// the channel or token.
func route(method, path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		if i > 2 && isID(p) {
			parts[i] = "{id}"
		}
	}
	return method + " " + strings.Join(parts, "/")
}

func isID(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

// admit counts a call and reports whether the rate limits allow it. If not, it has written the 429
// response. The caller must hold the lock.
func (s *Server) admit(w http.ResponseWriter, method, path string) bool {
	now := time.Now()
	interaction := strings.Contains(path, "/interactions/") || strings.Contains(path, "/webhooks/")
	if !interaction {
		if s.globalUntil.After(now) {
			refuse(w, s.globalUntil.Sub(now), "global")
			return false
		}
		if wait := s.global.Within("", s.config.GlobalRequests, time.Second, now); wait > 0 {
			refuse(w, wait, "global")
			return false
		}
	}
	key := route(method, path)
	b := s.buckets[key]
	if b == nil {
		b = &bucket{limit: s.config.BucketRequests, window: s.config.BucketWindow}
		if strings.HasPrefix(key, "GET ") {
			b.limit, b.window = 50, time.Second
		}
		s.buckets[key] = b
	}
	if now.After(b.resets) {
		b.left, b.resets = b.limit, now.Add(b.window)
	}
	over := b.left == 0 || b.forced.After(now)
	if !over {
		b.left--
	}
	until := b.resets.Sub(now)
	if b.forced.After(now) {
		until = b.forced.Sub(now)
	}
	if s.config.Lean {
		if over {
			refuse(w, until, "user")
		}
		return !over
	}
	hash := fnv.New64a()
	hash.Write([]byte(key))
	h := w.Header()
	h.Set("X-RateLimit-Limit", strconv.Itoa(b.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(b.left))
	h.Set("X-RateLimit-Reset-After", seconds(until))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(now.Add(until).UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Bucket", fmt.Sprintf("%x", hash.Sum64()))
	if over {
		refuse(w, until, "user")
	}
	return !over
}

// refuse responds with status 429. Like Discord, it sends no Reset-After with a global 429.
func refuse(w http.ResponseWriter, after time.Duration, scope string) {
	h := w.Header()
	if scope == "global" {
		h.Del("X-RateLimit-Reset-After")
		h.Del("X-RateLimit-Reset")
		h.Del("X-RateLimit-Remaining")
		h.Set("X-RateLimit-Global", "true")
	}
	h.Set("X-RateLimit-Scope", scope)
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	reply(w, http.StatusTooManyRequests, map[string]any{
		"message": "You are being rate limited.", "retry_after": math.Ceil(after.Seconds()*1000) / 1000, "global": scope == "global",
	})
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

func reply(w http.ResponseWriter, status int, body any) {
	if body == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// This fails only if the client is gone.
	_ = json.NewEncoder(w).Encode(body)
}

// serve responds to a call with a fault. If lost is true, the caller must execute the call but send
// no response.
func (s *Server) serve(w http.ResponseWriter, f *Fault, method, path string) (lost bool) {
	switch {
	case f.Drop:
		return true
	case f.HTML:
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte("<html><body>error code: 1015</body></html>"))
	case f.RetryAfter > 0 && f.Global:
		s.globalUntil = time.Now().Add(f.RetryAfter)
		refuse(w, f.RetryAfter, "global")
	case f.RetryAfter > 0:
		key := route(method, path)
		b := s.buckets[key]
		if b == nil {
			b = &bucket{limit: s.config.BucketRequests, window: s.config.BucketWindow}
			s.buckets[key] = b
		}
		b.forced = time.Now().Add(f.RetryAfter)
		w.Header().Set("X-RateLimit-Limit", strconv.Itoa(b.limit))
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset-After", seconds(f.RetryAfter))
		refuse(w, f.RetryAfter, "user")
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte(f.Body))
	}
	return false
}
