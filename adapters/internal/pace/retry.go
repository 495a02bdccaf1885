// Package pace holds calls of a server to what it allows: what it says of when to come again, a
// quota's part of each of several processes, budgets that they share, and what is to be left alone
// for a while. What a platform counts, and which of its calls matter more, is its adapter's to say.
package pace

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Forever is what a longer wait counts as.
const Forever = math.MaxInt32 * time.Second

// RetryAfter is how long a server asks to be left alone, in the header of that name: seconds, which
// may have a fraction, or a date, which counts to the end of its second. said is false where it
// says nothing that can be read.
func RetryAfter(h http.Header, now time.Time) (wait time.Duration, said bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if seconds >= Forever.Seconds() {
			return Forever, true
		}
		if !(seconds >= 0) { // nor is NaN
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
