package extractive

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// unit is the smallest thing that is quoted: a sentence, a list item, a row of a table, or a block of code.
type unit struct {
	passage int // index in the turn
	page    int // rank of its document
	order   int // position in the passage
	block   int // index of its block in the passage
	list    int // index of the block, or of the first one of its list
	kind    blockKind
	first   bool // the first of its block
	text    string
	bare    bool   // no sentence: it says something only beneath its heading, or as a value beside its name
	covered bool   // code that a sentence introduces, by which it is quoted
	info    string // language of code
	columns string // of a row: the names of its columns, and its cells
	cells   string
	follow  []block // what a sentence that ends with a colon introduces
	heading string  // headings above it, and the document's title
	section string  // what it stands under: the nearest definition term or heading
	place   int     // how many units of that section stand before it
	terms   map[string]int
	words   int
	score   float64

	around, under, column map[string]int // terms of its headings, of its section, and of its columns
	named                 float64        // how much its section is what is asked
}

const (
	minWords       = 4
	maxCodeLines   = 24
	maxCodeBytes   = 2_000
	maxFollowItems = 8
	maxUnitRunes   = 700
	maxBareRunes   = 160
)

// units cuts all passages into what could be quoted.
func units(t turn) []unit {
	language := languageOf(t.passages)
	var out []unit
	pages := map[int]int{}
	for i, p := range t.passages {
		if _, known := pages[p.Number]; known {
			continue
		}
		pages[p.Number] = len(pages)
		all := blocks(p.Text)
		order, list := 0, 0
		opening, places := p.opening(all), map[string]int{}
		if opening != p.Title { // its passage begins somewhere within it
			places[opening] = 1
		}
		for j, b := range all {
			if b.kind != item || j > 0 && all[j-1].kind != item {
				list = j
			}
			quotables, size := unitsOf(all, j)
			for _, u := range quotables {
				u.page, u.passage, u.block, u.list, u.order = pages[p.Number], i, j, list, order+u.order
				u.heading = p.Title + " " + p.Heading + " " + b.heading
				u.section = cmp.Or(b.term, b.section, opening)
				u.place = places[u.section]
				places[u.section]++
				u.terms = terms(cmp.Or(u.cells, u.text), language)
				out = append(out, u)
			}
			order += size
		}
	}
	return out
}

// opening returns what the passage's beginning stands under. The passage's heading is that of the place that was found, which a heading
// further down may have.
func (p passage) opening(all []block) string {
	at := strings.LastIndex(p.Heading, headingSeparator)
	last := strings.TrimSpace(strings.TrimPrefix(p.Heading[max(at, 0):], headingSeparator))
	for _, b := range all {
		if b.kind == heading && b.text == last {
			return ""
		}
	}
	return cmp.Or(last, p.Title)
}

const headingSeparator = " › "

// unitsOf returns the units of one block, their order counted within it, and how many pieces the block has, those that cannot be quoted
// included: what stands on both sides of one is not adjoining. Headings are context, never quoted.
func unitsOf(all []block, at int) (out []unit, size int) {
	b := all[at]
	size = 1
	switch b.kind {
	case heading:
	case code:
		return codeUnits(all, at)
	case table:
		return rowUnits(b.text)
	case item:
		text := strings.Join(strings.Fields(b.text), " ")
		if utf8.RuneCountInString(text) <= maxUnitRunes {
			if sound(text) && !startsBlock(text) && telling(text) {
				out = append(out, unit{
					kind: item, first: true, text: text, words: len(strings.Fields(text)), follow: introduced(all, at, text), bare: !wordy(text),
				})
			}
			break
		}
		return sentenceUnits(all, at)
	case prose:
		return sentenceUnits(all, at)
	}
	return out, size
}

// codeUnits returns a block of code, a long one in pieces that end with an empty line or where they are full.
func codeUnits(all []block, at int) (out []unit, size int) {
	b := all[at]
	covered := at > 0 && strings.HasSuffix(all[at-1].text, ":") && (all[at-1].kind == prose || all[at-1].kind == item)
	lines := strings.Split(b.text, "\n")
	if len(lines) <= maxCodeLines && len(b.text) <= maxCodeBytes {
		return []unit{{kind: code, first: true, text: b.text, info: b.info, words: len(strings.Fields(b.text)), covered: covered}}, 1
	}
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && end-start < maxCodeLines/2 && strings.TrimSpace(lines[end]) != "" {
			end++
		}
		if text := strings.Trim(strings.Join(lines[start:end], "\n"), "\n"); strings.TrimSpace(text) != "" && len(text) <= maxCodeBytes {
			out = append(out, unit{kind: code, order: size, first: size == 0, text: text, info: b.info, words: len(strings.Fields(text))})
		}
		size++
		start = end
	}
	return out, size
}

