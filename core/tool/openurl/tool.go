// Package openurl implements the tool open_url, which opens pages and documents by their addresses.
//
// Hostile text can persuade a model to open an address that carries private data. So the tool opens
// only addresses that appear literally in retrieved documents or in people's messages, or that are
// on the operator's list. Once the context contains anything that is not public, it opens only
// addresses on that list. Every redirect is checked in the same way.
//
// Documents of the index are found by address and read from the index with the audience's
// permissions, so that nothing is sent outside. A document that the audience may not read is not
// fetched from its site either, in any spelling of its address.
package openurl

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"golang.org/x/sync/errgroup"
)

// Name is the name by which models call the tool.
const Name = "open_url"

const (
	maxURLs  = 10      // of one call, merged calls included
	maxPage  = 15_000  // characters of one page
	maxTotal = 150_000 // characters of one result
	parallel = 5       // pages that are read at once
)

//go:embed description.md
var description string

//go:embed guide.md
var guide string

const parameters = `{"type":"object","properties":{"urls":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":10,` +
	`"description":"Addresses, exactly as written in the conversation or in the documents."}},"required":["urls"]}`

// Page is a web page, converted to readable text.
type Page struct {
	URL       string // after redirects
	Title     string
	Text      string
	UpdatedAt time.Time
}

// Hop is an address that is about to be requested. It is the given address or the target of a
// redirect.
type Hop struct {
	Address string
	Private bool // its host can be reached only because it is on the operator's list
}

// Permit returns the reason why an address may not be requested, as the end of a sentence. nil
// allows the request. Permit is called once per hop, in order.
type Permit func(ctx context.Context, hop Hop) error

// Fetcher fetches web pages. It must block requests to private networks. It is safe for concurrent
// use.
type Fetcher interface {
	// Fetch fetches one page. It calls permit for the address and for every redirect before it
	// sends the request. The model reads the text of the error.
	Fetch(ctx context.Context, url string, permit Permit) (Page, error)
}

// Index is the index of the organisation's documents. It is safe for concurrent use.
type Index interface {
	// Readable returns the documents that exist and that everyone in the audience may read now.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	// Addressed returns the documents that have exactly one of the addresses and that everyone in
	// the audience may read now. sources restricts the search. If sources is nil, it searches all
	// sources.
	Addressed(ctx context.Context, audience access.Audience, sources []document.SourceID, addresses []string) (map[string]document.ID, error)
	// Withheld reports whether an address belongs to a document that someone in the audience may
	// not read now. It accepts any spelling of the address.
	Withheld(ctx context.Context, audience access.Audience, address string) (bool, error)
	// Excerpts returns the chunks of documents that the audience may read, ordered by document and
	// position.
	Excerpts(ctx context.Context, audience access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error)
}

// Tool implements the tool open_url. It is safe for concurrent use.
type Tool struct {
	fetcher Fetcher
	index   Index
	counter budget.Counter
	allow   Allow
}

var (
	_ tool.Tool   = (*Tool)(nil)
	_ tool.Merger = (*Tool)(nil)
)

// New returns the tool. The addresses in allow may always be opened. The zero Allow contains no
// addresses.
func New(fetcher Fetcher, index Index, counter budget.Counter, allow Allow) *Tool {
	return &Tool{fetcher: fetcher, index: index, counter: counter, allow: allow}
}

// Spec implements tool.Tool.
func (t *Tool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: Name, Description: strings.TrimSpace(description), Parameters: json.RawMessage(parameters)}
}

// Guide implements tool.Tool.
func (t *Tool) Guide() string { return strings.TrimSpace(guide) }

// arguments holds the arguments of a call. Some models write url instead of urls, so both are
// accepted.
type arguments struct {
	URLs tool.Strings `json:"urls"`
	URL  tool.Strings `json:"url,omitempty"`
}

func parseURLs(raw json.RawMessage) ([]string, error) {
	var a arguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("urls: %w", err)
	}
	return append(a.URLs, a.URL...), nil
}

// Merge implements tool.Merger. It joins the addresses of all calls.
func (t *Tool) Merge(calls []json.RawMessage) (json.RawMessage, error) {
	var all tool.Strings
	for _, call := range calls {
		urls, err := parseURLs(call)
		if err != nil {
			return nil, err
		}
		for _, u := range urls {
			if !slices.Contains(all, u) && len(all) < maxURLs {
				all = append(all, u)
			}
		}
	}
	return json.Marshal(arguments{URLs: all})
}

var errNoAddress = errors.New(`there is no address: write {"urls": ["https://…"]}`)

// Run implements tool.Tool.
func (t *Tool) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	emit.Emit(packet.OpenURLStart{})
	urls, err := parseURLs(call.Arguments)
	if err != nil {
		return tool.Result{}, err
	}
	if len(urls) == 0 {
		return tool.Result{}, errNoAddress
	}
	urls = urls[:min(len(urls), maxURLs)]
	emit.Emit(packet.OpenURLAddresses{URLs: urls})
	rules, err := t.turnRules(ctx, call.Scope)
	if err == nil {
		err = t.findIndexed(ctx, urls, &rules, call.Scope)
	}
	if err != nil {
		return tool.Result{}, fmt.Errorf("checking what may be opened failed: %w", err)
	}
	opened := make([]openedPage, len(urls))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, u := range urls {
		group.Go(func() error {
			opened[i] = t.openAddress(ctx, u, rules, call.Scope)
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors: each address has its own
	result, err := t.buildResult(opened, call.Scope)
	if err != nil {
		return tool.Result{}, err
	}
	var shown []packet.Document
	for _, r := range result.References {
		shown = append(shown, packet.DocumentOf(r.Document, "", 0))
	}
	emit.Emit(packet.OpenURLDocuments{Documents: shown})
	return result, nil
}
