package jira_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// site is a world with its server, and a connector that reads it into an index.
type site struct {
	*jiratest.Server
	*sourcetest.Reading[*jira.Connector]
	client  *jira.Client
	options jira.Options
}

func configOf(s *jiratest.Server) jira.Config {
	c := jira.Config{
		URL: s.URL, Deployment: jira.DataCenter, Token: s.Token, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Microsecond, Now: s.Now,
		Patience: time.Second,
	}
	if s.Cloud {
		c.Deployment, c.Email = jira.Cloud, s.Bot.Email
	}
	return c
}

func newSite(t testing.TB, cloud bool, change func(*jira.Options)) *site {
	t.Helper()
	s := &site{Server: jiratest.NewServer(t, jiratest.NewWorld(), cloud)}
	s.options = jira.Options{Common: jira.Common{Name: "issues", Comments: true, Anonymous: access.Members, Domains: []string{"example.com"}}}
	if change != nil {
		change(&s.options)
	}
	var err error
	if s.client, err = jira.New(configOf(s.Server)); err != nil {
		t.Fatal(err)
	}
	s.Reading = sourcetest.Read(t, func() (*jira.Connector, error) { return jira.NewConnector(s.client, s.options) })
	return s
}

// mustHold says how the index differs from what should be in it: texts by issues.
func (s *site) mustHold(want map[*jiratest.Issue]string) {
	s.T.Helper()
	ids := make(map[string]string)
	for i, text := range want {
		ids[i.ID] = text
	}
	s.MustHold(ids)
}

// users is a holder that lets everybody in who may use the site.
var users = jiratest.Holder{Type: "applicationRole"}

func TestIssuesBecomeDocuments(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada, bob := s.User("ada"), s.User("bob")
		eng := s.Project("ENG", users)
		s.Do(func() { eng.Desk = true })
		secret := s.Add(&jiratest.Issue{Project: eng, Summary: "The merger", Text: "With Initech.", Level: s.Level(eng, "Board")})
		i := s.Add(&jiratest.Issue{
			Project: eng, Summary: "The printer hums", Text: "It hums since Monday.", Type: "Bug", Status: "In Progress", Reporter: ada, Assignee: bob,
			Labels: []string{"office", "noise"}, Parent: secret, Blocks: secret,
		})
		first := s.Comment(i, &jiratest.Comment{Author: bob, Text: "Have you tried toner?"})
		s.Comment(i, &jiratest.Comment{Author: bob, Text: "the admin password", Role: "Administrators"})
		s.Comment(i, &jiratest.Comment{Author: bob, Text: "for the group alone", Group: "staff"})
		s.Comment(i, &jiratest.Comment{Author: bob, Text: "the customer is wrong", Internal: true})
		for n := range 30 { // more than an issue shows of its comments
			s.Comment(i, &jiratest.Comment{Author: ada, Text: fmt.Sprintf("It hums again, the %dth time.", n)})
		}
		empty := s.Issue(eng, "Only a name", "")
		s.MustSync()

		all := s.Documents()
		d := all[i.ID]
		if d == nil || len(all) != 3 || all[empty.ID].Text() != "Only a name" {
			t.Fatalf("the index holds %v", slices.Sorted(maps.Keys(all)))
		}
		if d.Title != "ENG-2: The printer hums" || d.URL != s.URL+"/browse/ENG-2" || !d.UpdatedAt.Equal(i.Updated.Truncate(time.Millisecond)) {
			t.Errorf("the issue is %+v", d.Ref)
		}
		want := map[string]string{
			"project": "Project ENG", "type": "Bug", "status": "In Progress", "reporter": "The ada", "assignee": "The bob", "labels": "office, noise",
			"parent": secret.Key, "links": "blocks " + secret.Key, "created": i.Created.Format(time.DateOnly),
		}
		if !maps.Equal(d.Metadata, want) {
			t.Errorf("it is told of it %v, want %v", d.Metadata, want)
		}
		text := d.Text()
		for _, said := range []string{"It hums since Monday.", "The bob commented (2026-11-20 09:00 UTC): Have you tried toner?", "the 29th time"} {
			if !strings.Contains(text, said) {
				t.Errorf("%q is missing:\n%s", said, text)
			}
		}
		for _, hidden := range []string{"password", "alone", "customer", "merger"} {
			if strings.Contains(text, hidden) || strings.Contains(fmt.Sprint(d.Metadata), hidden) {
				t.Errorf("%q is for others", hidden)
			}
		}
		if got := d.Sections[1].Anchor; d.Link(got) != s.URL+"/browse/ENG-2?focusedCommentId="+first.ID {
			t.Errorf("the comment is at %q", d.Link(got))
		}
	})
}

