package call

import (
	"strconv"
	"time"
)

// discordEpoch is the beginning of 2015, from which ids count milliseconds.
const discordEpoch = 1420070400000

// IdAt is the smallest id of a moment.
func IdAt(t time.Time) string { return strconv.FormatInt((t.UnixMilli()-discordEpoch)<<22, 10) }

// Newer reports whether id a was given after id b. An empty id is older than all.
func Newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}
