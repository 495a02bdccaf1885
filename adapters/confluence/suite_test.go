package confluence_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/internal/servertest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { sourcetest.Main(m) }

// Whatever happens to a Confluence site and to who reads it, nobody is shown what they could not
// read there; and once nothing happens any more, everybody what they can.
func TestSourceSuite(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		sourcetest.Suite(t, func(rt *rapid.T) sourcetest.World { return newWorld(t, rt, cloud) }, pgaccesstest.Open(t))
	})
}

// suiteWorld is a Confluence site with people, groups, two spaces, and pages within pages.
type suiteWorld struct {
	*confluencetest.Server
	sourcetest.Ever
	t      *testing.T
	users  []*confluencetest.User
	groups []*confluencetest.Group
	sweep  time.Duration // Options.SweepEvery
	tick   time.Duration // passes with each request
	edited index.Change
}

// A right is not lost later than Looks say, as a server reads the site.
func TestLate(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		sourcetest.Late(t, confluence.Looks, func(rt *rapid.T) sourcetest.Clocked {
			w := newWorld(t, rt, cloud)
			rt.Cleanup(w.Close)
			w.sweep, w.tick = 0, time.Millisecond
			return w
		}, pgaccesstest.Open(t))
	})
}

func newWorld(t *testing.T, rt *rapid.T, cloud bool) *suiteWorld {
	w := &suiteWorld{Server: confluencetest.NewServer(t, confluencetest.NewWorld(), cloud), t: t, sweep: time.Nanosecond, tick: time.Second}
	for _, name := range []string{"ada", "bob", "cyd"} {
		w.users = append(w.users, w.User(name))
	}
	for _, name := range []string{"red", "blue"} {
		w.groups = append(w.groups, w.Group(name, w.users[0]))
	}
	w.Space("ENG", w.Site[0])
	w.Space("OPS", w.groups[0])
	w.Do(func() { w.Scopes = listedScopes() })
	w.Do(func() { w.Roles = cloud && rapid.Bool().Draw(rt, "roles") })
	w.Switch(func(s *confluencetest.Switches) {
		s.Short, s.Absolute = rapid.IntRange(0, 3).Draw(rt, "short parts"), rapid.Bool().Draw(rt, "absolute links")
		s.PastEnd, s.Hollow = rapid.Bool().Draw(rt, "links past the end"), rapid.Bool().Draw(rt, "hollow parts")
		s.Cut = rapid.IntRange(0, 2).Draw(rt, "cut expansions")
	})
	for range rapid.IntRange(5, 15).Draw(rt, "edits at first") {
		w.Edit(rt)
	}
	return w
}

// Edit implements sourcetest.World.
func (w *suiteWorld) Edit(t *rapid.T) {
	space := rapid.SampledFrom(w.Spaces).Draw(t, "space")
	var pages []*confluencetest.Content
	w.Do(func() {
		for _, c := range w.Contents {
			if c.Type != "comment" && c.Status == "current" {
				pages = append(pages, c)
			}
		}
	})
	some := func() *confluencetest.Content { return rapid.SampledFrom(pages).Draw(t, "page") }
	above := func() *confluencetest.Content { // somewhere to stand
		i := rapid.IntRange(-1, len(pages)-1).Draw(t, "above")
		if i < 0 || pages[i].Type == "blogpost" {
			return nil
		}
		return pages[i]
	}
	readers := func() []confluencetest.Subject { // mostly with the account that reads
		list := []confluencetest.Subject{}
		if rapid.IntRange(0, 5).Draw(t, "without the bot") > 0 {
			list = append(list, w.Bot)
		}
		for range rapid.IntRange(0, 2).Draw(t, "readers") {
			list = append(list, w.subject(t))
		}
		return list
	}
	what := rapid.IntRange(0, 13).Draw(t, "edit")
	w.edited = map[int]index.Change{
		4: index.ChangeDocument, 5: index.ChangeDocument, 6: index.ChangeDocument, 7: index.ChangeMove, 9: index.ChangeDeletion,
		10: index.ChangeNode, 11: index.ChangeNode, 12: index.ChangeMember, 13: index.ChangeAccount,
	}[what]
	if len(pages) == 0 || what < 4 {
		w.edited = ""
		parent := above()
		if parent != nil {
			space = parent.Space
		}
		c := &confluencetest.Content{Space: space, Parent: parent, Title: "Page", Body: "<p>common words</p>", Type: "page"}
		switch {
		case what == 1 && w.Cloud && (parent == nil || parent.Type != "comment"):
			c.Type = rapid.SampledFrom([]string{"folder", "whiteboard", "database", "embed"}).Draw(t, "container")
		case what == 2:
			c.Type, c.Parent = "blogpost", nil
		case what == 3 && parent != nil && parent.Type == "page":
			c.Type = "comment"
		}
		w.Add(c)
		w.meet()
		return
	}
	c := some()
	switch what {
	case 4, 5, 6: // a restriction is set, changed or taken back
		list := readers()
		if rapid.Bool().Draw(t, "open") {
			list = nil
		}
		w.Do(func() { c.Read = list })
	case 7: // a page moves, with all below it
		to := above()
		for at := to; at != nil; at = at.Parent {
			if at == c {
				return
			}
		}
		if c.Type == "blogpost" {
			return
		}
		w.Do(func() {
			c.Parent = to
			if to != nil {
				w.carry(c, to.Space)
			}
		})
		w.meet()
	case 8:
		w.Server.Edit(c, func() { c.Body += "<p>more common words</p>" })
	case 9:
		w.Trash(c, rapid.SampledFrom([]string{"trashed", "archived"}).Draw(t, "status"))
	case 10: // who may view a space
		list := append(readers(), w.Bot)
		open := rapid.IntRange(0, 3).Draw(t, "anonymous") == 0
		w.Do(func() { space.View, space.Anonymous = list, open })
	case 11:
		on := rapid.Bool().Draw(t, "site open")
		w.Do(func() { w.Anonymous = on })
	case 12: // somebody comes into a group, or leaves it
		g := rapid.SampledFrom(append(slices.Clone(w.groups), w.Site[0])).Draw(t, "group")
		u := rapid.SampledFrom(w.users).Draw(t, "user")
		w.Do(func() {
			if i := slices.Index(g.Members, u); i >= 0 {
				g.Members = slices.Delete(slices.Clone(g.Members), i, i+1)
			} else {
				g.Members = append(slices.Clone(g.Members), u)
			}
		})
	case 13:
		u := rapid.SampledFrom(w.users).Draw(t, "user")
		w.Do(func() { u.Inactive = !u.Inactive })
	}
}

