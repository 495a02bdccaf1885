// Package search is the tool internal_search: the organisation's documents, for a model. It decides what is asked of the index, under
// which numbers the model sees the answers, and what is taken over from earlier turns.
package search

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// Name is how models call the tool.
const Name = "internal_search"

const (
	maxQueries = 3 // of one call
	maxMerged  = 6 // of calls that were merged
	maxClosest = 5 // documents listed when nothing was found
)

//go:embed description.md
var description string

//go:embed guide.md
var guide string

const parameters = `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3,` +
	`"description":"One to three different queries, each complete in itself."}},"required":["queries"]}`

// Chunks re-reads passages that earlier answers rested on. Implementations are safe for concurrent use.
type Chunks interface {
	// Chunks returns those of the chunks that still exist and that the audience may read now, in any order.
	Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error)
}

// Config sets a Tool up. Zero fields take the defaults given.
type Config struct {
	Fast    llm.Model     // rewrites and expands queries; nil leaves that to the rule of Standalone
	Wait    time.Duration // most that is waited for Fast before going on without it: 5 s
	Window  int           // sources that a first search of a turn is topped up to: budget.DefaultSources
	Tokens  int           // most that the documents of one result take: 12,800, which is 25 chunks of 512
	Limit   int           // passages asked of the retriever; 0 is the retriever's own
	History int           // earlier turns whose sources may come back: 5
	Logger  *slog.Logger  // nil: silent
}

// Tool is internal_search. It is safe for concurrent use.
type Tool struct {
	retriever retrieve.Retriever
	chunks    Chunks
	counter   budget.Counter
	config    Config
}

var (
	_ tool.Tool   = (*Tool)(nil)
	_ tool.Merger = (*Tool)(nil)
)

// New returns the tool. Without chunks nothing is taken over from earlier turns.
func New(retriever retrieve.Retriever, chunks Chunks, counter budget.Counter, config Config) *Tool {
	if config.Wait <= 0 {
		config.Wait = 5 * time.Second
	}
	if config.Window <= 0 {
		config.Window = budget.DefaultSources
	}
	if config.Tokens <= 0 {
		config.Tokens = 25 * 512
	}
	if config.History <= 0 {
		config.History = 5
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Tool{retriever: retriever, chunks: chunks, counter: counter, config: config}
}

// Spec implements tool.Tool.
func (t *Tool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: Name, Description: strings.TrimSpace(description), Parameters: json.RawMessage(parameters)}
}

// Guide implements tool.Tool.
func (t *Tool) Guide() string { return strings.TrimSpace(guide) }

// arguments of a call. Some models write the singular.
type arguments struct {
	Queries tool.Strings `json:"queries"`
	Query   tool.Strings `json:"query,omitempty"`
}

func parse(raw json.RawMessage, limit int) ([]string, error) {
	var a arguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	queries := append(a.Queries, a.Query...)
	return queries[:min(len(queries), limit)], nil
}

// Merge implements tool.Merger: the queries of all calls in one.
func (t *Tool) Merge(calls []json.RawMessage) (json.RawMessage, error) {
	var all tool.Strings
	seen := make(map[string]bool)
	for _, call := range calls {
		queries, err := parse(call, maxQueries)
		if err != nil {
			return nil, err
		}
		for _, q := range queries {
			if key := strings.ToLower(q); !seen[key] && len(all) < maxMerged {
				seen[key] = true
				all = append(all, q)
			}
		}
	}
	return json.Marshal(arguments{Queries: all})
}

// errNothingToSearch tells the model what to write.
var errNothingToSearch = errors.New(`there is nothing to search for: write {"queries": ["…"]}`)

// Run implements tool.Tool.
func (t *Tool) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	emit.Emit(packet.SearchStart{})
	own, err := parse(call.Arguments, maxMerged)
	if err != nil {
		return tool.Result{}, err
	}
	queries := t.queries(ctx, own, call.Scope)
	if len(queries) == 0 {
		return tool.Result{}, errNothingToSearch
	}
	texts := make([]string, len(queries))
	for i, q := range queries {
		texts[i] = q.Text
	}
	emit.Emit(packet.SearchQueries{Queries: told(texts)})
	found, err := t.retriever.Search(ctx, retrieve.Search{
		Audience: call.Scope.Audience, Queries: queries, Limit: t.config.Limit, Sources: call.Scope.Sources,
		Documents: call.Scope.Documents, FavorRecent: wantsRecent(call.Scope.Question), Now: call.Scope.Now,
	})
	if err != nil {
		return tool.Result{}, fmt.Errorf("the search did not work, so nothing is known about the documents: %w", err)
	}
	ran, err := json.Marshal(arguments{Queries: texts})
	if err != nil {
		return tool.Result{}, fmt.Errorf("note the queries: %w", err)
	}
	result := t.result(found, t.backfill(ctx, found, call.Scope), call.Scope)
	result.Arguments = ran
	account := found.Account()
	result.Search = &account
	emit.Emit(packet.SearchDocuments{Documents: shown(result)})
	return result, nil
}
