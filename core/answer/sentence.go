package answer

import (
	"fmt"
	"slices"
)

// The sentences that people read. Those of a turn that ran come from the engine; these are for what happens around it. Each says what
// to do.
const (
	sentenceUnstarted  = "Stopped before anything was written."
	sentenceExhausted  = "Something went wrong while answering, several times. Ask again; if it happens again, tell whoever runs this bot."
	sentenceDeadly     = "This question kept ending the program that answers it, so it is not tried any more. Ask in other words, with less text or fewer files; if it happens again, tell whoever runs this bot."
	sentenceQueuedOne  = "One question is ahead of this one; it will be answered next."
	sentenceQueued     = "%d questions are ahead of this one; they are answered in order."
	sentenceWaitingOne = "One more question is waiting here; it is answered next."
	sentenceWaiting    = "%d more questions are waiting here; they are answered in order."
	sentenceGreeting   = "Hello! Ask me a question, and I look for the answer in the documents that you may read."
	sentencePending    = "I have just started and am still finding out who is in this channel. I answer as soon as I know."
	sentenceUnheard    = "I could not find out who is in this channel, so I looked at public documents only. Ask again in a few minutes."
	sentenceOffer      = "There are documents about this that you can read and not everybody here can. Do you want an answer for yourself alone?"
	sentenceDenied     = "Only whoever asked, whoever began the thread, and administrators can stop this answer."
)

// What stands in the place of an answer, or under it, after people have acted on it.
const (
	// noticeRemoved is all that is left of an answer on its platform.
	noticeRemoved   = "This answer was removed."
	noticeCorrected = "Corrected by %s. A person wrote this, not the bot."
)

// SayQueued returns the notice for a question that waits for others.
func SayQueued(ahead int) string {
	switch {
	case ahead <= 0:
		return ""
	case ahead == 1:
		return sentenceQueuedOne
	default:
		return fmt.Sprintf(sentenceQueued, ahead)
	}
}

// SayWaiting returns the notice for a thread in which so many questions wait; empty for none.
func SayWaiting(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return sentenceWaitingOne
	default:
		return fmt.Sprintf(sentenceWaiting, n)
	}
}

// IsNotice reports whether a text is one that SayWaiting returns, or SayQueued, which earlier versions said in threads.
func IsNotice(text string) bool {
	if text == sentenceQueuedOne || text == sentenceWaitingOne {
		return true
	}
	return slices.ContainsFunc([]string{sentenceQueued, sentenceWaiting}, func(format string) bool {
		var n int
		_, err := fmt.Sscanf(text, format, &n)
		return err == nil
	})
}

// SayDenied returns what somebody is told who may not stop a turn.
func SayDenied() string { return sentenceDenied }
