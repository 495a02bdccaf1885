package deepsearch

import (
	"strings"
	"time"
	"unicode"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
)

// SubQuestion is a part of a question that can be understood, and searched for, by itself.
type SubQuestion struct {
	Text  string
	Round int // 0: of the plan; from 1: of refinement
	// After is the number, from 1, of the sub-question whose finding names what this one speaks of;
	// 0: none has to be answered before.
	After int
	// Again is the number of the sub-question that this one asks again, with names that were found
	// meanwhile; 0: it is a new one.
	Again int
	Added bool // by a person, while the search ran
}

// State says what became of a sub-question.
type State string

// The states of a sub-question that has come to an end.
const (
	Found   State = "found"
	Missing State = "missing" // nothing in the documents answers it
	Failed  State = "failed"  // it could not be looked into
	Dropped State = "dropped" // a person took it out of the plan
)

// Finding is what became of a sub-question.
type Finding struct {
	State      State
	Text       string // as it was written, with the numbers that models see
	Shown      string // its first cited statement, without numbers; of a failure why, a sentence
	Citations  []message.Citation
	References []message.Reference // every passage that its prompts held
	Behind     []message.Reference // documents that the plan was made of, without their text
	Searches   []retrieve.Account
	Closest    []document.Ref // where it is Missing
	Model      string         // that wrote it
	Usage      llm.Usage
	Took       time.Duration
}

// maxSubQuestion is how long a sub-question may be, in characters.
const maxSubQuestion = 400

// tidy returns the questions that can be asked: each once, none that was asked before, none that is
// too long or says nothing, and no more than MaxQuestions. Of what was left out for its number it
// says how many.
func tidy(texts, before []string) (kept []string, left int) {
	seen := make(map[string]bool)
	for _, t := range before {
		seen[fold(t)] = true
	}
	for _, t := range texts {
		t = strings.Join(strings.Fields(strings.TrimLeft(strings.TrimSpace(t), "-*•0123456789.) \t")), " ")
		if runes := []rune(t); len(runes) > maxSubQuestion {
			t = string(runes[:maxSubQuestion])
		}
		key := fold(t)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		if len(kept) == MaxQuestions {
			left++
			continue
		}
		kept = append(kept, t)
	}
	return kept, left
}

// fold makes questions equal that differ in case, white space and punctuation alone.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}
