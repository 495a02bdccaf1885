package gitlab_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gitlab"
	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// reads are the documents that somebody is shown, who may hold more by the chat.
func (s *site) reads(u *gitlabtest.User, more ...access.Principal) []string {
	s.T.Helper()
	var r sourcetest.Readers
	if err := r.Read(s.T.Context(), s.Connector); err != nil {
		s.T.Fatal(err)
	}
	held := append(r.Held("gitlab-code", fmt.Sprint(u.ID)), more...)
	var names []string
	for name, d := range s.Documents() {
		if len(d.ACL) == 1 && r.Lets(strings.TrimPrefix(string(d.ACL[0]), string(access.Node("gitlab-code", ""))), held...) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// mustRead compares what somebody is shown with what they may read at GitLab.
func (s *site) mustRead(u *gitlabtest.User) {
	s.T.Helper()
	var want []string
	for _, t := range slices.Clone(s.Things) {
		if s.MayRead(u, t) {
			want = append(want, called(t))
		}
	}
	slices.Sort(want)
	if got := s.reads(u, access.Members); !slices.Equal(got, want) {
		s.T.Errorf("%s reads %v, want %v", u.Username, got, want)
	}
}

// Every role in every sort of project reads exactly what it reads at GitLab.
func TestRolesReadWhatTheyReadThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var people []*gitlabtest.User
	var members []*gitlabtest.Member
	for _, level := range []int{gitlabtest.Minimal, gitlabtest.Guest, gitlabtest.Planner, gitlabtest.Reporter, gitlabtest.Owner} {
		u := s.User(fmt.Sprint("level", level))
		people, members = append(people, u), append(members, member(u, level))
	}
	other, external, author := s.User("other"), s.User("external"), s.User("author")
	s.Do(func() { external.External = true })
	people = append(people, other, external, author)
	for _, visibility := range []string{gitlabtest.Private, gitlabtest.Internal, gitlabtest.Public} {
		for _, access := range []string{gitlabtest.Enabled, gitlabtest.MembersOnly} {
			p := s.Project(s.Group(nil, visibility+access, visibility), "app", visibility, members...)
			s.Do(func() { p.IssuesLevel, p.MergeLevel, p.WikiLevel, p.Code = access, access, access, access })
			for _, thing := range []*gitlabtest.Thing{
				{Kind: gitlabtest.Issue}, {Kind: gitlabtest.Issue, Confidential: true, Author: author, Assignees: []*gitlabtest.User{external}},
				{Kind: gitlabtest.Issue, Confidential: true, Author: people[1]}, {Kind: gitlabtest.Merge}, {Kind: gitlabtest.Page, Path: "home"}, {Kind: gitlabtest.File, Path: "README.md"},
			} {
				thing.Project, thing.Title, thing.Text = p, "a title", "text"
				s.Add(thing)
			}
		}
	}
	s.MustSync()
	for _, u := range people {
		s.mustRead(u)
	}
	if got := s.reads(other); len(got) == 0 {
		t.Error("no account reads an internal project")
	}
	if len(s.reads(author, access.Members)) == len(s.reads(other, access.Members)) {
		t.Error("an author reads no confidential issue")
	}
}

// An issue that is made confidential, or loses an assignee, is hidden by the next look at who may
// read, before any document is read.
func TestConfidentialIssuesAreHiddenAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	guest, assignee := s.User("guest"), s.User("assignee")
	p := s.Project(s.Group(nil, "acme", gitlabtest.Private), "app", gitlabtest.Private, member(guest, gitlabtest.Guest), member(assignee, gitlabtest.Guest))
	i := s.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: p, Text: "x", Assignees: []*gitlabtest.User{assignee}})
	s.MustSync()
	moved := func() map[string]access.ACL {
		var r sourcetest.Readers
		found := make(map[string]access.ACL)
		for b, err := range s.Connector.Nodes(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			for id, acl := range b.Documents {
				found[string(id)] = acl
			}
		}
		if err := r.Read(t.Context(), s.Connector); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := moved(); len(got) > 0 {
		t.Errorf("an issue that is not confidential is moved: %v", got)
	}
	s.Edit(i, func() { i.Confidential = true })
	first := moved()["gitlab-code:"+called(i)]
	s.Edit(i, func() { i.Assignees = nil })
	second := moved()["gitlab-code:"+called(i)]
	if len(first) != 1 || len(second) != 1 || first[0] == second[0] {
		t.Errorf("it is moved to %v and to %v", first, second)
	}
	s.MustSync()
	s.mustRead(guest)
	s.mustRead(assignee)
}

