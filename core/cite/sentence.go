package cite

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences yields the sentences of a finished answer, without citations. With each sentence it
// yields the distinct numbers that the sentence cites, in order, or nil. known reports which
// numbers are citations. A citation after a full stop belongs to the sentence before it. A citation
// at the beginning of a line belongs to the sentence after it.
func Sentences(answer string, known func(n int) bool) iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		c := extractClaims(answer, known)
		spans := c.sentences()
		cited := make([][]int, len(spans))
		for i, home := range c.sentenceOf(spans) {
			for _, n := range c.marks[i].numbers {
				if home >= 0 && !slices.Contains(cited[home], n) {
					cited[home] = append(cited[home], n)
				}
			}
		}
		for i, sp := range spans {
			if text := stripMarkup(string(c.body[sp.start:sp.end])); text != "" && !yield(text, cited[i]) {
				return
			}
		}
	}
}

type claims struct {
	body  []byte
	marks []claim
}

type claim struct {
	offset  int
	numbers []int
}

func extractClaims(answer string, known func(n int) bool) *claims {
	c := &claims{}
	s := newScanner(c, known)
	s.push(answer)
	s.finish()
	return c
}

func (c *claims) text(b []byte) { c.body = append(c.body, b...) }

func (c *claims) cite(ct citation) {
	c.marks = append(c.marks, claim{offset: len(c.body), numbers: slices.Clone(ct.numbers)})
}

func (c *claims) sentences() []span {
	offsets := make([]int, len(c.marks))
	for i, m := range c.marks {
		offsets[i] = m.offset
	}
	return splitSentences(string(c.body), offsets)
}

type span struct {
	start, end int
}

// sentenceOf returns, for each citation, the index of its sentence in spans, or -1 for none.
func (c *claims) sentenceOf(spans []span) []int {
	homes := make([]int, 0, len(c.marks))
	i := 0
	for _, m := range c.marks {
		for i < len(spans) && spans[i].end < m.offset {
			i++
		}
		// Now spans[i] is the first one that ends at or after the mark, if any. A mark before it
		// belongs to the previous sentence if that is on the same line.
		home := i
		before := i - 1
		if before >= 0 && (i == len(spans) || m.offset <= spans[i].start && !strings.Contains(string(c.body[spans[before].end:m.offset]), "\n")) {
			home = before
		}
		if home == len(spans) {
			home = -1
		}
		homes = append(homes, home)
	}
	return homes
}

// splitSentences returns the sentences of a text. A sentence ends at ".", "?" or "!" if no
// lower-case letter follows, and at a citation next to such a mark. It ends with its line, unless
// the next line begins in lower case. The offsets in citations must be ascending.
func splitSentences(text string, citations []int) []span {
	var spans []span
	start := 0
	end := func(at int) {
		trimmed := strings.TrimLeftFunc(text[start:at], unicode.IsSpace)
		from := at - len(trimmed)
		trimmed = strings.TrimRightFunc(trimmed, unicode.IsSpace)
		if trimmed != "" {
			spans = append(spans, span{start: from, end: from + len(trimmed)})
		}
		start = at
	}
	decided := 0 // earlier text belongs to a mark that was handled
	for i, r := range text {
		if i < start || i < decided {
			continue
		}
		next := i + utf8.RuneLen(r)
		switch r {
		case utf8.RuneError:
		case '\n':
			if c, _ := utf8.DecodeRuneInString(text[next:]); !unicode.IsLower(c) {
				end(next)
			}
		case '。', '！', '？', '｡':
			end(afterClosers(text, next))
		case '.', '!', '?', '…':
			at := afterClosers(text, next)
			decided = at
			rest := strings.TrimLeft(text[at:], " \t")
			c, _ := utf8.DecodeRuneInString(rest)
			for len(citations) > 0 && citations[0] < i {
				citations = citations[1:]
			}
			cited := len(citations) > 0 && citations[0] <= len(text)-len(rest)
			switch {
			case rest != "" && len(rest) == len(text)-at && c != '\n': // no blank follows
			case cited:
				end(at)
			case unicode.IsLower(c):
			case r == '.' && isAbbreviation(text[start:i], c):
			default:
				end(at)
			}
		}
	}
	end(len(text))
	return spans
}

// afterClosers returns the offset after the quotes, brackets and full stops that begin at offset
// at.
func afterClosers(text string, at int) int {
	return len(text) - len(strings.TrimLeft(text[at:], ".!?…。！？\"'”’»)]}*_」』"))
}

// isAbbreviation reports whether a full stop between before and next belongs to an abbreviation,
// such as "e.g.". next is the first letter or digit after the full stop.
func isAbbreviation(before string, next rune) bool {
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:]
	switch w := strings.ToLower(word); w {
	case "e.g", "i.e", "cf", "vs", "mr", "mrs", "ms", "dr", "prof", "st", "approx", "ca":
		return true
	case "no", "nr", "fig", "sec", "art", "eq", "vol", "ch", "p", "pp":
		return unicode.IsDigit(next)
	default:
		if strings.TrimLeft(w, "0123456789") == "" && strings.Trim(before[:len(before)-len(word)], " \t\n>-*+#") == "" {
			return true // the marker of a numbered item
		}
		r, size := utf8.DecodeRuneInString(word)
		return size == len(word) && unicode.IsUpper(r) && r != 'I' // an initial
	}
}

// stripMarkup removes list and quote markers, and blanks that removed citations have left. It
// returns "" for a sentence without letters and digits.
func stripMarkup(sentence string) string {
	sentence = strings.Join(strings.Fields(strings.TrimLeft(sentence, "-*+#>| \t")), " ")
	for _, p := range []string{".", ",", ";", ":", "!", "?", ")"} {
		sentence = strings.ReplaceAll(sentence, " "+p, p)
	}
	if strings.IndexFunc(sentence, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return sentence
}
