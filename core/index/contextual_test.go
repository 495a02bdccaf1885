package index_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// contexts keeps what was written in memory.
type contexts struct {
	mu    sync.Mutex
	texts map[index.Hash]string
}

func (c *contexts) Contexts(_ context.Context, _ access.TenantID, keys []index.Hash) (map[index.Hash]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make(map[index.Hash]string)
	for _, k := range keys {
		if text, ok := c.texts[k]; ok {
			found[k] = text
		}
	}
	return found, nil
}

func (c *contexts) PutContexts(_ context.Context, _ access.TenantID, texts map[index.Hash]string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, text := range texts {
		c.texts[k] = text
	}
	return nil
}

// What a model writes stands before the passage in what is searched and nowhere else; a model that
// is down is left alone after a few calls, and the documents are stored without its words.
func TestContextual(t *testing.T) {
	t.Parallel()
	kept := &contexts{texts: make(map[index.Hash]string)}
	items := func(n int) (all []index.Item) {
		for i := range n {
			all = append(all, indextest.Item(doc(fmt.Sprintf("%02d", i), fmt.Sprintf("They may carry over %d days.", i)), noon))
		}
		return all
	}
	run := func(store index.Store, model llm.Model, n int) index.Run {
		t.Helper()
		return mustRun(t, index.New(store, chunker(t, index.ChunkSize{}), nil, index.Config{Workers: 1, Context: index.NewContextual(model, kept)}), complete(items(n)...))
	}
	store := new(indextest.Store)
	model := llmtest.Native(llmtest.Answer("  Vacation\nof ", "employees. \x00"))
	if r := run(store, model, 1); r.Counts.Plain != 0 {
		t.Errorf("the run counts %+v", r.Counts)
	}
	e := store.Entries(tenant)[0]
	if want := "About docs:00\nVacation of employees.\n\nThey may carry over 0 days."; e.SearchText[0] != want || e.Chunks[0].Text != "They may carry over 0 days." {
		t.Errorf("searched is %q, shown %q", e.SearchText[0], e.Chunks[0].Text)
	}
	asked := model.Requests()[0].Messages
	if len(asked) != 2 || !strings.Contains(asked[1].Text, "<document>\nThey may") || asked[0].Role != llm.System {
		t.Errorf("the model was asked %+v", asked)
	}

	var replies []llmtest.Reply
	for range 20 {
		replies = append(replies, llmtest.Reply{llmtest.Fail(errors.New("no such model"))})
	}
	down := llmtest.Native(replies...)
	fresh := new(indextest.Store)
	if r := run(fresh, down, 12); r.Counts.Indexed != 12 || r.Counts.Plain != 11 || len(down.Requests()) != 5 {
		t.Errorf("with a model that is down the run counts %+v after %d calls", r.Counts, len(down.Requests()))
	}
	if e := fresh.Entries(tenant); !strings.Contains(e[0].SearchText[0], "Vacation") || strings.Contains(e[1].SearchText[0], "Vacation") || !e[1].UpdatedAt.Equal(time.Time{}) {
		t.Errorf("stored are %+v and %+v", e[0], e[1])
	}
}

// A model that there is no budget for is asked once, and the run says why its documents lack what
// it should have written.
func TestContextualStopsWithoutABudget(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(llmtest.Reply{llmtest.Fail(fmt.Errorf("the cap is reached: %w", llm.ErrBudget))})
	var items []index.Item
	for i := range 3 {
		items = append(items, indextest.Item(doc(fmt.Sprintf("%02d", i), "They may carry over days."), noon))
	}
	contextual := index.NewContextual(model, &contexts{texts: make(map[index.Hash]string)})
	r := mustRun(t, index.New(new(indextest.Store), chunker(t, index.ChunkSize{}), nil, index.Config{Workers: 1, Context: contextual}), complete(items...))
	if r.Counts.Indexed != 3 || r.Counts.Plain != 3 || len(model.Requests()) != 1 || r.Unpaid != "the cap is reached: "+llm.ErrBudget.Error() {
		t.Errorf("after %d calls the run says %+v, %q", len(model.Requests()), r.Counts, r.Unpaid)
	}
}