func sentenceUnits(all []block, at int) (out []unit, size int) {
	parts := sentences(all[at].text)
	for i, s := range parts {
		whole := quotable(s)
		if !whole && (i > 0 || !short(s)) {
			continue
		}
		u := unit{kind: prose, order: i, first: i == 0, text: s, words: len(strings.Fields(s)), bare: !whole}
		if i == len(parts)-1 {
			u.follow = introduced(all, at, s)
		}
		out = append(out, u)
	}
	return out, len(parts)
}

// introduced returns what stands behind a text that ends with a colon: a block of code, or the items of a list.
func introduced(all []block, at int, text string) []block {
	if !strings.HasSuffix(text, ":") || at+1 >= len(all) {
		return nil
	}
	var out []block
	for _, b := range all[at+1:] {
		switch {
		case b.kind == code && len(out) == 0:
			if strings.Count(b.text, "\n") < maxCodeLines && len(b.text) <= maxCodeBytes {
				return []block{b}
			}
			return nil
		case b.kind == item && len(out) < maxFollowItems:
			b.text = strings.Join(strings.Fields(b.text), " ")
			if b.nested && all[at].kind != item {
				continue
			}
			if !sound(b.text) || startsBlock(b.text) || utf8.RuneCountInString(b.text) > maxUnitRunes {
				return nil // a list with a gap would mislead
			}
			out = append(out, b)
		default:
			return out
		}
	}
	return out
}

// quotable reports whether a piece of running text is a sentence that makes sense in Markdown, rather than a heading, a piece of
// navigation or the rest of one.
func quotable(s string) bool {
	if utf8.RuneCountInString(s) > maxUnitRunes || !sound(s) || startsBlock(s) || !wordy(s) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"')]}”’»*_` "))
	if !strings.ContainsRune(".!?:…。！？", last) {
		return false
	}
	begin, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "\"'([“‘«*_`"))
	return !unicode.IsLower(begin) || strings.HasPrefix(s, "`") || strings.HasPrefix(s, "*")
}

// short reports whether a line without the looks of a sentence may still be an answer: a name, a number, a password, yes or no.
func short(s string) bool {
	return utf8.RuneCountInString(s) <= maxBareRunes && !strings.Contains(s, bareSeparator) && sound(s) && !startsBlock(s) && hasWord(s)
}

// telling reports whether an item says something: prose does, and so do a name and its value.
func telling(s string) bool { return wordy(s) || short(s) && len(strings.Fields(s)) > 1 }

func hasWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// wordy reports whether a text has enough words that are words. Scripts without spaces have long ones.
func wordy(s string) bool {
	words, letters := 0, 0
	for _, field := range strings.Fields(s) {
		if strings.IndexFunc(field, unicode.IsLetter) >= 0 {
			words++
		}
	}
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return (words >= minWords || letters >= 12 && words < minWords && unspaced(s)) && 2*letters >= utf8.RuneCountInString(s)
}

func unspaced(s string) bool {
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			return true
		}
	}
	return false
}

var blockStart = regexp.MustCompile("^(#{1,6}\\s|>|[-*+•]\\s|\\d{1,9}[.)]\\s|\\||`{3}|~{3}|={2,}|-{2,}|\\[[^\\]]*\\]:|!\\[)|\\[\\[")

// startsBlock reports whether a text would be read as something else than text at the beginning of a line, or holds a link within a link.
func startsBlock(s string) bool { return blockStart.MatchString(s) }

// languageOf guesses the language of the documents.
func languageOf(passages []passage) string {
	var b strings.Builder
	for _, p := range passages[:min(len(passages), 5)] {
		b.WriteString(p.Text)
		b.WriteByte('\n')
	}
	return analyse.Guess(b.String())
}

// terms counts the stems of a text, irregular English verbs brought to their base.
func terms(text, language string) map[string]int {
	counts := analyse.Text(text, language).Frequency
	if language != analyse.DefaultLanguage {
		return counts
	}
	for form, base := range irregular {
		if n := counts[form]; n > 0 {
			counts[base] += n
		}
	}
	return counts
}

// irregular maps stems of irregular verb forms to those of their base, for the verbs that questions about procedures use.
var irregular = map[string]string{
	"chosen": "choos", "chose": "choos", "built": "build", "sent": "send", "kept": "keep", "held": "hold", "made": "make", "written": "write",
	"wrote": "write", "taken": "take", "took": "take", "given": "give", "gave": "give", "found": "find", "begun": "begin", "began": "begin",
	"broken": "break", "broke": "break", "lost": "lose", "ran": "run", "shown": "show", "paid": "pay", "bought": "buy", "left": "leav",
	"taught": "teach", "told": "tell", "understood": "understand", "drawn": "draw", "grown": "grow", "hidden": "hide", "bound": "bind",
	"sold": "sell", "thrown": "throw", "threw": "throw", "frozen": "freez", "stolen": "steal", "got": "get", "led": "lead",
}
