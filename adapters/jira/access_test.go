package jira_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// readers is who may read the site.
type readers struct {
	sourcetest.Readers
	s *site
}

func (s *site) nodes() *readers {
	s.T.Helper()
	r := &readers{s: s}
	r.again()
	return r
}

// again reads the nodes again.
func (r *readers) again() {
	r.s.T.Helper()
	if err := r.ReadNodes(r.s.T.Context(), r.s.Connector); err != nil {
		r.s.T.Fatal(err)
	}
	var moved []index.Access
	for id, acl := range r.Moved {
		moved = append(moved, index.Access{ID: id, ACL: acl, ReadAt: time.Now()})
	}
	if err := r.s.Store.SetACL(r.s.T.Context(), sourcetest.Tenant, "jira-issues", moved); err != nil {
		r.s.T.Fatal(err)
	}
}

// reads are the issues of which somebody is shown the documents, who may hold more by the chat.
func (r *readers) reads(u *jiratest.User, more ...access.Principal) []string {
	r.s.T.Helper()
	if err := r.ReadGroups(r.s.T.Context(), r.s.Connector); err != nil {
		r.s.T.Fatal(err)
	}
	held := append(r.Held("jira-issues", u.ID), more...)
	var keys []string
	for _, d := range r.s.Documents() {
		if len(d.ACL) != 1 {
			r.s.T.Fatalf("%s has the access list %v", d.Title, d.ACL)
		}
		if r.Lets(strings.TrimPrefix(string(d.ACL[0]), string(access.Node("jira-issues", ""))), held...) {
			key, _, _ := strings.Cut(d.Title, ":")
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Each sort of holder lets in exactly whom it does in Jira, and one that is not known nobody.
func TestWhoHoldsBrowseProjects(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada, bob, cyd, out := s.User("ada"), s.User("bob"), s.User("cyd"), s.User("out")
		staff := s.Group("staff", ada, out)
		s.Do(func() {
			in := s.Apps[0].Groups[0]
			in.Members = slices.DeleteFunc(in.Members, func(u *jiratest.User) bool { return u == out })
		})
		const role = "10101"
		for n, h := range []jiratest.Holder{
			{Type: "anyone"}, users, {Type: "applicationRole", App: "jira-software"}, {Type: "applicationRole", App: "jira-servicedesk"}, {Type: "user", User: bob},
			{Type: "group", Group: staff}, {Type: "projectLead"}, {Type: "projectRole", Role: role}, {Type: "projectRole", Role: "10102"}, {Type: "reporter"}, {Type: "assignee"},
			{Type: "userCustomField", Field: "customfield_10050"}, {Type: "groupCustomField", Field: "customfield_10051"}, {Type: "sd.customer.portal.only"}, {Type: "new"},
		} {
			p := s.Project(fmt.Sprintf("P%d", n), h)
			s.Do(func() { p.Lead, p.Roles[role], p.Roles["10102"] = cyd, []any{cyd, "odd"}, []any{staff} })
			for _, level := range []*jiratest.Level{nil, s.Level(p, "Board", jiratest.Holder{Type: "reporter"}, jiratest.Holder{Type: "user", User: cyd})} {
				s.Add(&jiratest.Issue{
					Project: p, Summary: h.Type, Text: "x", Reporter: ada, Assignee: bob, Level: level,
					Custom: map[string]any{"customfield_10050": []*jiratest.User{bob, cyd}, "customfield_10051": staff},
				})
			}
		}
		r := s.nodes()
		s.MustSync()
		if len(r.Unread) > 0 || !r.Complete {
			t.Errorf("unread %v, complete %v", r.Unread, r.Complete)
		}
		for _, u := range []*jiratest.User{ada, bob, cyd, out} {
			var want []string
			for _, i := range s.Issues {
				if s.MayRead(u, i) && (cloud || i.Level == nil) { // Data Center tells nobody who belongs to a level
					want = append(want, i.Key)
				}
			}
			slices.Sort(want)
			if got := r.reads(u); !slices.Equal(got, want) {
				t.Errorf("%s reads %v, want %v", u.Name, got, want)
			}
			if len(want) == 0 && u != out {
				t.Errorf("%s reads nothing: nothing was tried", u.Name)
			}
		}
	})
}

// A change of an issue's fields that settings name makes its document name another node, and nobody
// is let in by what stood there before.
func TestDocumentsNameWhoStandsInTheIssue(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada, bob := s.User("ada"), s.User("bob")
		p := s.Project("ENG", jiratest.Holder{Type: "assignee"})
		i := s.Add(&jiratest.Issue{Project: p, Summary: "a", Text: "x", Assignee: ada})
		r := s.nodes()
		s.MustSync()
		if got := r.reads(ada); len(got) != 1 {
			t.Errorf("the assignee reads %v", got)
		}
		s.Edit(i, func() { i.Assignee = bob })
		r.again()
		s.MustSync()
		if a, b := r.reads(ada), r.reads(bob); len(a) != 0 || len(b) != 1 {
			t.Errorf("the one before reads %v, the one after %v", a, b)
		}
		s.Do(func() { p.Browse = append(p.Browse, jiratest.Holder{Type: "reporter"}) }) // the settings name another field
		s.Edit(i, func() { i.Reporter = ada })
		s.Pass(time.Hour)
		r.again()
		s.MustSync()
		if a, b := r.reads(ada), r.reads(bob); len(a) != 1 || len(b) != 1 {
			t.Errorf("the reporter reads %v, the assignee %v", a, b)
		}
		s.Do(func() {
			p.Browse = slices.DeleteFunc(p.Browse, func(h jiratest.Holder) bool { return h.Type == "assignee" })
		})
		r.again() // before any document was looked at
		if a, b := r.reads(ada), r.reads(bob); len(a) != 1 || len(b) != 0 {
			t.Errorf("the reporter reads %v, the assignee, who holds nothing any more, %v", a, b)
		}
	})
}