// What changes in Jira changes in the index, and what is gone goes.
func TestTheIndexFollows(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng, ops := s.Project("ENG", users), s.Project("OPS", users)
		want := make(map[*jiratest.Issue]string)
		var issues []*jiratest.Issue
		for n := range 130 {
			i := s.Issue(eng, fmt.Sprintf("issue %d", n), fmt.Sprintf("text %d", n))
			issues, want[i] = append(issues, i), fmt.Sprintf("text %d", n)
		}
		steps := []struct {
			name string
			do   func()
		}{
			{"the first pass", func() {}},
			{"nothing", func() {}},
			{"an edit", func() {
				s.Edit(issues[99], func() { issues[99].Text = "other words" })
				want[issues[99]] = "other words"
			}},
			{"a comment, and a new issue", func() {
				s.Comment(issues[3], &jiratest.Comment{Text: "somebody says"})
				want[issues[3]] = "somebody says"
				want[s.Issue(ops, "rota", "who is on call")] = "who is on call"
			}},
			{"an issue moves, and has another key", func() {
				s.Move(issues[50], ops)
			}},
			{"an issue is deleted", func() {
				s.Delete(issues[120])
				delete(want, issues[120])
				s.Pass(time.Hour)
			}},
			{"what no search told of is found by its id", func() {
				i := s.Issue(eng, "late", "not in the index of searches")
				s.Switch(func(w *jiratest.Switches) { w.Unindexed = map[string]bool{i.ID: true} })
				s.MustSync()
				s.Issue(eng, "another", "that is")
				want[s.Issues[len(s.Issues)-1]] = "that is"
				s.Pass(4 * time.Hour)
				s.MustSync()
				s.Switch(func(w *jiratest.Switches) { w.Unindexed = nil })
				s.Pass(time.Hour)
				want[i] = "not in the index"
			}},
			{"a project is archived", func() {
				s.Do(func() { ops.Archived = true })
				s.Pass(time.Hour)
				s.MustSync()
				s.Pass(8 * 24 * time.Hour)
				maps.DeleteFunc(want, func(i *jiratest.Issue, _ string) bool { return i.Project == ops })
			}},
		}
		for _, step := range steps {
			step.do()
			s.MustSync()
			t.Log("after", step.name)
			s.mustHold(want)
			if step.name == "an issue moves, and has another key" {
				if d := s.Documents()[issues[50].ID]; d.Title != "OPS-2: issue 50" || !strings.HasSuffix(d.URL, "/browse/OPS-2") {
					t.Errorf("the issue that moved is %+v", d.Ref)
				}
			}
		}
	})
}

// More projects than a search can name are read all the same, each with what was changed there.
func TestManyProjects(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		want := make(map[*jiratest.Issue]string)
		var last *jiratest.Issue
		for n := range 60 {
			last = s.Issue(s.Project(fmt.Sprintf("P%d", n), users), "issue", fmt.Sprintf("text %d", n))
			want[last] = fmt.Sprintf("text %d", n)
		}
		s.MustSync()
		s.mustHold(want)
		s.Edit(last, func() { last.Text = "other words" })
		want[last] = "other words"
		mark := s.Mark()
		s.MustSync()
		s.mustHold(want)
		if asked := s.Mark() - mark; asked > 5 {
			t.Errorf("%d requests for one change", asked)
		}
	})
}
