package openai

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
)

const maxRetryAfter = time.Hour

// retryAfter returns the time to wait before a retry according to the headers, or 0. It uses the
// first of these headers:
//   - Retry-After-Ms
//   - Retry-After, in seconds or as a date
//   - the X-Ratelimit-Reset headers, of which the longest time applies
//
// The value of a reset header is a duration ("6m0s", "350ms"), seconds, or a time, depending on the
// provider. A reset header is ignored if the corresponding remaining count is positive.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return capWait(time.Duration(ms * float64(time.Millisecond)))
	}
	if wait, said := pace.RetryAfter(h, now); said {
		return capWait(wait)
	}
	var longest time.Duration
	for name, values := range h {
		lower := strings.ToLower(name)
		if !strings.HasPrefix(lower, "x-ratelimit-reset") || len(values) == 0 {
			continue
		}
		remaining := "X-Ratelimit-Remaining" + name[len("x-ratelimit-reset"):]
		if left, err := strconv.ParseFloat(h.Get(remaining), 64); err == nil && left > 0 {
			continue
		}
		longest = max(longest, capWait(parseReset(values[0], now)))
	}
	return longest
}

// parseReset parses a duration ("6m0s"), a number of seconds, or a time. It returns 0 if the value
// is invalid.
func parseReset(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if d, err := time.ParseDuration(value); err == nil {
		return d
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at.Sub(now)
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0
	}
	switch {
	case n > 1e12: // Unix time in milliseconds
		return time.UnixMilli(int64(n)).Sub(now)
	case n > 1e9: // Unix time in seconds
		return time.Unix(int64(n), 0).Sub(now)
	}
	return durationOf(n)
}

func durationOf(n float64) time.Duration {
	if n >= maxRetryAfter.Seconds() {
		return maxRetryAfter
	}
	return time.Duration(n * float64(time.Second))
}

func capWait(d time.Duration) time.Duration { return min(max(d, 0), maxRetryAfter) }
