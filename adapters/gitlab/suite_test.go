package gitlab_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gitlab"
	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
	"github.com/footnotehq/footnote/adapters/internal/servertest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { sourcetest.Main(m) }

// Whatever happens to an instance and to who reads it, no one is shown what they could not read
// there. Once nothing happens any more, everyone is shown what they can.
func TestSourceSuite(t *testing.T) {
	t.Parallel()
	sourcetest.Suite(t, func(rt *rapid.T) sourcetest.World { return newWorld(t, rt) }, pgaccesstest.Open(t))
}

// A right is not lost later than Looks say, as a server reads the instance.
func TestLate(t *testing.T) {
	t.Parallel()
	sourcetest.Late(t, gitlab.Looks, func(rt *rapid.T) sourcetest.Clocked {
		w := newWorld(t, rt)
		rt.Cleanup(w.Close)
		w.full, w.tick = 0, time.Millisecond
		return w
	}, pgaccesstest.Open(t))
}

// suiteWorld is an instance with people, groups and projects.
type suiteWorld struct {
	*gitlabtest.Server
	sourcetest.Ever
	t      *testing.T
	users  []*gitlabtest.User
	full   time.Duration // between two full scans
	tick   time.Duration // passes with each request
	groups bool          // the source names groups, and not projects
	edited index.Change
}

func newWorld(t *testing.T, rt *rapid.T) *suiteWorld {
	w := &suiteWorld{Server: gitlabtest.NewServer(t, gitlabtest.NewWorld()), t: t, tick: time.Second, full: time.Nanosecond}
	for _, name := range []string{"ada", "bob", "cyd"} {
		w.users = append(w.users, w.User(name))
	}
	acme := w.Group(nil, "acme", gitlabtest.Public, member(w.users[0], gitlabtest.Reporter))
	team := w.Group(acme, "team", gitlabtest.Public)
	w.Group(w.Group(nil, "parent", gitlabtest.Public, member(w.users[1], gitlabtest.Owner)), "invited", gitlabtest.Public, member(w.users[2], gitlabtest.Owner))
	w.Project(acme, "app", gitlabtest.Private)
	w.Project(team, "ops", gitlabtest.Internal)
	w.groups = rapid.Bool().Draw(rt, "by groups")
	w.Switch(func(s *gitlabtest.Switches) {
		s.Short, s.Twice = rapid.IntRange(0, 3).Draw(rt, "short pages"), rapid.Bool().Draw(rt, "repeated entries")
	})
	for range rapid.IntRange(5, 15).Draw(rt, "edits at first") {
		w.Edit(rt)
	}
	return w
}

// Edit implements sourcetest.World.
func (w *suiteWorld) Edit(t *rapid.T) {
	project := rapid.SampledFrom(w.Projects).Draw(t, "project")
	user := rapid.SampledFrom(w.users).Draw(t, "user")
	var things []*gitlabtest.Thing
	w.Do(func() { things = slices.Clone(w.Things) })
	what := rapid.IntRange(0, 15).Draw(t, "edit")
	w.edited = map[int]index.Change{
		4: index.ChangeDocument, 5: index.ChangeDocument, 6: index.ChangeDeletion, 8: index.ChangeNode, 9: index.ChangeNode,
		10: index.ChangeMember, 11: index.ChangeMember, 12: index.ChangeMember, 13: index.ChangeMember, 14: index.ChangeAccount, 15: index.ChangeDocument,
	}[what]
	if len(things) == 0 || what < 3 {
		w.edited = ""
		w.add(t, project, user)
		return
	}
	thing := rapid.SampledFrom(things).Draw(t, "thing")
	level := rapid.SampledFrom([]int{0, gitlabtest.Minimal, gitlabtest.Guest, gitlabtest.Planner, gitlabtest.Reporter, gitlabtest.Owner}).Draw(t, "level")
	group := rapid.SampledFrom(w.Groups).Draw(t, "group")
	switch what {
	case 3:
		w.Server.Edit(thing, func() { thing.Text += " and more words" })
	case 4:
		w.Server.Edit(thing, func() { thing.Confidential = thing.Kind == gitlabtest.Issue && !thing.Confidential })
	case 5:
		several := rapid.IntRange(0, 2).Draw(t, "assignees")
		w.Server.Edit(thing, func() { thing.Assignees = w.users[:several] })
	case 6:
		w.Delete(thing)
	case 7:
		w.Comment(thing, &gitlabtest.Note{Text: "a remark", Author: user, Internal: rapid.Bool().Draw(t, "internal")})
	case 8:
		visibility := rapid.SampledFrom([]string{gitlabtest.Private, gitlabtest.Internal, gitlabtest.Public}).Draw(t, "visibility")
		w.Do(func() { project.Visibility = visibility })
	case 9:
		access := rapid.SampledFrom([]string{gitlabtest.Disabled, gitlabtest.MembersOnly, gitlabtest.Enabled, gitlabtest.Enabled}).Draw(t, "access")
		w.Do(func() {
			*[]*string{&project.IssuesLevel, &project.MergeLevel, &project.WikiLevel, &project.Code}[rapid.IntRange(0, 3).Draw(t, "feature")] = access
		})
	case 10:
		w.Do(func() { project.Members = join(project.Members, user, level) })
	case 11:
		w.Do(func() { group.Members = join(group.Members, user, level) })
	case 12:
		w.Do(func() { project.Shares = shares(group, level, project.Shares) })
	case 13:
		to := rapid.SampledFrom(w.Groups).Draw(t, "inviting group")
		w.Do(func() { to.Shares = shares(group, level, to.Shares) })
	case 14:
		one := rapid.IntRange(0, 2).Draw(t, "of an account")
		w.Do(func() {
			is := []*bool{&user.Blocked, &user.External, &user.Unconfirmed}[one]
			*is = !*is
		})
	case 15:
		if thing.Kind == gitlabtest.Issue {
			w.Move(thing, project)
			w.meet()
		}
	}
}

