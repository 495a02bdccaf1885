// Package pace limits calls to a server to the rate that the server allows. It parses Retry-After,
// divides quotas between processes, uses budgets that processes share, and blocks keys for a time.
// Each adapter decides what its platform counts and which calls are more urgent.
package pace

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Forever is the longest duration that [RetryAfter] returns.
const Forever = math.MaxInt32 * time.Second

// RetryAfter returns how long the Retry-After header asks a client to wait. The header has a number
// of seconds, which may be a fraction, or a date. said is false if the header is missing or
// invalid.
func RetryAfter(h http.Header, now time.Time) (wait time.Duration, said bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if seconds >= Forever.Seconds() {
			return Forever, true
		}
		if !(seconds >= 0) { // negative or NaN
			return 0, false
		}
		return time.Duration(seconds * float64(time.Second)), true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), Forever-time.Second).Truncate(time.Second) + time.Second, true
}
