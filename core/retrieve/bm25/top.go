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

// better orders by score, then by id, so that results do not depend on the order in which blocks are visited.
func better(a, b Scored) int {
	if a.Score != b.Score { // nearly always
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Compare(a.ID, b.ID)
}

// Select returns the n best, in no order; it reorders all. Quickselect (Hoare, "Algorithm 65: Find", 1961): faster than Top where n are many.
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
	heap []Scored // the worst first
}

// NewTop returns a Top for k chunks.
func NewTop(k int) *Top { return &Top{k: k, heap: make([]Scored, 0, min(k, 1024))} }

// Floor is the score that a chunk must exceed to be sure of a place now; 0 while there is room.
func (t *Top) Floor() float64 {
	if len(t.heap) < t.k || t.k == 0 {
		return 0
	}
	return t.heap[0].Score
}

// Offer considers a chunk.
func (t *Top) Offer(s Scored) {
	if t.k <= 0 {
		return
	}
	if len(t.heap) < t.k {
		t.heap = append(t.heap, s)
		t.up(len(t.heap) - 1)
		return
	}
	if better(s, t.heap[0]) < 0 {
		t.heap[0] = s
		t.down(0)
	}
}

// Best returns the chunks kept, best first, and leaves t empty.
func (t *Top) Best() []Scored {
	best := t.heap
	t.heap = nil
	slices.SortFunc(best, better)
	return best
}

func (t *Top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if better(t.heap[i], t.heap[parent]) <= 0 {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *Top) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if better(t.heap[child], t.heap[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}
