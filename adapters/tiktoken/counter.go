// Package tiktoken counts tokens with the vocabularies of OpenAI's models. The vocabularies are
// part of the binary, so nothing is downloaded.
package tiktoken

import (
	"fmt"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"github.com/footnotehq/footnote/core/budget"
)

// Counter is a [budget.Counter] for one vocabulary. It is safe for concurrent use.
//
// Special tokens ("<|endoftext|>") count as plain text, as in a user's message. Bytes that are not
// UTF-8 count as U+FFFD, which is what a provider receives for them in JSON.
type Counter struct {
	codec tokenizer.Codec
	name  string
	// chunk is the maximum size in bytes of a text that is tokenised as a whole. A longer text is
	// tokenised in parts.
	chunk int
	memo  *budget.Memo // counts of recent pieces of text
}

type plain struct{ *Counter }

var _ budget.Counter = (*Counter)(nil)

// deleteRune is U+007F, which the library ignores. Counter counts it as the token deleteToken, its
// token in both vocabularies.
const (
	deleteRune  = '\x7f'
	deleteToken = 221
)

// o200k and cl100k load a vocabulary on first use, and only once. It takes megabytes of memory and
// some time to load.
var (
	o200k  = sync.OnceValue(func() *Counter { return load(tokenizer.O200kBase) })
	cl100k = sync.OnceValue(func() *Counter { return load(tokenizer.Cl100kBase) })
)

func load(encoding tokenizer.Encoding) *Counter {
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		// The names are constants of the library, so this build of it lacks a vocabulary.
		panic(fmt.Sprintf("tiktoken: load vocabulary %s: %v", encoding, err))
	}
	return newCounter(codec, string(encoding), chunkBytes)
}

func newCounter(codec tokenizer.Codec, name string, chunk int) *Counter {
	c := &Counter{codec: codec, name: name, chunk: chunk}
	c.memo = budget.NewMemo(plain{c})
	return c
}

// Encoding returns the name of the vocabulary, such as "o200k_base".
func (c *Counter) Encoding() string { return c.name }

// Count implements [budget.Counter]. It caches the counts of pieces of recent texts, because
// callers count the same passages in many combinations.
func (c *Counter) Count(text string) int {
	total := 0
	for piece := range pieces(text) {
		total += c.memo.Count(piece)
	}
	return total
}

// Count implements [budget.Counter].
func (c plain) Count(text string) int {
	total := 0
	for part := range c.parts(text) {
		total += c.count(part)
	}
	return total
}

// Encode implements [budget.Counter].
func (c *Counter) Encode(text string) []int {
	var tokens []int
	for part := range c.parts(text) {
		tokens = c.encode(tokens, part)
	}
	return tokens
}

// count returns the number of tokens in a part. If the library's pattern engine fails for lack of
// space to backtrack, it counts the two halves of the part separately.
func (c *Counter) count(part string) int {
	if part == string(deleteRune) {
		return 1
	}
	n, err := c.codec.Count(part)
	if err == nil || len(part) < 2 {
		return n
	}
	half := cut(part, len(part)/2)
	return c.count(part[:half]) + c.count(part[half:])
}

func (c *Counter) encode(tokens []int, part string) []int {
	if part == string(deleteRune) {
		return append(tokens, deleteToken)
	}
	ids, _, err := c.codec.Encode(part)
	if err == nil || len(part) < 2 {
		for _, id := range ids {
			tokens = append(tokens, int(id))
		}
		return tokens
	}
	half := cut(part, len(part)/2)
	return c.encode(c.encode(tokens, part[:half]), part[half:])
}

// Decode implements [budget.Counter].
func (c *Counter) Decode(tokens []int) string {
	ids := make([]uint, 0, len(tokens))
	for _, t := range tokens {
		if t >= 0 {
			ids = append(ids, uint(t))
		}
	}
	if text, err := c.codec.Decode(ids); err == nil {
		return text
	}
	// The library refuses the whole list for one token that it does not know.
	var text strings.Builder
	for i := range ids {
		if piece, err := c.codec.Decode(ids[i : i+1]); err == nil {
			text.WriteString(piece)
		}
	}
	return text.String()
}
