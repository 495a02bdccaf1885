package extractive

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is one sentence of a paragraph or an item.
type sentence struct {
	text  string
	words int
	holds mask
	ok    bool // it can be quoted
}

// piece is a block of a passage with what the question needs to know of it.
type piece struct {
	block
	sentences []sentence
	holds     mask // the whole
	under     mask // what it stands under: the nearest term or heading
	above     mask // the headings above that, and the title
	called    mask // what an entry of a list is about: its term, or "Taxi" of "Taxi: only after 22:00"
	section   string
	aliases   []string // further names of the option that it explains
}

// page is a document with the passages that were found of it.
type page struct {
	rank  int
	near  bool // the sentence model finds a passage of it close enough to be linked
	again bool // the answer before rests on it, and the question leans on that one
	title mask // the question's words in its title
	parts []part
}

// part is one passage.
type part struct {
	passage
	rank   int // among all passages
	pieces []piece
}

const (
	minWords       = 4
	maxCodeLines   = 24
	maxCodeBytes   = 2_000
	maxFollowItems = 8
	maxUnitRunes   = 700
	maxBareRunes   = 160
	maxPassages    = 60  // that are read
	maxBlocks      = 400 // of a passage that are read
	maxSentences   = 60  // of a paragraph
)

// read cuts the passages into pieces.
func read(t turn, r *reader) []page {
	var pages []page
	at, leans := map[string]int{}, elliptic(t.question)
	for i, p := range t.passages[:min(len(t.passages), maxPassages)] {
		id := cmp.Or(p.Page, strconv.Itoa(p.Number))
		n, known := at[id]
		if !known {
			n = len(pages)
			at[id] = n
			pages = append(pages, page{rank: n, title: r.heading(p.Title)})
		}
		pages[n].again = pages[n].again || leans && t.rests(p)
		pages[n].parts = append(pages[n].parts, part{passage: p, rank: i, pieces: r.pieces(p)})
	}
	return pages
}

// longestName is how many bytes the name of an entry may have.
const longestName = 40

// entryOf is an entry with its name before a colon.
func entryOf(b block) string {
	if b.term != "" {
		return b.term + ":"
	}
	return b.text
}

func (r *reader) pieces(p passage) []piece {
	all := blocks(p.Text)
	all = all[:min(len(all), maxBlocks)]
	opening := p.opening(all)
	title := r.heading(p.Title)
	out := make([]piece, 0, len(all))
	for _, b := range all {
		x := piece{block: b, section: cmp.Or(b.term, b.section, opening)}
		if x.aliases = aliases(out, b); len(x.aliases) > 0 {
			x.section = strings.Join(append(x.aliases, b.term), " ")
		}
		x.under = r.heading(plainHeading(x.section))
		x.above = title | r.heading(p.Heading) | r.heading(b.heading)
		if name, _, found := strings.Cut(entryOf(b), ":"); found && b.kind == item && len(name) < longestName {
			x.called = r.read(name)
		}
		switch b.kind {
		case prose, item:
			body := b.text
			if b.kind == item && b.term != "" && strings.HasPrefix(body, b.term+"\n") {
				body = body[len(b.term)+1:]
			}
			parts := sentences(body)
			for i, s := range parts[:min(len(parts), maxSentences)] {
				x.sentences = append(x.sentences, sentence{text: s, words: len(strings.Fields(s)), holds: r.read(s), ok: quotable(s) || i == 0 && short(s)})
				x.holds |= x.sentences[i].holds
			}
		case code, table:
			x.holds = r.read(b.text)
		case heading:
		}
		out = append(out, x)
	}
	return out
}

// quotable reports whether a piece of running text is a sentence that makes sense in Markdown,
// rather than a heading, a piece of navigation or the rest of one.
func quotable(s string) bool {
	if utf8.RuneCountInString(s) > maxUnitRunes || !sound(s) || startsBlock(s) || !wordy(s) || assigns(s) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"')]}”’»*_` "))
	if !strings.ContainsRune(".!?:…。！？", last) {
		return false
	}
	begin, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "\"'([“‘«*_`"))
	return !unicode.IsLower(begin) || strings.HasPrefix(s, "`") || strings.HasPrefix(s, "*") || named(s)
}

// assigns reports whether a text is what a program wrote: one name with its value behind another.
func assigns(s string) bool { return len(assigned.FindAllStringIndex(s, 3)) == 3 }

var assigned = regexp.MustCompile(`[\w"]=\S|"\s*:\s*["\d{\[]`)

// named reports whether a sentence begins with a name that is written small, such as a command or a setting.
func named(s string) bool {
	first, _, _ := strings.Cut(s, " ")
	return strings.ContainsAny(first, "_.()-/0123456789")
}

// short reports whether a line without the looks of a sentence may still be an answer: a name, a number, a password, yes or no.
func short(s string) bool {
	return utf8.RuneCountInString(s) <= maxBareRunes && !assigns(s) && !strings.Contains(s, bareSeparator) && sound(s) && !startsBlock(s) && hasWord(s)
}

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

// startsBlock reports whether a text would be read as something else than text at the beginning of
// a line, or holds a link within a link.
func startsBlock(s string) bool { return blockStart.MatchString(s) }
