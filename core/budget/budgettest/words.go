package budgettest

import (
	"strings"
	"sync"
	"unicode"

	"github.com/footnotehq/footnote/core/budget"
)

// Words is a [budget.Counter] with one token for each word, so that sizes can be computed by hand.
// A token is a word with the space before it. Space at the end of a text is a separate token. Words
// is safe for concurrent use.
type Words struct {
	mu     sync.Mutex
	number map[string]int
	words  []string
}

var _ budget.Counter = (*Words)(nil)

// NewWords returns a Words with an empty vocabulary.
func NewWords() *Words { return &Words{number: make(map[string]int)} }

// Count implements [budget.Counter].
func (w *Words) Count(text string) int { return len(split(text)) }

// Encode implements [budget.Counter].
func (w *Words) Encode(text string) []int {
	words := split(text)
	tokens := make([]int, len(words))
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, word := range words {
		n, ok := w.number[word]
		if !ok {
			n = len(w.words)
			w.number[word] = n
			w.words = append(w.words, word)
		}
		tokens[i] = n
	}
	return tokens
}

// Decode implements [budget.Counter].
func (w *Words) Decode(tokens []int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, n := range tokens {
		if n >= 0 && n < len(w.words) {
			b.WriteString(w.words[n])
		}
	}
	return b.String()
}

func split(text string) []string {
	var words []string
	start, inWord := 0, false
	for i, r := range text {
		space := unicode.IsSpace(r)
		if space && inWord {
			words = append(words, text[start:i])
			start = i
		}
		inWord = !space
	}
	if start < len(text) {
		words = append(words, text[start:])
	}
	return words
}

// Bytes is a [budget.Counter] with one token for each byte. A cut between two tokens may split a
// rune that is not ASCII. The zero value is ready to use.
type Bytes struct{}

var _ budget.Counter = Bytes{}

// Count implements [budget.Counter].
func (Bytes) Count(text string) int { return len(text) }

// Encode implements [budget.Counter].
func (Bytes) Encode(text string) []int {
	tokens := make([]int, len(text))
	for i := range len(text) {
		tokens[i] = int(text[i])
	}
	return tokens
}

// Decode implements [budget.Counter].
func (Bytes) Decode(tokens []int) string {
	text := make([]byte, 0, len(tokens))
	for _, n := range tokens {
		if n >= 0 && n <= 0xff {
			text = append(text, byte(n))
		}
	}
	return string(text)
}
