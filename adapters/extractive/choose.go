package extractive

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const (
	maxUnits    = 5
	maxPassages = 3
	maxWords    = 170
	repetition  = 0.7  // how much likeness to what is chosen costs (maximal marginal relevance)
	adjoining   = 1.25 // for the sentence behind or before a chosen one: together they read better
	keep        = 0.5  // of the best score: what scores less is left out
	keepOther   = 0.4  // the same while what is chosen is short
	keepSame    = 0.25 // the same for what stands in a passage that is quoted anyway
	fewWords    = 60
	floor       = 0.12 // below this even the best says nothing about the question
)

// choose returns the units to quote, in the order in which they are written: the best passage first; within a passage the best block first
// and the others as they stand.
func choose(all []unit) []unit {
	var best float64
	for _, u := range all {
		best = max(best, u.score)
	}
	if best < floor {
		return nil
	}
	var chosen []unit
	taken := make([]bool, len(all))
	passages := map[int]bool{} // that are quoted
	words := 0
	for len(chosen) < maxUnits {
		at, value := -1, 0.0
		for i, u := range all {
			if taken[i] || u.score == 0 || len(chosen) > 0 && words+u.size() > maxWords {
				continue
			}
			begun := passages[u.passage]
			if !begun && len(passages) == maxPassages {
				continue
			}
			if v := marginal(u, chosen); v > value && v >= least(words, begun)*best {
				at, value = i, v
			}
		}
		if at < 0 {
			break
		}
		taken[at] = true
		u := all[at]
		chosen = append(chosen, u)
		words += u.size()
		passages[u.passage] = true
	}
	return arrange(chosen)
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

// least is the share of the best score that a unit must add.
func least(words int, begun bool) float64 {
	switch {
	case words >= fewWords:
		return keep
	case begun:
		return keepSame
	}
	return keepOther
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
	near := false
	for _, c := range chosen {
		like = max(like, similarity(u, c), contained(u, c))
		near = near || c.passage == u.passage && (c.order-u.order == 1 || u.order-c.order == 1)
	}
	if like > 0.85 {
		return 0
	}
	value := u.score * (1 - repetition*like*like)
	if near {
		value *= adjoining
	}
	return value
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
