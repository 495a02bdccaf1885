package gdrive_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/adapters/internal/servertest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { sourcetest.Main(m) }

// Whatever happens to drives and to who reads them, nobody is shown what they could not read there;
// and once nothing happens any more, everybody what they can: where everything is looked at each
// time, and where nothing but the logs is read.
func TestSourceSuite(t *testing.T) {
	t.Parallel()
	for name, every := range map[string]time.Duration{"everything": time.Nanosecond, "logs": 1000 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sourcetest.Suite(t, func(rt *rapid.T) sourcetest.World { return newWorld(t, rt, every) }, pgaccesstest.Open(t))
		})
	}
}

// suiteWorld is an organisation with people, groups, two shared drives, and folders within folders.
type suiteWorld struct {
	*gdrivetest.Server
	t      *testing.T
	every  time.Duration // Options.SweepEvery
	tick   time.Duration // passes with each request
	edited index.Change
	users  []*gdrivetest.User
	groups []*gdrivetest.Group
	guest  *gdrivetest.User // of another organisation
	mu     sync.Mutex
	ever   []*gdrivetest.File
}

// A right is not lost later than Looks say, as a server reads the drives.
func TestLate(t *testing.T) {
	t.Parallel()
	sourcetest.Late(t, gdrive.Looks, func(rt *rapid.T) sourcetest.Clocked {
		w := newWorld(t, rt, 0)
		w.tick = time.Millisecond
		return w
	}, pgaccesstest.Open(t))
}

func newWorld(t *testing.T, rt *rapid.T, every time.Duration) *suiteWorld {
	w := &suiteWorld{Server: gdrivetest.NewServer(t, gdrivetest.NewWorld()), t: t, every: every, tick: time.Second}
	rt.Cleanup(w.Close)
	for _, name := range []string{"ada", "bob", "cyd"} {
		w.users = append(w.users, w.User(name))
	}
	w.guest = &gdrivetest.User{ID: "x1", Name: "guest", Email: "guest@elsewhere.example"}
	red := w.Group("red", w.users[0])
	w.groups = []*gdrivetest.Group{red, w.Group("blue", red)}
	w.Do(func() { red.Members = append(red.Members, w.groups[1]) }) // round in a circle
	elsewhere := w.Group("elsewhere", w.users[1])
	w.Do(func() { elsewhere.Elsewhere = true })
	w.groups = append(w.groups, elsewhere)
	w.Drive("one", reader(w.users[0]))
	w.Drive("two", reader(w.groups[0]))
	w.Do(func() {
		w.Wordy, w.Bare = rapid.Bool().Draw(rt, "wordy logs"), rapid.Bool().Draw(rt, "grants without details")
	})
	w.Switch(func(s *gdrivetest.Switches) {
		s.Short, s.NoLists = rapid.SampledFrom([]int{0, 1, 3}).Draw(rt, "short parts"), rapid.Bool().Draw(rt, "grants by themselves")
	})
	for range rapid.IntRange(5, 15).Draw(rt, "edits at first") {
		w.Edit(rt)
	}
	return w
}

func (w *suiteWorld) grant(t *rapid.T) gdrivetest.Grant {
	g := gdrivetest.Grant{Role: rapid.SampledFrom([]string{"reader", "commenter", "writer", "publisher"}).Draw(t, "role")}
	switch i := rapid.IntRange(0, 10).Draw(t, "to"); {
	case i < 3:
		g.To = w.users[i]
	case i < 6:
		g.To = w.groups[i-3]
	case i == 6:
		g.To = gdrivetest.Domain(w.Domain)
		g.Find = rapid.Bool().Draw(t, "find")
	case i == 7:
		g.To = gdrivetest.Everyone{}
	case i == 8:
		g.To = w.guest
	case i == 9:
		g.To, g.View = w.users[0], "published"
	case i == 10 && w.every > 0: // no edit says when it ends
		g.To, g.Expires = w.users[1], w.Now().Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "seconds left"))*time.Second)
	}
	return g
}