// If the settings of a project refer to other fields, everyone who may read an issue in Jira still
// reads it, before and after the next reading of documents.
func TestChangedFieldsOfSettingsHideNoIssue(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, func(o *jira.Options) { o.Attachments, o.Read = true, textFile })
		ada, bob := s.User("ada"), s.User("bob")
		reporter, assignee := jiratest.Holder{Type: "reporter"}, jiratest.Holder{Type: "assignee"}
		p := s.Project("ENG", reporter, assignee)
		i := s.Add(&jiratest.Issue{Project: p, Summary: "a", Text: "x", Reporter: ada, Assignee: bob})
		s.Attach(i, "notes.md", []byte("x"))
		r := s.nodes()
		s.MustSync()
		check := func(when string, ada2, bob2 int) {
			t.Helper()
			if a, b := r.reads(ada), r.reads(bob); len(a) != ada2 || len(b) != bob2 {
				t.Errorf("%s: the reporter reads %v, the assignee %v", when, a, b)
			}
		}
		check("at first", 2, 2)
		for _, step := range []struct {
			name     string
			browse   []jiratest.Holder
			ada, bob int
			first    bool // the settings begin to refer to fields; changed issues wait for the scan
		}{
			{"without the assignee", []jiratest.Holder{reporter}, 2, 0, false},
			{"without fields", []jiratest.Holder{{Type: "user", User: bob}}, 0, 2, false},
			{"with the reporter again", []jiratest.Holder{reporter}, 2, 0, true},
		} {
			s.Do(func() { p.Browse = append(step.browse, jiratest.Holder{Type: "user", User: s.Bot}) })
			r.again()
			check(step.name, step.ada, step.bob)
			s.Pass(time.Minute)
			s.MustSync() // lists the latest changes only
			if !step.first {
				check(step.name+", after a reading of changes", step.ada, step.bob)
			}
			s.Pass(time.Hour)
			s.MustSync()
			r.again()
			check(step.name+", after the next scan", step.ada, step.bob)
		}
	})
}

