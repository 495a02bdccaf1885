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

// Contexts stores what a model wrote about documents and passages, so that the same request is paid
// for once. Implementations are safe for concurrent use.
type Contexts interface {
	// Contexts returns the stored texts among keys, by key.
	Contexts(ctx context.Context, tenant access.TenantID, keys []Hash) (map[Hash]string, error)
	// PutContexts stores texts by key.
	PutContexts(ctx context.Context, tenant access.TenantID, texts map[Hash]string) error
}

// Contextual asks a model to describe each document and the place of each passage in it. The
// description is searched and embedded with the passage but never shown. So a search finds a
// passage by a subject that it does not name. It is safe for concurrent use.
type Contextual struct {
	model llm.Model
	kept  Contexts
	calls chan struct{} // as many calls run at once as it holds
}

// contextCalls is how many calls of the model run at once, over all documents.
const contextCalls = 8

// NewContextual returns a Contextual that asks a small, fast model and stores its answers in kept.
func NewContextual(model llm.Model, kept Contexts) *Contextual {
	return &Contextual{model: model, kept: kept, calls: make(chan struct{}, contextCalls)}
}

// settings returns what documents are rewritten for when it changes.
func (c *Contextual) settings() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("|context %d %s", contextPrompts, c.model.Info().Name)
}

// contextPatience is how many calls in a row may fail before a run stops asking: its documents are
// then stored without context, and the next run asks for it again.
const contextPatience = 5

// contextRun is what one run knows of the model's health.
type contextRun struct {
	*Contextual
	tenant  access.TenantID
	failing atomic.Int32
	unpaid  atomic.Pointer[error] // there is no budget for more calls
}

// errNoContext says that a passage has to do without.
var errNoContext = errors.New("the model did not write a context")

// write returns a text for each chunk, which stands before it in what is searched. complete is
// false when some are missing because the model failed; the rest is there. The error is that of a
// cancelled context, or of the store of kept words.
func (c *contextRun) write(ctx context.Context, d *document.Document, chunks []document.Chunk) (texts []string, complete bool, err error) {
	texts = make([]string, len(chunks))
	if len(chunks) == 0 {
		return texts, true, nil
	}
	summary, err := c.ask(ctx, summaryRequest(d, chunks), maxSummary)
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
		if len(chunks) == 1 { // the summary says it
			continue
		}
		passages.Go(func() error {
			place, err := c.ask(ctx, passageRequest(d, summary, chunks, i), maxPlace)
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

// ask returns what the model writes, or wrote before, cut to so many characters.
func (c *contextRun) ask(ctx context.Context, r llm.Request, most int) (string, error) {
	key := c.key(r)
	kept, err := c.kept.Contexts(ctx, c.tenant, []Hash{key})
	if err != nil {
		return "", fmt.Errorf("look up what was written about a passage: %w", err)
	}
	if text, ok := kept[key]; ok {
		return text, nil
	}
	if c.failing.Load() >= contextPatience {
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
	case errors.Is(err, llm.ErrBudget): // no call of this run can be made any more
		c.unpaid.Store(&err)
		c.failing.Store(contextPatience)
		return "", errNoContext
	case err != nil:
		c.failing.Add(1)
		return "", errNoContext
	}
	c.failing.Store(0)
	if err := c.kept.PutContexts(ctx, c.tenant, map[Hash]string{key: text}); err != nil {
		return "", fmt.Errorf("keep what was written about a passage: %w", err)
	}
	return text, nil
}

// stream has the model write one short paragraph.
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

// key identifies a question to a model.
func (c *contextRun) key(r llm.Request) Hash {
	w := newFields()
	w.text(c.model.Info().Name)
	for _, m := range r.Messages {
		w.text(string(m.Role), m.Text)
	}
	return Hash(w.Sum(nil))
}
