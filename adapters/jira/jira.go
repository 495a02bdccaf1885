// Package jira reads the issues of Jira Cloud or Data Center with what was said about them and, by choice, attached files.
//
// Who may read an issue is who may use the site, may browse the project by its permission scheme, and is a member of the security level where it
// has one (https://support.atlassian.com/jira-cloud-administration/docs/what-are-issue-security-levels/). Schemes name people and groups, and what stands
// in an issue's own fields, such as its reporter. So a node is a project, or what issues of a project have in common that are read by the same people.
package jira

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
const Kind document.Kind = "jira"

// Options of a Connector. Zero fields get their defaults.
type Options struct {
	Name        string   // of the source
	Projects    []string // keys of the projects to read; none: all that the account sees
	Comments    bool
	Attachments bool
	// ACL is who may read anything of the source, beside what Jira says: one more condition. Nil: there is none.
	ACL access.ACL
	// Users are names of the groups whose members may use the site at all. None: those that Jira names, which only its administrators are told.
	Users []string
	// Anonymous is who may read what everybody on the internet can: access.Members, access.Public, or empty for nobody beside the site's users.
	Anonymous access.Principal
	// Domains are those that the organisation has verified at Atlassian, so that accounts with an address below them are its own ("managed"). Addresses
	// of other accounts are not used.
	Domains []string

	Overlap    time.Duration // how much of what was read already a reading by date repeats; 30 min
	SweepEvery time.Duration // after how long all ids are looked at for what was deleted; 30 min
	FullEvery  time.Duration // after how long everything is looked at; 1 day
	Forget     time.Duration // after how long the documents of a project that cannot be seen any more are removed; 7 days
	// Read returns the connector of one file on this machine, for attached files; nil: none are read.
	Read     func(path string) (index.Connector, error)
	Wanted   func(name string) bool // whether a file may hold a document, by its name; all of them if nil
	MaxBytes int64                  // larger files are left out; 25 MB
}

const day = 24 * time.Hour

// SweepEvery is after how long all ids are looked at, unless Options say otherwise: until then an issue that was deleted may be shown to those who could read
// it before.
const SweepEvery = 30 * time.Minute

// MostOfFile is how large an attached file may be that is read, unless Options say otherwise.
const MostOfFile = 25 << 20

func (o Options) withDefaults() Options {
	o.Overlap, o.SweepEvery = cmp.Or(o.Overlap, 30*time.Minute), cmp.Or(o.SweepEvery, SweepEvery)
	o.FullEvery, o.Forget = cmp.Or(o.FullEvery, day), cmp.Or(o.Forget, 7*day)
	o.MaxBytes = cmp.Or(o.MaxBytes, MostOfFile)
	if o.Read == nil {
		o.Attachments = false
	}
	return o
}

// keyForm is what Jira allows as a key of a project unless an administrator allows more: "must start with an uppercase letter, followed by one or more
// uppercase alphanumeric characters" (https://support.atlassian.com/jira-cloud-administration/docs/edit-a-projects-details/); Data Center allows
// underscores and longer ones.
var keyForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,254}$`)

func (o Options) validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	for _, key := range o.Projects {
		if !keyForm.MatchString(strings.ToUpper(key)) {
			faults = append(faults, fmt.Errorf("%q is not the key of a project: it stands before the number of its issues, such as ENG in ENG-12", key))
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
	_ index.Resumer      = (*Connector)(nil)
	_ index.Waiter       = (*Connector)(nil)
	_ index.NodeReader   = (*Connector)(nil)
	_ index.GroupReader  = (*Connector)(nil)
	_ index.PointChecker = (*Connector)(nil)
)

// Waited implements index.Waiter, for all sources that are read with the credential.
func (c *Connector) Waited() time.Duration { return c.client.Cost().Waited }

// NewConnector returns a connector; nothing is asked before it is used.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Jira: %w", err)
	}
	return &Connector{client: client, options: options, source: SourceOf(options.Name)}, nil
}

// SourceOf returns the source of a name in the configuration.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("jira-" + name), Kind: Kind, Name: name}
}

// Source implements index.Connector.
func (c *Connector) Source() document.Source { return c.source }

// reading numbers the rules by which what is read becomes documents. Raise it when they change: everything is then read again.
const reading = 2

// Settings implements index.Connector.
func (c *Connector) Settings() string {
	return fmt.Sprintf("jira %d %v %v", reading, c.options.Comments, c.options.Attachments)
}

// node stands for whoever may read what names it.
func (c *Connector) node(f facts) access.ACL {
	return access.ACL{access.Node(string(c.source.ID), f.node())}
}

// Kinds of groups.
const (
	kindGroup = "group"
	kindLogin = "login" // one person of a Data Center by the name to log in with, as members of roles are told
)

func (c *Connector) group(id string) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindGroup, id)
}

func (c *Connector) person(id string) access.Principal {
	return access.SourceGroup(string(c.source.ID), access.SourcePerson, id)
}

func (c *Connector) login(name string) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindLogin, strings.ToLower(name))
}
