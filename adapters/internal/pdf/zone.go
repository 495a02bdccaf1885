package pdf

import (
	"math"
	"slices"
)

// zone is a group of consecutive rows with the same layout: running text, columns or a table.
type zone struct {
	rows    []row
	gutters []strip // none: running text from border to border
	table   bool    // the gutters separate cells instead of columns of text
}

type strip struct{ from, to float64 }

const (
	gutterWidth = 0.85 // minimum width in letter sizes; LaTeX sets columns one letter size apart
	tableRows   = 2    // minimum number of rows with text on both sides of a gutter
	columnRows  = 4
	// columnText is the minimum mean number of letters per line in a column of text. If one column
	// has fewer, the zone is a table.
	columnText   = 16
	columnFill   = 0.5 // minimum mean filled share of a column's width
	mostColumns  = 4
	deepestZones = 3 // maximum nesting of columns
)

func zones(all []row) []zone {
	left, right := borders(all)
	var out []zone
	plain := func(rows []row) {
		if n := len(out); n > 0 && len(out[n-1].gutters) == 0 {
			out[n-1].rows = append(out[n-1].rows, rows...)
			return
		}
		out = append(out, zone{rows: slices.Clone(rows)})
	}
	if isCrowded(all) {
		plain(all)
		return out
	}
	for at := 0; at < len(all); {
		length, gutters := sharedGutters(all[at:], left, right)
		if len(gutters) == 0 {
			plain(all[at : at+1])
			at++
			continue
		}
		z := zone{rows: all[at : at+length], gutters: gutters}
		z.table = !z.columns(left, right)
		if z.table {
			before, inside, after := z.trim()
			if len(before) > 0 {
				plain(before)
			}
			z.rows = inside
			out = append(out, z)
			if len(after) > 0 {
				plain(after)
			}
		} else {
			out = append(out, z)
		}
		at += length
	}
	return out
}

// mostRows and mostCells limit the rows and pieces of text of a page. Above a limit, a page is read
// row by row, because comparing all pairs would take hours.
const (
	mostRows  = 1_000
	mostCells = 10_000
)

func isCrowded(all []row) bool {
	cells := 0
	for _, r := range all {
		cells += len(r.cells)
	}
	return len(all) > mostRows || cells > mostCells
}

func sharedGutters(all []row, left, right float64) (int, []strip) {
	if len(all[0].cells) < 2 && !hasColumns(all) {
		return 1, nil
	}
	free := []strip{{left, right}}
	best, bestAt := []strip(nil), 0
	for i, r := range all {
		if i > 0 && all[i-1].y-r.y > farApart*max(r.size, all[i-1].size) && len(best) > 0 {
			break
		}
		free = intersect(free, gaps(r, left, right), gutterWidth*r.size)
		inner := interior(free, all[:i+1], left, right)
		if len(free) == 0 || len(best) > 0 && len(inner) == 0 {
			break
		}
		if len(inner) > 0 {
			best, bestAt = inner, i+1
		}
	}
	return max(bestAt, 1), best
}

// farApart is the distance between two rows above which a table or columns end. It is a multiple of
// the letter size.
const farApart = 6

// hasColumns reports whether any of the first three rows has several cells.
func hasColumns(all []row) bool {
	for _, r := range all[:min(len(all), 3)] {
		if len(r.cells) > 1 {
			return true
		}
	}
	return false
}

func gaps(r row, left, right float64) []strip {
	var free []strip
	at := left
	for _, c := range r.cells {
		if c.x0 > at {
			free = append(free, strip{at, c.x0})
		}
		at = max(at, c.x1)
	}
	if right > at {
		free = append(free, strip{at, right})
	}
	return free
}

func intersect(a, b []strip, width float64) []strip {
	var out []strip
	for _, s := range a {
		for _, t := range b {
			if both := (strip{max(s.from, t.from), min(s.to, t.to)}); both.to-both.from >= width {
				out = append(out, both)
			}
		}
	}
	return out
}

func interior(free []strip, rows []row, left, right float64) []strip {
	var inner []strip
	for _, s := range free {
		if s.from <= left || s.to >= right {
			continue
		}
		both := 0
		for _, r := range rows {
			if r.cells[0].x1 <= s.from+1 && r.cells[len(r.cells)-1].x0 >= s.to-1 {
				both++
			}
		}
		if both >= tableRows {
			inner = append(inner, s)
		}
	}
	return inner
}

func (z zone) column(c run) int {
	middle := (c.x0 + c.x1) / 2
	for i, g := range z.gutters {
		if middle < (g.from+g.to)/2 {
			return i
		}
	}
	return len(z.gutters)
}

// columns reports whether the zone has columns of running text. Otherwise it is a table.
func (z zone) columns(left, right float64) bool {
	n := len(z.gutters) + 1
	if n > mostColumns || len(z.rows) < columnRows {
		return false
	}
	edges := []float64{left}
	for _, g := range z.gutters {
		edges = append(edges, g.from, g.to)
	}
	edges = append(edges, right)
	lines, text, fill := make([]int, n), make([]int, n), make([]float64, n)
	for _, r := range z.rows {
		last := -1
		for _, c := range r.cells {
			i := z.column(c)
			if i != last {
				lines[i]++
			}
			last = i
			text[i] += letters(c.text)
			fill[i] += c.width()
		}
	}
	for i := range n {
		width := max(edges[2*i+1]-edges[2*i], 1)
		if lines[i] < columnRows-1 || text[i] < columnText*lines[i] || fill[i] < columnFill*width*float64(lines[i]) {
			return false
		}
	}
	return true
}

func (z zone) trim() (before, inside, after []row) {
	from, to := 0, len(z.rows)
	for from < to && len(z.rows[from].cells) < 2 {
		from++
	}
	step := math.Inf(1)
	for i := from + 1; i < to; i++ {
		step = min(step, z.rows[i-1].y-z.rows[i].y)
	}
	for to > from && len(z.rows[to-1].cells) < 2 && (z.column(z.rows[to-1].cells[0]) == 0 || z.rows[to-2].y-z.rows[to-1].y > 1.5*step) {
		to--
	}
	return z.rows[:from], z.rows[from:to], z.rows[to:]
}

func (z zone) split() [][]row {
	out := make([][]row, len(z.gutters)+1)
	for _, r := range z.rows {
		parts := make([][]run, len(out))
		for _, c := range r.cells {
			i := z.column(c)
			parts[i] = append(parts[i], c)
		}
		for i, p := range parts {
			if len(p) == 0 {
				continue
			}
			part := row{p[0].y, 0, p}
			for _, c := range p {
				part.size = max(part.size, c.size)
			}
			out[i] = append(out[i], part)
		}
	}
	return out
}
