package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/core/document"
)

// Page is one web page as readable text.
type Page struct {
	URL       string // after redirects
	Title     string
	Text      string // plain text or Markdown, without navigation, scripts and styling
	UpdatedAt time.Time
}

// Permit returns nil if an address may be requested, and otherwise the reason why not, as the end
// of a sentence. private is true if the host may be in a private network that the operator has
// allowed.
type Permit func(ctx context.Context, address string, private bool) error

// FetcherOptions configure a Fetcher. Zero fields get their defaults.
type FetcherOptions struct {
	// AllowHosts lists hosts, addresses and networks that are fetched although they are not on the
	// public internet (OPEN_URL_PRIVATE_HOSTS).
	AllowHosts []string
	CAFile     string // PEM certificates that are trusted in addition to the system's
	MaxBytes   int64  // maximum size of a page; default 5 MB
}

// Fetcher fetches single pages whose addresses come from people or documents. It connects only to
// public addresses and follows few redirects, none from https to http. It sends no cookies and no
// referrer. It is safe for concurrent use.
type Fetcher struct {
	client   *http.Client
	guard    *outhttp.Guard
	maxBytes int64
}

// NewFetcher returns a fetcher. It sends no request.
func NewFetcher(o FetcherOptions) (*Fetcher, error) {
	client, guard, err := newClient("OPEN_URL_PRIVATE_HOSTS", o.AllowHosts, o.CAFile)
	if err != nil {
		return nil, err
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 5 << 20
	}
	return &Fetcher{client, guard, o.MaxBytes}, nil
}

// Fetch fetches a page with one attempt. It does not wait if a site asks for a later retry. It ends
// after a minute, or when ctx is done. It calls permit for the address and for every redirect
// before it sends the request. The text of an error is a sentence for the model and for people.
func (f *Fetcher) Fetch(ctx context.Context, address string, permit Permit) (Page, error) {
	at, err := url.Parse(strings.TrimSpace(address))
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return Page{}, fmt.Errorf("%q is not an address of the web: it must begin with https:// or http://", address)
	}
	if at.User != nil {
		return Page{}, errors.New("the address holds a user or a password: leave it out")
	}
	at.Fragment = ""
	allowed := func(ctx context.Context, hop *url.URL) error {
		return permit(ctx, hop.String(), f.guard.Private(ctx, hop.Hostname()))
	}
	if err := allowed(ctx, at); err != nil {
		return Page{}, err
	}
	s := &site{client: f.client}
	got, err := s.once(ctx, request{address: at, limit: f.maxBytes, permit: allowed})
	if err != nil {
		return Page{}, fmt.Errorf("%s could not be read: %w", at, err)
	}
	kind := formatOf(got.header.Get("Content-Type"), got.address)
	if kind == unread {
		return Page{}, fmt.Errorf("%s could not be read: it holds %s, and only HTML, PDF, Word documents, Markdown and plain text can be read", at, contentKind(got.header))
	}
	content, err := kind.parse(ctx, got)
	if err != nil {
		return Page{}, fmt.Errorf("%s could not be read: %w", at, err)
	}
	d := build(got.address, content, statedDate("", got.header))
	page := Page{URL: d.URL, Title: d.Title, Text: text(d), UpdatedAt: d.UpdatedAt}
	if page.Text == "" {
		return page, fmt.Errorf("%s holds no text: it may need a browser that runs scripts", at)
	}
	return page, nil
}

func text(d document.Document) string { return strings.TrimSpace(d.Text()) }
