package answer

import (
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/session"
)

// Rejection is why a question was not taken in, as a sentence for the person who asked. It is an error of Accept; nothing was stored.
type Rejection struct {
	Sentence string
	reason   Reason // for the audit trail; empty where nothing was asked
}

// Error implements error.
func (r Rejection) Error() string { return r.Sentence }

// The sentences that people read. Those of a turn that ran come from the engine; these are for what happens around it. Each says what
// to do.
const (
	sentenceEmpty      = "There is no question in this message. Write what you would like to know."
	sentenceTooLong    = "This question has %d characters, and at most %d can be read. Ask with less text, or attach the text as a file."
	sentenceUnstarted  = "Stopped before anything was written."
	sentenceExhausted  = "Something went wrong while answering, several times. Ask again; if it happens again, tell whoever runs this bot."
	sentenceDeadly     = "This question kept ending the program that answers it, so it is not tried any more. Ask in other words, with less text or fewer files; if it happens again, tell whoever runs this bot."
	sentenceBroken     = "Something went wrong while answering. Ask again; if it happens again, tell whoever runs this bot."
	sentenceQueuedOne  = "One question is ahead of this one; it will be answered next."
	sentenceQueued     = "%d questions are ahead of this one; they are answered in order."
	sentenceWaitingOne = "One more question is waiting here; it is answered next."
	sentenceWaiting    = "%d more questions are waiting here; they are answered in order."
	sentenceGreeting   = "Hello! Ask me a question, and I look for the answer in the documents that you may read."
	sentencePending    = "I have just started and am still finding out who is in this channel. I answer as soon as I know."
	sentenceUnheard    = "I could not find out who is in this channel, so I looked at public documents only. Ask again in a few minutes."
	sentenceDenied     = "Only whoever asked, whoever began the thread, and administrators can stop this answer."
)

// outcomes says each outcome in words where nothing more exact was said: what a person is told when the engine's own sentence is
// empty or was lost. Silent outcomes, and an answer, need none.
var outcomes = map[session.Outcome]string{
	session.Answered:     "",
	session.NoEvidence:   "Nothing in the documents answers this.",
	session.Refused:      "The model declined to answer this. Ask in other words, or ask a person.",
	session.NotPermitted: "You cannot ask here. Ask in a channel where the bot is allowed, or send it a direct message.",
	session.Stopped:      "Stopped. What had been written is kept.",
	session.Limited:      "There is too much to do at the moment. Ask again in a minute.",
	session.Failed:       sentenceBroken,
	session.Declined:     "",
	session.Superseded:   "",
}

// Say returns what a person is told about an outcome when nothing more exact is known. It is empty for an answer and for silent
// outcomes.
func Say(o session.Outcome) string { return outcomes[o] }

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
