// Package web reads documents from web sites. It reads the pages in a sitemap, or follows links
// from page to page below an address. It supports HTML, PDF, Word, Markdown and plain text.
//
// It obeys robots.txt as "footnote", limits its request rate, and requests only changes. It never
// leaves the given address. It connects only to the public internet unless the operator lists a
// host.
package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/pattern"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind is the [document.Kind] of web sites.
const Kind document.Kind = "web"

// Options configure a Connector. Only URL is required.
type Options struct {
	// URL is the starting point: a folder ("https://docs.example.org/guide/"), a page in the
	// folder, or a sitemap. Only pages below the folder are read.
	URL string
	ACL access.ACL // readers of the documents; default members
	// AllowHosts lists hosts, addresses and networks that may be read although they are not on the
	// public internet.
	AllowHosts []string
	CAFile     string // PEM certificates that are trusted in addition to the system's
	// time between two requests; default 1 s, or more if robots.txt asks for more
	Interval time.Duration
	MaxBytes int64 // maximum size of a page; larger pages are failures; default 50 MB
	MaxPages int   // maximum number of pages; default 10,000
	// maximum number of links from the first page, without a sitemap; default 16
	MaxDepth    int
	MaxVariants int // maximum number of pages that differ only in their query; default 25
	// Include lists patterns of paths below the folder to index, such as "guide/**" and "*.html".
	// If empty, all pages are indexed. Without a sitemap, other pages are still read for their
	// links. "**" matches any folders. A pattern without a slash matches the last part of a path.
	Include    []string
	Exclude    []string         // patterns of paths that are never requested, even if included
	Politeness *Politeness      // rate limits that sources share; nil: this source has its own
	Now        func() time.Time // default time.Now
}

func (o Options) withDefaults() Options {
	if len(o.ACL) == 0 {
		o.ACL = access.ACL{access.Members}
	}
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 50 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Politeness == nil {
		o.Politeness = new(Politeness)
	}
	for _, field := range []struct {
		value     *int
		otherwise int
	}{{&o.MaxPages, 10_000}, {&o.MaxDepth, 16}, {&o.MaxVariants, 25}} {
		if *field.value <= 0 {
			*field.value = field.otherwise
		}
	}
	return o
}

// parallel is the number of concurrent requests. With two, a slow response does not delay the next
// request.
const parallel = 2

// Connector reads one web site. It keeps what it knows about pages only in the [index.Checkpoint].
type Connector struct {
	options Options
	scope   scope
	client  *http.Client
	guard   *outhttp.Guard
	source  document.Source
}

var _ index.Resumer = (*Connector)(nil)

// New returns a connector for options.URL. It sends no request. The error lists all invalid
// options.
func New(options Options) (*Connector, error) {
	options = options.withDefaults()
	where, err := newScope(options.URL)
	client, guard, clientErr := newClient("ALLOW_PRIVATE_HOSTS", options.AllowHosts, options.CAFile)
	if err := errors.Join(err, clientErr, pattern.List(options.Include).Check(), pattern.List(options.Exclude).Check()); err != nil {
		return nil, err
	}
	return &Connector{options: options, scope: where, client: client, guard: guard, source: where.source()}, nil
}

const headerTimeout = 30 * time.Second

func newClient(setting string, allow []string, caFile string) (*http.Client, *outhttp.Guard, error) {
	guard, err := outhttp.NewGuard(setting, allow)
	if err != nil {
		return nil, nil, fmt.Errorf("hosts that are allowed although they are not public: %w", err)
	}
	client, err := outhttp.New(outhttp.Config{Guard: guard, CAFile: caFile, UserAgent: agent, HeaderTimeout: headerTimeout, IdlePerHost: parallel})
	return client, guard, err
}

// SourceOf returns the source that a [Connector] for the address would have. All spellings of an
// address give the same source.
func SourceOf(address string) (document.Source, error) {
	where, err := newScope(address)
	if err != nil {
		return document.Source{}, err
	}
	return where.source(), nil
}

func (s scope) source() document.Source {
	return document.Source{ID: sourceID(s), Kind: Kind, Name: s.start.String()}
}

// sourceID derives the id of a source from the address. All processes therefore use the same
// document ids.
func sourceID(s scope) document.SourceID {
	sum := sha256.Sum256([]byte(s.start.Host + s.prefix))
	host := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, s.start.Hostname())
	return document.SourceID("web-" + strings.Trim(host, "-.") + "-" + hex.EncodeToString(sum[:4]))
}

// Source implements index.Connector. The source's name is the address.
func (c *Connector) Source() document.Source { return c.source }

// reading is the version of the rules that convert a page to a document. If it is raised, every
// page is read again.
const reading = 5

// Settings implements index.Connector.
func (c *Connector) Settings() string { return c.rules() + fmt.Sprintf(" %v", c.options.ACL) }

func (c *Connector) rules() string {
	return fmt.Sprintf("web %d %q %q", reading, c.options.Include, c.options.Exclude)
}

// Sync implements index.Connector. It sends conditional requests with the date and ETag of the
// known version of a page. It does not request a page that it has read after the page's date in the
// sitemap.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		run, err := c.newCrawl(ctx, since)
		if err != nil {
			yield(index.Batch{}, err)
			return
		}
		for {
			batch, err := run.next(ctx)
			if err != nil {
				yield(index.Batch{}, err)
				return
			}
			if !yield(batch, nil) || run.done {
				return
			}
		}
	}
}
