// Package websearch implements the tool web_search, which searches the public web.
//
// A model writes the query, and the query is sent outside. So the tool is withdrawn for the rest of
// a turn once the context contains anything that is not public: then no query can leak it. Results
// are hostile text like any page. They are truncated, and a result with the address of an indexed
// document is dropped.
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

// Name is how models call the tool.
const Name = "web_search"

const (
	maxQueries = 3     // of one call, merged calls included
	maxQuery   = 300   // characters of one
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

// Result is a page that a provider found. All its text is untrusted.
type Result struct {
	URL       string
	Title     string
	Text      string    // its beginning, or what of it matches
	UpdatedAt time.Time // zero: not known
}

// Provider searches the web. It is safe for concurrent use.
type Provider interface {
	// Search returns at most most pages, best first. The model reads the error's text.
	Search(ctx context.Context, query string, most int) ([]Result, error)
}

// Allowance limits how often people may search. It is safe for concurrent use.
type Allowance interface {
	// Take counts one search of a person. If until is not zero, it counted nothing, and the person
	// may search again at that time.
	Take(ctx context.Context, tenant access.TenantID, person string) (until time.Time, err error)
}

// Index is the index of the organisation's documents. It is safe for concurrent use. openurl.Index
// documents its methods.
type Index interface {
	openurl.Readers
	Addressed(ctx context.Context, audience access.Audience, sources []document.SourceID, addresses []string) (map[string]document.ID, error)
	Withheld(ctx context.Context, audience access.Audience, address string) (bool, error)
}

// Tool implements web_search. It is safe for concurrent use.
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

// arguments of a call. Some models write the singular.
type arguments struct {
	Queries tool.Strings `json:"queries"`
	Query   tool.Strings `json:"query,omitempty"`
}

func parse(raw json.RawMessage) ([]string, error) {
	var a arguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	var queries []string
	for _, q := range append(a.Queries, a.Query...) {
		if q = line(q, maxQuery); q != "" && !slices.Contains(queries, q) && len(queries) < maxQueries {
			queries = append(queries, q)
		}
	}
	return queries, nil
}

// Merge implements tool.Merger: it joins the queries of all calls.
func (t *Tool) Merge(calls []json.RawMessage) (json.RawMessage, error) {
	var all arguments
	for _, call := range calls {
		queries, err := parse(call)
		if err != nil {
			return nil, err
		}
		all.Queries = append(all.Queries, queries...)
	}
	return json.Marshal(all)
}

var (
	errNoQuery = errors.New(`there is no query: write {"queries": ["…"]}`)
	errPrivate = errors.New("documents that are not public are in use, and then the web cannot be searched: answer from the documents")
	errNothing = errors.New("the web search found no page: use other words, or go on without it")
)

// Run implements tool.Tool.
func (t *Tool) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	emit.Emit(packet.SearchStart{})
	queries, err := parse(call.Arguments)
	if err != nil {
		return tool.Result{}, err
	}
	if len(queries) == 0 {
		return tool.Result{}, errNoQuery
	}
	private, err := t.Withdrawn(ctx, call.Scope)
	if err != nil {
		return tool.Result{}, fmt.Errorf("it could not be found out whether the web may be searched: %w", err)
	}
	if private {
		return tool.Result{}, errPrivate
	}
	var shown []string
	for _, q := range queries {
		shown = append(shown, "the web: "+q)
	}
	emit.Emit(packet.SearchQueries{Queries: shown})
	found, sent, failed := t.search(ctx, queries, call.Scope)
	var account *retrieve.Account // of what left the house, also where nothing came of it
	if len(sent) > 0 {
		account = &retrieve.Account{Trace: retrieve.Trace{Queries: sent, Web: true}}
	}
	kept, err := t.own(ctx, found, call.Scope)
	if err != nil {
		return tool.Result{Search: account}, fmt.Errorf("it could not be found out what may be shown: %w", err)
	}
	if len(kept) == 0 {
		return tool.Result{Search: account}, errors.Join(failed, errNothing)
	}
	result := t.result(kept, failed, call.Scope)
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

// search sends the provider the queries that the person may still make, and returns these. Results
// of all queries alternate: the first of each, then the second of each.
func (t *Tool) search(ctx context.Context, queries []string, scope tool.Scope) (found []Result, sent []string, failed error) {
	all, errs, asked := make([][]Result, len(queries)), make([]error, len(queries)), make([]bool, len(queries))
	var group errgroup.Group
	for i, q := range queries {
		group.Go(func() error {
			until, err := t.allowance.Take(ctx, scope.Audience.Tenant(), scope.Asker)
			switch {
			case err != nil:
				errs[i] = errors.New("it could not be counted, so the web was not searched")
			case !until.IsZero():
				errs[i] = fmt.Errorf("this person has searched the web as often as one may in a day; the next search is possible at %s UTC", until.UTC().Format("15:04"))
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

// own drops what is no page of the web, what comes twice, and what claims the address of a document
// of the index: that is read there, as far as the audience may.
func (t *Tool) own(ctx context.Context, found []Result, scope tool.Scope) (kept []Result, err error) {
	seen := make(map[string]bool)
	for _, r := range found {
		address, ok := page(r.URL)
		if !ok || seen[address] {
			continue
		}
		seen[address] = true
		r.URL, r.Title, r.Text = address, line(r.Title, maxTitle), line(r.Text, maxText)
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

// page is an address that can be one of the web, without its fragment.
func page(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > maxAddress || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return "", false
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String(), true
}

// line is a text on one line without control characters, in at most so many characters.
func line(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
	return cite.Cut(strings.Join(strings.Fields(text), " "), most)
}

// part is the part of a passage that a web search found: the page itself is another.
const part = "found"

// result is what the model reads, as far as there is room.
func (t *Tool) result(pages []Result, failed error, scope tool.Scope) tool.Result {
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
