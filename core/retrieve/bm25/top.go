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
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
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
