package thread

import (
	"strings"
	"time"
)

// Clock formats a time of day for a sentence, in UTC. Platforms that can show each reader their
// local time replace it with LocalTime.
func Clock(at time.Time) string { return at.UTC().Format("15:04 UTC") }

// LocalTime replaces the Clock text of a time in a sentence with the platform's form.
func LocalTime(sentence string, at time.Time, form string) string {
	if at.IsZero() {
		return sentence
	}
	return strings.Replace(sentence, Clock(at), form, 1)
}