// Memberships end on their day, although GitLab lists them until a job has run.
func TestMembershipsEndOnTheirDay(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	ada := s.User("ada")
	p := s.Project(s.Group(nil, "acme", gitlabtest.Private), "app", gitlabtest.Private)
	s.Do(func() {
		p.Members = []*gitlabtest.Member{{User: ada, Level: gitlabtest.Reporter, Expires: "2026-11-21"}}
	})
	s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: p, Path: "a.md", Text: "x"})
	s.MustSync()
	s.Switch(func(w *gitlabtest.Switches) { w.Lagging = true })
	s.mustRead(ada)
	if len(s.reads(ada)) != 1 {
		t.Error("a member reads nothing")
	}
	s.Pass(24 * time.Hour)
	s.mustRead(ada)
}

// Addresses count where an administrator's token shows that they were confirmed, below domains that
// the operator listed.
func TestPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	ada, bob, cyd, dan := s.User("ada"), s.User("bob"), s.User("cyd"), s.User("dan")
	s.Do(func() {
		ada.Email, bob.Email, cyd.Unconfirmed, dan.Blocked = "Ada@Example.com", "bob@example.com.evil.example", true, true
	})
	s.Project(s.Group(nil, "acme", gitlabtest.Private), "app", gitlabtest.Private, member(ada, 30), member(bob, 30), member(cyd, 30), member(dan, 30))
	for _, admin := range []bool{true, false} {
		s.Do(func() {
			s.Bot.Admin = admin
			s.Projects[0].Members = append(s.Projects[0].Members, member(s.Bot, gitlabtest.Reporter))
		})
		var r sourcetest.Readers
		if err := r.ReadGroups(t.Context(), s.Connector); err != nil {
			t.Fatal(err)
		}
		for u, want := range map[*gitlabtest.User]string{ada: "ada@example.com", bob: "", cyd: "", dan: ""} {
			if !admin {
				want = ""
			}
			if got := strings.Join(r.People[fmt.Sprint(u.ID)].Emails, " "); got != want {
				t.Errorf("administrator %v: %s is known by %q, want %q", admin, u.Username, got, want)
			}
		}
		if _, there := r.People[fmt.Sprint(dan.ID)]; there {
			t.Error("a blocked account is known")
		}
	}
}

