package review

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/session"
)

// RevealLifetime is how long a question is shown for a reason.
const RevealLifetime = time.Hour

// Reveal is a question that a person wants to see, although it is none of those that Scope lets
// through. Documents are not revealed: an answer stays withheld where it rests on something that
// the person may not read.
type Reveal struct {
	Turn   session.Turn
	Reason string
}

// Bounds of a reason, in characters. A single word explains nothing to its reader.
const (
	minReason = 10
	maxReason = 300
)

// NewReveal returns what a person may see of a question for a reason, and the sentence that tells
// its asker beforehand. It fails with an InputError.
func NewReveal(v Viewer, t session.Turn, reason string) (Reveal, string, error) {
	reason = strings.Join(strings.Fields(plainReason.Replace(reason)), " ")
	switch n := utf8.RuneCountInString(reason); {
	case n < minReason:
		return Reveal{}, "", &InputError{Sentence: "Say why, in a few words: the person who asked reads it."}
	case n > maxReason:
		return Reveal{}, "", &InputError{Sentence: fmt.Sprintf("The reason has %d characters, and may have %d.", n, maxReason)}
	case t.Outcome.Silent():
		return Reveal{}, "", &InputError{Sentence: noSuchQuestion}
	}
	who := cmp.Or(v.Name, "An operator")
	return Reveal{Turn: t, Reason: reason}, fmt.Sprintf("%s (%s) looks at your question of %s and its answer in the console, for one hour. The reason given: %s",
		who, v.Person.ID, t.Intake.UTC().Format("2 January, 15:04 UTC"), reason), nil
}

const noSuchQuestion = "There is no such question."

// plainReason takes out what a platform would read as markup or a mention.
var plainReason = strings.NewReplacer("<", " ", ">", " ", "@", " ", "*", " ", "_", " ", "`", " ", "~", " ", "[", " ", "]", " ", "\\", " ", "|", " ", "#", " ")
