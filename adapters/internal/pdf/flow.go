package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	prose kind = iota
	item
	code
	tabular
	title // a heading with a level
)

// element is a group of lines of a page that belong together, or a table.
type element struct {
	kind  kind
	page  int
	lines []run
	table []tableRow
	level int // rank of a title, from 1
	right float64
}

func (e *element) size() float64 {
	size, count := 0.0, 0
	for _, l := range e.lines {
		size += l.size * float64(l.count)
		count += l.count
	}
	return size / float64(max(count, 1))
}

func (e *element) bold() bool {
	for _, l := range e.lines {
		if !l.isBold() {
			return false
		}
	}
	return len(e.lines) > 0
}

func (e *element) text(known words) string {
	switch e.kind {
	case tabular:
		lines := make([]string, len(e.table))
		for i, r := range e.table {
			lines[i] = r.String()
		}
		return strings.Join(lines, "\n")
	case code:
		return e.code()
	case prose, item, title:
	}
	var joined []byte
	for _, l := range e.lines {
		joined = appendLine(joined, l.text, known)
	}
	text := strings.ReplaceAll(string(joined), "\u00AD", "-")
	if e.kind == item {
		if mark, rest, ok := cutMark(text); ok && !unicode.IsLetter(firstRune(mark)) && !strings.ContainsAny(mark, "0123456789(") {
			return "- " + rest
		}
	}
	return leaders.ReplaceAllString(text, leader)
}

func (e *element) first() rune {
	if len(e.lines) == 0 {
		return firstRune(e.text(nil))
	}
	start := *e
	start.lines = e.lines[:1]
	return firstRune(start.text(nil))
}

var leaders = regexp.MustCompile(`\s*(?:\.\s?){5,}\s*`)

const leader = " … "

func (e *element) code() string {
	left, letter := math.Inf(1), 1.0
	for _, l := range e.lines {
		left = min(left, l.x0)
		letter = max(letter, l.width()/float64(max(utf8.RuneCountInString(l.text), 1)))
	}
	lines := make([]string, len(e.lines))
	for i, l := range e.lines {
		indent := int(math.Round((l.x0 - left) / letter))
		lines[i] = strings.Repeat(" ", min(max(indent, 0), 80)) + strings.ReplaceAll(l.text, "\u00AD", "-")
	}
	return strings.Join(lines, "\n")
}

// cutMark splits off the marker of a list item or the number of a heading, such as "3.1".
func cutMark(text string) (mark, rest string, ok bool) {
	mark, rest, ok = strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	return mark, rest, ok && rest != "" && listMark.MatchString(mark)
}

func elements(all []row, page, depth int) []element {
	var out []element
	for _, z := range zones(all) {
		switch {
		case len(z.gutters) == 0:
			out = append(out, flow(z.rows, page)...)
		case z.table:
			out = append(out, element{kind: tabular, page: page, table: z.grid()})
		default:
			for _, column := range z.split() {
				if depth < deepestZones && len(column) > 0 {
					out = append(out, elements(column, page, depth+1)...)
				} else {
					out = append(out, flow(column, page)...)
				}
			}
		}
	}
	return out
}

func flow(rows []row, page int) []element {
	if len(rows) == 0 {
		return nil
	}
	left, right := borders(rows)
	step := usualStep(rows)
	var out []element
	for i, r := range rows {
		l := r.line()
		if i > 0 && !startsElement(&out[len(out)-1], l, step, left, right) {
			last := &out[len(out)-1]
			last.lines = append(last.lines, l)
			continue
		}
		e := element{page: page, lines: []run{l}, right: right}
		if _, _, marked := cutMark(l.text); marked || leaders.MatchString(l.text) {
			e.kind = item
		}
		if l.isMono() {
			e.kind = code
		}
		out = append(out, e)
	}
	return out
}

// usualStep returns the distance between two lines of a paragraph: the median of all distances that
// are not much larger than the letters.
func usualStep(rows []row) float64 {
	var steps []float64
	for i := 1; i < len(rows); i++ {
		if d := rows[i-1].y - rows[i].y; d > 0 && d < 2*max(rows[i-1].size, rows[i].size) {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.SortFunc(steps, cmp.Compare)
	return steps[len(steps)/2]
}

const (
	indent   = 0.8  // minimum indentation of a paragraph's first line, in letter sizes
	wideStep = 1.3  // minimum distance between paragraphs, as a multiple of the usual step
	otherFit = 0.08 // relative difference in letter size that does not occur within a paragraph
	shortEnd = 0.15 // minimum free space after a paragraph's last line, as a share of the width
)

func startsElement(above *element, l run, step, left, right float64) bool {
	last := above.lines[len(above.lines)-1]
	first := above.lines[0]
	down := last.y - l.y
	if above.kind == code && l.isMono() {
		return down > 3*max(step, l.size)
	}
	_, _, marked := cutMark(l.text)
	full := right-last.x1 <= shortEnd*(right-left)
	switch {
	case above.kind == code || l.isMono(),
		isUpperCase(last.text) && !isUpperCase(l.text),
		leaders.MatchString(last.text),
		down > wideStep*max(step, 1.1*l.size),
		math.Abs(last.size-l.size) > otherFit*max(last.size, l.size),
		last.isBold() != l.isBold() && !(full && above.kind != item && !last.isBold()):
		return true
	case hyphenated(last.text) && full:
		return false
	case marked && (above.kind == item || !full || endsSentence(last.text)):
		return true
	case above.kind == item:
		return l.x0 <= first.x0+0.3*l.size && (!full || endsSentence(last.text))
	case !full && endsSentence(last.text):
		return true
	default:
		return l.x0 > last.x0+indent*l.size && (len(above.lines) > 1 || endsSentence(last.text))
	}
}

// isUpperCase reports whether a text has at least four capitals and no small letters.
func isUpperCase(text string) bool {
	upper := 0
	for _, r := range text {
		switch {
		case unicode.IsLower(r):
			return false
		case unicode.IsUpper(r):
			upper++
		}
	}
	return upper >= 4
}

func endsSentence(text string) bool {
	text = strings.TrimRight(text, `"')]”’»`)
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?:;。！？：；…", last)
}

// joinSplit joins paragraphs that continue in the next column or on the next page.
func joinSplit(all []element) []element {
	var out []element
	for _, e := range all {
		if n := len(out); n > 0 && continues(&out[n-1], &e) {
			out[n-1].lines = append(out[n-1].lines, e.lines...)
			continue
		}
		out = append(out, e)
	}
	return out
}

func continues(above, below *element) bool {
	if above.kind != prose && above.kind != item || below.kind != prose || len(above.lines) == 0 || len(below.lines) == 0 {
		return false
	}
	last, next := above.lines[len(above.lines)-1], below.lines[0]
	if next.y < last.y && above.page == below.page { // one below the other: flow has separated them
		return false
	}
	if math.Abs(last.size-next.size) > otherFit*last.size || last.isBold() != next.isBold() || endsSentence(last.text) {
		return false
	}
	return unicode.IsLower(firstRune(next.text)) || ideographic(firstRune(next.text)) && above.right-last.x1 < 2*last.size
}
