// Package github reads repositories of GitHub or a GitHub Enterprise Server: all of an
// organisation, or selected ones. It reads issues, pull requests and discussions with their
// comments, chosen files, and wikis.
//
// Each repository is a node with a list of readers. GitHub's list of a repository's collaborators
// includes owners, base permission, teams and individuals. Everyone on that list may read the whole
// repository. Repositories and people are identified by number, because a name may pass to another
// repository or person.
package github

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// Kind is the [document.Kind] of GitHub repositories.
const Kind document.Kind = "github"

// PublicMembers, PublicAll and PublicReaders are the values of Options.Public.
const (
	PublicMembers = "members" // full members of the workspace
	PublicAll     = "public"  // everyone
	PublicReaders = "readers" // people with a right in the repository, as for private ones
)

// Looks lists the kinds of changes that the connector detects, and which scan or webhook detects
// each of them. An issue that moves to another repository counts as deleted in the old one.
var Looks = index.Looks{
	index.ChangeMember: {Hook: true}, index.ChangeAccount: {Hook: true}, index.ChangeNode: {Hook: true},
	index.ChangeDeletion: {Documents: true, Sweep: day, Hook: true},
}

// Options configure a Connector. Name is required, and one of Organization and Repositories.
type Options struct {
	Name         string   // name of the source
	Organization string   // reads all its repositories that the credential can access
	Repositories []string // owner/name; reads only these
	Issues       bool
	PullRequests bool
	Discussions  bool
	Wiki         bool
	Files        []string // patterns of file paths to read; empty: no files
	Public       string   // who may read public repositories; default PublicMembers
	HookSecret   string   // secret with which GitHub signs its webhooks; empty: no webhook is accepted

	Overlap time.Duration // overlap of a scan by date with the previous one; default 10 min
	// FullEvery is the interval between full scans of a repository, which find deletions. The
	// default is 24 h.
	FullEvery time.Duration
	// WikiEvery is the interval between scans of a wiki. In between, only webhooks report changes.
	// The default is 1 h.
	WikiEvery time.Duration
	// Read returns a connector for the files in a local folder. Its documents have the folder's
	// access list, and addresses below the folder's base.
	Read     func(f Folder) (index.Connector, error)
	Wanted   func(path string) bool // reports whether a file may contain a document; nil: all may
	CacheDir string                 // folder of Git clones; default: below the user's cache
	MaxBytes int64                  // larger files are skipped; default 10 MB
	MaxFetch int64                  // maximum bytes that Git transfers in one run; default 4 GB
}

// Folder is a local folder of files to read.
type Folder = sources.Folder

const day = 24 * time.Hour

func (o Options) withDefaults() Options {
	for _, field := range []struct {
		value     *time.Duration
		otherwise time.Duration
	}{{&o.Overlap, 10 * time.Minute}, {&o.FullEvery, day}, {&o.WikiEvery, time.Hour}} {
		if *field.value <= 0 {
			*field.value = field.otherwise
		}
	}
	o.Public = cmp.Or(o.Public, PublicMembers)
	o.MaxBytes, o.MaxFetch = cmp.Or(o.MaxBytes, 10<<20), cmp.Or(o.MaxFetch, 4<<30)
	return o
}

// loginForm and repositoryForm match the names of accounts and repositories that GitHub allows
// (https://docs.github.com/en/rest/repos/repos).
var (
	loginForm      = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?$`)
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?/[A-Za-z0-9._-]{1,100}$`)
)

func (o Options) validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	switch {
	case o.Organization == "" && len(o.Repositories) == 0:
		faults = append(faults, errors.New("nothing is chosen: write organization: NAME, or repositories: with owner/name below it"))
	case o.Organization != "" && len(o.Repositories) > 0:
		faults = append(faults, errors.New("write organization: or repositories:, and not both"))
	case o.Organization != "" && !loginForm.MatchString(o.Organization):
		faults = append(faults, fmt.Errorf("%q is not the name of an organisation: write it as in its address, such as acme", o.Organization))
	}
	for _, name := range o.Repositories {
		if !repositoryForm.MatchString(name) {
			faults = append(faults, fmt.Errorf("%q is not the name of a repository: write owner/name, such as acme/handbook", name))
		}
	}
	if !o.Issues && !o.PullRequests && !o.Discussions && !o.Wiki && len(o.Files) == 0 {
		faults = append(faults, errors.New("nothing of the repositories is read: choose among issues, pull_requests, discussions, wiki and files"))
	}
	if o.Public != PublicMembers && o.Public != PublicAll && o.Public != PublicReaders {
		faults = append(faults, fmt.Errorf("public repositories are read by members, public or readers, and not by %q", o.Public))
	}
	return errors.Join(faults...)
}

// Connector reads the GitHub repositories that [Options] select.
type Connector struct {
	*crawl.Engine
	client  *Client
	options Options
	source  document.Source
	hints   index.Hints // pending hints about permissions; nil without webhooks
}

var (
	_ index.NodeReader   = (*Connector)(nil)
	_ index.GroupReader  = (*Connector)(nil)
	_ index.PointChecker = (*Connector)(nil)
	_ index.Resumer      = (*Connector)(nil)
	_ index.Hooked       = (*Connector)(nil)
	_ index.Waiter       = (*Connector)(nil)
	_ crawl.Hinter       = (*vendor)(nil)
)

// Waited implements index.Waiter. The time is the total for all connectors that share the [Client].
func (c *Connector) Waited() time.Duration { return c.client.Cost().Waited }

// NewConnector returns a connector. It sends no request.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up GitHub: %w", err)
	}
	c := &Connector{client: client, options: options, source: SourceOf(options.Name)}
	c.Engine = crawl.New(&vendor{Connector: c}, crawl.Options{Now: client.config.Now})
	return c, nil
}

// SourceOf returns the source that is configured under the given name. Its id is "github-" plus the
// name.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("github-" + name), Kind: Kind, Name: name}
}

func (c *Connector) node(id int64) access.Principal {
	return access.Node(string(c.source.ID), strconv.FormatInt(id, 10))
}

const (
	kindRepository   = "repo" // collaborators of a repository, as GitHub lists them
	kindOrganization = "org"  // the members of an organisation
)

func (c *Connector) readers(r repository) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindRepository, r.key())
}

func (c *Connector) members(organization int64) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindOrganization, strconv.FormatInt(organization, 10))
}
