package indextest

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Hints is an [index.Hints] in memory. It accepts every source. The zero Hints is empty.
type Hints struct {
	mu    sync.Mutex
	heard map[document.SourceID]map[string]time.Time
	last  time.Time
}

var _ index.Hints = (*Hints)(nil)

// Hear implements index.Hints.
func (h *Hints) Hear(ctx context.Context, source document.SourceID, subjects []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.heard == nil {
		h.heard = make(map[document.SourceID]map[string]time.Time)
	}
	if h.heard[source] == nil {
		h.heard[source] = make(map[string]time.Time)
	}
	for _, s := range subjects {
		now := time.Now()
		if !now.After(h.last) {
			now = h.last.Add(1)
		}
		h.heard[source][s], h.last = now, now
	}
	return ctx.Err()
}

// Heard implements index.Hints.
func (h *Hints) Heard(ctx context.Context, source document.SourceID, most int) ([]index.Hint, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []index.Hint
	for subject, at := range h.heard[source] {
		found = append(found, index.Hint{Subject: subject, At: at})
	}
	slices.SortFunc(found, func(a, b index.Hint) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Subject, b.Subject)) })
	return found[:min(most, len(found))], ctx.Err()
}

// Followed implements index.Hints.
func (h *Hints) Followed(ctx context.Context, source document.SourceID, hints []index.Hint) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, done := range hints {
		if h.heard[source][done.Subject].Equal(done.At) {
			delete(h.heard[source], done.Subject)
		}
	}
	return ctx.Err()
}

// HintsSuite checks an implementation of [index.Hints]. The store must be empty and know the
// source.
func HintsSuite(t *testing.T, h index.Hints, source document.SourceID) {
	t.Helper()
	subjects := func() []string {
		t.Helper()
		found, err := h.Heard(t.Context(), source, 100)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range found {
			list = append(list, f.Subject)
		}
		return list
	}
	hear := func(subjects ...string) {
		t.Helper()
		if err := h.Hear(t.Context(), source, subjects); err != nil {
			t.Fatal(err)
		}
	}
	is := func(what string, want ...string) {
		t.Helper()
		if got := subjects(); !slices.Equal(got, want) {
			t.Errorf("%s: heard is %v, want %v", what, got, want)
		}
	}
	is("at first")
	hear("a", "a")
	hear("b")
	hear("c\x00")
	found, err := h.Heard(t.Context(), source, 2)
	if err != nil || len(found) != 2 || found[0].Subject != "a" || found[1].Subject != "b" {
		t.Fatalf("the oldest two are %+v, %v", found, err)
	}
	hear("a") // again, while it is followed
	if err := h.Followed(t.Context(), source, found); err != nil {
		t.Fatal(err)
	}
	if got := subjects(); len(got) != 2 || got[1] != "a" {
		t.Errorf("what was heard again is %v", got)
	}
	if other, err := h.Heard(t.Context(), source+"-other", 9); err != nil || len(other) != 0 {
		t.Errorf("of another source was heard %v, %v", other, err)
	}
	if err := h.Followed(t.Context(), source, nil); err != nil {
		t.Error(err)
	}
}
