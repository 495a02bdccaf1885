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

// better orders by score, then by id, so that results do not depend on the order in which blocks
// are visited.
func better(a, b Scored) int {
	switch { // faster than cmp.Compare, which knows what is no number
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return cmp.Compare(a.ID, b.ID)
}

// Select returns the n best, in no order; it reorders all. Quickselect (Hoare, "Algorithm 65:
// Find", 1961).
func Select(all []Scored, n int) []Scored {
	if n >= len(all) {
		return all
	}
	rest, want := all, max(n, 0)
	for len(rest) > 1 && want > 0 && want < len(rest) {
		pivot := median(rest[0], rest[len(rest)/2], rest[len(rest)-1])
		i, j := 0, len(rest)-1
		for {
			for better(rest[i], pivot) < 0 {
				i++
			}
			for better(rest[j], pivot) > 0 {
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
	if better(a, b) > 0 {
		a, b = b, a
	}
	switch {
	case better(b, c) <= 0:
		return b
	case better(a, c) <= 0:
		return c
	}
	return a
}

// Top keeps the k best of all chunks offered to it. The zero value keeps none; use NewTop.
type Top struct {
	k    int
	kept []Scored // the best of those offered, and up to k more
	// of the k best when there were last too many; a chunk that is no better has no place
	worst Scored
	full  bool // there were
}

// NewTop returns a Top for k chunks.
func NewTop(k int) *Top { return &Top{k: k, kept: make([]Scored, 0, 2*min(max(k, 0), 1024))} }

// Floor is a score below which a chunk has no place; 0 until many were offered.
func (t *Top) Floor() float64 {
	if !t.full {
		return 0
	}
	return t.worst.Score
}

// Offer considers a chunk.
func (t *Top) Offer(s Scored) {
	if t.k <= 0 || t.full && better(s, t.worst) >= 0 {
		return
	}
	if t.kept = append(t.kept, s); len(t.kept) >= 2*t.k {
		t.kept = Select(t.kept, t.k)
		t.full, t.worst = true, slices.MaxFunc(t.kept, better)
	}
}

// Best returns the chunks kept, best first, and leaves t without any.
func (t *Top) Best() []Scored {
	best := Select(t.kept, t.k)
	*t = Top{k: t.k}
	slices.SortFunc(best, better)
	return best
}
