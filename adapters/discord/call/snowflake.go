package call

import (
	"strconv"
	"time"
)

// discordEpoch is the start of 2015 in Unix milliseconds. Discord's ids contain the milliseconds
// since then.
const discordEpoch = 1420070400000

// IdAt returns the smallest id (snowflake) that Discord could assign at t.
func IdAt(t time.Time) string { return strconv.FormatInt((t.UnixMilli()-discordEpoch)<<22, 10) }

// Newer reports whether id a is newer than id b. An empty id is older than all others.
func Newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}
