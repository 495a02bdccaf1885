package gitlab_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gitlab"
	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
	"github.com/footnotehq/footnote/adapters/internal/markdown"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// site is an instance, and a connector that reads it into an index.
type site struct {
	*gitlabtest.Server
	*sourcetest.Reading[*gitlab.Connector]
	client  *gitlab.Client
	options gitlab.Options
}

func configOf(s *gitlabtest.Server) gitlab.Config {
	return gitlab.Config{
		URL: s.URL, Token: s.Token, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Microsecond, Patience: time.Second, Now: s.Now,
	}
}

// everything are options that read everything of the projects.
func everything() gitlab.Options {
	return gitlab.Options{
		Name: "code", Issues: true, MergeRequests: true, Wiki: true, Files: []string{"*.md"}, Domains: []string{sourcetest.Domain},
		HookSecret: "h00k", Wanted: func(path string) bool { return strings.HasSuffix(path, ".md") },
		Read: func(path string) (index.Connector, error) { return textFile{path: path}, nil },
	}
}

// textFile reads a file of Markdown.
type textFile struct {
	index.Connector
	path string
}

// Sync implements index.Connector.
func (f textFile) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	load := func(ctx context.Context) (d document.Document, err error) {
		text, err := os.ReadFile(f.path)
		if err != nil {
			return d, err
		}
		page, err := markdown.Read(ctx, string(text))
		d.Sections = page.Sections
		return d, err
	}
	return func(yield func(index.Batch, error) bool) {
		yield(index.Batch{Documents: []index.Item{{ID: "file", Load: load}}}, nil)
	}
}

func newSite(t testing.TB, change func(*gitlab.Options)) *site {
	t.Helper()
	s := &site{Server: gitlabtest.NewServer(t, gitlabtest.NewWorld()), options: everything()}
	if change != nil {
		change(&s.options)
	}
	var err error
	if s.client, err = gitlab.New(configOf(s.Server)); err != nil {
		t.Fatal(err)
	}
	s.Reading = sourcetest.Read(t, func() (*gitlab.Connector, error) { return gitlab.NewConnector(s.client, s.options) })
	return s
}

// called is the id of the document of something, without that of the source.
func called(t *gitlabtest.Thing) string {
	name := t.Path
	if t.Kind == gitlabtest.Issue || t.Kind == gitlabtest.Merge {
		name = fmt.Sprint(t.IID)
	}
	return fmt.Sprintf("%d/%s/%s", t.Project.ID, t.Kind, name)
}

func idOf(t *gitlabtest.Thing) document.ID { return document.ID("gitlab-code:" + called(t)) }

// mustHold says how the index differs from what should be in it: texts by things.
func (s *site) mustHold(want map[*gitlabtest.Thing]string) {
	s.T.Helper()
	ids := make(map[string]string)
	for t, text := range want {
		ids[called(t)] = text
	}
	s.MustHold(ids)
}

func member(u *gitlabtest.User, level int) *gitlabtest.Member {
	return &gitlabtest.Member{User: u, Level: level}
}

func TestProjectsBecomeDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	ada, bob := s.User("ada"), s.User("bob")
	app := s.Project(s.Group(s.Group(nil, "acme", gitlabtest.Private), "team", gitlabtest.Private), "app", gitlabtest.Private)
	i := s.Add(&gitlabtest.Thing{
		Kind: gitlabtest.Issue, Project: app, Title: "The printer hums", Text: "# Since\n\nIt hums since Monday.", Author: ada,
		Assignees: []*gitlabtest.User{bob}, Labels: []string{"office", "noise"},
	})
	first := s.Comment(i, &gitlabtest.Note{Text: "Have you tried toner?", Author: bob})
	s.Comment(i, &gitlabtest.Note{Text: "the customer is wrong", Author: bob, Internal: true})
	s.Comment(i, &gitlabtest.Note{Text: "changed the label", Author: bob, System: true})
	for n := range 130 { // more than a page holds
		s.Comment(i, &gitlabtest.Note{Text: fmt.Sprintf("It hums again, the %dth time.", n), Author: ada})
	}
	m := s.Add(&gitlabtest.Thing{Kind: gitlabtest.Merge, Project: app, Title: "Oil the printer", Text: "Oil is in the shed.", Author: bob, State: "merged"})
	page := s.Add(&gitlabtest.Thing{Kind: gitlabtest.Page, Project: app, Path: "ops/on call", Title: "On call", Text: "## Rota\n\nAda answers on Mondays.\n"})
	s.Add(&gitlabtest.Thing{Kind: gitlabtest.Page, Project: app, Path: "old", Title: "Old", Text: "+text+", Ref: "rdoc"})
	file := s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: app, Path: "docs/a b.md", Text: "# Toner\n\nToner is in the blue cupboard.\n"})
	s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: app, Path: "main.go", Text: "package main"})
	s.MustSync()
	all := s.Documents()
	if got, want := slices.Sorted(maps.Keys(all)), []string{called(file), called(i), called(m), called(page)}; !slices.Equal(got, want) {
		t.Fatalf("the index holds %v, want %v", got, want)
	}
	d := all[called(i)]
	if d.Title != "The printer hums (acme/team/app#1)" || d.URL != s.URL+"/acme/team/app/-/issues/1" || !d.UpdatedAt.Equal(i.Updated) {
		t.Errorf("the issue is %+v", d.Ref)
	}
	meta := map[string]string{"project": "acme/team/app", "state": "opened", "author": "The ada", "assignees": "The bob", "labels": "office, noise"}
	if !maps.Equal(d.Metadata, meta) {
		t.Errorf("its metadata is %v, want %v", d.Metadata, meta)
	}
	text := d.Text()
	for _, said := range []string{"The ada (2026-11-20 09:00 UTC): Since", "It hums since Monday.", "The bob (2026-11-20 09:00 UTC): Have you tried toner?", "the 129th time"} {
		if !strings.Contains(text, said) {
			t.Errorf("%q is missing:\n%s", said, text)
		}
	}
	for _, hidden := range []string{"customer", "label"} {
		if strings.Contains(text, hidden) {
			t.Errorf("%q is for others", hidden)
		}
	}
	if got := d.Link(d.Sections[1].Anchor); got != fmt.Sprintf("%s/acme/team/app/-/issues/1#note_%d", s.URL, first.ID) {
		t.Errorf("the comment is at %q", got)
	}
	for of, want := range map[*gitlabtest.Thing][2]string{
		m:    {"Oil the printer (acme/team/app!1)", "/-/merge_requests/1"},
		page: {"On call (acme/team/app)", "/-/wikis/ops/on%20call"},
		file: {"Toner", "/-/blob/main/docs/a%20b.md"},
	} {
		if d := all[called(of)]; d.Title != want[0] || d.URL != s.URL+"/acme/team/app"+want[1] {
			t.Errorf("%s is %+v", of.Kind, d.Ref)
		}
	}
}