// What is not shown to the account lets nobody in; on Data Center that is said by 500.
func TestWhatCannotBeSeenLetsNobodyIn(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Project("ENG", users)
		s.Add(&jiratest.Issue{Project: eng, Summary: "a", Text: "x", Level: s.Level(eng, "Board", users)})
		s.Switch(func(w *jiratest.Switches) { w.NoAdmin = true })
		r := s.nodes()
		if n, known := r.Nodes[eng.ID]; !known || len(n.Clauses) != 0 || len(r.Unread) > 0 {
			t.Errorf("the project lets in %v; unread %v", n.Clauses, r.Unread)
		}
		_, err := s.Connector.Check(t.Context())
		for _, want := range []string{"who may use Jira is shown to its administrators alone", "who may browse the project ENG is not shown"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the check does not say %q: %v", want, err)
			}
		}
		s.Switch(func(w *jiratest.Switches) { w.NoAdmin, w.NoLevels = false, true })
		if _, err := s.Connector.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "security level") {
			t.Errorf("the check says %v", err)
		}
		r = s.nodes()
		s.MustSync()
		if got := r.reads(s.User("ada")); len(got) > 0 {
			t.Errorf("whoever may browse the project reads %v", got)
		}
	})
}

// Where issues do not show by what they are limited, and may be, nobody reads them.
func TestAnIssueThatHidesItsLevelIsForNobody(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada := s.User("ada")
		eng, ops, web := s.Project("ENG", users), s.Project("OPS", users), s.Project("WEB", users)
		s.Do(func() { web.TeamManaged = true })
		s.Level(eng, "Board", users)
		for _, p := range []*jiratest.Project{eng, eng, ops, web} {
			s.Issue(p, "a", "x")
		}
		s.Switch(func(w *jiratest.Switches) { w.Blind = true })
		r := s.nodes()
		told := s.mustSyncWithNotices()
		want := []string{"OPS-1"}
		if !cloud { // which has no projects of that sort
			want = append(want, "WEB-1")
		}
		if got := r.reads(ada); !slices.Equal(got, want) || strings.Count(told, "ENG-1, or others with it, may be read by few alone") != 1 || strings.Contains(told, "ENG-2") {
			t.Errorf("she reads %v: %s", got, told)
		}
	})
}

// Whoever is let in as a visitor belongs to no security level, whatever group they are in: they
// have no access to Jira.
func TestVisitorsBelongToNoLevel(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	ada, out := s.User("ada"), s.User("out")
	staff := s.Group("staff", ada, out)
	s.Do(func() {
		s.Anonymous = true
		in := s.Apps[0].Groups[0]
		in.Members = slices.DeleteFunc(in.Members, func(u *jiratest.User) bool { return u == out })
	})
	eng := s.Project("ENG", jiratest.Holder{Type: "anyone"})
	s.Issue(eng, "open", "x")
	s.Add(&jiratest.Issue{Project: eng, Summary: "limited", Text: "x", Level: s.Level(eng, "Staff", jiratest.Holder{Type: "group", Group: staff})})
	r := s.nodes()
	s.MustSync()
	for u, want := range map[*jiratest.User][]string{ada: {"ENG-1", "ENG-2"}, out: {"ENG-1"}} {
		if got := r.reads(u, access.Members); !slices.Equal(got, want) {
			t.Errorf("%s reads %v, want %v", u.Name, got, want)
		}
	}
}

// A site that names nobody who may use it has nobody, unless the operator names the groups.
func TestTheOperatorNamesWhoUsesJira(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, func(o *jira.Options) { o.Users = []string{"everybody"} })
		ada := s.User("ada")
		s.Issue(s.Project("ENG", users), "a", "x")
		s.MustSync()
		r := s.nodes()
		if got := r.reads(ada); len(got) > 0 {
			t.Errorf("before the group is there she reads %v", got)
		}
		s.Group("everybody", ada)
		r = s.nodes()
		if got := r.reads(ada); len(got) != 1 {
			t.Errorf("she reads %v", got)
		}
	})
}

func TestARefusedCredentialHidesTheSource(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		s.Project("ENG", users)
		s.MustSync()
		s.Revoke(true)
		s.MustBeRefused(s.Token)
	})
}

