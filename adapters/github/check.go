package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/sources"
)

// Permission is a permission that the credential needs. Reason says what the permission is needed
// for.
type Permission struct{ Name, Reason string }

// Permissions lists all permissions that are needed to read everything. Fine-grained tokens and
// Apps use the same names.
var Permissions = []Permission{
	{"Repository → Metadata: read", "names, visibility, and who may read each repository"},
	{"Repository → Contents: read", "files and wikis"},
	{"Repository → Issues: read", "issues"},
	{"Repository → Pull requests: read", "pull requests and reviews"},
	{"Repository → Discussions: read", "discussions"},
	{"Organization → Members: read", "members, and the addresses that single sign-on or verified domains vouch for"},
}

// Sight describes the content that a source's credential can see.
type Sight struct {
	Public, Internal, Private int // number of repositories by visibility
	// Members is the number of members of the organisations. Vouched is the number of those with a
	// verified address.
	Members, Vouched int
	// Lacks lists sentences about configured content that cannot be read, and what to do.
	Lacks []string
	// Notes lists sentences about findings that may be intended.
	Notes []string
}

// String returns a summary: "3 repositories (2 private, 0 internal, 1 public), 5 members, …".
func (s Sight) String() string {
	return fmt.Sprintf("%s (%d private, %d internal, %d public), %s, %d of them with an address that their organisation vouches for",
		plural.Count(s.Public+s.Internal+s.Private, "repository"), s.Private, s.Internal, s.Public, plural.Count(s.Members, "member"), s.Vouched)
}

// Check returns what the credential can see. It requests lists and a small sample of content. The
// error says why nothing can be read, and what to do.
func (c *Connector) Check(ctx context.Context) (Sight, error) {
	var s Sight
	all, err := c.repositories(ctx)
	if err != nil {
		return s, err
	}
	if len(all) == 0 {
		return s, errors.New("the credential sees no repository: check the name, and install the App for the repositories that are to be read, or give the token access to them")
	}
	for _, r := range all {
		switch {
		case r.public():
			s.Public++
		case r.internal():
			s.Internal++
		default:
			s.Private++
		}
	}
	for _, name := range c.options.Repositories {
		if !slices.ContainsFunc(inOrder(all), func(r repository) bool { return strings.EqualFold(r.Name, name) }) {
			s.Lacks = append(s.Lacks, fmt.Sprintf("%s is not there, was renamed, or may not be seen: correct the name, or give the credential access to it", name))
		}
	}
	now, err := c.repositoryStates(ctx, inOrder(all))
	if err != nil {
		return s, err
	}
	// Try a private repository if there is one: everyone can read public ones.
	trial := slices.MinFunc(inOrder(all), func(a, b repository) int {
		return cmp.Or(cmp.Compare(btoi(a.public()), btoi(b.public())), cmp.Compare(a.ID, b.ID))
	})
	if err := c.try(ctx, &s, trial, now[trial.ID]); err != nil {
		return s, err
	}
	if s.Private+s.Internal == 0 && c.options.Public != PublicReaders {
		return s, nil
	}
	batch, err := c.organizations(ctx, all, make(map[int64]bool))
	if err != nil {
		return s, err
	}
	s.Members = len(batch.People)
	for _, p := range batch.People {
		if len(p.Emails) > 0 {
			s.Vouched++
		}
	}
	if s.Vouched == 0 {
		s.Notes = append(s.Notes, "no member has an address that the organisation vouches for, so it matches no one: verify a domain or set up single sign-on, allow Organization → Members: read, or name people with footnote people import")
	}
	return s, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *Connector) try(ctx context.Context, s *Sight, r repository, is repositoryState) error {
	lacks := func(err error, permission, what string) error {
		if err != nil && (absent(err) || denied(err)) {
			s.Lacks = append(s.Lacks, fmt.Sprintf("%s of %s cannot be read: allow %s", what, r.Name, permission))
			return nil
		}
		return err
	}
	if !r.public() || c.options.Public == PublicReaders {
		_, err := c.client.accounts(ctx, "repos/"+r.Name+"/collaborators?affiliation=all&per_page=100")
		if err := lacks(err, Permissions[0].Name, "who may read what is in it: it is hidden from everyone"); err != nil {
			return err
		}
	}
	if len(c.options.Files) > 0 || c.options.Wiki {
		_, err := list(ctx, c.client, "repos/"+r.Name+"/branches?per_page=1", func([]byte) ([]account, error) { return []account{}, nil }, account.valid)
		if err := lacks(err, Permissions[1].Name, "the files"); err != nil {
			return err
		}
	}
	v := &vendor{Connector: c}
	for i, of := range []contentSort{issues, pulls, discussions} {
		if !v.reads(of, is) {
			continue
		}
		_, err := v.page(ctx, is, "all"+string(of)+"s", make(map[string]any), crawl.Place{}, 1, func(thread) bool { return true })
		if errors.Is(err, errHidden) {
			s.Lacks = append(s.Lacks, fmt.Sprintf("the %ss of %s cannot be read: allow %s", of, r.Name, Permissions[2+i].Name))
			err = nil
		}
		if err := lacks(err, Permissions[2+i].Name, "the "+string(of)+"s"); err != nil {
			return err
		}
	}
	return nil
}

// Look implements sources.Looker.
func (c *Connector) Look(ctx context.Context) (sources.Seen, error) {
	s, err := c.Check(ctx)
	return sources.Seen{Sees: s.String(), Lacks: s.Lacks, Notes: s.Notes}, err
}
