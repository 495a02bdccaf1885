package jira_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/internal/servertest"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { sourcetest.Main(m) }

// Whatever happens to a Jira site and to who reads it, nobody is shown what they could not read
// there; and once nothing happens any more, everybody what they can.
func TestSourceSuite(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		sourcetest.Suite(t, func(rt *rapid.T) sourcetest.World { return newWorld(t, rt, cloud) }, pgaccesstest.Open(t))
	})
}

// suiteWorld is a Jira site with people, groups and two projects.
type suiteWorld struct {
	*jiratest.Server
	sourcetest.Ever
	t      *testing.T
	users  []*jiratest.User
	groups []*jiratest.Group
	levels []*jiratest.Level
	full   time.Duration // after which everything is looked at
	sweep  time.Duration // Options.SweepEvery
	tick   time.Duration // passes with each request
	edited index.Change
}

const (
	roleA = "10101"
	roleB = "10102"
)

// A right is not lost later than Looks say, as a server reads the site.
func TestLate(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		sourcetest.Late(t, jira.Looks, func(rt *rapid.T) sourcetest.Clocked {
			w := newWorld(t, rt, cloud)
			rt.Cleanup(w.Close)
			w.sweep, w.full, w.tick = 0, 0, time.Millisecond
			return w
		}, pgaccesstest.Open(t))
	})
}

func newWorld(t *testing.T, rt *rapid.T, cloud bool) *suiteWorld {
	w := &suiteWorld{Server: jiratest.NewServer(t, jiratest.NewWorld(), cloud), t: t, sweep: time.Nanosecond, tick: time.Second}
	for _, name := range []string{"ada", "bob", "cyd"} {
		w.users = append(w.users, w.User(name))
	}
	for _, name := range []string{"red", "blue"} {
		w.groups = append(w.groups, w.Group(name, w.users[0]))
	}
	for _, key := range []string{"ENG", "OPS"} {
		p := w.Project(key, users)
		w.levels = append(w.levels, w.Level(p, "Staff", users), w.Level(p, "Board", jiratest.Holder{Type: "group", Group: w.groups[1]}))
		w.Do(func() { p.TeamManaged = cloud && key == "OPS" })
	}
	w.Switch(func(s *jiratest.Switches) {
		s.Short, s.PastEnd = rapid.IntRange(0, 3).Draw(rt, "short parts"), rapid.Bool().Draw(rt, "more than there is")
		s.Hollow = rapid.Bool().Draw(rt, "hollow parts")
	})
	if rapid.Bool().Draw(rt, "everything is looked at each time") {
		w.full = time.Nanosecond
	}
	for range rapid.IntRange(5, 15).Draw(rt, "edits at first") {
		w.Edit(rt)
	}
	return w
}

// holder draws somebody who holds a permission.
func (w *suiteWorld) holder(t *rapid.T) jiratest.Holder {
	h := jiratest.Holder{Type: rapid.SampledFrom([]string{
		"anyone", "applicationRole", "applicationRole", "assignee", "group", "groupCustomField", "projectLead", "projectRole", "reporter", "user", "userCustomField",
		"sd.customer.portal.only", "something new",
	}).Draw(t, "holder")}
	switch h.Type {
	case "applicationRole":
		h.App = rapid.SampledFrom([]string{"", "jira-software", "jira-servicedesk"}).Draw(t, "application")
	case "user":
		h.User = rapid.SampledFrom(w.users).Draw(t, "user")
	case "group":
		h.Group = rapid.SampledFrom(w.groups).Draw(t, "group")
	case "projectRole":
		h.Role = rapid.SampledFrom([]string{roleA, roleB}).Draw(t, "role")
	case "userCustomField":
		h.Field = "customfield_10050"
	case "groupCustomField":
		h.Field = "customfield_10051"
	}
	return h
}