// Edit implements sourcetest.World.
func (w *suiteWorld) Edit(t *rapid.T) {
	var all, folders []*gdrivetest.File
	w.Do(func() {
		for _, f := range w.Files {
			if f.Name == "My Drive" || f.Gone {
				continue
			}
			all = append(all, f)
			if f.Type == gdrivetest.Folder {
				folders = append(folders, f)
			}
		}
	})
	where := func() any { // somewhere to lie in
		switch i := rapid.IntRange(0, 4+len(folders)).Draw(t, "where"); {
		case i < 2:
			return w.Drives[i]
		case i < 5:
			return w.users[i-2]
		default:
			return folders[i-5]
		}
	}
	what := rapid.IntRange(0, 15).Draw(t, "edit")
	w.edited = map[int]index.Change{
		4: index.ChangeDocument, 5: index.ChangeDocument, 6: index.ChangeDocument, 7: index.ChangeDocument, 8: index.ChangeDocument, 9: index.ChangeMove,
		10: index.ChangeMove, 12: index.ChangeDeletion, 13: index.ChangeNode, 14: index.ChangeMember, 15: index.ChangeDeletion,
	}[what]
	if len(all) == 0 || what < 4 {
		w.edited = ""
		var f *gdrivetest.File
		if in := where(); what < 2 {
			f = w.Folder(in, "Folder")
		} else {
			f = w.File(in, "file.txt", "common words")
		}
		if owner := rapid.SampledFrom(w.users).Draw(t, "owner"); what == 3 && f.Owner != nil && w.World.MayRead(owner, f.Parent) {
			w.Change(f, func() { f.Owner = owner }) // in somebody else's folder
		}
		w.mu.Lock()
		w.ever = append(w.ever, f)
		w.mu.Unlock()
		return
	}
	f := rapid.SampledFrom(all).Draw(t, "file")
	switch what {
	case 4, 5, 6: // it is shared, or not any more
		var grants []gdrivetest.Grant
		for range rapid.IntRange(0, 2).Draw(t, "grants") {
			grants = append(grants, w.grant(t))
		}
		w.Change(f, func() { f.Grants = grants })
	case 7, 8:
		w.Change(f, func() { f.Limited = !f.Limited })
	case 9, 10: // it moves, with all below it
		to := where()
		if at, ok := to.(*gdrivetest.File); ok {
			for ; at != nil; at = at.Parent {
				if at == f {
					return
				}
			}
		}
		w.Move(f, to)
	case 11:
		w.rewrite(f)
	case 12:
		w.Change(f, func() { f.Trashed = !f.Trashed })
	case 13: // who is a member of a shared drive
		d := rapid.SampledFrom(w.Drives).Draw(t, "drive")
		grants := []gdrivetest.Grant{{To: w.Bot, Role: "organizer"}}
		for range rapid.IntRange(0, 2).Draw(t, "members") {
			g := w.grant(t)
			if rapid.IntRange(0, 2).Draw(t, "manager") == 0 {
				g.Role = "organizer"
			}
			grants = append(grants, g)
		}
		closed := rapid.IntRange(0, 3).Draw(t, "for members alone") == 0
		w.Do(func() { d.Members, d.Closed = grants, closed })
	case 14: // somebody comes into a group, or leaves it
		g := rapid.SampledFrom(w.groups).Draw(t, "group")
		u := rapid.SampledFrom(w.users).Draw(t, "user")
		w.Do(func() {
			if i := slices.Index(g.Members, any(u)); i >= 0 {
				g.Members = slices.Delete(slices.Clone(g.Members), i, i+1)
			} else {
				g.Members = append(slices.Clone(g.Members), u)
			}
		})
	case 15: // it is another's, or it is deleted for good
		switch owner := rapid.SampledFrom(w.users).Draw(t, "owner"); {
		case f.Owner != nil:
			w.edited = index.ChangeMove
			w.Change(f, func() { f.Owner = owner })
		case w.every < time.Hour || f.Type != gdrivetest.Folder:
			w.Delete(f)
		}
	}
}

// Edited implements sourcetest.Clocked.
func (w *suiteWorld) Edited() index.Change { return w.edited }

// rewrite changes what stands in a file.
func (w *suiteWorld) rewrite(f *gdrivetest.File) {
	if f.Type != gdrivetest.Folder {
		w.Server.Edit(f, string(f.Data)+" more common words")
	}
}

func idOf(f *gdrivetest.File) document.ID { return document.ID("gdrive-docs:" + f.ID) }

// Connector implements sourcetest.World.
func (w *suiteWorld) Connector() index.Connector {
	config := configOf(w.Server)
	config.Now = func() time.Time {
		w.Pass(w.tick)
		return w.Now()
	}
	client, err := gdrive.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := gdrive.NewConnector(client, gdrive.Options{Name: "docs", Admin: w.Admin.Email, MyDrives: true, SweepEvery: w.every, Read: readFile, Wanted: readable})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// Fault implements sourcetest.World.
func (w *suiteWorld) Fault(t *rapid.T) func() {
	faults := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 1))
	w.Switch(func(s *gdrivetest.Switches) { s.Expired, s.Forgotten = faults.IntN(8) == 0, faults.IntN(8) == 0 })
	parts := []string{"files?", "/permissions", "changes", "drives", "groups", "alt=media", "users"}
	w.Break(faults, parts, gdrivetest.Refuse(http.StatusServiceUnavailable, "backendError"), gdrivetest.Refuse(http.StatusTooManyRequests, "rateLimitExceeded", "Retry-After", "3600"),
		gdrivetest.Refuse(http.StatusForbidden, "userRateLimitExceeded"), servertest.Page)
	return func() {
		w.Switch(func(s *gdrivetest.Switches) { s.Expired, s.Forgotten = false, false })
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
	for _, u := range append(slices.Clone(w.users), w.guest) {
		addresses = append(addresses, u.Email)
	}
	return sourcetest.Accounts(addresses...)
}

// Documents implements sourcetest.World.
func (w *suiteWorld) Documents() []document.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []document.ID
	for _, f := range w.ever {
		if f.Type != gdrivetest.Folder {
			all = append(all, idOf(f))
		}
	}
	return all
}

// MayRead implements sourcetest.World.
func (w *suiteWorld) MayRead(who access.Account, d document.ID) bool {
	return w.some(who, d, w.World.MayRead)
}

// MustShow implements sourcetest.Partial. What follows from a folder that the owner of a file in it
// is not shown is not known here.
func (w *suiteWorld) MustShow(who access.Account, d document.ID) bool {
	return w.some(who, d, w.World.Shown)
}

func (w *suiteWorld) some(who access.Account, d document.ID, may func(*gdrivetest.User, *gdrivetest.File) bool) bool {
	var f *gdrivetest.File
	w.Do(func() {
		for _, one := range w.Files {
			if idOf(one) == d {
				f = one
			}
		}
	})
	for _, u := range w.users {
		if f != nil && who.Full && strings.EqualFold(u.Email, who.Email) && may(u, f) {
			return true
		}
	}
	return false
}
