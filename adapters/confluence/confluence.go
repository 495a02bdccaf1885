// Package confluence reads the spaces of a Confluence site, of Confluence Cloud or Data Center: pages, blog posts and, by choice, comments and attached
// files.
//
// Who may read a page is who may use the site, may view its space, is on the list of every restricted page or folder above it, and on its own
// (https://support.atlassian.com/confluence-cloud/docs/add-or-remove-page-restrictions/). Each space and each restricted content is a node, the latter within
// the next one above it. A document names the node that is nearest to it.
package confluence

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind of the sources that this package reads.
const Kind document.Kind = "confluence"

// Options of a Connector. Zero fields get their defaults.
type Options struct {
	Name        string   // of the source
	Spaces      []string // keys of the spaces to read; none: all but personal ones
	Personal    bool     // personal spaces are read too, where no keys are given
	Comments    bool
	Attachments bool
	// ACL is who may read anything of the source, beside what Confluence says: one more condition. Nil: there is none.
	ACL access.ACL
	// Users are names of the groups whose members may use the site at all. None: those whose names begin with "confluence-users", which are Confluence's
	// own.
	Users []string
	// Anonymous is who may read what everybody on the internet can: access.Members, access.Public, or empty for nobody beside those whom the space names.
	Anonymous access.Principal
	// Domains are those that the organisation has verified at Atlassian, so that accounts with an address below them are its own ("managed"). Addresses
	// of other accounts are not used.
	Domains []string

	Overlap    time.Duration // how much of what was read already a reading by date repeats; 30 min
	SweepEvery time.Duration // after how long everything is looked at for what was deleted, moved or restricted; 30 min
	Forget     time.Duration // after how long the documents of a space that cannot be seen any more are removed; 7 days
	// Read returns the connector of one file on this machine, for attached files; nil: none are read.
	Read     func(path string) (index.Connector, error)
	Wanted   func(name string) bool // whether a file may hold a document, by its name; all of them if nil
	MaxBytes int64                  // larger files are left out; 25 MB
}

const day = 24 * time.Hour

// SweepEvery is after how long everything is looked at, unless Options say otherwise: until then a page that was restricted or moved may be shown to those
// who could read it before.
const SweepEvery = 30 * time.Minute

// MostOfFile is how large an attached file may be that is read, unless Options say otherwise.
const MostOfFile = 25 << 20

func (o Options) withDefaults() Options {
	o.Overlap, o.SweepEvery, o.Forget = cmp.Or(o.Overlap, 30*time.Minute), cmp.Or(o.SweepEvery, SweepEvery), cmp.Or(o.Forget, 7*day)
	o.MaxBytes = cmp.Or(o.MaxBytes, MostOfFile)
	if o.Read == nil {
		o.Attachments = false
	}
	return o
}

// keyForm is what Confluence allows as a key: letters and digits, with a tilde before the key of a personal space
// (https://support.atlassian.com/confluence-cloud/docs/choose-a-space-key/). Personal spaces of Data Center have names of accounts in theirs.
var keyForm = regexp.MustCompile(`^(?:[A-Za-z0-9]{1,255}|~[A-Za-z0-9._@-]{1,254})$`)

func (o Options) validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	for _, key := range o.Spaces {
		if !keyForm.MatchString(key) {
			faults = append(faults, fmt.Errorf("%q is not the key of a space: it stands in the space's address, such as ENG in …/spaces/ENG/overview", key))
		}
	}
	if o.Anonymous != "" && o.Anonymous != access.Members && o.Anonymous != access.Public {
		faults = append(faults, fmt.Errorf("what everybody on the internet can read is read by members, public or nobody, and not by %q", o.Anonymous))
	}
	for _, domain := range o.Domains {
		if strings.ContainsAny(domain, "@ /") || !strings.Contains(domain, ".") {
			faults = append(faults, fmt.Errorf("%q is not a domain such as example.org", domain))
		}
	}
	return errors.Join(faults...)
}

// Connector reads one source.
type Connector struct {
	client  *Client
	options Options
	source  document.Source
}

var (
	_ index.Resumer = (*Connector)(nil)
	_ index.Waiter  = (*Connector)(nil)
)

// Waited implements index.Waiter, for all sources that are read with the credential.
func (c *Connector) Waited() time.Duration { return c.client.Cost().Waited }

// NewConnector returns a connector; nothing is asked before it is used.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Confluence: %w", err)
	}
	return &Connector{client: client, options: options, source: SourceOf(options.Name)}, nil
}

// SourceOf returns the source of a name in the configuration.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("confluence-" + name), Kind: Kind, Name: name}
}

// Source implements index.Connector.
func (c *Connector) Source() document.Source { return c.source }

// reading numbers the rules by which what is read becomes documents. Raise it when they change: everything is then read again.
const reading = 1

// Settings implements index.Connector.
func (c *Connector) Settings() string {
	return fmt.Sprintf("confluence %d %v %v", reading, c.options.Comments, c.options.Attachments)
}

// Ids of nodes. Those of contents are the contents' own, which no other content of the site has.
const spaceNode = "space:"

// node stands for whoever may read what is below a space, or below a restricted content.
func (c *Connector) node(id string) access.Principal { return access.Node(string(c.source.ID), id) }

// Kinds of groups.
const kindGroup = "group"

func (c *Connector) group(id string) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindGroup, id)
}

func (c *Connector) person(id string) access.Principal {
	return access.SourceGroup(string(c.source.ID), access.SourcePerson, id)
}
