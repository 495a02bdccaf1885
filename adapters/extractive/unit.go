package extractive

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// unit is the smallest thing that is quoted: a sentence, a list item, a row of a table, or a block of code.
type unit struct {
	passage int // index in the turn
	order   int // position in the passage
	block   int // index of its block in the passage
	list    int // index of the block, or of the first one of its list
	kind    blockKind
	first   bool // the first of its block
	text    string
	info    string  // language of code
	follow  []block // what a sentence that ends with a colon introduces
	heading string  // headings above it, and the document's title
	terms   map[string]int
	words   int
	score   float64
}

const (
	minWords       = 4
	maxCodeLines   = 24
	maxFollowItems = 8
	maxUnitRunes   = 700
)

// units cuts all passages into what could be quoted.
func units(t turn) []unit {
	language := languageOf(t.passages)
	var out []unit
	for i, p := range t.passages {
		all := blocks(p.Text)
		order, list := 0, 0
		for j, b := range all {
			if b.kind != item || j > 0 && all[j-1].kind != item {
				list = j
			}
			quotables, size := unitsOf(all, j)
			for _, u := range quotables {
				u.passage, u.block, u.list, u.order = i, j, list, order+u.order
				u.heading = p.Title + " " + p.Heading + " " + b.heading
				u.terms = terms(u.text, language)
				out = append(out, u)
			}
			order += size
		}
	}
	return out
}

// unitsOf returns the units of one block, their order counted within it, and how many pieces the block has, those that cannot be quoted
// included: what stands on both sides of one is not adjoining. Headings are context, never quoted.
func unitsOf(all []block, at int) (out []unit, size int) {
	b := all[at]
	size = 1
	switch b.kind {
	case heading:
	case code:
		if strings.Count(b.text, "\n") < maxCodeLines {
			out = append(out, unit{kind: code, first: true, text: b.text, info: b.info, words: len(strings.Fields(b.text))})
		}
	case table:
		rows := strings.Split(b.text, "\n")
		size = len(rows)
		for i, row := range rows {
			if text := cells(row); i > 1 && text != "" && sound(text) && !startsBlock(text) { // the first two are the header and its rule
				out = append(out, unit{kind: table, order: i, text: text, words: len(strings.Fields(text))})
			}
		}
	case item:
		text := strings.Join(strings.Fields(b.text), " ")
		if utf8.RuneCountInString(text) <= maxUnitRunes {
			if sound(text) && !startsBlock(text) && wordy(text) {
				out = append(out, unit{kind: item, first: true, text: text, words: len(strings.Fields(text)), follow: introduced(all, at, text)})
			}
			break
		}
		return sentenceUnits(all, at)
	case prose:
		return sentenceUnits(all, at)
	}
	return out, size
}

func sentenceUnits(all []block, at int) (out []unit, size int) {
	parts := sentences(all[at].text)
	for i, s := range parts {
		if !quotable(s) {
			continue
		}
		u := unit{kind: prose, order: i, first: i == 0, text: s, words: len(strings.Fields(s))}
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
			if strings.Count(b.text, "\n") < maxCodeLines {
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

// cells joins the cells of a table's row in the way in which they are quoted.
func cells(row string) string {
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	var out []string
	start := 0
	for i := 0; i <= len(row); i++ {
		if i < len(row) && (row[i] != '|' || i > 0 && row[i-1] == '\\') {
			continue
		}
		if cell := strings.Join(strings.Fields(row[start:i]), " "); strings.Trim(cell, "-: ") != "" {
			out = append(out, cell)
		}
		start = i + 1
	}
	if len(out) < 2 {
		return ""
	}
	return strings.Join(out, cellSeparator)
}

const cellSeparator = " — "

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