func TestOnePersonIsAskedAbout(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	ada, bob := s.User("ada"), s.User("bob")
	closed := s.Project(s.Group(nil, "acme", gitlabtest.Private), "app", gitlabtest.Private, member(ada, gitlabtest.Reporter), member(bob, gitlabtest.Guest))
	inside := s.Project(s.Groups[0], "inside", gitlabtest.Internal)
	for _, p := range s.Projects {
		s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: p, Path: "a.md"})
	}
	node := func(p *gitlabtest.Project, f string) index.Point {
		return index.Point{Node: fmt.Sprintf("%d:%s", p.ID, f)}
	}
	points := []index.Point{node(closed, "issue"), node(closed, "file"), node(closed, "confidential:00"), node(inside, "file"), {Node: "999:file"}, {Node: "odd"}}
	yes, no, never := index.Allowed, index.Denied, index.CannotAsk
	for u, want := range map[*gitlabtest.User][]index.Permission{ada: {yes, yes, never, never, no, index.CheckFailed}, bob: {yes, no, never, never, no, index.CheckFailed}} {
		may := s.Connector.MayRead(t.Context(), fmt.Sprint(u.ID), points)
		for i, p := range points {
			if may[p] != want[i] {
				t.Errorf("%s and %v: %v, want %v", u.Username, p, may[p], want[i])
			}
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if may := s.Connector.MayRead(stopped, fmt.Sprint(ada.ID), points); len(may) > 0 {
		t.Errorf("without an answer it says %v", may)
	}
}

func TestARefusedTokenHidesTheSource(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.Project(s.Group(nil, "acme", gitlabtest.Private), "app", gitlabtest.Private)
	s.MustSync()
	s.Switch(func(w *gitlabtest.Switches) { w.NoScope = true })
	s.MustBeRefused(s.Token)
	s.Switch(func(w *gitlabtest.Switches) { w.NoScope = false })
	s.Revoke(true)
	s.MustBeRefused(s.Token)
}

func TestWebhooksSayWhereToLook(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	hook := func(token, body string) ([]string, error) {
		return s.Connector.Hook(func(name string) string { return map[string]string{"X-Gitlab-Token": token}[name] }, []byte(body))
	}
	if _, err := hook("another", "{}"); !errors.Is(err, index.ErrUnsigned) {
		t.Errorf("another token: %v", err)
	}
	s.options.HookSecret = ""
	s.Again()
	if _, err := hook("", "{}"); !errors.Is(err, index.ErrUnsigned) {
		t.Errorf("without a secret: %v", err)
	}
	s.options.HookSecret = "h00k"
	s.Again()
	if _, err := hook("h00k", "no JSON"); err == nil || errors.Is(err, index.ErrUnsigned) {
		t.Errorf("a body that is no JSON: %v", err)
	}
	project := map[string]any{"id": 12, "default_branch": "main"}
	for _, c := range []struct {
		event map[string]any
		want  []string
	}{
		{map[string]any{"object_kind": "issue", "event_type": "confidential_issue", "object_attributes": map[string]any{"iid": 7}}, []string{"issue 12 7"}},
		{map[string]any{"object_kind": "note", "issue": map[string]any{"iid": 7}}, []string{"issue 12 7"}},
		{map[string]any{"object_kind": "note", "merge_request": map[string]any{"iid": 8}}, []string{"merge_request 12 8"}},
		{map[string]any{"object_kind": "note", "commit": map[string]any{}}, nil},
		{map[string]any{"object_kind": "merge_request", "object_attributes": map[string]any{"iid": 8}}, []string{"merge_request 12 8"}},
		{map[string]any{"object_kind": "wiki_page", "object_attributes": map[string]any{"slug": "home"}}, []string{"wiki 12"}},
		{map[string]any{"object_kind": "push", "ref": "refs/heads/main"}, []string{"file 12"}},
		{map[string]any{"object_kind": "push", "ref": "refs/heads/topic"}, nil},
		{map[string]any{"object_kind": "pipeline"}, nil},
	} {
		c.event["project"] = project
		body, err := json.Marshal(c.event)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := hook("h00k", string(body)); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s is about %v, %v, want %v", body, got, err, c.want)
		}
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *gitlab.Options) { o.Groups, o.Projects = []string{"acme", "none"}, []string{"acme/away"} })
	acme := s.Group(nil, "acme", gitlabtest.Private)
	s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: s.Project(acme, "app", gitlabtest.Private), Path: "a.md"})
	inside := s.Project(acme, "inside", gitlabtest.Internal)
	check := func(wants ...string) {
		t.Helper()
		what, notes, err := s.Connector.Check(t.Context())
		said := fmt.Sprint(what, notes, "\n", err)
		for _, want := range wants {
			if !strings.Contains(said, want) {
				t.Errorf("%q is not said: %s", want, said)
			}
		}
		if strings.Contains(said, s.Token) {
			t.Error("the token is shown")
		}
	}
	check("2 projects (1 private, 1 internal, 0 public)", "no project of the group none", "no project acme/away")
	s.Switch(func(w *gitlabtest.Switches) { w.Expires = "2026-11-25" })
	check("expires on 2026-11-25")
	s.Do(func() {
		s.Bot.Admin = false
		acme.Members = []*gitlabtest.Member{member(s.Bot, gitlabtest.Guest)}
	})
	check("the files of acme/app cannot be read", "merge requests of acme/app", "internal project "+inside.FullPath(), "footnote people import")
	s.Do(func() { acme.Members = nil })
	check("the token sees no project of the group acme")
	s.Switch(func(w *gitlabtest.Switches) { w.NoScope = true })
	check("lacks the scope read_api")
}
