package review

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/session"
)

// RevealLifetime is how long a revealed question stays visible.
const RevealLifetime = time.Hour

// Reveal is a request to see another person's question, with a reason. It does not reveal
// documents: an answer stays withheld if it uses a document that the person may not read.
type Reveal struct {
	Turn   session.Turn
	Reason string
}

// The minimum and maximum length of a reason, in characters. The asker of the question reads it.
const (
	minReason = 10
	maxReason = 300
)

// NewReveal returns a Reveal, and the sentence that must be sent to the asker before the question
// is shown. The error is an InputError if the reason is too short or too long, or if the question
// is hidden.
func NewReveal(v Viewer, t session.Turn, reason string) (Reveal, string, error) {
	reason = plainWords(reason)
	switch n := utf8.RuneCountInString(reason); {
	case n < minReason:
		return Reveal{}, "", &InputError{Sentence: "Say why, in a few words: the person who asked reads it."}
	case n > maxReason:
		return Reveal{}, "", &InputError{Sentence: fmt.Sprintf("The reason has %d characters, and may have %d.", n, maxReason)}
	case t.Outcome.Silent():
		return Reveal{}, "", &InputError{Sentence: noSuchQuestion}
	}
	who := cmp.Or(plainWords(v.Name), "An operator")
	return Reveal{Turn: t, Reason: reason}, fmt.Sprintf("%s (%s) looks at your question of %s and its answer in the console, for one hour. The reason given: %s",
		who, v.Person.ID, t.Intake.UTC().Format("2 January, 15:04 UTC"), reason), nil
}

const noSuchQuestion = "There is no such question."

// plainWords returns text on one line, without characters that a platform would read as markup or a
// mention.
func plainWords(text string) string {
	return strings.Join(strings.Fields(markup.Replace(text)), " ")
}

var markup = strings.NewReplacer("<", " ", ">", " ", "@", " ", "*", " ", "_", " ", "`", " ", "~", " ", "[", " ", "]", " ", "\\", " ", "|", " ", "#", " ")
