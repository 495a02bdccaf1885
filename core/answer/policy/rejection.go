package policy

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Rejection is why a question was not taken in, as a sentence for the person who asked. It is an
// error of Accept; nothing was stored.
type Rejection struct {
	Sentence string
	Reason   Reason    // for the audit trail; empty where nothing was asked
	At       time.Time // whose thread.Clock the sentence holds; zero: none
}

// Error implements error.
func (r Rejection) Error() string { return r.Sentence }

// Full rejects every question while the store's disk is full. The audit trail cannot store it
// either.
var Full = Rejection{Sentence: "I can't take questions right now: the disk of my database is full. Ask again in a while. Whoever runs this bot must make room there."}

// Reasons for refusing a question that no decision of Judge gives. The audit trail keeps these
// codes.
const (
	RefusedTooLong    Reason = "too_long"
	RefusedLimited    Reason = "limited"
	RefusedPrivateNow Reason = "private_now"
	// RefusedForeign is said of an event of a workspace that the bot does not serve.
	RefusedForeign Reason = "foreign_workspace"
)

// Refusal returns what a person reads whose question was rejected; empty for other errors.
func Refusal(err error) string {
	var r Rejection
	errors.As(err, &r)
	return r.Sentence
}

// ReasonOf returns why a question was rejected, as the audit trail keeps it; empty for other errors
// and for what the trail does not keep.
func ReasonOf(err error) Reason {
	var r Rejection
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

// What a person reads whose message holds no text. What follows a mention without a question in its
// thread is not answered.
const (
	NoQuestion          = "There is no question in this message. Write what you would like to know."
	noQuestionMentioned = "There is no question in this message. Mention me again, with what you would like to know."
)

// Asked is CheckQuestion for a question that was taken for a reason.
func Asked(text string, most int, why Reason) (string, error) {
	text, err := CheckQuestion(text, most)
	if why == "mention" && Refusal(err) == NoQuestion {
		err = Rejection{Sentence: noQuestionMentioned}
	}
	return text, err
}

const sentenceTooLong = "This question has %d characters, and at most %d can be read. Ask with less text, or attach the text as a file."

// CheckQuestion returns a question's text as it is stored, or a Rejection: of one that is empty, or
// has more than so many characters.
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
