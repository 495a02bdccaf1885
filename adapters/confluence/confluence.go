// Package confluence reads the spaces of a Confluence site, on Confluence Cloud or Data Center:
// pages, blog posts and, optionally, comments and attached files.
//
// A reader of a page must be able to use the site and view the page's space. If the page is
// restricted, the page's list must include the reader. The same holds for every restricted page or
// folder above the page
// (https://support.atlassian.com/confluence-cloud/docs/add-or-remove-page-restrictions/). Each
// space is a node. Each restricted page or folder is a node within the nearest restricted page or
// folder above it, or within the space. A document names its nearest node.
package confluence

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind is the [document.Kind] of Confluence sites.
const Kind document.Kind = "confluence"

// Common holds the options that all Atlassian sources share.
type Common = atlassian.Options

// Options configure a Connector. Zero fields get their defaults.
type Options struct {
	// If Users is empty, members of groups whose names begin with "confluence-users" may use the
	// site.
	Common
	Spaces []string // keys of the spaces to read; empty: all except personal ones
	// Personal includes personal spaces, if no keys are given.
	Personal bool
}

// SweepEvery is the default interval between full scans.
const SweepEvery = atlassian.SweepEvery

// Looks states which scan notices each kind of change.
var Looks = index.Looks{
	index.ChangeMember: {}, index.ChangeAccount: {}, index.ChangeNode: {},
	index.ChangeDocument: {Documents: true, Sweep: SweepEvery},
	index.ChangeMove:     {Documents: true, Sweep: SweepEvery},
	index.ChangeDeletion: {Documents: true, Sweep: SweepEvery},
}

// keyForm matches the keys that Confluence allows: letters and digits, with a tilde before the key
// of a personal space (https://support.atlassian.com/confluence-cloud/docs/choose-a-space-key/). On
// Data Center, the key of a personal space contains the account's name.
var keyForm = regexp.MustCompile(`^(?:[A-Za-z0-9]{1,255}|~[A-Za-z0-9._@-]{1,254})$`)

func (o Options) validate() error {
	faults := []error{o.Validate()}
	for _, key := range o.Spaces {
		if !keyForm.MatchString(key) {
			faults = append(faults, fmt.Errorf("%q is not the key of a space: it stands in the space's address, such as ENG in …/spaces/ENG/overview", key))
		}
	}
	return errors.Join(faults...)
}

// Connector reads the spaces of a Confluence site that [Options] select.
type Connector struct {
	*crawl.Engine
	client  *Client
	options Options
	source  document.Source
}

var (
	_ index.Resumer = (*Connector)(nil)
	_ index.Waiter  = (*Connector)(nil)
)

// Waited implements index.Waiter. The time is the total for all connectors that share the [Client].
func (c *Connector) Waited() time.Duration { return c.client.Cost().Waited }

// NewConnector returns a connector. It sends no request.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options.Common = options.WithDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Confluence: %w", err)
	}
	c := &Connector{client: client, options: options, source: SourceOf(options.Name)}
	c.Engine = crawl.New(&vendor{Connector: c}, crawl.Options{Now: client.Config.Now})
	return c, nil
}

// SourceOf returns the source that is configured under the given name. Its id is "confluence-" plus
// the name.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("confluence-" + name), Kind: Kind, Name: name}
}

// reading is the version of the rules that convert a page to a document. If it is raised,
// everything is read again.
const reading = 1

// spaceNode is the prefix of the [index.Node] id of a space: "space:12".
const spaceNode = "space:"

func (c *Connector) node(id string) access.Principal { return access.Node(string(c.source.ID), id) }

const kindGroup = "group"

func (c *Connector) group(id string) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindGroup, id)
}

func (c *Connector) person(id string) access.Principal {
	return access.SourceGroup(string(c.source.ID), access.SourcePerson, id)
}