// What changes in GitLab changes in the index, and what is gone goes.
func TestTheIndexFollows(t *testing.T) {
	t.Parallel()
	for _, groups := range [][]string{nil, {"acme"}} {
		s := newSite(t, func(o *gitlab.Options) { o.Groups = groups })
		acme := s.Group(nil, "acme", gitlabtest.Private)
		app, ops := s.Project(acme, "app", gitlabtest.Private), s.Project(acme, "ops", gitlabtest.Private)
		want := make(map[*gitlabtest.Thing]string)
		add := func(kind gitlabtest.Kind, p *gitlabtest.Project, path, text string) *gitlabtest.Thing {
			thing := s.Add(&gitlabtest.Thing{Kind: kind, Project: p, Path: path, Title: "a title", Text: text})
			want[thing] = text
			return thing
		}
		var many []*gitlabtest.Thing
		for n := range 130 {
			many = append(many, add(gitlabtest.Issue, app, "", fmt.Sprint("text ", n)))
		}
		merge, page := add(gitlabtest.Merge, app, "", "merge it"), add(gitlabtest.Page, app, "home", "welcome")
		file, gone := add(gitlabtest.File, app, "docs/a.md", "first words"), add(gitlabtest.File, app, "docs/b.md", "other words")
		change := func(t *gitlabtest.Thing, text string) {
			s.Edit(t, func() { t.Text = text })
			want[t] = text
		}
		remove := func(t *gitlabtest.Thing) {
			s.Delete(t)
			delete(want, t)
		}
		steps := []struct {
			name string
			do   func()
		}{
			{"the first pass", func() {}},
			{"edits", func() {
				change(many[99], "changed words")
				change(merge, "merged words")
				change(file, "second words")
			}},
			{"a comment, and new things", func() {
				s.Comment(many[3], &gitlabtest.Note{Text: "a remark"})
				want[many[3]] = "a remark"
				add(gitlabtest.Issue, ops, "", "the rota")
				add(gitlabtest.File, app, "docs/c.md", "third words")
			}},
			{"a deleted file", func() { remove(gone) }},
			{"a wiki an hour later", func() {
				change(page, "goodbye")
				add(gitlabtest.Page, app, "more", "more words")
				s.Pass(time.Hour)
			}},
			{"deleted things a day later", func() {
				remove(many[120])
				remove(merge)
				remove(page)
				s.Pass(25 * time.Hour)
			}},
			{"more pushed than is compared", func() {
				s.Switch(func(w *gitlabtest.Switches) { w.MostDiffs = 1000 })
				for n := range 1001 {
					s.Do(func() { app.Files[fmt.Sprint("src/", n, ".go")] = "x" })
				}
				add(gitlabtest.File, app, "zz.md", "last words")
			}},
			{"another default branch", func() { s.Do(func() { app.Branch = "trunk" }) }},
			{"features that are switched off", func() {
				s.Do(func() { app.Code = gitlabtest.Disabled })
				maps.DeleteFunc(want, func(t *gitlabtest.Thing, _ string) bool { return t.Kind == gitlabtest.File })
				s.Pass(8 * 24 * time.Hour)
				s.mustSync()
				s.Pass(8 * 24 * time.Hour)
			}},
		}
		for _, step := range steps {
			step.do()
			s.mustSync()
			t.Log("after", step.name)
			s.mustHold(want)
		}
	}
}

