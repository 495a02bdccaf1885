// Package search implements the tool internal_search, with which a model searches the
// organisation's documents. The package decides which queries the index receives and which numbers
// results have. It also decides which passages of earlier turns are reused.
package search

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// Name is the name by which models call the tool.
const Name = "internal_search"

const (
	maxQueries = 3 // of one call
	maxMerged  = 6 // of merged calls
)

//go:embed description.md
var description string

//go:embed guide.md
var guide string

const parameters = `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3,` +
	`"description":"One to three different queries, each complete in itself."},` +
	`"page":{"type":"integer","minimum":1,"description":"2, 3 and so on: the passages after those of the page before, for the same queries. Leave it out otherwise."},` +
	`"period":{"type":"string","description":"Only documents dated then, such as \"last quarter\", \"before March\" or \"since the release\". Leave it out unless the question asks for documents, or for news, of a time."},` +
	`"sources":{"type":"array","items":{"type":"string"},"description":"Only these sources or kinds of sources, as they are listed above the question. Leave it out unless the question is about one of them."},` +
	`"authors":{"type":"array","items":{"type":"string"},"description":"Only documents that one of these people wrote. Leave it out unless the question asks for what a person wrote."}},"required":["queries"]}`

// Chunks reads indexed passages. Implementations are safe for concurrent use.
type Chunks interface {
	// Chunks returns the chunks that still exist and that the audience may read now, in any order.
	Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error)
}

// Config configures a Tool. Zero fields take the stated defaults.
type Config struct {
	Fast llm.Model     // rewrites and expands queries; nil: only Standalone does
	Wait time.Duration // maximum wait for Fast: 5 s
	// number of passages to which earlier answers fill up the first search of a turn; the default
	// is budget.DefaultSources
	Window int
	// SEARCH_RESULT_SHARE: the maximum share of the model's window for the documents of one result;
	// the default is DefaultShare
	Share   float64
	History int // earlier turns whose passages may be reused: 5
	// graph of document authors and replacements; may be nil
	Graph knowledge.Graph
	// List lists the searchable sources of an audience as they are now; nil: only Scope.Catalogue
	// counts
	List   func(context.Context, access.Audience) ([]tool.Source, error)
	Logger *slog.Logger // nil: silent
}

// DefaultShare is the default maximum share of a model's window for one result. The rest has room
// for another search and the answer.
const DefaultShare = 0.4

// Tool implements internal_search. It is safe for concurrent use.
type Tool struct {
	retriever retrieve.Retriever
	chunks    Chunks
	counter   budget.Counter
	config    Config
}

// Failure reports a failed search. The model reads its text, which reveals no internals such as the
// address of the index.
type Failure struct{ cause error }

func (*Failure) Error() string {
	return "the search did not work, so nothing is known about the documents; say that, and that asking again later may help"
}

func (f *Failure) Unwrap() error { return f.cause }

var (
	_ tool.Tool   = (*Tool)(nil)
	_ tool.Merger = (*Tool)(nil)
)

