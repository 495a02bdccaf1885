package confluence_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// nodes reads who may read, from the beginning.
func (s *site) nodes() *sourcetest.Readers {
	s.T.Helper()
	r := new(sourcetest.Readers)
	if err := r.ReadNodes(s.T.Context(), s.Connector); err != nil {
		s.T.Fatal(err)
	}
	return r
}

// A list of a page is one more condition: it replaces neither the lists above it nor the space.
func TestTheNearestRestrictionReplacesNothing(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada, bob, cyd := s.User("ada"), s.User("bob"), s.User("cyd")
		s.Group("others", cyd)
		eng := s.Space("ENG", ada, bob)
		top := s.Page(eng, nil, "top", "<p>x</p>")
		between := s.Page(eng, top, "between", "<p>x</p>")
		low := s.Page(eng, between, "low", "<p>x</p>")
		s.Do(func() {
			top.Read = []confluencetest.Subject{ada, s.Bot}
			low.Read = []confluencetest.Subject{ada, bob, cyd, s.Bot, confluencetest.Odd("app")}
		})
		r := s.nodes()
		if !r.Complete || len(r.Nodes) != 3 {
			t.Fatalf("%d nodes, complete %v", len(r.Nodes), r.Complete)
		}
		users := access.SourceGroup("confluence-wiki", "group", s.Site[0].Name)
		if cloud {
			users = access.SourceGroup("confluence-wiki", "group", s.Site[0].ID)
		}
		for _, u := range []*confluencetest.User{ada, bob, cyd} {
			person := access.SourceGroup("confluence-wiki", access.SourcePerson, u.ID)
			if got, want := r.Lets(eng.ID+":"+low.ID, users, person), s.MayRead(u, low); got != want || want != (u == ada) {
				t.Errorf("%s is let in: %v, want %v", u.Name, got, want)
			}
			if r.Lets(eng.ID+":"+low.ID, person) {
				t.Errorf("%s is let in without being allowed to use the site", u.Name)
			}
		}
	})
}

// Lists that cannot be seen let nobody in; on Data Center that is said by 500, and before 9.1
// nothing tells who may view a space.
func TestWhatCannotBeSeenLetsNobodyIn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*confluencetest.Switches){
		"no administrator": func(w *confluencetest.Switches) { w.NoAdmin = true },
		"before 9.1":       func(w *confluencetest.Switches) { w.Before91 = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, false, nil)
			eng := s.Space("ENG", s.Site[0])
			s.Switch(change)
			all := s.nodes().Nodes
			if n, known := all["space:"+eng.ID]; !known || len(n.Clauses) != 0 {
				t.Errorf("the space lets in %v", n.Clauses)
			}
			if _, err := s.Connector.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "Before Confluence 9.1 no REST API tells it") {
				t.Errorf("the check says %v", err)
			}
		})
	}
}

// One content whose list fails is stepped past; the others are read all the same.
func TestAnExpansionThatFailsIsSteppedPast(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada := s.User("ada")
		eng := s.Space("ENG", s.Site[0])
		var pages []*confluencetest.Content
		for range 60 {
			pages = append(pages, s.Page(eng, nil, "page", "<p>x</p>"))
		}
		s.Do(func() { pages[40].Read = []confluencetest.Subject{ada, s.Bot} })
		s.Switch(func(w *confluencetest.Switches) {
			w.Poisoned = map[string]bool{pages[20].ID: true}
			w.Unindexed = map[string]bool{pages[30].ID: true}
		})
		r := s.nodes()
		if _, known := r.Nodes[eng.ID+":"+pages[40].ID]; !known || !r.Complete || len(r.Unread)+len(r.Denied) > 0 {
			t.Errorf("nodes %v, unread %v, denied %v, complete %v", r.Nodes, r.Unread, r.Denied, r.Complete)
		}
	})
}

func TestARefusedCredentialHidesTheSource(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		s.Space("ENG", s.Site[0])
		s.MustSync()
		s.Revoke(true)
		s.MustBeRefused(s.Token)
	})
}

// "401 … scope does not match" is the gateway's word about a token that may not ask this; the rest
// of the source stays as it is.
func TestMissingScopeDoesNotRevokeTheCredential(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	s.Space("ENG", s.Site[0])
	s.MustSync()
	s.lack("read:group:confluence")
	var got error
	for _, err := range s.Connector.Groups(t.Context(), nil) {
		if err != nil {
			got = err
		}
	}
	if got == nil || errors.Is(got, index.ErrRevoked) || !strings.Contains(got.Error(), "lacks the scope read:group:confluence") {
		t.Errorf("groups: %v", got)
	}
}

