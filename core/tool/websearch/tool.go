// Package websearch implements the tool web_search, which searches the public web.
//
// A model writes the query, and the query is sent outside. So that a query cannot leak private
// content, the tool is withdrawn once the context contains anything that is not public. It stays
// withdrawn for the rest of the turn.
//
// Results are hostile text like any page. Results are truncated. A result with the address of an
// indexed document is dropped.
package websearch

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/openurl"
	"golang.org/x/sync/errgroup"
)

// Name is the name by which models call the tool.
const Name = "web_search"

const (
	maxQueries = 3     // of one call, merged calls included
	maxQuery   = 300   // characters of one query
	maxResults = 8     // of one call
	maxTitle   = 200   // characters
	maxText    = 1_500 // characters of the beginning of a page
	maxAddress = 2_000 // bytes
)

//go:embed description.md
var description string

//go:embed guide.md
var guide string

const parameters = `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3,` +
	`"description":"What to search the web for."}},"required":["queries"]}`

// Result is a page that a provider returned. All its text is untrusted.
type Result struct {
	URL       string
	Title     string
	Text      string    // beginning of the page, or the part that matches
	UpdatedAt time.Time // zero: unknown
}

// Provider searches the web. It is safe for concurrent use.
type Provider interface {
	// Search returns up to most pages, best first. The model reads the text of the error.
	Search(ctx context.Context, query string, most int) ([]Result, error)
}

// Allowance limits how often a person may search. It is safe for concurrent use.
type Allowance interface {
	// Take counts one search of a person. If the limit is reached, Take does not count the search
	// and returns the time until which the person must wait. Otherwise until is zero.
	Take(ctx context.Context, tenant access.TenantID, person string) (until time.Time, err error)
}

// Index is the index of the organisation's documents. It is safe for concurrent use. The methods
// are documented in openurl.Index.
type Index interface {
	openurl.Readers
	Addressed(ctx context.Context, audience access.Audience, sources []document.SourceID, addresses []string) (map[string]document.ID, error)
	Withheld(ctx context.Context, audience access.Audience, address string) (bool, error)
}

// Tool implements the tool web_search. It is safe for concurrent use.
type Tool struct {
	provider  Provider
	index     Index
	allowance Allowance
	counter   budget.Counter
}

var (
	_ tool.Tool        = (*Tool)(nil)
	_ tool.Merger      = (*Tool)(nil)
	_ tool.Withdrawing = (*Tool)(nil)
)

// New returns the tool. All arguments are required.
func New(provider Provider, index Index, allowance Allowance, counter budget.Counter) *Tool {
	return &Tool{provider, index, allowance, counter}
}

// Spec implements tool.Tool.
func (t *Tool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: Name, Description: strings.TrimSpace(description), Parameters: json.RawMessage(parameters)}
}

// Guide implements tool.Tool.
func (t *Tool) Guide() string { return strings.TrimSpace(guide) }

// Withdrawn implements tool.Withdrawing.
func (t *Tool) Withdrawn(ctx context.Context, scope tool.Scope) (bool, error) {
	return openurl.Private(ctx, t.index, scope)
}

// arguments holds the arguments of a call. Some models write query instead of queries, so both are
// accepted.
type arguments struct {
	Queries tool.Strings `json:"queries"`
	Query   tool.Strings `json:"query,omitempty"`
}

func parseQueries(raw json.RawMessage) ([]string, error) {
	var a arguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	var queries []string
	for _, q := range append(a.Queries, a.Query...) {
		if q = oneLine(q, maxQuery); q != "" && !slices.Contains(queries, q) && len(queries) < maxQueries {
			queries = append(queries, q)
		}
	}
	return queries, nil
}

// Merge implements tool.Merger. It joins the queries of all calls.
func (t *Tool) Merge(calls []json.RawMessage) (json.RawMessage, error) {
	var all arguments
	for _, call := range calls {
		queries, err := parseQueries(call)
		if err != nil {
			return nil, err
		}
		all.Queries = append(all.Queries, queries...)
	}
	return json.Marshal(all)
}

var (
	errNoQuery = errors.New(`there is no query: write {"queries": ["…"]}`)
	errPrivate = errors.New("the web cannot be searched while documents that are not public are in use: answer from the documents")
	errNothing = errors.New("the web search found no page: use other words, or answer without it")
)

// Run implements tool.Tool.
func (t *Tool) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	emit.Emit(packet.SearchStart{})
	queries, err := parseQueries(call.Arguments)
	if err != nil {
		return tool.Result{}, err
	}
	if len(queries) == 0 {
		return tool.Result{}, errNoQuery
	}
	private, err := t.Withdrawn(ctx, call.Scope)
	if err != nil {
		return tool.Result{}, fmt.Errorf("checking whether the web may be searched failed: %w", err)
	}
	if private {
		return tool.Result{}, errPrivate
	}
	var shown []string
	for _, q := range queries {
		shown = append(shown, "the web: "+q)
	}
	emit.Emit(packet.SearchQueries{Queries: shown})
	found, sent, failed := t.searchProvider(ctx, queries, call.Scope)
	var account *retrieve.Account // of the queries that were sent, even without results
	if len(sent) > 0 {
		account = &retrieve.Account{Trace: retrieve.Trace{Queries: sent, Web: true}}
	}
	kept, err := t.filterResults(ctx, found, call.Scope)
	if err != nil {
		return tool.Result{Search: account}, fmt.Errorf("checking the results failed: %w", err)
	}
	if len(kept) == 0 {
		return tool.Result{Search: account}, errors.Join(failed, errNothing)
	}
	result := t.buildResult(kept, failed, call.Scope)
	result.Search = account
	account.Evidence = true
	for _, r := range result.References {
		account.Found = append(account.Found, retrieve.Found{Document: r.Document.ID, Title: r.Document.Title})
	}
	var documents []packet.Document
	for _, r := range message.Distinct(result.References) {
		documents = append(documents, packet.DocumentOf(r.Document, "", 0))
	}
	emit.Emit(packet.SearchDocuments{Documents: documents})
	return result, nil
}

