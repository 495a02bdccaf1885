package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// introduced returns what stands behind a text that ends with a colon: a block of code, or the
// items of a list.
func introduced(all []piece, at int, text string) []block {
	if !strings.HasSuffix(text, ":") || at+1 >= len(all) {
		return nil
	}
	var out []block
	inside := 0 // how many items there were when one began to take up those within it
	for i := at + 1; i < len(all); i++ {
		b := all[i].block
		switch {
		case b.kind == code && len(out) == 0:
			if strings.Count(b.text, "\n") < maxCodeLines && len(b.text) <= maxCodeBytes {
				return []block{b}
			}
			return nil
		case b.kind == item && len(out) == maxFollowItems:
			out[len(out)-1].cut = true
			return fitting(out)
		case b.kind == item:
			b.text = strings.Join(strings.Fields(b.text), " ")
			if b.nested && all[at].kind != item {
				// what it introduces belongs to it
				if n := len(out); n > 0 && strings.HasSuffix(out[n-1].text, ":") {
					out[n-1].text += " " + b.text
					inside = n
				} else if n > 0 && inside == n {
					out[n-1].text += cellEnd + b.text
				} else if n > 0 {
					out[n-1].short = true
				}
				continue
			}
			if len(b.text) > maxUnitRunes {
				b.shorten()
			}
			if !sound(b.text) || startsBlock(b.text) || len(b.text) > maxUnitRunes {
				return nil // a list with a gap would mislead
			}
			out = append(out, b)
		default:
			return fitting(out)
		}
	}
	return fitting(out)
}

// fitting returns a list that is short enough to be quoted: whole, or the first sentence of each
// item. Steps may be longer: half of a procedure is of little use.
func fitting(list []block) []block {
	if tooLong(list) {
		for i := range list {
			list[i].shorten()
		}
		if tooLong(list) {
			return nil
		}
	}
	return list
}

// shorten leaves the first sentence of an item, and notes that there is more.
func (b *block) shorten() {
	if said := sentences(b.text); len(said) > 0 && said[0] != b.text {
		b.text, b.short = said[0], true
	}
}

func tooLong(list []block) bool {
	words := 0
	for _, b := range list {
		words += len(strings.Fields(b.text))
	}
	return len(list) > 0 && (words > 2*mostList || words > mostList && !list[0].ordered)
}

// list returns the list that an item begins, if it stands right under a heading and is short enough
// to be quoted whole.
func (s *scorer) list(part *part, at int) (span, bool) {
	first := &part.pieces[at]
	if first.kind != item || at > 0 && part.pieces[at-1].kind == item || at > 0 && strings.HasSuffix(part.pieces[at-1].block.text, ":") {
		return span{}, false
	}
	x := span{part: part, at: at, kind: item}
	if at > 0 && part.pieces[at-1].section == first.section {
		x.tail = part.pieces[at-1].holds // what leads to the list
	}
	for i := at; i < len(part.pieces) && part.pieces[i].kind == item; i++ {
		b := part.pieces[i].block
		b.text = strings.Join(strings.Fields(b.text), " ")
		if len(x.follow) == maxFollowItems || !sound(b.text) || startsBlock(b.text) || len(b.text) > maxUnitRunes/2 {
			return span{}, false
		}
		x.follow = append(x.follow, b)
		x.body |= part.pieces[i].holds
		x.words += len(strings.Fields(b.text))
	}
	// links to other pages
	if !slices.ContainsFunc(x.follow, func(b block) bool { return !title(b.text) }) {
		return span{}, false
	}
	if len(x.follow) < 2 || x.words > mostWords {
		return span{}, false
	}
	s.base(&x)
	return x, true
}

// title reports whether an item is no more than a name, as those of navigation are: a few words
// without a number, a value, code or an end.
func title(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return len(strings.Fields(text)) <= mostTitle && unicode.IsLetter(last) && !strings.ContainsAny(text, "`:=,;0123456789")
}

const mostTitle = 3

