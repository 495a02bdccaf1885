package index

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"golang.org/x/sync/errgroup"
)

// Contexts caches the descriptions that [Contextual] gets from its model. Implementations must be
// safe for concurrent use.
type Contexts interface {
	// Contexts returns the stored texts for keys, by key. Keys without a text are omitted.
	Contexts(ctx context.Context, tenant access.TenantID, keys []Hash) (map[Hash]string, error)
	// PutContexts stores texts by key.
	PutContexts(ctx context.Context, tenant access.TenantID, texts map[Hash]string) error
}

// Contextual asks a model to describe each document and the position of each passage in it. The
// descriptions are searched and embedded with the passages but never shown. A search can then find
// a passage by a subject that the passage does not name. Contextual is safe for concurrent use.
type Contextual struct {
	model llm.Model
	store Contexts
	calls chan struct{} // semaphore for calls of the model
}

// contextCalls is the maximum number of concurrent model calls for all documents together.
const contextCalls = 8

// NewContextual returns a Contextual that asks model, which should be small and fast. It stores the
// replies in cache.
func NewContextual(model llm.Model, cache Contexts) *Contextual {
	return &Contextual{model: model, store: cache, calls: make(chan struct{}, contextCalls)}
}

// settings returns a text that identifies the model and the prompts, or "" if c is nil. If it
// changes, all documents are described again.
func (c *Contextual) settings() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("|context %d %s", contextPrompts, c.model.Info().Name)
}

// maxContextFailures is the maximum number of consecutive failed calls. The run then stops calling
// the model and stores the remaining documents without context. The next run tries again.
const maxContextFailures = 5

type contextRun struct {
	*Contextual
	tenant    access.TenantID
	failures  atomic.Int32
	budgetErr atomic.Pointer[error] // set if the budget is exhausted
}

var errNoContext = errors.New("the model did not write a context")

// describe returns a description for each chunk. complete is false if descriptions are missing
// because the model failed. err is set only if ctx is cancelled or the store fails.
func (c *contextRun) describe(ctx context.Context, d *document.Document, chunks []document.Chunk) (texts []string, complete bool, err error) {
	texts = make([]string, len(chunks))
	if len(chunks) == 0 {
		return texts, true, nil
	}
	summary, err := c.cachedText(ctx, summaryRequest(d, chunks), maxSummary)
	if errors.Is(err, errNoContext) {
		return texts, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var missing atomic.Bool
	passages, ctx := errgroup.WithContext(ctx)
	passages.SetLimit(contextCalls)
	for i := range chunks {
		texts[i] = summary
		if len(chunks) == 1 { // the summary is enough
			continue
		}
		passages.Go(func() error {
			place, err := c.cachedText(ctx, passageRequest(d, summary, chunks, i), maxPlace)
			if errors.Is(err, errNoContext) {
				missing.Store(true)
				return nil
			}
			texts[i] = strings.TrimSpace(summary + "\n" + place)
			return err
		})
	}
	err = passages.Wait()
	return texts, !missing.Load(), err
}

// cachedText returns the reply to a request from the cache, or else asks the model and caches its
// reply. most is the maximum length in characters. The error is errNoContext if the model fails, is
// out of budget or writes nothing.
func (c *contextRun) cachedText(ctx context.Context, r llm.Request, most int) (string, error) {
	key := c.key(r)
	kept, err := c.store.Contexts(ctx, c.tenant, []Hash{key})
	if err != nil {
		return "", fmt.Errorf("look up what was written about a passage: %w", err)
	}
	if text, ok := kept[key]; ok {
		return text, nil
	}
	if c.failures.Load() >= maxContextFailures {
		return "", errNoContext
	}
	select {
	case c.calls <- struct{}{}:
		defer func() { <-c.calls }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	text, err := c.stream(ctx, r, most)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, llm.ErrBudget): // every further call would fail too
		c.budgetErr.Store(&err)
		c.failures.Store(maxContextFailures)
		return "", errNoContext
	case err != nil:
		c.failures.Add(1)
		return "", errNoContext
	}
	c.failures.Store(0)
	if err := c.store.PutContexts(ctx, c.tenant, map[Hash]string{key: text}); err != nil {
		return "", fmt.Errorf("keep what was written about a passage: %w", err)
	}
	return text, nil
}

func (c *contextRun) stream(ctx context.Context, r llm.Request, most int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, contextTimeout)
	defer cancel()
	var b strings.Builder
	for d, err := range c.model.Stream(ctx, r) {
		if err != nil {
			return "", err
		}
		if d.Finish == llm.FinishRefusal {
			return "", errNoContext
		}
		b.WriteString(d.Text)
		if b.Len() > 8*most {
			break
		}
	}
	text := strings.Join(strings.Fields(cleanText(b.String())), " ")
	if text == "" {
		return "", errNoContext
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most])
	}
	return text, nil
}

func (c *contextRun) key(r llm.Request) Hash {
	w := newFields()
	w.text(c.model.Info().Name)
	for _, m := range r.Messages {
		w.text(string(m.Role), m.Text)
	}
	return Hash(w.Sum(nil))
}