// Points that are used up end the run until the hour does, and nothing is asked meanwhile; then it
// goes on where it was.
func TestPointsAreKeptTo(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	eng := s.Project("ENG", users)
	for n := range 300 {
		s.Issue(eng, "issue", fmt.Sprintf("text %d", n))
		s.Pass(10 * time.Minute)
	}
	s.Switch(func(w *jiratest.Switches) { w.Points, w.Short = 250, 100 })
	for hours := 0; ; hours++ {
		if hours > 20 {
			t.Fatal("it comes to no end")
		}
		var later *index.Later
		_, err := s.Sync(t.Context())
		if err == nil {
			if hours < 2 {
				t.Errorf("it took %d hours: the points were not kept to", hours)
			}
			break
		}
		if !errors.As(err, &later) || !errors.Is(err, index.ErrPaused) {
			t.Fatalf("the run ends with %v", err)
		}
		mark := s.Mark()
		if _, err := s.Sync(t.Context()); !errors.As(err, &later) || s.Mark() != mark {
			t.Errorf("%d requests were made meanwhile: %v", s.Mark()-mark, err)
		}
		s.Pass(time.Hour)
	}
	if got := len(s.Documents()); got != 300 {
		t.Errorf("%d issues are in the index", got)
	}
}

// Lists that lead in a circle end.
func TestAListThatGoesRoundEnds(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Project("ENG", users, jiratest.Holder{Type: "reporter"})
		for range 5 {
			s.Issue(eng, "a", "x")
		}
		s.MustSync()
		s.Pass(48 * time.Hour)
		s.Switch(func(w *jiratest.Switches) { w.Circle, w.Short = true, 2 })
		if _, err := s.Sync(t.Context()); cloud && err == nil {
			t.Error("the list of projects has no end, and is taken")
		}
		for _, err := range s.Connector.Groups(t.Context(), nil) {
			if cloud && err == nil {
				t.Error("the list of groups has no end, and is taken")
			}
		}
	})
}

// Addresses count where the organisation has verified their domain, and not else; whoever was
// deactivated is in no group.
func TestPeople(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada, bob, cyd, dan := s.User("ada"), s.User("bob"), s.User("cyd"), s.User("dan")
		s.Do(func() {
			ada.Email, bob.Email, cyd.Hidden, dan.Inactive = "Ada@Example.com", "bob@gmail.example", true, true
		})
		emails, members := make(map[string][]string), []string(nil)
		for batch, err := range s.Connector.Groups(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range batch.People {
				emails[p.ID] = p.Emails
			}
			for _, g := range batch.Groups {
				members = append(members, g.Members...)
			}
		}
		if !slices.Equal(emails[ada.ID], []string{"ada@example.com"}) || len(emails[bob.ID]) > 0 || len(emails[cyd.ID]) > 0 || slices.Contains(members, dan.ID) || !slices.Contains(members, cyd.ID) {
			t.Errorf("addresses %v, members %v", emails, members)
		}
	})
}

// Somebody who has another name now is still in the role, and whoever took the old one is not.
func TestNamesToLogInWithAreNoIDs(t *testing.T) {
	t.Parallel()
	s := newSite(t, false, nil)
	ada, bob := s.User("ada"), s.User("bob")
	p := s.Project("ENG", jiratest.Holder{Type: "projectRole", Role: "10101"})
	s.Issue(p, "a", "x")
	s.Do(func() { p.Roles["10101"] = []any{ada} })
	s.MustSync()
	s.Do(func() { ada.Login, bob.Login = "ada-2", "ada" })
	r := s.nodes()
	if a, b := r.reads(ada), r.reads(bob); len(a) != 1 || len(b) != 0 {
		t.Errorf("she reads %v, who has her old name %v", a, b)
	}
}