// New returns the tool. If chunks is nil, passages of earlier turns are not reused.
func New(retriever retrieve.Retriever, chunks Chunks, counter budget.Counter, config Config) *Tool {
	if config.Wait <= 0 {
		config.Wait = 5 * time.Second
	}
	if config.Window <= 0 {
		config.Window = budget.DefaultSources
	}
	if config.Share <= 0 || config.Share > 1 {
		config.Share = DefaultShare
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

// arguments holds the arguments of a call. Some models write query instead of queries, so both are
// accepted.
type arguments struct {
	Queries tool.Strings `json:"queries"`
	Query   tool.Strings `json:"query,omitempty"`
	Page    tool.Integer `json:"page,omitempty"`
	Period  string       `json:"period,omitempty"`
	Sources tool.Strings `json:"sources,omitempty"`
	Authors tool.Strings `json:"authors,omitempty"`

	dropped []string // queries beyond the limit of one call
}

func parseArguments(raw json.RawMessage, limit int) (a arguments, err error) {
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("queries: %w", err)
	}
	a.Queries, a.Query, a.Page = append(a.Queries, a.Query...), nil, max(a.Page, 1)
	most := min(len(a.Queries), limit)
	a.Queries, a.dropped, a.Period = a.Queries[:most], a.Queries[most:], strings.TrimSpace(a.Period)
	return a, nil
}

func (a arguments) rankingKey() []string {
	key := slices.Clone([]string(a.Queries))
	if len(key) == 0 {
		return key
	}
	if a.Period != "" {
		key = append(key, "period: "+a.Period)
	}
	if len(a.Sources) > 0 {
		key = append(key, "sources: "+strings.Join(a.Sources, ", "))
	}
	if len(a.Authors) > 0 {
		key = append(key, "authors: "+strings.Join(a.Authors, ", "))
	}
	return key
}

var (
	errFurtherPage = errors.New("calls for a further page are not merged")
	errFilters     = errors.New("calls for documents of different times, sources or authors are not merged")
)

// Merge implements tool.Merger. It joins the queries of all calls.
func (t *Tool) Merge(calls []json.RawMessage) (json.RawMessage, error) {
	var all tool.Strings
	seen := make(map[string]bool)
	var filters arguments // filters of the first call
	for i, call := range calls {
		a, err := parseArguments(call, maxQueries)
		if err != nil {
			return nil, err
		}
		if a.Page > 1 {
			return nil, errFurtherPage
		}
		if i > 0 && (a.Period != filters.Period || !slices.Equal(a.Sources, filters.Sources) || !slices.Equal(a.Authors, filters.Authors)) {
			return nil, errFilters
		}
		filters = a
		for _, q := range a.Queries {
			if key := strings.ToLower(q); !seen[key] && len(all) < maxMerged {
				seen[key] = true
				all = append(all, q)
			}
		}
	}
	return json.Marshal(arguments{Queries: all, Period: filters.Period, Sources: filters.Sources, Authors: filters.Authors})
}

var errNothingToSearch = errors.New(`there is nothing to search for: write {"queries": ["…"]}`)

// Run implements tool.Tool. For a page after the first, it continues the stored search. If the
// search is no longer stored, it searches again.
func (t *Tool) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (result tool.Result, err error) {
	emit.Emit(packet.SearchStart{})
	defer func() {
		if err == nil {
			emit.Emit(packet.SearchDocuments{Documents: shownDocuments(result)})
		}
	}()
	scope := call.Scope
	asked, err := parseArguments(call.Arguments, maxMerged)
	if err != nil {
		return tool.Result{}, err
	}
	own, page := []string(asked.Queries), int(asked.Page)
	if scope.Now.IsZero() {
		scope.Now = time.Now()
	}
	if err := t.narrow(ctx, asked.Sources, &scope); err != nil {
		return tool.Result{}, err
	}
	if result, kept, err := t.furtherPage(ctx, asked.rankingKey(), page, scope, emit); kept || err != nil {
		return result, err
	}
	if scope.Documents, err = t.writtenBy(ctx, asked.Authors, scope); err != nil {
		return tool.Result{}, err
	}
	queries := t.indexQueries(ctx, own, scope)
	if len(queries) == 0 {
		return tool.Result{}, errNothingToSearch
	}
	dates, err := t.searchPeriod(ctx, asked, scope)
	if err != nil {
		return tool.Result{}, err
	}
	queries = removeDateWords(queries, dates, scope.Now)
	texts := make([]string, len(queries))
	for i, q := range queries {
		texts[i] = q.Text
	}
	emit.Emit(packet.SearchQueries{Queries: displayQueries(texts)})
	keep := 0
	if t.chunks != nil && scope.Rankings != nil {
		keep = retrieve.RankingDepth
	}
	found, err := t.searchOrUndated(ctx, retrieve.Search{
		Audience: scope.Audience, Queries: queries, Except: shownBefore(scope), Keep: keep, Sources: scope.Sources,
		Documents: scope.Documents, FavorRecent: wantsRecent(scope.Question) || !dates.From.IsZero(), Now: scope.Now, From: dates.From, To: dates.To,
	})
	if err != nil {
		if ctx.Err() == nil {
			t.config.Logger.ErrorContext(ctx, "search failed", "error", err)
		}
		return tool.Result{}, &Failure{err}
	}
	ran, err := json.Marshal(arguments{Queries: texts, Period: asked.Period, Sources: asked.Sources, Authors: asked.Authors})
	if err != nil {
		return tool.Result{}, fmt.Errorf("note the queries: %w", err)
	}
	if scope.Passages > 0 {
		found.Hits = found.Hits[:min(len(found.Hits), scope.Passages)]
	}
	scope.Rankings.Keep(found.Ranking, texts, asked.rankingKey())
	if page > 1 && found.Ranking != nil {
		return t.rankingPage(ctx, found.Ranking, 0, page, scope)
	}
	var earlier []retrieve.Hit
	// only searches without filters are filled up
	if dates.Open() && len(asked.Authors) == 0 && scope.Passages == 0 {
		earlier = t.backfill(ctx, found, scope)
	}
	result, left := t.buildResult(ctx, found, earlier, scope, asked.dropped)
	if found.Ranking != nil {
		scope.Rankings.SetNext(found.Ranking, 1, nextStart(found.Ranking, 0, left))
	}
	account := found.Account()
	result.Arguments, result.Search = ran, &account
	return result, nil
}
