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

// SubQuestion is a part of a question. It can be understood and searched without the other parts.
type SubQuestion struct {
	Text  string
	Round int // 0: the plan; 1 and up: refinement
	// After is the number, from 1, of the sub-question whose finding this sub-question refers to.
	// It is 0 if there is none.
	After int
	// Again is the number of the sub-question that this sub-question repeats with names found
	// since. It is 0 if there is none.
	Again int
	Added bool // a person added it during the search
}

// State says how the search for a sub-question ended.
type State string

// The values of [State]. An unfinished sub-question has none of them.
const (
	Found   State = "found"
	Missing State = "missing" // the documents do not answer it
	Failed  State = "failed"  // the search for it failed
	Dropped State = "dropped" // a person removed it from the plan
)

// Finding is the answer to a sub-question, with the passages on which it is based.
type Finding struct {
	State State
	Text  string // the model's text, with the citation numbers that models see
	// the first cited statement without numbers, or a sentence with the reason of the failure
	Shown      string
	Citations  []message.Citation
	References []message.Reference // every passage in the prompts for this finding
	Behind     []message.Reference // documents that the plan was based on, without their text
	Searches   []retrieve.Account
	Closest    []document.Ref // if Missing: the documents closest to the sub-question
	Model      string         // the model that wrote it
	Usage      llm.Usage
	Took       time.Duration
}

// maxSubQuestion is the maximum length of a sub-question in runes.
const maxSubQuestion = 400

// cleanQuestions removes list marks, duplicates, empty questions and questions in before. It
// shortens long questions. dropped is the number of questions beyond [MaxQuestions].
func cleanQuestions(texts, before []string) (questions []string, dropped int) {
	seen := make(map[string]bool)
	for _, t := range before {
		seen[normalise(t)] = true
	}
	for _, t := range texts {
		t = strings.Join(strings.Fields(strings.TrimLeft(strings.TrimSpace(t), "-*•0123456789.) \t")), " ")
		if runes := []rune(t); len(runes) > maxSubQuestion {
			t = string(runes[:maxSubQuestion])
		}
		key := normalise(t)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		if len(questions) == MaxQuestions {
			dropped++
			continue
		}
		questions = append(questions, t)
	}
	return questions, dropped
}

// normalise removes differences in case, white space and punctuation, for comparisons.
func normalise(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}