// mustSync reads what has changed, and takes notices for no fault.
func (s *site) mustSync() {
	s.T.Helper()
	if _, err := s.Sync(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
}

func TestFaultyOptionsAreNamed(t *testing.T) {
	t.Parallel()
	if _, err := gitlab.New(gitlab.Config{URL: "https://me:pw@gitlab.example", Token: "x"}); err == nil || strings.Contains(err.Error(), "pw@") {
		t.Error(err)
	}
	if _, err := gitlab.New(gitlab.Config{}); err == nil || !strings.Contains(err.Error(), "GITLAB_TOKEN") {
		t.Error(err)
	}
	c, err := gitlab.New(gitlab.Config{Token: "x"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = gitlab.NewConnector(c, gitlab.Options{Groups: []string{"../x"}, Projects: []string{"app"}, Public: "all", Domains: []string{"a@b.c"}})
	for _, want := range []string{"has no name", "path of a group", "path of a project", "nothing of the projects", "members, public or readers", "not a domain"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said: %v", want, err)
		}
	}
}

// A run in which nothing has changed reads no document, and asks once for each default branch.
func TestAQuietRunLoadsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *gitlab.Options) { o.Groups = []string{"acme"} })
	acme := s.Group(nil, "acme", gitlabtest.Private)
	for n := range 20 {
		p := s.Project(acme, fmt.Sprint("app", n), gitlabtest.Private)
		for i := range 10 {
			thing := s.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: p, Title: "x", Text: "y"})
			s.Comment(thing, &gitlabtest.Note{Text: "z"})
			s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: p, Path: fmt.Sprint("docs/", i, ".md"), Text: "# X\n\ny"})
		}
	}
	s.Pass(time.Hour) // what was changed last is listed by each run
	s.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: s.Projects[0], Title: "x", Text: "y"})
	s.MustSync()
	first := s.Mark()
	s.Pass(5 * time.Minute)
	s.MustSync()
	if asked := s.Mark() - first; asked != 1+2+20 || s.Counts(first, "/branches/") != 20 {
		t.Errorf("a quiet run makes %d requests, want 1 for projects, 2 for the group and 20 for branches; the first made %d", asked, first)
	}
	quiet := s.Mark()
	var r sourcetest.Readers
	if err := r.Read(t.Context(), s.Connector); err != nil {
		t.Fatal(err)
	}
	if asked := s.Mark() - quiet; asked != 3+20+2 {
		t.Errorf("a look at who may read makes %d requests", asked)
	}
	t.Logf("%d requests at first, for 20 projects with 201 issues and 200 files", first)
}

// A limit ends the run until GitLab says that there is more, and nothing is asked meanwhile. Then
// it goes on where it was.
func TestALimitPausesTheSource(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	p := s.Project(s.Group(nil, "acme", gitlabtest.Private), "app", gitlabtest.Private)
	for range 300 {
		s.Comment(s.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: p, Title: "x", Text: "y"}), &gitlabtest.Note{Text: "z"})
	}
	s.Switch(func(w *gitlabtest.Switches) { w.PerMinute = 150 })
	minutes := 0
	for ; minutes < 20; minutes++ {
		var later *index.Later
		_, err := s.Sync(t.Context())
		if err == nil {
			break
		}
		if !errors.As(err, &later) || later.At.Sub(s.Now()) > 2*time.Minute {
			t.Fatalf("the run ends with %v", err)
		}
		mark, long := s.Mark(), later.At.Sub(s.Now()) > 2*time.Second // a short wait is sat through
		if _, err := s.Sync(t.Context()); long && (!errors.As(err, &later) || s.Mark() != mark) {
			t.Errorf("%d requests were made meanwhile: %v", s.Mark()-mark, err)
		}
		s.Pass(time.Minute)
	}
	if got := len(s.Documents()); got != 300 || minutes < 2 || minutes == 20 {
		t.Errorf("%d issues are in the index after %d minutes", got, minutes)
	}
}

func TestColonInANameMakesNoPart(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	p := s.Project(s.Group(nil, "acme", gitlabtest.Private), "app", gitlabtest.Private)
	plan := s.Add(&gitlabtest.Thing{Kind: gitlabtest.Page, Project: p, Path: "plan", Text: "all plans"})
	s.Add(&gitlabtest.Thing{Kind: gitlabtest.Page, Project: p, Path: "plan:100%25 done", Text: "the last plan"})
	old := s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: p, Path: "a.md", Text: "# A"})
	file := s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: p, Path: "a.md:b.md", Text: "# B"})
	s.MustSync()
	s.Delete(plan)
	s.Delete(old)
	s.Pass(25 * time.Hour)
	s.MustSync()
	if got := s.Documents(); len(got) != 2 {
		t.Errorf("the index holds %v", slices.Sorted(maps.Keys(got)))
	}
	s.Delete(file)
	s.Pass(time.Minute)
	s.MustSync()
	if got := s.Documents(); len(got) != 1 {
		t.Errorf("then the index holds %v", slices.Sorted(maps.Keys(got)))
	}
}