// searchProvider runs the queries that the person's quota allows, and returns them in sent. The
// results begin with the first result of each query, then the second of each, and so on.
func (t *Tool) searchProvider(ctx context.Context, queries []string, scope tool.Scope) (found []Result, sent []string, failed error) {
	all, errs, asked := make([][]Result, len(queries)), make([]error, len(queries)), make([]bool, len(queries))
	var group errgroup.Group
	for i, q := range queries {
		group.Go(func() error {
			until, err := t.allowance.Take(ctx, scope.Audience.Tenant(), scope.Asker)
			switch {
			case err != nil:
				errs[i] = errors.New("checking the quota failed, so the web was not searched")
			case !until.IsZero():
				errs[i] = fmt.Errorf("the person's daily quota of web searches is used up; the next search is possible at %s UTC", until.UTC().Format("15:04"))
			default:
				asked[i] = true
				all[i], errs[i] = t.provider.Search(ctx, q, maxResults)
			}
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors: each query has its own
	for place := range maxResults {
		for _, results := range all {
			if place < len(results) {
				found = append(found, results[place])
			}
		}
	}
	for i, q := range queries {
		if asked[i] {
			sent = append(sent, q)
		}
	}
	return found, sent, errors.Join(errs...)
}

// filterResults drops duplicates and results that are not web pages. It also drops pages that are
// indexed, because these are read from the index with the audience's permissions.
func (t *Tool) filterResults(ctx context.Context, found []Result, scope tool.Scope) (kept []Result, err error) {
	seen := make(map[string]bool)
	for _, r := range found {
		address, ok := normaliseURL(r.URL)
		if !ok || seen[address] {
			continue
		}
		seen[address] = true
		r.URL, r.Title, r.Text = address, oneLine(r.Title, maxTitle), oneLine(r.Text, maxText)
		if r.Title == "" {
			r.Title = address
		}
		if r.Text == "" {
			r.Text = r.Title
		}
		withheld, err := t.index.Withheld(ctx, scope.Audience, address)
		if err != nil {
			return nil, err
		}
		if !withheld {
			kept = append(kept, r)
		}
	}
	var addresses []string
	for _, r := range kept {
		addresses = append(addresses, r.URL)
	}
	if len(addresses) == 0 {
		return nil, nil
	}
	indexed, err := t.index.Addressed(ctx, scope.Audience, nil, addresses)
	if err != nil {
		return nil, err
	}
	kept = slices.DeleteFunc(kept, func(r Result) bool { _, ok := indexed[r.URL]; return ok })
	return kept[:min(len(kept), maxResults)], nil
}

// normaliseURL returns a web address without its fragment. It returns false for any other address.
func normaliseURL(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > maxAddress || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return "", false
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String(), true
}

func oneLine(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
	return cite.Cut(strings.Join(strings.Fields(text), " "), most)
}

// part is the value of [cite.Source.Part] for an excerpt from a web search. The whole page has
// another value, so that both have separate footnotes.
const part = "found"

func (t *Tool) buildResult(pages []Result, failed error, scope tool.Scope) tool.Result {
	result := tool.Result{Citable: true, Evidence: true}
	var docs []tool.Document
	left := scope.Budget
	for _, p := range pages {
		if scope.Budget > 0 {
			if left -= t.counter.Count(p.Title + p.URL + p.Text); left < 0 && len(docs) > 0 {
				break
			}
		}
		ref := document.Ref{
			ID: openurl.PageID(p.URL), Source: openurl.SourceWeb, Kind: "web", Title: p.Title, URL: p.URL, UpdatedAt: p.UpdatedAt,
		}
		number := scope.Citations.Add(cite.Source{Document: ref.ID, Part: part, Title: ref.Title, URL: ref.URL, Kind: string(ref.Kind)})
		doc := tool.Document{
			Number: number, Page: scope.Citations.Page(ref.ID), Title: ref.Title, URL: ref.URL, Source: "web", Contents: p.Text,
		}
		if !p.UpdatedAt.IsZero() {
			doc.Updated = p.UpdatedAt.Format(time.DateOnly)
		}
		docs = append(docs, doc)
		result.References = append(result.References, message.Reference{Number: number, Document: ref, Text: p.Text, Part: part})
	}
	note := ""
	if failed != nil {
		note = "Not every query was answered: " + strings.ReplaceAll(failed.Error(), "\n", "; ")
	}
	result.Content = tool.DocumentsJSON(docs, note)
	return result
}
