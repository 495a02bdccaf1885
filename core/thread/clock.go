package thread

import (
	"strings"
	"time"
)

// Clock is a moment within a day as a sentence has it. A platform that shows each reader their own
// time replaces it (LocalTime).
func Clock(at time.Time) string { return at.UTC().Format("15:04 UTC") }

// LocalTime replaces the clock of a moment in a sentence with the platform's own form of it.
func LocalTime(sentence string, at time.Time, form string) string {
	if at.IsZero() {
		return sentence
	}
	return strings.Replace(sentence, Clock(at), form, 1)
}
