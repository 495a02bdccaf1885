package bm25

import (
	"cmp"
	"slices"
)

// Scored is a chunk with a score.
type Scored struct {
	ID    int64
	Score float64
}

// compare orders by score, highest first, then by id. Results therefore do not depend on the order
// in which blocks are visited.
func compare(a, b Scored) int {
	switch { // faster than cmp.Compare, which handles NaN
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return cmp.Compare(a.ID, b.ID)
}

// Select returns the n best elements in no particular order. It reorders all. The algorithm is
// Quickselect (Hoare, "Algorithm 65: Find", 1961).
func Select(all []Scored, n int) []Scored {
	if n >= len(all) {
		return all
	}
	rest, want := all, max(n, 0)
	for len(rest) > 1 && want > 0 && want < len(rest) {
		pivot := median(rest[0], rest[len(rest)/2], rest[len(rest)-1])
		i, j := 0, len(rest)-1
		for {
			for compare(rest[i], pivot) < 0 {
				i++
			}
			for compare(rest[j], pivot) > 0 {
				j--
			}
			if i >= j {
				break
			}
			rest[i], rest[j] = rest[j], rest[i]
			i++
			j--
		}
		if want <= i { // rest[:i] are at least as good as the pivot
			rest = rest[:i]
		} else {
			rest, want = rest[i:], want-i
		}
	}
	return all[:max(n, 0)]
}

func median(a, b, c Scored) Scored {
	if compare(a, b) > 0 {
		a, b = b, a
	}
	switch {
	case compare(b, c) <= 0:
		return b
	case compare(a, c) <= 0:
		return c
	}
	return a
}

// Top keeps the k best of all offered chunks. The zero value keeps no chunks. Use NewTop.
type Top struct {
	k    int
	best []Scored // best offered chunks, and up to k more
	// worst of the k best after the last reduction; chunks that are not better are rejected
	worst    Scored
	hasWorst bool // worst is valid
}

// NewTop returns a Top that keeps the k best chunks.
func NewTop(k int) *Top { return &Top{k: k, best: make([]Scored, 0, 2*min(max(k, 0), 1024))} }

// Floor returns a score below which chunks are rejected. It is 0 until at least 2·k chunks were
// offered.
func (t *Top) Floor() float64 {
	if !t.hasWorst {
		return 0
	}
	return t.worst.Score
}

// Offer adds a chunk if it may be among the k best.
func (t *Top) Offer(s Scored) {
	if t.k <= 0 || t.hasWorst && compare(s, t.worst) >= 0 {
		return
	}
	if t.best = append(t.best, s); len(t.best) >= 2*t.k {
		t.best = Select(t.best, t.k)
		t.hasWorst, t.worst = true, slices.MaxFunc(t.best, compare)
	}
}

// Best returns the best chunks, best first, and empties t.
func (t *Top) Best() []Scored {
	best := Select(t.best, t.k)
	*t = Top{k: t.k}
	slices.SortFunc(best, compare)
	return best
}
