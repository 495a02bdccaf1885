// Package notion reads the pages of a Notion workspace that an integration can see, including the
// pages of databases.
//
// Notion has no API that returns the readers of a page
// (https://developers.notion.com/reference/page). The operator therefore lists readers for some
// pages and databases, called roots. The readers of a root may read everything below it, down to
// the next root. A page below no root is not read at all, and no one may read a root without a
// list. Each root is a node.
package notion

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind is the [document.Kind] of Notion workspaces.
const Kind document.Kind = "notion"

// Looks lists the kinds of changes that the connector detects, and which scan detects each of them.
// Notion does not report the members of groups.
var Looks = index.Looks{
	index.ChangeNode: {Documents: true}, index.ChangeMove: {Documents: true}, index.ChangeDeletion: {Documents: true},
}

// Options configure a Connector. Name and Readers are required.
type Options struct {
	Name string // name of the source
	// Readers maps each root to its readers, who may read everything below the root. A root is the
	// address or id of a page or database. If the list of readers is empty, no one may read.
	Readers map[string]access.ACL
	// Read returns a connector that parses the file at a local path. If nil, no files on pages are
	// read.
	Read     func(path string) (index.Connector, error)
	Wanted   func(name string) bool // reports whether a file may contain text; nil: all may
	MaxBytes int64                  // larger files are skipped; default 25 MB
}

// MostOfFile is the default size limit of files on pages, in bytes.
const MostOfFile = 25 << 20

// idForm matches an id at the end of an address, or an id alone. Dashes must be removed first.
var idForm = regexp.MustCompile(`(?:^|[^0-9a-f])([0-9a-f]{32})$`)

// ID returns the id of a page or database as 32 lower-case hex digits. It accepts an id with or
// without dashes, or an address, for example
// https://www.notion.so/acme/Handbook-0123456789abcdef0123456789abcdef.
func ID(address string) (string, error) {
	bare, query, _ := strings.Cut(strings.TrimSpace(address), "?")
	bare, _, _ = strings.Cut(bare, "#")
	for part := range strings.SplitSeq(query, "&") { // the address of a page in a side panel
		if inner, ok := strings.CutPrefix(part, "p="); ok {
			bare = inner
		}
	}
	bare = strings.ToLower(strings.TrimSuffix(bare, "/"))
	if len(bare) == 36 {
		bare = strings.ReplaceAll(bare, "-", "")
	}
	found := idForm.FindStringSubmatch(bare)
	if found == nil {
		return "", fmt.Errorf("%q names no page of Notion: copy its address (••• → Copy link), which ends with 32 letters and digits", address)
	}
	return found[1], nil
}

func bareID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

// Connector reads the pages of a Notion workspace, as configured by [Options].
type Connector struct {
	*crawl.Engine
	client  *Client
	options Options
	roots   map[string]access.ACL // readers of each root, by id
	source  document.Source
}

var (
	_ index.Resumer    = (*Connector)(nil)
	_ index.NodeReader = (*Connector)(nil)
	_ index.Waiter     = (*Connector)(nil)
)

// NewConnector returns a connector. It sends no request.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options.MaxBytes = cmp.Or(options.MaxBytes, MostOfFile)
	c := &Connector{client: client, options: options, roots: make(map[string]access.ACL), source: SourceOf(options.Name)}
	var faults []error
	if options.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	for _, address := range slices.Sorted(maps.Keys(options.Readers)) {
		id, err := ID(address)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if _, twice := c.roots[id]; twice {
			faults = append(faults, fmt.Errorf("the page %s is named twice: keep one of its lists", address))
		}
		c.roots[id] = options.Readers[address]
	}
	if len(c.roots) == 0 && len(faults) == 0 {
		faults = append(faults, errors.New("no page is named whose readers are known: name pages under readers, each with who may read it"))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("set up Notion: %w", err)
	}
	c.Engine = crawl.New(&vendor{Connector: c}, crawl.Options{Now: client.config.Now})
	return c, nil
}

// SourceOf returns the source that is configured under the given name. Its id is "notion-" plus the
// name.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("notion-" + name), Kind: Kind, Name: name}
}

// Waited implements index.Waiter. The time is the total for all connectors that share the [Client].
func (c *Connector) Waited() time.Duration { return c.client.http.Cost().Waited }

// reading is the version of the rules that convert a page to a document. If it is raised,
// everything is read again.
const reading = 3

func (c *Connector) node(root string) access.Principal { return access.Node(string(c.source.ID), root) }

func (c *Connector) id(page string) document.ID { return document.ID(string(c.source.ID) + ":" + page) }

func (c *Connector) pageOf(id document.ID) string {
	return strings.TrimPrefix(string(id), string(c.source.ID)+":")
}