// holders draws several, mostly with the account that reads.
func (w *suiteWorld) holders(t *rapid.T) []jiratest.Holder {
	var list []jiratest.Holder
	if rapid.IntRange(0, 5).Draw(t, "without the bot") > 0 {
		list = append(list, jiratest.Holder{Type: "user", User: w.Bot})
	}
	for range rapid.IntRange(0, 3).Draw(t, "holders") {
		list = append(list, w.holder(t))
	}
	return list
}

// Edit implements sourcetest.World.
func (w *suiteWorld) Edit(t *rapid.T) {
	project := rapid.SampledFrom(w.Projects).Draw(t, "project")
	user := func() *jiratest.User {
		if i := rapid.IntRange(-1, len(w.users)-1).Draw(t, "somebody"); i >= 0 {
			return w.users[i]
		}
		return nil
	}
	var issues []*jiratest.Issue
	w.Do(func() { issues = slices.Clone(w.Issues) })
	what := rapid.IntRange(0, 15).Draw(t, "edit")
	w.edited = map[int]index.Change{
		3: index.ChangeDocument, 4: index.ChangeDocument, 5: index.ChangeDocument, 6: index.ChangeDocument, 7: index.ChangeMove, 8: index.ChangeDeletion,
		10: index.ChangeNode, 11: index.ChangeNode, 12: index.ChangeNode, 13: index.ChangeDocument, 14: index.ChangeMember, 15: index.ChangeAccount,
	}[what]
	if len(issues) == 0 || what < 3 {
		w.edited = ""
		w.Add(&jiratest.Issue{
			Project: project, Summary: "an issue", Text: "common words", Reporter: user(), Assignee: user(),
			Custom: map[string]any{"customfield_10050": user(), "customfield_10051": rapid.SampledFrom(w.groups).Draw(t, "group in a field")},
		})
		w.meet()
		return
	}
	i := rapid.SampledFrom(issues).Draw(t, "issue")
	switch what {
	case 3, 4: // its level
		var level *jiratest.Level
		if n := rapid.IntRange(-1, len(i.Project.Security.Levels)-1).Draw(t, "level"); n >= 0 {
			level = i.Project.Security.Levels[n]
		}
		w.Server.Edit(i, func() { i.Level = level })
	case 5:
		u, v := user(), user()
		w.Server.Edit(i, func() { i.Assignee, i.Reporter = u, v })
	case 6:
		stands := []any{user(), []*jiratest.User{w.users[0], w.users[1]}, nil}[rapid.IntRange(0, 2).Draw(t, "stands")]
		w.Server.Edit(i, func() { i.Custom["customfield_10050"] = stands })
	case 7:
		w.Move(i, project)
	case 8:
		w.Delete(i)
	case 9:
		w.Comment(i, &jiratest.Comment{Text: "something more", Author: w.users[0]})
	case 10: // who may browse a project
		list := append(w.holders(t), jiratest.Holder{Type: "user", User: w.Bot})
		w.Do(func() { project.Browse = list })
	case 11: // who belongs to a level
		level := rapid.SampledFrom(w.levels).Draw(t, "level of a scheme")
		list := w.holders(t)
		w.Do(func() { level.Members = list })
	case 12: // who is in a role, or leads a project
		role := rapid.SampledFrom([]string{roleA, roleB}).Draw(t, "role")
		actors := []any{w.users[rapid.IntRange(0, 2).Draw(t, "actor")], w.groups[rapid.IntRange(0, 1).Draw(t, "acting group")], w.Bot, "odd"}[rapid.IntRange(0, 2).Draw(t, "actors"):]
		lead := user()
		w.Do(func() { project.Roles[role], project.Lead = actors, lead })
	case 13: // a restriction, where issues have such
		restricted, odd := []string{roleA, roleB}[:rapid.IntRange(0, 2).Draw(t, "roles")], rapid.IntRange(0, 5).Draw(t, "oddly") == 0
		if i.Project.TeamManaged {
			w.Server.Edit(i, func() { i.Restricted, i.RestrictedOddly = restricted, odd })
		}
	case 14: // somebody comes into a group, or leaves it; or the site opens to visitors
		g := rapid.SampledFrom(append(slices.Clone(w.groups), w.Apps[0].Groups[0])).Draw(t, "group")
		u := rapid.SampledFrom(w.users).Draw(t, "user")
		open := rapid.Bool().Draw(t, "open to visitors")
		w.Do(func() {
			w.Anonymous = open
			if i := slices.Index(g.Members, u); i >= 0 {
				g.Members = slices.Delete(slices.Clone(g.Members), i, i+1)
			} else {
				g.Members = append(slices.Clone(g.Members), u)
			}
		})
	case 15: // somebody is deactivated, or has another name to log in with
		u := rapid.SampledFrom(w.users).Draw(t, "user")
		rename := rapid.Bool().Draw(t, "rename")
		w.Do(func() {
			if rename {
				u.Login += "x"
			} else {
				u.Inactive = !u.Inactive
			}
		})
	}
}

