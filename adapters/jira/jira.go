// Package jira reads the issues of Jira Cloud or Data Center with their comments and, optionally,
// attached files.
//
// A reader of an issue must be able to use the site. The reader must also have permission to browse
// the project, by its permission scheme. If the issue has a security level, the reader must be a
// member of the level
// (https://support.atlassian.com/jira-cloud-administration/docs/what-are-issue-security-levels/).
// Schemes name people, groups, and fields of the issue that contain people, for example the
// reporter. A node is therefore a project, or a set of a project's issues with the same readers.
package jira

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind is the [document.Kind] of Jira sites.
const Kind document.Kind = "jira"

// Common holds the options that all Atlassian sources share.
type Common = atlassian.Options

// Options configure a Connector. Zero fields get their defaults.
type Options struct {
	Common            // if Users is empty, an administrator account reads the user groups from Jira
	Projects []string // keys of the projects to read; empty: all that the account sees
	// FullEvery is the interval between full scans of issues. The scans of ids (SweepEvery) run in
	// addition. The default is 1 day.
	FullEvery time.Duration
}

// SweepEvery is the default interval between scans of the ids of all issues.
const SweepEvery = atlassian.SweepEvery

// Looks lists the kinds of changes that the connector detects, and which scan detects each of them.
// An issue that the account can no longer see counts as deleted.
var Looks = index.Looks{
	index.ChangeMember: {}, index.ChangeAccount: {}, index.ChangeNode: {},
	index.ChangeDocument: {Documents: true, Sweep: SweepEvery},
	index.ChangeMove:     {Documents: true, Sweep: SweepEvery},
	index.ChangeDeletion: {Documents: true, Sweep: SweepEvery},
}

// MostOfFile is the default size limit of attached files, in bytes.
const MostOfFile = atlassian.MostOfFile

// keyForm matches project keys: a capital letter, followed by capitals, digits or underscores. Jira
// allows other keys only if an administrator changes the rule
// (https://support.atlassian.com/jira-cloud-administration/docs/edit-a-projects-details/).
var keyForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,254}$`)

func (o Options) validate() error {
	faults := []error{o.Validate()}
	for _, key := range o.Projects {
		if !keyForm.MatchString(strings.ToUpper(key)) {
			faults = append(faults, fmt.Errorf("%q is not the key of a project: it stands before the number of its issues, such as ENG in ENG-12", key))
		}
	}
	return errors.Join(faults...)
}

// Connector reads the projects of a Jira site that [Options] select.
type Connector struct {
	*crawl.Engine
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

// Waited implements index.Waiter. The time is the total for all connectors that share the [Client].
func (c *Connector) Waited() time.Duration { return c.client.Cost().Waited }

// NewConnector returns a connector. It sends no request.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options.Common = options.WithDefaults()
	options.FullEvery = cmp.Or(options.FullEvery, atlassian.Day)
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Jira: %w", err)
	}
	c := &Connector{client: client, options: options, source: SourceOf(options.Name)}
	c.Engine = crawl.New(&vendor{Connector: c}, crawl.Options{Now: client.Config.Now})
	return c, nil
}

// SourceOf returns the source that is configured under the given name. Its id is "jira-" plus the
// name.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("jira-" + name), Kind: Kind, Name: name}
}

// reading is the version of the rules that convert an issue to a document. If it is raised,
// everything is read again.
const reading = 2

func (c *Connector) node(f facts) access.ACL {
	return access.ACL{access.Node(string(c.source.ID), f.node())}
}

const (
	kindGroup = "group"
	// kindLogin is the kind of a group that has one person and is named by the person's login name.
	// Data Center needs such groups, because roles list their members by login name.
	kindLogin = "login"
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
