package extractive

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

const (
	maxUnits   = 5
	maxPages   = 3
	maxWords   = 170
	repetition = 0.7  // how much likeness to what is chosen costs (maximal marginal relevance)
	floor      = 0.03 // what scores less says nothing about the question
	beside     = 0.4  // of the best score: what a further page must add where what is quoted tells of the whole question
	further    = 0.25 // of the best score: what a further unit of a page that is quoted must add
)

// choose returns the units to quote, in the order in which they are written: of the pages that answer best, three at most, the best unit each,
// then what else these pages say, as long as the answer is short.
func choose(all []unit, a asked) []unit {
	c := chooser{all: all, taken: make([]bool, len(all)), pages: map[int]bool{}}
	pages, best := pageOrder(all)
	for _, page := range pages {
		if len(c.pages) < maxPages {
			told := a.told(c.chosen)
			c.take(max(floor, beside*best*told*told), func(u unit) bool { return u.page == page })
		}
	}
	for len(c.chosen) > 0 && len(c.chosen) < maxUnits {
		if !c.take(max(floor, further*best), func(u unit) bool { return c.pages[u.page] && c.words+u.size() <= maxWords }) {
			break
		}
	}
	return arrange(c.chosen)
}

// pageOrder returns the pages, the one with the best unit first, and that unit's score.
func pageOrder(all []unit) (pages []int, top float64) {
	best := map[int]float64{}
	for _, u := range all {
		best[u.page] = max(best[u.page], u.score)
		top = max(top, u.score)
	}
	pages = slices.SortedFunc(maps.Keys(best), func(a, b int) int { return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(a, b)) })
	return pages, top
}

// chooser gathers what is quoted.
type chooser struct {
	all    []unit
	taken  []bool
	chosen []unit
	pages  map[int]bool // that are quoted
	words  int
}

// take chooses, of the units that may be, the one that adds most, if that is at least so much.
func (c *chooser) take(least float64, may func(unit) bool) bool {
	at, most := -1, 0.0
	for i, u := range c.all {
		if c.taken[i] || u.score == 0 || !may(u) {
			continue
		}
		if v := marginal(u, c.chosen); v > most && v >= least {
			at, most = i, v
		}
	}
	if at < 0 {
		return false
	}
	u := c.all[at]
	c.taken[at], c.pages[u.page] = true, true
	c.chosen, c.words = append(c.chosen, u), c.words+u.size()
	return true
}

// arrange drops what would be written twice and puts the rest in order.
func arrange(all []unit) []unit {
	var chosen []unit
	best, leading := map[int]float64{}, map[int]int{} // of each passage: the best score, and the block or list that has it
	for _, u := range all {
		// An item may have been chosen before the sentence that introduces its list.
		if slices.ContainsFunc(all, func(c unit) bool { return contained(u, c) == 1 }) {
			continue
		}
		chosen = append(chosen, u)
		if u.score > best[u.passage] {
			best[u.passage], leading[u.passage] = u.score, u.list
		}
	}
	slices.SortStableFunc(chosen, func(a, b unit) int {
		if a.passage != b.passage {
			return cmp.Or(cmp.Compare(best[b.passage], best[a.passage]), cmp.Compare(a.passage, b.passage))
		}
		if lead := leading[a.passage]; (a.list == lead) != (b.list == lead) {
			if a.list == lead {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.order, b.order)
	})
	return chosen
}

// size is a unit's share of the answer's length, with half of what it introduces: lists and code are read faster than prose.
func (u unit) size() int {
	n := u.words
	for _, b := range u.follow {
		n += len(b.text) / 12
	}
	return n
}

// marginal is what a unit adds to those that are chosen already.
func marginal(u unit, chosen []unit) float64 {
	var like float64
	for _, c := range chosen {
		like = max(like, similarity(u, c), contained(u, c))
	}
	if like > 0.85 {
		return 0
	}
	return u.score * (1 - repetition*like*like)
}

// similarity is the cosine of two units' terms.
func similarity(a, b unit) float64 {
	if len(a.terms) > len(b.terms) {
		a, b = b, a
	}
	var dot, aa, bb float64
	for term, n := range a.terms {
		dot += float64(n * b.terms[term])
		aa += float64(n * n)
	}
	for _, n := range b.terms {
		bb += float64(n * n)
	}
	if dot == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}

// contained is 1 when u is part of what c introduces, since it will be written anyway.
func contained(u, c unit) float64 {
	for _, b := range c.follow {
		if b.text == u.text || b.kind == code && u.kind == code && strings.Contains(b.text, u.text) {
			return 1
		}
	}
	return 0
}

// told is the share of the question's weight that is told of by what is quoted. What occurs nowhere weighs as much as the others.
func (a *asked) told(quoted []unit) float64 {
	var told, all float64
	for term := range a.focus {
		weight := a.weightOf(term)
		all += weight
		for _, u := range quoted {
			if a.holds(u.terms, term) || a.holds(u.around, term) || a.holds(u.under, term) || a.holds(u.column, term) {
				told += weight
				break
			}
		}
	}
	if told == 0 {
		return 0
	}
	return told / (all * (1 + float64(a.missing)/float64(len(a.focus))))
}