// lack takes scopes from the token.
func (s *site) lack(scopes ...string) {
	s.Do(func() {
		s.Scopes = slices.DeleteFunc(listedScopes(), func(one string) bool { return slices.Contains(scopes, one) })
	})
}

// The check of a new source names each scope that a token lacks.
func TestCheckNamesMissingScopes(t *testing.T) {
	t.Parallel()
	for _, scope := range listedScopes() {
		if scope == "search:confluence" || scope == "read:comment:confluence" {
			continue // other scopes cover the requests
		}
		t.Run(scope, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, true, func(o *confluence.Options, _ *confluence.Config) { o.Attachments, o.Read = true, readFile })
			page := s.Page(s.Space("ENG", s.Site[0]), nil, "page", "<p>x</p>")
			s.Add(&confluencetest.Content{Type: "attachment", Space: page.Space, Parent: page, Title: "notes.txt", Data: []byte("notes")})
			s.Do(func() { s.Roles = true })
			if _, err := s.Connector.Check(t.Context()); err != nil {
				t.Fatalf("with all scopes: %v", err)
			}
			s.lack(scope)
			_, err := s.Connector.Check(t.Context())
			if err == nil || !strings.Contains(err.Error(), "lacks the scope "+scope) || !strings.Contains(err.Error(), "set CONFLUENCE_TOKEN") {
				t.Errorf("without %s: %v", scope, err)
			}
			if scope == "read:configuration:confluence" && strings.Contains(err.Error(), "groups") {
				t.Errorf("the check blames the groups: %v", err)
			}
		})
	}
}

// A refusal of one content hides that content and what is below it. The rest is read.
func TestRefusedContentHidesItselfAlone(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		for _, status := range []int{http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity} {
			s := newSite(t, cloud, nil)
			eng := s.Space("ENG", s.Site[0])
			want := s.fill(eng, 3)
			odd := make(map[string]int)
			var hidden []*confluencetest.Content
			for range 7 { // more than the loop's patience
				bad := s.Page(eng, nil, "odd", "<p>odd</p>")
				hidden, odd[bad.ID] = append(hidden, bad, s.Page(eng, bad, "below", "<p>below</p>")), status
			}
			s.Switch(func(w *confluencetest.Switches) { w.Odd = odd })
			notices := s.mustSyncWithNotices()
			if !strings.Contains(notices, http.StatusText(status)) {
				t.Errorf("%d: the notices are %s", status, notices)
			}
			r := s.nodes()
			for c := range want {
				if got := s.Documents()[c.ID].ACL; !slices.Equal(got, s.node("space:"+eng.ID)) {
					t.Errorf("%d: a page has the readers %v", status, got)
				}
			}
			for i, c := range hidden {
				node := eng.ID + ":" + hidden[i-i%2].ID
				if d, stored := s.Documents()[c.ID]; stored && !slices.Equal(d.ACL, s.node(node)) || !slices.Contains(r.Denied, node) {
					t.Errorf("%d: %s %s has the readers %v, denied are %v", status, c.Title, c.ID, d.ACL, r.Denied)
				}
			}
			s.Revoke(true)
			s.MustBeRefused(s.Token)
		}
	})
}

// Whiteboards, databases and Smart Links may be above pages. Without the scope for one of them,
// what is below it is hidden, and the rest is read.
func TestPagesBelowContentWithoutText(t *testing.T) {
	t.Parallel()
	for of, scope := range map[string]string{
		"folder": "read:folder:confluence", "whiteboard": "read:whiteboard:confluence", "database": "read:database:confluence", "embed": "read:embed:confluence",
	} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, true, nil)
			eng := s.Space("ENG", s.Site[0])
			box := s.Add(&confluencetest.Content{Type: of, Space: eng, Title: of})
			below, other := s.Page(eng, box, "below", "<p>x</p>"), s.Page(eng, nil, "other", "<p>x</p>")
			mustName := func(c *confluencetest.Content, node string) {
				t.Helper()
				if got := s.Documents()[c.ID].ACL; !slices.Equal(got, s.node(node)) {
					t.Errorf("%s has the readers %v, want those of %s", c.Title, got, node)
				}
			}
			s.MustSync()
			mustName(below, "space:"+eng.ID)

			s.lack(scope)
			s.Pass(25 * time.Hour)
			s.Again()
			if notices := s.mustSyncWithNotices(); !strings.Contains(notices, "lacks the scope "+scope) {
				t.Errorf("the notices are %s", notices)
			}
			mustName(below, eng.ID+":"+box.ID)
			mustName(other, "space:"+eng.ID)
			if r := s.nodes(); !slices.Contains(r.Denied, eng.ID+":"+box.ID) {
				t.Errorf("denied are %v", r.Denied)
			}
		})
	}
}

