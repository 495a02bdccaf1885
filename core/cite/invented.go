package cite

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tailBytes is the number of bytes before a bracket that isRefused examines.
const tailBytes = 160

func (s *scanner) remember(b ...byte) {
	if s.isInvented == nil {
		return
	}
	if b = b[max(0, len(b)-tailBytes):]; len(s.tail)+len(b) > 2*tailBytes {
		s.tail = s.tail[:copy(s.tail, s.tail[len(s.tail)-tailBytes:])]
	}
	s.tail = append(s.tail, b...)
}

// isRefused reports whether brackets with unknown numbers are plain text, as in "arr[3]". It
// decides by the text before the brackets and by the byte after them (next). If ends is true, the
// text ends after the brackets. Full-width brackets are never plain text.
func (s *scanner) isRefused(next byte, ends bool) bool {
	c := &s.cand
	if c.invented == 0 || !c.outer || !c.inner {
		return false
	}
	if !ends && (isWord(next) || strings.IndexByte("=+-/<>%&$#@~^", next) >= 0) {
		return true
	}
	least := 2
	if !ends && (next == ' ' || next == '\t') {
		least = 3
	}
	return !followsStatement(s.tail, least)
}

// followsStatement reports whether text ends with a statement, such as "It costs 5 euros", of at
// least the given number of words.
func followsStatement(text []byte, least int) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	statement := bytes.TrimRight(line, " \t")
	if at := bytes.LastIndexByte(statement, '|'); at >= 0 { // a cell of a table
		statement, least = statement[at+1:], 1
	} else if len(statement) == len(line) {
		least += 2 // arr[3]
	}
	r, _ := utf8.DecodeLastRune(statement)
	switch {
	case strings.ContainsRune(".!?…。！？｡", r):
		return bytes.IndexFunc(statement, unicode.IsLetter) >= 0
	case isDense(r):
		return utf8.RuneCount(statement) > 1
	case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("\"'”’»%)*_`]", r):
		return false
	}
	words := bytes.FieldsFunc(statement, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' })
	if len(words) < least {
		return false
	}
	return !referenceWords[strings.ToLower(string(words[len(words)-1]))]
}

// referenceWords are words before bracketed numbers that are not citations, as in "step [2]".
var referenceWords = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(`a about after an and are array as at be become becomes been before between button by called chapter chapters choice
column columns contain contains element elements entries entry equal equals example except field figure footnote for from
give gives has have in index indexes indices input interval into is item items key keys level like line lines list lists
matrix named note number numbers of on option options or output outputs over page pages position press print prints
produce produces range reference return returns row rows rule see section sections selector sequence set sets slice slot
step steps table than the to tuple type under until value values vector version via was were with yield yields
das dem den der die ein eine im in ist oder siehe und von zu à au de des du en et le la les ou un une voir
del el en es la las los o u un una ver y`) {
		set[w] = true
	}
	return set
}()
