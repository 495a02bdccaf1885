package policy

import (
	"slices"
	"strconv"
	"strings"
)

const (
	sentenceQueuedOne  = "One question is ahead of this one; it will be answered next."
	sentenceQueued     = " questions are ahead of this one; they are answered in order."
	sentenceWaitingOne = "One more question is waiting here; it is answered next."
	sentenceWaiting    = " more questions are waiting here; they are answered in order."
	sentenceDenied     = "Only whoever asked, whoever began the thread, and moderators can stop this answer."
)

// SayQueued returns the notice for a queued question, or "" if no question is ahead of it. ahead is
// the number of questions ahead of it.
func SayQueued(ahead int) string {
	switch {
	case ahead <= 0:
		return ""
	case ahead == 1:
		return sentenceQueuedOne
	default:
		return strconv.Itoa(ahead) + sentenceQueued
	}
}

// SayWaiting returns the notice for a thread with n more waiting questions, or "" for none.
func SayWaiting(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return sentenceWaitingOne
	default:
		return strconv.Itoa(n) + sentenceWaiting
	}
}

// IsNotice reports whether a text is a notice from [SayWaiting] or [SayQueued].
func IsNotice(text string) bool {
	if text == sentenceQueuedOne || text == sentenceWaitingOne {
		return true
	}
	return slices.ContainsFunc([]string{sentenceQueued, sentenceWaiting}, func(said string) bool {
		number, ok := strings.CutSuffix(text, said)
		_, err := strconv.Atoi(number)
		return ok && err == nil
	})
}

// SayDenied returns the reply to a person who may not stop a turn.
func SayDenied() string { return sentenceDenied }