func (w *suiteWorld) add(t *rapid.T, p *gitlabtest.Project, author *gitlabtest.User) {
	kind := rapid.SampledFrom([]gitlabtest.Kind{gitlabtest.Issue, gitlabtest.Issue, gitlabtest.Merge, gitlabtest.Page, gitlabtest.File}).Draw(t, "kind")
	thing := &gitlabtest.Thing{Kind: kind, Project: p, Title: "a title", Text: "common words", Author: author}
	if kind == gitlabtest.Page || kind == gitlabtest.File {
		thing.Path = fmt.Sprintf("docs/n%d.md", len(w.Documents()))
	}
	thing.Confidential = kind == gitlabtest.Issue && rapid.Bool().Draw(t, "confidential")
	w.Add(thing)
	w.meet()
}

// join gives somebody a role, which may be none.
func join(members []*gitlabtest.Member, u *gitlabtest.User, level int) []*gitlabtest.Member {
	members = slices.DeleteFunc(slices.Clone(members), func(m *gitlabtest.Member) bool { return m.User == u })
	if level == 0 {
		return append(members, &gitlabtest.Member{User: u, Level: gitlabtest.Owner, Expires: "2026-11-20"}) // today
	}
	return append(members, member(u, level))
}

// shares invites a group, or invites none any more.
func shares(g *gitlabtest.Group, most int, before []*gitlabtest.Share) []*gitlabtest.Share {
	if most == 0 || len(before) > 2 {
		return nil
	}
	return append(slices.Clone(before), &gitlabtest.Share{Group: g, Most: most})
}

// Edited implements sourcetest.Clocked.
func (w *suiteWorld) Edited() index.Change { return w.edited }

// meet takes note of all documents that there are.
func (w *suiteWorld) meet() {
	w.Do(func() {
		for _, t := range w.Things {
			w.Meet(idOf(t))
		}
	})
}

// Connector implements sourcetest.World.
func (w *suiteWorld) Connector() index.Connector {
	config := configOf(w.Server)
	config.Now = func() time.Time {
		w.Pass(w.tick)
		return w.Now()
	}
	client, err := gitlab.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	options := everything()
	options.FullEvery, options.WikiEvery = w.full, w.full
	if w.groups {
		options.Groups = []string{"acme"}
	}
	c, err := gitlab.NewConnector(client, options)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// Fault implements sourcetest.World.
func (w *suiteWorld) Fault(t *rapid.T) func() {
	faults := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 1))
	w.Switch(func(s *gitlabtest.Switches) {
		s.NoMembers, s.Circle, s.Lagging = faults.IntN(8) == 0, faults.IntN(8) == 0, faults.IntN(4) == 0
	})
	parts := []string{"issues", "merge_requests", "wikis", "repository", "members", "users", "projects", "notes", "/user"}
	w.Break(faults, parts, gitlabtest.Refuse(http.StatusServiceUnavailable, "busy"), gitlabtest.Refuse(http.StatusTooManyRequests, "Retry later", "Retry-After", "3600"), servertest.Page)
	return func() {
		w.Switch(func(s *gitlabtest.Switches) { s.NoMembers, s.Circle, s.Lagging = false, false, false })
		w.Faults.Mend()
	}
}

// Revoke implements sourcetest.World.
func (w *suiteWorld) Revoke() func() {
	w.Server.Revoke(true)
	return func() { w.Server.Revoke(false) }
}

// People implements sourcetest.World.
func (w *suiteWorld) People() []access.Account {
	var addresses []string
	for _, u := range w.users {
		addresses = append(addresses, u.Email)
	}
	return sourcetest.Accounts(addresses...)
}

// MayRead implements sourcetest.World. An address that was never confirmed is no one's. What
// visitors read is for members of the workspace.
func (w *suiteWorld) MayRead(who access.Account, d document.ID) bool {
	var thing *gitlabtest.Thing
	var person *gitlabtest.User
	w.Do(func() {
		for _, t := range w.Things {
			if idOf(t) == d {
				thing = t
			}
		}
		for _, u := range w.users {
			if who.Full && !u.Unconfirmed && strings.EqualFold(u.Email, who.Email) {
				person = u
			}
		}
	})
	if thing == nil || !w.World.MayRead(w.Bot, thing) {
		return false
	}
	return person != nil && w.World.MayRead(person, thing) || w.World.MayRead(nil, thing)
}
