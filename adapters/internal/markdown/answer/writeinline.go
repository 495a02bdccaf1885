package answer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (w *writer) inlines(inlines []Inline, style Style) {
	for _, n := range w.encodeUnlinked(inlines) {
		n.Style |= style
		if w.heading {
			n.Style = style | n.Style&^Bold // headings are bold already
		}
		switch n.Kind {
		case Text:
			w.words(w.d.Neutral(n.Text), n.Style)
		case CodeSpan:
			w.codeSpan(n.Text, n.Style)
		case Email:
			if !plainEmail.MatchString(n.Text) { // in angle brackets an address may hold almost anything
				w.codeSpan(n.Text, n.Style)
				break
			}
			// a host may be called here.example
			w.atoms(w.d.Neutral(n.Text), hard, func(part string, _, _ rune) piece {
				return piece{text: part, plain: part, style: n.Style}
			})
		case Break:
			if w.heading {
				w.requestBlank(space, n.Style)
			} else {
				w.requestGap(newline, line)
			}
		case seam:
			w.seam = true
		case Footnote:
			w.footnote(n)
		case Link:
			w.link(n)
		}
	}
}

var plainEmail = regexp.MustCompile(`^[A-Za-z0-9]+(?:[.%+_-][A-Za-z0-9]+)*@[A-Za-z0-9]+(?:[.-]+[A-Za-z0-9]+)*$`)

func (w *writer) words(text string, style Style) {
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\t' || text[i] == '\n' {
			r := space
			if i > 0 && strings.IndexByte(".!?:", text[i-1]) >= 0 {
				r = sentence
			}
			w.requestBlank(r, style)
			i++
			continue
		}
		end := strings.IndexAny(text[i:], " \t\n")
		if end < 0 {
			end = len(text)
		} else {
			end += i
		}
		w.alone = i > 0 && end < len(text)
		w.word(text[i:end], style)
		w.alone = false
		i = end
	}
}

// longWord is the length in bytes above which a word may be broken.
const longWord = 48

func (w *writer) word(word string, style Style) {
	var prev rune
	write := func(part string, before, after rune) piece {
		if before == 0 {
			before = prev
		}
		at := Place{Before: before, After: after, Alone: w.alone, Label: w.label, Cell: w.cell}
		p := piece{text: w.d.Word(part, at), plain: part, style: style}
		if needsEscapeAtStart(part) {
			at.LineStart = true
			if head := w.d.Word(part, at); head != p.text {
				p.head = head
			}
		}
		return p
	}
	for len(word) > longWord { // languages without blanks, and addresses
		cut := 0
		for cut < longWord/2 {
			cut += Cluster(word[cut:])
		}
		if cut >= len(word) {
			break
		}
		before := lastRune(word[:cut])
		part := word[:cut]
		w.atoms(part, hard, func(p string, b, a rune) piece {
			if a == 0 {
				a = firstRune(word[cut:])
			}
			return write(p, b, a)
		})
		word = word[cut:]
		prev = before
		w.requestGap(none, breakAfter(before))
	}
	w.atoms(word, hard, write)
}

func breakAfter(r rune) rank {
	if strings.ContainsRune("。！？；", r) {
		return sentence
	}
	return hard
}

func needsEscapeAtStart(word string) bool {
	c := word[0]
	return !(c|0x20 >= 'a' && c|0x20 <= 'z') && c < utf8.RuneSelf
}

func (w *writer) atoms(s string, r rank, write func(part string, before, after rune) piece) {
	w.parts(s, 0, 0, r, write)
}

func (w *writer) parts(s string, before, after rune, r rank, write func(part string, before, after rune) piece) {
	p := write(s, before, after)
	if max(w.count(p.text), w.count(p.head)) > w.room && (len(s) > Cluster(s) || w.count(p.text) > w.limit/2) {
		if a, b, ok := halves(s); ok {
			w.parts(a, before, firstRune(b), r, write)
			w.requestGap(none, r)
			w.parts(b, lastRune(a), after, r, write)
			return
		}
	}
	w.addPiece(p)
}

func (w *writer) codeSpan(code string, style Style) {
	w.atoms(w.d.NeutralCode(code), hard, func(part string, _, _ rune) piece {
		return piece{text: w.d.CodeSpan(part), plain: part, style: style}
	})
}

func (w *writer) footnote(n Inline) {
	if w.policy.Cited == nil {
		w.unlinkedLink(n)
		return
	}
	address, ok := w.policy.Cited(n.Number, n.URL)
	mark := "[" + strconv.Itoa(n.Number) + "]"
	if !ok {
		w.unlinkedLink(n)
		return
	}
	if address != "" && !w.label {
		if text := w.d.Footnote(n.Number, address); w.count(text) <= w.limit/2 {
			w.addPiece(piece{text: text, plain: mark, style: n.Style, note: true})
			return
		}
	}
	w.word(mark, n.Style)
}

func (w *writer) link(n Inline) {
	if w.label {
		w.words(w.d.Neutral(Words([]Inline{n})), n.Style)
		return
	}
	if w.policy.Known == nil || !w.policy.Known(n.URL) {
		w.unlinkedLink(n)
		return
	}
	label, words := w.labelText(n)
	if text := w.d.Link(label, n.URL); w.count(text) <= w.limit/2 && text != "" {
		w.addPiece(piece{text: text, plain: words, style: n.Style})
		return
	}
	w.unlinkedLink(n)
}

func (w *writer) labelText(n Inline) (markup, words string) {
	label := n.Label
	if label == nil {
		label = []Inline{{Kind: Text, Text: n.URL}}
	}
	label = slices.Clone(label) // a Tree is immutable
	for i := range label {
		label[i].Style &^= n.Style // the link as a whole has it
		if w.traits.PlainLabels {
			label[i].Style = 0
		}
	}
	sub := *w
	sub.pieces, sub.frame, sub.gap, sub.rank, sub.across = nil, nil, none, glued, allStyles
	sub.label, sub.limit, sub.room = true, unlimited, unlimited
	sub.inlines(label, 0)
	p := sub.page(0, len(sub.pieces), true)
	return p.Text, p.Plain
}

func (w *writer) unlinkedLink(n Inline) {
	style := n.Style
	if n.Kind == Footnote {
		w.word("["+strconv.Itoa(n.Number)+"]", style)
	} else if n.Label != nil {
		before := len(w.pieces)
		w.inlines(n.Label, style)
		if len(w.pieces) == before {
			return
		}
	} else {
		w.codeSpan(n.URL, style)
		return
	}
	w.requestBlank(space, style)
	w.word("(", style)
	w.codeSpan(n.URL, style)
	w.word(")", style)
}

const unlimited = 1 << 40

func (w *writer) oneLine(inlines []Inline) string {
	return w.cellText(inlines).Text
}

func (w *writer) plainLine(inlines []Inline) string { return w.cellText(inlines).Plain }

func (w *writer) cellText(inlines []Inline) Page {
	if len(inlines) == 0 {
		return Page{}
	}
	sub := *w
	sub.pieces, sub.frame, sub.gap, sub.rank, sub.across = nil, nil, none, glued, allStyles
	sub.cell, sub.limit, sub.room = true, unlimited, unlimited
	sub.inlines(inlines, 0)
	return sub.page(0, len(sub.pieces), true)
}
