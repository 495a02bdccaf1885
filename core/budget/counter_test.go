package budget_test

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/budget/budgettest"
)

func TestCounters(t *testing.T) {
	t.Parallel()
	for name, counter := range map[string]budget.Counter{
		"words": budgettest.NewWords(),
		"bytes": budgettest.Bytes{},
		"memo":  budget.NewMemo(budgettest.NewWords()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			budgettest.Suite(t, counter)
		})
	}
}

// counting counts how often a text is counted.
type counting struct {
	*budgettest.Words
	calls atomic.Int64
}

func (c *counting) Count(text string) int {
	c.calls.Add(1)
	return c.Words.Count(text)
}

func TestMemoCountsLongTextOnce(t *testing.T) {
	t.Parallel()
	counter := &counting{Words: budgettest.NewWords()}
	memo := budget.NewMemo(counter)
	text := words("w", 100)
	for range 3 {
		if got := memo.Count(strings.Clone(text)); got != 100 {
			t.Fatalf("Count = %d, want 100", got)
		}
	}
	if got := counter.calls.Load(); got != 1 {
		t.Errorf("the text was counted %d times, want once", got)
	}
	// What is in use is remembered whatever else is counted, and what is not is forgotten at last.
	for i := range 50_000 {
		memo.Count(words("x"+strconv.Itoa(i), 40))
		memo.Count(text)
	}
	if got := counter.calls.Load(); got != 50_001 {
		t.Errorf("%d texts were counted, want 50,001", got)
	}
	if memo.Count(words("x0", 40)); counter.calls.Load() != 50_002 {
		t.Error("nothing is ever forgotten")
	}
}