// code returns a block of code, which answers where code is asked for, or beneath a heading that is the question. Of a long one it is the piece
// between empty lines that answers best.
func (s *scorer) code(part *part, at int) span {
	p := &part.pieces[at]
	var best span
	for _, text := range snippets(p.block.text) {
		x := span{part: part, at: at, kind: code, code: text, body: p.holds, words: len(strings.Fields(text)) / 2}
		if len(text) < len(p.block.text) {
			x.body = s.read(text)
		}
		s.base(&x)
		if x.score > best.score || best.part == nil {
			best = x
		}
	}
	return best
}

// snippets cuts code that is too long to be quoted whole at its empty lines, and where a piece becomes too long.
func snippets(text string) []string {
	if strings.Count(text, "\n") < maxCodeLines && len(text) <= maxCodeBytes {
		return []string{text}
	}
	lines := strings.Split(text, "\n")
	var out []string
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && end-start < maxCodeLines/2 && strings.TrimSpace(lines[end]) != "" {
			end++
		}
		if piece := strings.Trim(strings.Join(lines[start:end], "\n"), "\n"); strings.TrimSpace(piece) != "" && len(piece) <= maxCodeBytes {
			out = append(out, piece)
		}
		start = end
	}
	return out
}

// table returns the rows of a table that answer, at most five. Names of columns hold for all rows,
// so a row is chosen for what its cells add to them, and for cells that the question holds whole.
func (s *scorer) table(part *part, at int) span {
	p := &part.pieces[at]
	rows := rowUnits(p.block.text)
	x := span{part: part, at: at, kind: table}
	best, most := 0.0, 0.0 // of the scores, and what the cells of that row add
	scores, added := make([]float64, len(rows)), make([]float64, len(rows))
	holds, named := make([]mask, len(rows)), make([]bool, len(rows))
	for i, row := range rows {
		columns := s.heading(strings.Join(row.head, " "))
		var whole mask
		for _, cell := range row.cells {
			m := s.read(cell)
			holds[i] |= m
			if s.wholly(cell) {
				whole |= m
				named[i] = named[i] || s.names(m)
			}
		}
		all, _ := s.cover(holds[i], p.under|columns, p.above)
		added[i], _ = s.cover(holds[i]&^columns, 0, 0)
		for w := range s.asked.words {
			if s.asked.words[w].holds(whole) {
				added[i] += wholeCell / float64(len(s.asked.words))
			}
		}
		if scores[i] = all + added[i]; scores[i] > best {
			best, most = scores[i], added[i]
		}
		holds[i] |= columns
	}
	for i, row := range rows {
		if words := len(strings.Fields(row.text)); scores[i] >= alikeRows*best && added[i] >= alikeRows*most && best > 0 && len(x.rows) < maxRows && (len(x.rows) == 0 || x.words+words <= mostRowWords) {
			x.rows = append(x.rows, row)
			x.named = len(x.rows) == 1 && named[i]
			x.body |= holds[i]
			x.words += words
		}
	}
	if len(x.rows) == 0 {
		return span{}
	}
	s.base(&x)
	return x
}

// names reports whether words name a thing: one is written as a name or has a digit, or they are
// several.
func (s *scorer) names(m mask) bool {
	n := 0
	for i := range s.asked.words {
		if w := &s.asked.words[i]; w.own && w.holds(m) {
			if n++; w.name || w.exact || n > 1 {
				return true
			}
		}
	}
	return false
}

// wholly reports whether the question holds all words of a cell.
func (s *scorer) wholly(cell string) bool {
	counts := stems(cell, s.language)
	for stem := range counts {
		if s.reader.slots[stem] == 0 {
			return false
		}
	}
	return len(counts) > 0
}

const (
	maxRows      = 5
	wholeCell    = 1.0 // what each word of the question gains that is in such a cell
	mostRowWords = 120 // of more rows than one
	alikeRows    = 0.9 // of the best row's score: what other rows must reach
)
