// Package wordpiece splits texts into word pieces as BERT's uncased models do.
package wordpiece

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxWord is the maximum length of a word in characters. A longer word becomes Unknown
	// (max_input_chars_per_word in the tokenizers library).
	maxWord = 100
	// Unknown is the token for a word that the vocabulary's pieces cannot form.
	Unknown = int32(-1)
)

// Vocabulary splits words into pieces. It is immutable and safe for concurrent use.
type Vocabulary struct {
	first   map[string]int32 // pieces at the start of a word
	rest    map[string]int32 // continuation pieces, without their "##"
	longest int              // bytes of the longest piece
}

// New returns a vocabulary of the given pieces. Pieces that continue a word begin with "##". A
// piece's token is its index in pieces.
func New(pieces []string) *Vocabulary {
	v := &Vocabulary{first: make(map[string]int32, len(pieces)), rest: make(map[string]int32)}
	for i, piece := range pieces {
		in := v.first
		if tail, found := strings.CutPrefix(piece, "##"); found && tail != "" {
			in, piece = v.rest, tail
		}
		in[piece] = int32(i)
		v.longest = max(v.longest, len(piece))
	}
	return v
}

// Words splits a text as BERT's uncased models do (BertNormalizer and BertPreTokenizer of the
// tokenizers library). It lowercases letters and drops accents and control characters. Each
// punctuation mark and each Chinese character becomes a word. The slice passed to yield is valid
// until yield returns.
//
// Words takes time linear in the length of the text.
func Words(text string, yield func(word []byte)) {
	if !ascii(text) {
		text = norm.NFD.String(text)
	}
	word := make([]byte, 0, 64)
	end := func() {
		if len(word) > 0 {
			yield(word)
			word = word[:0]
		}
	}
	for _, r := range text {
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			end()
		case r < utf8.RuneSelf && (r < ' ' || r == 0x7f), r == utf8.RuneError:
		case 'A' <= r && r <= 'Z':
			word = append(word, byte(r)+'a'-'A')
		case mark(r):
			end()
			word = utf8.AppendRune(word, r)
			end()
		case r < utf8.RuneSelf:
			word = append(word, byte(r))
		case unicode.In(r, unicode.Mn, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
		case unicode.IsSpace(r) || unicode.Is(unicode.Z, r):
			end()
		default:
			word = utf8.AppendRune(word, unicode.ToLower(r))
		}
	}
	end()
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func mark(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.Is(unicode.P, r) || chinese(r)
}

// chinese reports whether a character is a CJK ideograph that BERT treats as a word. Kana and
// Hangul are not.
func chinese(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF || 0x20000 <= r && r <= 0x2A6DF || 0x2A700 <= r && r <= 0x2B73F ||
		0x2B740 <= r && r <= 0x2B81F || 0x2B920 <= r && r <= 0x2CEAF || 0xF900 <= r && r <= 0xFAFF || 0x2F800 <= r && r <= 0x2FA1F
}

// Longest returns the length in bytes of the longest piece.
func (v *Vocabulary) Longest() int { return v.longest }

// Pieces appends the tokens of a word to tokens. It takes the longest matching piece at each
// position. If none matches, the whole word becomes [Unknown].
//
// The time is at most proportional to the word's length times the longest piece's length.
func (v *Vocabulary) Pieces(tokens []int32, word []byte) []int32 {
	if utf8.RuneCount(word) > maxWord {
		return append(tokens, Unknown)
	}
	before, in := len(tokens), v.first
	for len(word) > 0 {
		end := min(len(word), v.longest)
		for ; end > 0; end-- {
			if piece, found := in[string(word[:end])]; found {
				tokens = append(tokens, piece)
				break
			}
		}
		if end == 0 {
			return append(tokens[:before], Unknown)
		}
		word, in = word[end:], v.rest
	}
	return tokens
}
