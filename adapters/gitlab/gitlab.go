// Package gitlab reads the projects of GitLab.com or a self-managed instance: issues and merge
// requests with their comments, wikis and files.
//
// Each feature of a project is a node with readers. Guests read issues and the wiki. Code and merge
// requests need the role Reporter. A confidential issue adds its author and assignees. GitLab lists
// direct, inherited and invited members of a project together. Projects, people and issues are
// identified by number, never by name.
package gitlab

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pattern"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind is the [document.Kind] of GitLab projects.
const Kind document.Kind = "gitlab"

// PublicMembers, PublicAll and PublicReaders are the values of Options.Public.
const (
	PublicMembers = "members" // full members of the workspace
	PublicAll     = "public"  // everyone
	PublicReaders = "readers" // members of the project, as in private ones
)

// Options configure a Connector. Name is required, and at least one kind of content.
type Options struct {
	Name   string   // name of the source
	Groups []string // full paths of groups, read with their subgroups
	// full paths of projects; without Groups and Projects: all that the token is a member of
	Projects      []string
	Issues        bool
	MergeRequests bool
	Wiki          bool
	Files         []string // patterns of file paths to read; empty: no files
	Public        string   // who may read public projects; default PublicMembers
	Domains       []string // domains whose addresses the instance vouches for
	HookSecret    string   // secret that webhooks contain; empty: no webhook is accepted

	// overlap of a scan of recent changes with the previous one; default 10 min
	Overlap   time.Duration
	FullEvery time.Duration // interval between full scans; default 24 h
	WikiEvery time.Duration // interval between scans of a wiki; default 1 h
	MaxBytes  int64         // larger files are skipped; default 10 MB
	// Read returns a connector that parses the file at a local path.
	Read   func(path string) (index.Connector, error)
	Wanted func(path string) bool // reports whether a file may contain a document; nil: all may
}

const day = 24 * time.Hour

// Looks lists the kinds of changes that the connector detects, and which scan or webhook detects
// each of them.
var Looks = index.Looks{
	index.ChangeMember: {}, index.ChangeAccount: {}, index.ChangeNode: {}, index.ChangeDocument: {},
	index.ChangeDeletion: {Documents: true, Sweep: day, Hook: true},
}

func (o Options) withDefaults() Options {
	o.Public = cmp.Or(o.Public, PublicMembers)
	o.Overlap, o.FullEvery = cmp.Or(o.Overlap, 10*time.Minute), cmp.Or(o.FullEvery, day)
	o.WikiEvery, o.MaxBytes = cmp.Or(o.WikiEvery, time.Hour), cmp.Or(o.MaxBytes, 10<<20)
	return o
}

// pathForm matches the full paths that GitLab allows for groups and projects
// (https://docs.gitlab.com/user/reserved_names/).
var pathForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*$`)

func (o Options) validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	for _, name := range o.Groups {
		if !pathForm.MatchString(name) {
			faults = append(faults, fmt.Errorf("%q is not the path of a group: write it as in its address, such as acme/platform", name))
		}
	}
	for _, name := range o.Projects {
		if !pathForm.MatchString(name) || !strings.Contains(name, "/") {
			faults = append(faults, fmt.Errorf("%q is not the path of a project: write it as in its address, such as acme/handbook", name))
		}
	}
	if !o.Issues && !o.MergeRequests && !o.Wiki && len(o.Files) == 0 {
		faults = append(faults, errors.New("nothing of the projects is read: choose among issues, merge_requests, wiki and files"))
	}
	if o.Public != PublicMembers && o.Public != PublicAll && o.Public != PublicReaders {
		faults = append(faults, fmt.Errorf("public projects are read by members, public or readers, and not by %q", o.Public))
	}
	for _, domain := range o.Domains {
		if strings.ContainsAny(domain, "@/ ") || !strings.Contains(domain, ".") {
			faults = append(faults, fmt.Errorf("%q is not a domain: write it like acme.example", domain))
		}
	}
	faults = append(faults, pattern.List(o.Files).Check())
	return errors.Join(faults...)
}

// SourceOf returns the source that is configured under the given name. Its id is "gitlab-" plus the
// name.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("gitlab-" + name), Kind: Kind, Name: name}
}

// feature is a part of a project that has its own readers.
type feature string

const (
	issues feature = "issue"
	merges feature = "merge_request"
	wiki   feature = "wiki"
	code   feature = "file"
)

// guest, planner and reporter are the lowest roles that may read a part of a project
// (https://docs.gitlab.com/user/permissions/). guest is for issues and wikis, planner for
// confidential issues, and reporter for code and merge requests.
const (
	guest    = 10
	planner  = 15
	reporter = 20
)

var roles = []int{guest, planner, reporter}

const kindRole = "role"

// internals returns the principal of all accounts of the instance that are not external.
func (c *Connector) internals() access.Principal {
	return access.SourceGroup(string(c.source.ID), "internal", "accounts")
}

func (c *Connector) role(project int64, level int) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindRole, roleKey(project, level))
}

func roleKey(project int64, level int) string { return fmt.Sprintf("%d.%d", project, level) }

func (c *Connector) person(id int64) access.Principal {
	return access.SourceGroup(string(c.source.ID), access.SourcePerson, fmt.Sprint(id))
}