func TestOnePersonIsAskedAbout(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	ada, bob := s.User("ada"), s.User("bob")
	eng, ops := s.Project("ENG", users), s.Project("OPS", jiratest.Holder{Type: "user", User: ada})
	points := []index.Point{{Node: eng.ID}, {Node: ops.ID}, {Node: ops.ID + ":0123"}, {Node: eng.ID + ":0123"}, {Node: "odd"}}
	yes, no, never := index.Allowed, index.Denied, index.CannotAsk
	for u, want := range map[*jiratest.User][]index.Permission{ada: {yes, yes, never, never, index.CheckFailed}, bob: {yes, no, no, never, index.CheckFailed}} {
		may := s.Connector.MayRead(t.Context(), u.ID, points)
		for i, p := range points {
			if may[p] != want[i] {
				t.Errorf("%s and %v: %v, want %v", u.Name, p, may[p], want[i])
			}
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if may := s.Connector.MayRead(stopped, ada.ID, points); len(may) > 0 {
		t.Errorf("without an answer it says %v", may)
	}
	s.Switch(func(w *jiratest.Switches) { w.NoAdmin = true })
	if may := s.Connector.MayRead(t.Context(), ada.ID, points); may[points[0]] != never || may[points[1]] != never {
		t.Errorf("without being an administrator it says %v", may)
	}
}

func TestFaultyOptionsAreNamed(t *testing.T) {
	t.Parallel()
	if _, err := jira.New(jira.Config{URL: "https://me:pw@acme.atlassian.net", Token: "x"}); err == nil || strings.Contains(err.Error(), "pw@") {
		t.Error(err)
	}
	if _, err := jira.New(jira.Config{URL: "https://acme.atlassian.net"}); err == nil || !strings.Contains(err.Error(), "JIRA_TOKEN") {
		t.Error(err)
	}
	c, err := jira.New(jira.Config{URL: "https://acme.atlassian.net", Token: "x"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = jira.NewConnector(c, jira.Options{Projects: []string{"ENG) or (1=1"}, Common: jira.Common{Name: "j", Domains: []string{"a@b.c"}, Anonymous: "all"}})
	for _, want := range []string{"key of a project", "domain", "members, public or nobody"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told: %v", want, err)
		}
	}
}

// A project whose settings fail is passed over, and the others are read all the same.
func TestOneProjectThatFailsIsPassedOver(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng, ops := s.Project("ENG", users), s.Project("OPS", users)
		s.Faults.Add(jiratest.Fault{Path: "project/" + eng.ID + "/permissionscheme", Answer: jiratest.Refuse(http.StatusBadGateway)}, 0, 5)
		r := s.nodes()
		if _, known := r.Nodes[ops.ID]; !known || r.Complete || !slices.Equal(r.Unread, []string{eng.ID}) {
			t.Errorf("nodes %v, unread %v, complete %v", r.Nodes, r.Unread, r.Complete)
		}
		if r.again(); r.Told != 2 || len(r.Unread) > 0 || !r.Complete {
			t.Errorf("the next time: nodes %v, unread %v, complete %v", r.Nodes, r.Unread, r.Complete)
		}
	})
}

// While the scheme is not shown to the account, a changed issue stays filed by its fields. Its
// readers see it as soon as the scheme is shown again.
func TestInvisibleSchemeKeepsFieldsOfSettings(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		for _, wait := range []time.Duration{time.Minute, time.Hour, 25 * time.Hour} { // changes, ids, issues
			s := newSite(t, cloud, nil)
			ada, bob := s.User("ada"), s.User("bob")
			eng := s.Project("ENG", jiratest.Holder{Type: "reporter"})
			i := s.Add(&jiratest.Issue{Project: eng, Summary: "a", Text: "x", Reporter: ada})
			r := s.nodes()
			s.MustSync()
			if got := r.reads(ada); len(got) != 1 {
				t.Fatalf("the reporter reads %v", got)
			}
			s.Switch(func(w *jiratest.Switches) { w.NoAdmin = true })
			r.again()
			s.Edit(i, func() { i.Text, i.Reporter = "y", bob })
			s.Pass(wait)
			s.MustSync()
			r.again()
			if got := r.reads(bob); len(got) > 0 {
				t.Errorf("after %v, while the scheme is not shown, the reporter reads %v", wait, got)
			}
			s.Switch(func(w *jiratest.Switches) { w.NoAdmin = false })
			r.again()
			if a, b := r.reads(ada), r.reads(bob); len(a) != 0 || len(b) != 1 {
				t.Errorf("after %v: the reporter reads %v, the former reporter %v", wait, b, a)
			}
		}
	})
}