// Edited implements sourcetest.Clocked.
func (w *suiteWorld) Edited() index.Change { return w.edited }

func (w *suiteWorld) subject(t *rapid.T) confluencetest.Subject {
	switch i := rapid.IntRange(0, 5).Draw(t, "who"); {
	case i < 3:
		return w.users[i]
	case i < 5:
		return w.groups[i-3]
	}
	return confluencetest.Odd("ACCESS_CLASS")
}

// carry moves all that stands in a content to a space.
func (w *suiteWorld) carry(c *confluencetest.Content, to *confluencetest.Space) {
	c.Space = to
	for _, other := range w.Contents {
		if other.Parent == c {
			w.carry(other, to)
		}
	}
}

// meet takes note of all documents that there are.
func (w *suiteWorld) meet() {
	w.Do(func() {
		for _, c := range w.Contents {
			if !slices.Contains([]string{"folder", "whiteboard", "database", "embed"}, c.Type) {
				w.Meet(idOf(c))
			}
		}
	})
}

func idOf(c *confluencetest.Content) document.ID {
	return document.ID("confluence-wiki:" + c.Space.ID + ":" + c.ID)
}

// Connector implements sourcetest.World.
func (w *suiteWorld) Connector() index.Connector {
	config := confluence.Config{
		URL: w.URL, Deployment: confluence.DataCenter, Token: w.Token, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Microsecond,
		Patience: time.Second, Now: func() time.Time {
			w.Pass(w.tick)
			return w.Now()
		},
	}
	if w.Cloud {
		config.Deployment, config.Email = confluence.Cloud, w.Bot.Email
	}
	client, err := confluence.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := confluence.NewConnector(client, confluence.Options{Common: confluence.Common{
		Name: "wiki", Comments: true, Anonymous: access.Members, Domains: []string{sourcetest.Domain}, SweepEvery: w.sweep,
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// Fault implements sourcetest.World.
func (w *suiteWorld) Fault(t *rapid.T) func() {
	faults := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 1))
	var poisoned, unindexed map[string]bool
	w.Do(func() {
		poisoned, unindexed = make(map[string]bool), make(map[string]bool)
		for _, c := range w.Contents {
			poisoned[c.ID], unindexed[c.ID] = faults.IntN(8) == 0, faults.IntN(8) == 0
		}
	})
	w.Switch(func(s *confluencetest.Switches) { s.Poisoned, s.Unindexed = poisoned, unindexed })
	parts := []string{"search", "/restriction/", "group", "permissions", "pages", "space"}
	w.Break(faults, parts, confluencetest.Refuse(http.StatusServiceUnavailable), confluencetest.Refuse(http.StatusTooManyRequests, "Retry-After", "3600"), servertest.Page)
	return func() {
		w.Switch(func(s *confluencetest.Switches) { s.Poisoned, s.Unindexed = nil, nil })
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
// anybody here.
func (w *suiteWorld) MayRead(who access.Account, d document.ID) bool {
	var content *confluencetest.Content
	w.Do(func() {
		for _, c := range w.Contents {
			if idOf(c) == d {
				content = c
			}
		}
	})
	if content == nil || !w.World.MayRead(w.Bot, content) {
		return false
	}
	for _, u := range w.users {
		if who.Full && strings.EqualFold(u.Email, who.Email) && w.World.MayRead(u, content) {
			return true
		}
	}
	return w.World.MayRead(nil, content) // as a visitor
}
