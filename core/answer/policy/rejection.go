package policy

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Rejection is an error that says why a question is not accepted. Its text is for the person who
// asked. Rejected questions are not stored.
type Rejection struct {
	Sentence string
	Reason   Reason    // for the audit trail; empty if nothing was asked
	At       time.Time // the time that Sentence names (thread.Clock), or zero
}

// Error implements error.
func (r Rejection) Error() string { return r.Sentence }

// Full is the [Rejection] of every question while the store's disk is full. It has no Reason,
// because the audit trail cannot be written at that time.
var Full = Rejection{Sentence: "I can't take questions right now: the disk of my database is full. Ask again in a while. Whoever runs this bot must make room there."}

// Reasons for refusals that do not come from [Decide]. The audit trail stores these codes.
const (
	RefusedTooLong    Reason = "too_long"
	RefusedLimited    Reason = "limited"
	RefusedPrivateNow Reason = "private_now"
	// RefusedForeign means that the event is from a workspace that the bot does not serve.
	RefusedForeign Reason = "foreign_workspace"
)

// Refusal returns the sentence of a [Rejection]. For other errors it returns "".
func Refusal(err error) string {
	var r Rejection
	errors.As(err, &r)
	return r.Sentence
}

// ReasonOf returns the reason of a [Rejection] for the audit trail. For other errors it returns "".
func ReasonOf(err error) Reason {
	var r Rejection
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

// Replies to a message without a question. noQuestionMentioned is the reply if the message mentions
// the bot.
const (
	NoQuestion          = "There is no question in this message. Write what you would like to know."
	noQuestionMentioned = "There is no question in this message. Mention me again, with what you would like to know."
)

// Asked checks the text of a question and returns it, like [CheckQuestion]. If the text is empty
// and why is "mention", the error asks the person to mention the bot again.
func Asked(text string, most int, why Reason) (string, error) {
	text, err := CheckQuestion(text, most)
	if why == "mention" && Refusal(err) == NoQuestion {
		err = Rejection{Sentence: noQuestionMentioned}
	}
	return text, err
}

const sentenceTooLong = "This question has %d characters, and at most %d can be read. Ask with less text, or attach the text as a file."

// CheckQuestion returns the text of a question without surrounding blanks, NUL characters and
// invalid UTF-8. It returns a [Rejection] if the text is empty or exceeds the given number of
// characters.
func CheckQuestion(text string, most int) (string, error) {
	if n := utf8.RuneCountInString(text); n > most {
		return "", Rejection{Sentence: fmt.Sprintf(sentenceTooLong, n, most), Reason: RefusedTooLong}
	}
	text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD"))
	if text == "" {
		return "", Rejection{Sentence: NoQuestion}
	}
	return text, nil
}
