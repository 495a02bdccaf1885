package gitlabtest_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
)

type world struct {
	*gitlabtest.World
	t *testing.T
}

func member(u *gitlabtest.User, level int) *gitlabtest.Member {
	return &gitlabtest.Member{User: u, Level: level}
}

// readers checks which of the named accounts may read something.
func (w *world) readers(t *gitlabtest.Thing, want map[*gitlabtest.User]bool) {
	w.t.Helper()
	for u, may := range want {
		name := "a visitor"
		if u != nil {
			name = u.Username
		}
		if got := w.MayRead(u, t); got != may {
			w.t.Errorf("%s may read the %s of the %s project: %v, want %v", name, t.Kind, t.Project.Visibility, got, may)
		}
	}
}

func TestRolesReadWhatTheTableSays(t *testing.T) {
	t.Parallel()
	w := &world{gitlabtest.NewWorld(), t}
	minimal, guest, planner, reporter := w.User("minimal"), w.User("guest"), w.User("planner"), w.User("reporter")
	other, external, blocked := w.User("other"), w.User("external"), w.User("blocked")
	w.Do(func() { external.External, blocked.Blocked = true, true })
	things := func(p *gitlabtest.Project) (issue, merge, page, file *gitlabtest.Thing) {
		return w.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: p}), w.Add(&gitlabtest.Thing{Kind: gitlabtest.Merge, Project: p}),
			w.Add(&gitlabtest.Thing{Kind: gitlabtest.Page, Project: p, Path: "home"}), w.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: p, Path: "README.md"})
	}
	type may = map[*gitlabtest.User]bool
	for _, visibility := range []string{gitlabtest.Private, gitlabtest.Internal, gitlabtest.Public} {
		g := w.Group(nil, visibility, visibility, member(minimal, gitlabtest.Minimal))
		p := w.Project(g, "app", visibility, member(guest, gitlabtest.Guest), member(planner, gitlabtest.Planner),
			member(reporter, gitlabtest.Reporter), member(blocked, gitlabtest.Owner))
		issue, merge, page, file := things(p)
		open, inside := visibility == gitlabtest.Public, visibility != gitlabtest.Private
		for _, t := range []*gitlabtest.Thing{issue, page} {
			w.readers(t, may{nil: open, minimal: inside, guest: true, planner: true, reporter: true, other: inside, external: open, blocked: false, w.Bot: true})
		}
		for _, t := range []*gitlabtest.Thing{merge, file} {
			w.readers(t, may{nil: open, minimal: inside, guest: inside, planner: inside, reporter: true, other: inside, external: open, blocked: false, w.Bot: true})
		}
		w.Do(func() {
			p.IssuesLevel, p.MergeLevel = gitlabtest.MembersOnly, gitlabtest.MembersOnly
			p.WikiLevel, p.Code = gitlabtest.MembersOnly, gitlabtest.MembersOnly
		})
		w.readers(issue, may{nil: false, guest: true, planner: true, reporter: true, other: false, external: false})
		w.readers(page, may{nil: false, guest: true, planner: true, reporter: true, other: false, external: false})
		w.readers(merge, may{nil: false, guest: false, planner: false, reporter: true, other: false, external: false})
		w.readers(file, may{nil: false, guest: false, planner: false, reporter: true, other: false, external: false})
		w.Do(func() { p.IssuesLevel, p.Code = gitlabtest.Disabled, gitlabtest.Disabled })
		w.readers(issue, may{reporter: false, w.Bot: false})
		w.readers(file, may{reporter: false, w.Bot: false})
	}
}

func TestConfidentialIssuesAreForReportersAuthorAndAssignees(t *testing.T) {
	t.Parallel()
	w := &world{gitlabtest.NewWorld(), t}
	guest, planner, reporter, author, assignee := w.User("guest"), w.User("planner"), w.User("reporter"), w.User("author"), w.User("assignee")
	p := w.Project(w.Group(nil, "acme", gitlabtest.Public), "app", gitlabtest.Public, member(guest, gitlabtest.Guest),
		member(planner, gitlabtest.Planner), member(reporter, gitlabtest.Reporter))
	i := w.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: p, Confidential: true, Author: author, Assignees: []*gitlabtest.User{assignee}})
	type may = map[*gitlabtest.User]bool
	w.readers(i, may{nil: false, guest: false, planner: true, reporter: true, author: true, assignee: true})
	w.Do(func() { p.Visibility = gitlabtest.Private })
	w.readers(i, may{planner: true, reporter: true, author: false, assignee: false})
	w.Do(func() { p.Members = append(p.Members, member(assignee, gitlabtest.Guest)) })
	w.readers(i, may{author: false, assignee: true})
}

// The example of "Invite a group to a project": when group-01 is invited to project-01 with
// Developer permissions.
func TestInvitedGroupsAreLimited(t *testing.T) {
	t.Parallel()
	w := &world{gitlabtest.NewWorld(), t}
	direct, inherited, below, shared, guest := w.User("direct"), w.User("inherited"), w.User("below"), w.User("shared"), w.User("guest")
	parent := w.Group(nil, "parent", gitlabtest.Private, member(inherited, gitlabtest.Owner))
	invited := w.Group(parent, "invited", gitlabtest.Private, member(direct, gitlabtest.Owner), member(guest, gitlabtest.Guest))
	w.Group(invited, "sub", gitlabtest.Private, member(below, gitlabtest.Owner))
	with := w.Group(nil, "with", gitlabtest.Private, member(shared, gitlabtest.Owner))
	acme := w.Group(nil, "acme", gitlabtest.Private)
	p := w.Project(acme, "app", gitlabtest.Private)
	file := w.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: p, Path: "README.md"})
	issue := w.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: p})
	type may = map[*gitlabtest.User]bool
	w.Do(func() {
		invited.Shares = []*gitlabtest.Share{{Group: with, Most: gitlabtest.Developer}}
		p.Shares = []*gitlabtest.Share{{Group: invited, Most: gitlabtest.Developer}}
	})
	w.readers(file, may{direct: true, inherited: true, shared: true, below: false, guest: false})
	w.readers(issue, may{direct: true, inherited: true, shared: true, below: false, guest: true})
	w.Do(func() { p.Shares[0].Most = gitlabtest.Guest })
	w.readers(file, may{direct: false, inherited: false, shared: false})
	w.readers(issue, may{direct: true, inherited: true, shared: true})
	// A group that is invited to a group: "Inherited members of the invited group do not gain access".
	w.Do(func() {
		p.Shares = nil
		acme.Shares = []*gitlabtest.Share{{Group: invited, Most: gitlabtest.Reporter}}
	})
	w.readers(file, may{direct: true, inherited: false, shared: false, guest: false})
	w.Do(func() { acme.Shares[0].Expires = "2026-11-20" }) // today
	w.readers(issue, may{direct: false, guest: false})
	w.Do(func() {
		acme.Shares = nil
		p.Members = []*gitlabtest.Member{{User: guest, Level: gitlabtest.Reporter, Expires: "2026-11-21"}}
	})
	w.readers(file, may{guest: true})
	w.Pass(24 * 60 * 60 * 1e9)
	w.readers(file, may{guest: false})
}
