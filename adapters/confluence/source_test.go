package confluence_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// site is a world with its server, and a connector that reads it into an index.
type site struct {
	*confluencetest.Server
	*sourcetest.Reading[*confluence.Connector]
	client  *confluence.Client
	options confluence.Options
}

func configOf(s *confluencetest.Server) confluence.Config {
	c := confluence.Config{
		URL: s.URL, Deployment: confluence.DataCenter, Token: s.Token, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Millisecond, Now: s.Now,
		Patience: time.Second,
	}
	if s.Cloud {
		c.Deployment, c.Email = confluence.Cloud, s.Bot.Email
	}
	return c
}

func newSite(t testing.TB, cloud bool, change func(*confluence.Options, *confluence.Config)) *site {
	t.Helper()
	s := &site{Server: confluencetest.NewServer(t, confluencetest.NewWorld(), cloud)}
	s.Do(func() { s.Scopes = listedScopes() })
	config := configOf(s.Server)
	s.options = confluence.Options{Common: confluence.Common{Name: "wiki", Anonymous: access.Members, Domains: []string{"example.com"}}}
	if change != nil {
		change(&s.options, &config)
	}
	var err error
	if s.client, err = confluence.New(config); err != nil {
		t.Fatal(err)
	}
	s.Reading = sourcetest.Read(t, func() (*confluence.Connector, error) { return confluence.NewConnector(s.client, s.options) })
	s.Called = func(id document.ID) string { return string(id[strings.LastIndexByte(string(id), ':')+1:]) }
	return s
}

// listedScopes returns the scopes that "footnote sources add confluence" lists.
func listedScopes() (all []string) {
	for _, r := range confluence.Statement().Rights {
		all = append(all, r.Name)
	}
	return all
}

// mustHold says how the index differs from what should be in it: texts by contents.
func (s *site) mustHold(want map[*confluencetest.Content]string) {
	s.T.Helper()
	ids := make(map[string]string)
	for c, text := range want {
		ids[c.ID] = text
	}
	s.MustHold(ids)
}

func (s *site) node(id string) access.ACL { return access.ACL{access.Node("confluence-wiki", id)} }

func TestPagesBecomeDocuments(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, func(o *confluence.Options, _ *confluence.Config) { o.Comments = true })
		ada := s.User("ada")
		eng := s.Space("ENG", s.Site[0])
		s.Do(func() { eng.Name = "Engineering" })
		home := s.Page(eng, nil, "Handbook", `<h1>Why we write</h1><p>So that we know.</p>`)
		s.Do(func() { home.NewEditor, home.Labels, home.Author = cloud, []string{"howto", "team"}, ada })
		secret := s.Page(eng, home, "Salaries", "<p>Much.</p>")
		below := s.Page(eng, secret, "Bonus", "<p>More.</p>")
		s.Do(func() { secret.Read = []confluencetest.Subject{ada, s.Bot} })
		post := s.Add(&confluencetest.Content{Type: "blogpost", Space: eng, Title: "News", Body: "<p>Nothing new.</p>", Author: ada})
		said := s.Add(&confluencetest.Content{Type: "comment", Space: eng, Parent: below, Body: "<p>Is it enough?</p>", Author: ada})
		empty := s.Page(eng, home, "Meetings", `<ac:structured-macro ac:name="children" />`)
		s.MustSync()

		all := s.Documents()
		if len(all) != 6 {
			t.Fatalf("the index holds %v", slices.Sorted(maps.Keys(all)))
		}
		d := all[home.ID]
		anchor, url := "Handbook-Whywewrite", s.URL+"/pages/viewpage.action?pageId="+home.ID
		if cloud {
			anchor, url = "Why-we-write", s.URL+"/wiki/spaces/ENG/pages/"+home.ID
		}
		if d.Title != "Handbook" || d.URL != url || d.Metadata["labels"] != "howto, team" || d.Metadata["author"] != "ada" || d.Metadata["space"] != "Engineering" ||
			!d.UpdatedAt.Equal(home.When) || d.Sections[0].Anchor != anchor {
			t.Errorf("the page is %+v", d)
		}
		if d := all[said.ID]; d.Title != "Comment on Bonus" || d.Text() != "Is it enough?" {
			t.Errorf("the comment is %+v", d)
		}
		if got := all[empty.ID].Text(); got != "Meetings" {
			t.Errorf("a page without text of its own holds %q", got)
		}
		for c, node := range map[*confluencetest.Content]string{home: "space:" + eng.ID, secret: eng.ID + ":" + secret.ID, below: eng.ID + ":" + secret.ID, said: eng.ID + ":" + secret.ID, post: "space:" + eng.ID} {
			if got := all[c.ID].ACL; !slices.Equal(got, s.node(node)) {
				t.Errorf("%s may be read by %v, want those of %s", c.Title, got, node)
			}
		}
	})
}