// A limit that lasts long ends the run, and is not asked against.
func TestALimitIsKept(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	s.Space("ENG", s.Site[0])
	s.Faults.Add(confluencetest.Fault{Path: "/spaces", Answer: confluencetest.Refuse(http.StatusTooManyRequests, "Retry-After", "1800", "X-RateLimit-Remaining", "0")}, 0, 1)
	var later *index.Later
	if _, err := s.Sync(t.Context()); !errors.As(err, &later) || !errors.Is(err, index.ErrPaused) {
		t.Fatalf("the run ends with %v", err)
	}
	mark := s.Mark()
	if _, err := s.Sync(t.Context()); !errors.As(err, &later) || s.Mark() != mark {
		t.Errorf("%d requests were made meanwhile: %v", s.Mark()-mark, err)
	}
}

// Lists that lead in a circle end.
func TestAListThatGoesRoundEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	eng := s.Space("ENG", s.Site[0])
	s.Page(eng, nil, "a", "<p>x</p>")
	s.Space("OPS", s.Site[0])
	s.Switch(func(w *confluencetest.Switches) { w.Circle, w.Short = true, 1 })
	if _, err := s.Sync(t.Context()); err == nil {
		t.Error("the list of spaces has no end, and is taken")
	}
}

// Addresses count where the organisation has verified their domain, and not else; whoever was
// deactivated is in no group.
func TestPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
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
}

func TestOnePersonIsAskedAbout(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	ada, bob := s.User("ada"), s.User("bob")
	eng := s.Space("ENG", s.Site[0])
	home := s.Page(eng, nil, "home", "<p>x</p>")
	page := s.Page(eng, nil, "page", "<p>x</p>")
	s.Do(func() { page.Read = []confluencetest.Subject{ada, s.Bot} })
	var points []index.Point // all name the space, as documents do that were restricted since the last pass
	for _, id := range []string{home.ID, page.ID, "999999", "odd"} {
		points = append(points, index.Point{Document: document.ID("confluence-wiki:" + eng.ID + ":" + id), Node: "space:" + eng.ID})
	}
	for u, restricted := range map[*confluencetest.User]index.Permission{ada: index.Allowed, bob: index.Denied} {
		may := s.Connector.MayRead(t.Context(), u.ID, points)
		want := map[index.Point]index.Permission{points[0]: index.Allowed, points[1]: restricted, points[2]: index.Denied}
		if !maps.Equal(may, want) {
			t.Errorf("%s: %v, want %v", u.Name, may, want)
		}
	}
	s.Faults.Add(confluencetest.Fault{Path: "/permission/check", Answer: confluencetest.Refuse(http.StatusForbidden)}, 0, 1)
	if may := s.Connector.MayRead(t.Context(), ada.ID, points[:1]); may[points[0]] != index.CannotAsk {
		t.Errorf("an account that may not ask gets %v", may)
	}
	s.Faults.Add(confluencetest.Fault{Path: "/permission/check", Answer: confluencetest.Refuse(http.StatusBadRequest)}, 0, 1)
	if may := s.Connector.MayRead(t.Context(), ada.ID, points[:1]); may[points[0]] != index.CheckFailed {
		t.Errorf("a failed check gives %v", may)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if may := s.Connector.MayRead(stopped, ada.ID, points); len(may) > 0 {
		t.Errorf("without an answer it says %v", may)
	}
}

func TestFaultyOptionsAreNamed(t *testing.T) {
	t.Parallel()
	if _, err := confluence.New(confluence.Config{URL: "https://me:pw@acme.atlassian.net", Token: "x"}); err == nil || strings.Contains(err.Error(), "pw@") {
		t.Error(err)
	}
	if _, err := confluence.New(confluence.Config{URL: "https://acme.atlassian.net"}); err == nil || !strings.Contains(err.Error(), "CONFLUENCE_TOKEN") {
		t.Error(err)
	}
	c, err := confluence.New(confluence.Config{URL: "https://acme.atlassian.net", Token: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := confluence.NewConnector(c, confluence.Options{Spaces: []string{`A" or space = "B`}, Common: confluence.Common{Name: "w", Domains: []string{"a@b.c"}}}); err == nil || !strings.Contains(err.Error(), "key of a space") || !strings.Contains(err.Error(), "domain") {
		t.Error(err)
	}
}