// Edited implements sourcetest.Clocked.
func (w *suiteWorld) Edited() index.Change { return w.edited }

// meet takes note of all documents that there are.
func (w *suiteWorld) meet() {
	w.Do(func() {
		for _, i := range w.Issues {
			w.Meet(idOf(i))
		}
	})
}

func idOf(i *jiratest.Issue) document.ID { return document.ID("jira-issues:" + i.ID) }

// Connector implements sourcetest.World.
func (w *suiteWorld) Connector() index.Connector {
	config := configOf(w.Server)
	config.Now = func() time.Time {
		w.Pass(w.tick)
		return w.Now()
	}
	client, err := jira.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := jira.NewConnector(client, jira.Options{FullEvery: w.full, Common: jira.Common{
		Name: "issues", Comments: true, Anonymous: access.Members, Domains: []string{sourcetest.Domain}, SweepEvery: w.sweep,
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// Fault implements sourcetest.World.
func (w *suiteWorld) Fault(t *rapid.T) func() {
	faults := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 1))
	poisoned, unindexed := make(map[string]bool), make(map[string]bool)
	w.Do(func() {
		for _, i := range w.Issues {
			poisoned[i.ID], unindexed[i.ID] = faults.IntN(8) == 0, faults.IntN(8) == 0
		}
	})
	w.Switch(func(s *jiratest.Switches) {
		s.Poisoned, s.Unindexed = poisoned, unindexed
		s.NoAdmin, s.NoLevels, s.Circle = faults.IntN(8) == 0, faults.IntN(8) == 0, faults.IntN(8) == 0
	})
	parts := []string{"search", "role", "group", "permissionscheme", "security", "project", "myself"}
	w.Break(faults, parts, jiratest.Refuse(http.StatusServiceUnavailable), jiratest.Refuse(http.StatusTooManyRequests, "Retry-After", "3600"), servertest.Page)
	return func() {
		w.Switch(func(s *jiratest.Switches) {
			s.Poisoned, s.Unindexed = nil, nil
			s.NoAdmin, s.NoLevels, s.Circle = false, false, false
		})
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

// MayRead implements sourcetest.World. What the account that reads cannot see is not there for
// anybody here, and on Data Center nothing tells who belongs to a security level.
func (w *suiteWorld) MayRead(who access.Account, d document.ID) bool {
	var issue *jiratest.Issue
	w.Do(func() {
		for _, i := range w.Issues {
			if idOf(i) == d {
				issue = i
			}
		}
	})
	if issue == nil || !w.World.MayRead(w.Bot, issue) || !w.Cloud && issue.Level != nil {
		return false
	}
	for _, u := range w.users {
		if who.Full && strings.EqualFold(u.Email, who.Email) && w.World.MayRead(u, issue) {
			return true
		}
	}
	return w.World.MayRead(nil, issue) // as a visitor
}
