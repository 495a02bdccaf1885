package thread

import (
	"strings"
	"time"
)

// Clock formats the time of day in UTC, such as "15:04 UTC". Platforms that can show local times
// replace this text by means of LocalTime.
func Clock(at time.Time) string { return at.UTC().Format("15:04 UTC") }

// LocalTime replaces the [Clock] text of at in a sentence with form. form is the platform's
// notation for local times.
func LocalTime(sentence string, at time.Time, form string) string {
	if at.IsZero() {
		return sentence
	}
	return strings.Replace(sentence, Clock(at), form, 1)
}