// What changes in Confluence changes in the index, and what is gone goes.
func TestTheIndexFollows(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, func(o *confluence.Options, _ *confluence.Config) { o.Comments = true })
		eng, ops := s.Space("ENG", s.Site[0]), s.Space("OPS", s.Site[0])
		want := make(map[*confluencetest.Content]string)
		var pages []*confluencetest.Content
		for i := range 130 {
			var parent *confluencetest.Content
			if i > 0 {
				parent = pages[(i-1)/3]
			}
			p := s.Page(eng, parent, fmt.Sprintf("page %d", i), fmt.Sprintf("<p>text %d</p>", i))
			pages, want[p] = append(pages, p), fmt.Sprintf("text %d", i)
		}
		said := s.Add(&confluencetest.Content{Type: "comment", Space: eng, Parent: pages[7], Body: "<p>a comment</p>"})
		want[said] = "a comment"
		steps := []struct {
			name string
			do   func()
		}{
			{"the first pass", func() {}},
			{"nothing", func() {}},
			{"an edit", func() {
				s.Edit(pages[99], func() { pages[99].Body = "<p>other words</p>" })
				want[pages[99]] = "other words"
			}},
			{"a new page and a comment", func() {
				p := s.Page(ops, nil, "rota", "<p>who is on call</p>")
				c := s.Add(&confluencetest.Content{Type: "comment", Space: eng, Parent: pages[3], Body: "<p>another comment</p>"})
				want[p], want[c] = "who is on call", "another comment"
			}},
			{"a comment is deleted", func() {
				s.Purge(said)
				delete(want, said)
				s.Pass(time.Hour)
			}},
			{"a page is thrown away", func() {
				s.Trash(pages[120], "trashed")
				delete(want, pages[120])
				if !cloud {
					s.Pass(time.Hour)
				}
			}},
			{"and comes back", func() {
				s.Edit(pages[120], func() { pages[120].Status = "current" })
				want[pages[120]] = "text 120"
			}},
			{"a page is purged, another archived", func() {
				s.Purge(pages[121])
				s.Trash(pages[122], "archived")
				delete(want, pages[121])
				delete(want, pages[122])
				s.Pass(time.Hour)
			}},
			{"a page is renamed", func() {
				s.Edit(pages[50], func() { pages[50].Title = "fifty" })
			}},
			{"pages move to another space", func() {
				s.Do(func() { pages[129].Space, pages[129].Parent = ops, nil })
				s.Pass(time.Hour)
			}},
			{"a space is archived", func() {
				s.Do(func() { ops.Archived = true })
				s.Pass(time.Hour)
				s.MustSync()
				s.Pass(8 * 24 * time.Hour)
				maps.DeleteFunc(want, func(c *confluencetest.Content, _ string) bool { return c.Space == ops })
			}},
		}
		for _, step := range steps {
			step.do()
			s.MustSync()
			t.Log("after", step.name)
			s.mustHold(want)
		}
		if got := s.Documents()[pages[50].ID].Title; got != "fifty" {
			t.Errorf("the renamed page is called %q", got)
		}
	})
}

// A restriction, a move or its end makes stored documents name other nodes, without their being
// read again.
func TestDocumentsNameTheNearestRestriction(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Space("ENG", s.Site[0])
		a := s.Page(eng, nil, "a", "<p>a</p>")
		f := a
		if cloud {
			f = s.Add(&confluencetest.Content{Type: "folder", Space: eng, Parent: a, Title: "f"})
		}
		b := s.Page(eng, f, "b", "<p>b</p>")
		c := s.Page(eng, b, "c", "<p>c</p>")
		only := []confluencetest.Subject{s.User("ada"), s.Bot}
		check := func(name string, want map[*confluencetest.Content]string) {
			t.Helper()
			s.Pass(time.Hour)
			run := s.MustSync()
			all := s.Documents()
			for page, node := range want {
				if got := all[page.ID].ACL; !slices.Equal(got, s.node(node)) {
					t.Errorf("%s: %s may be read by %v, want those of %s", name, page.Title, got, node)
				}
			}
			if name != "at first" && run.Counts.Indexed > 0 {
				t.Errorf("%s: %d documents were stored again", name, run.Counts.Indexed)
			}
		}
		space, in := "space:"+eng.ID, func(c *confluencetest.Content) string { return eng.ID + ":" + c.ID }
		check("at first", map[*confluencetest.Content]string{a: space, b: space, c: space})
		s.Do(func() { b.Read = only })
		check("a page is restricted", map[*confluencetest.Content]string{a: space, b: in(b), c: in(b)})
		s.Do(func() { a.Read = only })
		check("and one above", map[*confluencetest.Content]string{a: in(a), b: in(b), c: in(b)})
		s.Do(func() { b.Read = nil })
		check("the lower one is open again", map[*confluencetest.Content]string{a: in(a), b: in(a), c: in(a)})
		s.Do(func() { c.Parent = nil })
		check("a page moves", map[*confluencetest.Content]string{a: in(a), b: in(a), c: space})
		if cloud {
			s.Do(func() { a.Read, f.Read = nil, only })
			check("a folder is restricted", map[*confluencetest.Content]string{a: space, b: in(f), c: space})
		}
	})
}

// A restricted page that moves to another space is another node there, of which nothing is known
// before nodes are read anew: those who might view the space that it left are not those who may
// view the other.
func TestAPageInAnotherSpaceIsAnotherNode(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada, bob := s.User("ada"), s.User("bob")
		eng, ops := s.Space("ENG", ada, bob), s.Space("OPS", bob)
		page := s.Page(eng, nil, "page", "<p>x</p>")
		s.Do(func() { page.Read = []confluencetest.Subject{ada, bob, s.Bot} })
		s.MustSync()
		before := s.nodes().Nodes
		s.Do(func() { page.Space = ops })
		s.Pass(time.Hour)
		s.MustSync()
		after := s.nodes().Nodes
		moved := ops.ID + ":" + page.ID
		if got := s.Documents()[page.ID].ACL; !slices.Equal(got, s.node(moved)) {
			t.Errorf("it may be read by %v", got)
		}
		if _, known := before[moved]; known || after[moved].Parent != "space:"+ops.ID || before[eng.ID+":"+page.ID].Parent != "space:"+eng.ID {
			t.Errorf("nodes before %v, after %v", before, after)
		}
	})
}
