package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// row is all text at one height of a page.
type row struct {
	y     float64
	size  float64 // of its largest letters
	cells []run   // from left to right, separated by gaps wider than between words
}

func rows(runs []run) []row {
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(b.y, a.y) })
	var all []row
	for _, r := range runs {
		if strings.TrimSpace(r.text) == "" {
			continue
		}
		if n := len(all); n > 0 && math.Abs(all[n-1].y-r.y) <= sameRow*max(all[n-1].size, r.size) {
			last := &all[n-1]
			if r.size > last.size {
				last.y, last.size = r.y, r.size // a raised sign does not decide the height of its row
			}
			last.cells = append(last.cells, r)
			continue
		}
		all = append(all, row{r.y, r.size, []run{r}})
	}
	for i := range all {
		all[i].cells = join(all[i].cells)
	}
	return all
}

// sameRow is the maximum distance between baselines in one row, as a multiple of the letter size.
// It allows for raised footnote marks.
const sameRow = 0.55

func join(runs []run) []run {
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.x0, b.x0) })
	code, leading := true, false
	for _, r := range runs {
		code = code && r.isMono()
		leading = leading || leaders.MatchString(r.text)
	}
	var cells []run
	var text []byte // of the last cell
	for _, r := range runs {
		if len(cells) == 0 {
			cells, text = append(cells, r), append(text, r.text...)
			continue
		}
		last := &cells[len(cells)-1]
		gap := r.x0 - last.x1
		size := min(last.size, r.size)
		between := 0
		switch {
		case code: // as many spaces as would fill the gap
			letter := max(last.width()/float64(max(last.count, 1)), 1)
			between = min(max(int(math.Round(gap/letter)), 0), 80)
		case leading, gap <= wordGap*size, len(cells) == 1 && gap <= 4*size && len(text) <= longestMark && listMark.Match(text):
			if gap > 0.12*size {
				between = 1
			}
		default:
			last.text = string(text)
			cells, text = append(cells, r), append(text[:0], r.text...)
			continue
		}
		for range between {
			text = append(text, ' ')
		}
		text = append(text, r.text...)
		last.extend(r)
	}
	if len(cells) > 0 {
		cells[len(cells)-1].text = string(text)
	}
	return cells
}

// longestMark is the maximum length in bytes of the marker of a list item.
const longestMark = 32

func (r *run) extend(next run) {
	r.x1 = max(r.x1, next.x1)
	r.size = (r.size*float64(r.count) + next.size*float64(next.count)) / float64(max(r.count+next.count, 1))
	r.bold, r.mono, r.count = r.bold+next.bold, r.mono+next.mono, r.count+next.count
}

func (r run) width() float64 { return r.x1 - r.x0 }
func (r run) isMono() bool   { return r.mono*10 >= r.count*9 }
func (r run) isBold() bool   { return r.bold*10 >= r.count*9 }

var listMark = regexp.MustCompile(`^(?:[•▪◦‣●○■□◆–—*·\x{F0B7}\x{F0A7}-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)]|\d{1,2}(?:\.\d{1,2}){1,4}\.?|\[\d{1,3}\])$`)

func borders(rows []row) (left, right float64) {
	left, right = math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		left, right = min(left, r.cells[0].x0), max(right, r.cells[len(r.cells)-1].x1)
	}
	return left, right
}

func (r row) line() run {
	l := r.cells[0]
	if len(r.cells) > 1 {
		texts := make([]string, len(r.cells))
		for i, c := range r.cells {
			texts[i] = c.text
			if i > 0 {
				l.extend(c)
			}
		}
		l.text = strings.Join(texts, " ")
	}
	l.y = r.y
	return l
}

func letters(s string) int { return utf8.RuneCountInString(s) }
