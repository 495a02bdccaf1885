package gdrive_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// readers is who may read a place.
type readers struct {
	sourcetest.Readers
	p *place
}

func (p *place) readers() *readers {
	p.T.Helper()
	r := &readers{p: p}
	r.read()
	return r
}

// read reads what has changed.
func (r *readers) read() {
	r.p.T.Helper()
	if err := r.Read(r.p.T.Context(), r.p.Connector); err != nil {
		r.p.T.Fatal(err)
	}
}

// holds are the principals of somebody, by address.
func (r *readers) holds(email string) []access.Principal {
	var held []access.Principal
	for id, person := range r.People {
		if slices.Contains(person.Emails, email) {
			held = append(held, r.Held("gdrive-docs", id)...)
		}
	}
	return held
}

// may reports whether somebody is shown a file that is in the index.
func (r *readers) may(u *gdrivetest.User, f *gdrivetest.File) bool {
	r.p.T.Helper()
	doc, there := r.p.Documents()[f.ID]
	if !there {
		return false
	}
	id, ok := strings.CutPrefix(string(doc.ACL[0]), "node:gdrive-docs:")
	if !ok || len(doc.ACL) != 1 {
		r.p.T.Fatalf("%s has the access list %v", f.Name, doc.ACL)
	}
	return r.Lets(id, r.holds(u.Email)...)
}

// mustShow says whom files are shown to otherwise than they should be: to those of all people who
// are named.
func (r *readers) mustShow(f *gdrivetest.File, to ...*gdrivetest.User) {
	r.p.T.Helper()
	for _, u := range r.p.Users {
		if got, want := r.may(u, f), slices.Contains(to, u); got != want {
			r.p.T.Errorf("%s is shown %s: %v, want %v", u.Name, f.Name, got, want)
		}
	}
}

// Who may read is who was let in by the file, or by anything above it, up to a folder with limited
// access. Owners and Managers pass it.
func TestGrantsComeDownToALimitedFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	ada, bob, cyd, dan, eve := p.User("ada"), p.User("bob"), p.User("cyd"), p.User("dan"), p.User("eve")
	managers := p.Group("managers", eve)
	d := p.Drive("Team", reader(ada), gdrivetest.Grant{To: managers, Role: "organizer"})
	open := p.Folder(d, "open", reader(bob))
	inOpen := p.File(p.Folder(open, "deeper"), "a.txt", "x")
	limited := p.Folder(open, "limited", reader(cyd))
	inLimited := p.File(p.Folder(limited, "deeper"), "b.txt", "x", reader(dan))
	below := p.File(limited, "c.txt", "x")
	lone := p.File(open, "alone.txt", "x")
	mine := p.Folder(ada, "mine", reader(bob))
	secret := p.Folder(mine, "secret", reader(cyd))
	inSecret := p.File(secret, "d.txt", "x")
	p.Do(func() { limited.Limited, lone.Limited, secret.Limited = true, true, true })
	p.MustSync()
	r := p.readers()
	if !r.Complete {
		t.Error("the first reading is not complete")
	}
	r.mustShow(inOpen, ada, bob, eve)
	r.mustShow(inLimited, cyd, dan, eve)
	r.mustShow(below, cyd, eve)
	r.mustShow(lone, eve)
	r.mustShow(inSecret, ada, cyd)
	// A folder with all below it moves behind the barrier, and out again.
	p.Move(open, p.Folder(d, "vault"))
	vault := open.Parent
	p.Change(vault, func() { vault.Limited = true })
	p.MustSync()
	r.read()
	r.mustShow(inOpen, bob, eve)
	r.mustShow(below, cyd, eve)
	p.Move(open, d)
	p.MustSync()
	r.read()
	r.mustShow(inOpen, ada, bob, eve)
}

// A drive may be for its members alone: then what was shared with others below it is not, whoever
// becomes a member or is none any more.
func TestADriveForItsMembersAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, never)
	ada, bob, cyd := p.User("ada"), p.User("bob"), p.User("cyd")
	d := p.Drive("Team", reader(ada))
	limited := p.Folder(d, "limited", reader(ada), reader(bob))
	p.Do(func() { limited.Limited = true })
	f, g := p.File(limited, "f.txt", "x", reader(cyd)), p.File(d, "g.txt", "x", reader(cyd))
	p.MustSync()
	r := p.readers()
	r.mustShow(f, ada, bob, cyd)
	r.mustShow(g, ada, cyd)
	p.Do(func() { d.Closed = true })
	r.read()
	r.mustShow(f, ada)
	r.mustShow(g, ada)
	p.Do(func() { d.Members = append(d.Members[:1:1], reader(bob)) })
	r.read()
	r.mustShow(f, bob)
	r.mustShow(g, bob)
	if r.read(); r.Complete {
		t.Error("everything is looked at although nothing has changed")
	}
}

// What is not known, has ended or shows no more than that something is there, lets nobody in; links
// let in nobody, unless the operator says so.
func TestWhoIsNobody(t *testing.T) {
	t.Parallel()
	for name, links := range map[string]bool{"links let nobody in": false, "links let everybody in": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) { o.Links = links })
			ada, bob, cyd := p.User("ada"), p.User("bob"), p.User("cyd")
			p.Do(func() {
				cyd.Email, cyd.Aliases = "cyd@sub.example.com", []string{"c.yd@example.com", "cyd@old.example.com"}
			})
			other := p.Group("partners", bob)
			nested := p.Group("inner", bob)
			outer := p.Group("outer", nested)
			all := p.Group("all", gdrivetest.Everyone{})
			p.Do(func() {
				other.Elsewhere = true
				nested.Members = append(nested.Members, outer) // round in a circle
				outer.Members = append(outer.Members, other)
			})
			d := p.Drive("Team")
			share := func(g gdrivetest.Grant) *gdrivetest.File { return p.File(d, g.Role, "x", g) }
			everyone := []*gdrivetest.User{p.Admin, ada, bob, cyd}
			cases := []struct {
				name  string
				file  *gdrivetest.File
				to    []*gdrivetest.User
				links []*gdrivetest.User
			}{
				{"a role that is not known", share(gdrivetest.Grant{To: bob, Role: "publisher"}), nil, nil},
				{"somebody of another kind", share(gdrivetest.Grant{To: "robot", Role: "reader"}), nil, nil},
				{"a grant that has ended", share(gdrivetest.Grant{To: bob, Role: "reader", Expires: p.Now().Add(-time.Second)}), nil, nil},
				{"a grant that will end", share(gdrivetest.Grant{To: bob, Role: "reader", Expires: p.Now().Add(time.Hour)}), []*gdrivetest.User{bob}, []*gdrivetest.User{bob}},
				{"a view", share(gdrivetest.Grant{To: bob, Role: "reader", View: "metadata"}), nil, nil},
				{"a grant of which it is not told whether it is inherited", share(gdrivetest.Grant{To: bob, Role: "reader", Bare: true}), nil, nil},
				{"a group of another organisation", share(reader(other)), nil, nil},
				{"a group within a group", share(reader(outer)), []*gdrivetest.User{bob}, []*gdrivetest.User{bob}},
				{"a group of everybody", share(reader(all)), everyone, everyone},
				{"somebody elsewhere", share(reader(&gdrivetest.User{ID: "x", Email: "x@elsewhere.example"})), nil, nil},
				{"a domain that can be searched", share(gdrivetest.Grant{To: gdrivetest.Domain("example.com"), Role: "reader", Find: true}), everyone, everyone},
				{"a domain by link", share(gdrivetest.Grant{To: gdrivetest.Domain("example.com"), Role: "reader"}), nil, everyone},
				{"a domain elsewhere", share(gdrivetest.Grant{To: gdrivetest.Domain("elsewhere.example"), Role: "reader", Find: true}), nil, nil},
				{"anyone by link", share(gdrivetest.Grant{To: gdrivetest.Everyone{}, Role: "reader"}), nil, everyone},
				{"anyone who searches", share(gdrivetest.Grant{To: gdrivetest.Everyone{}, Role: "reader", Find: true}), nil, everyone},
				{"another address", share(reader(&gdrivetest.User{ID: "x", Email: "C.Yd@example.com"})), []*gdrivetest.User{cyd}, []*gdrivetest.User{cyd}},
			}
			p.MustSync()
			r := p.readers()
			for _, c := range cases {
				c.file.Name = c.name
				to := c.to
				if links {
					to = c.links
				}
				r.mustShow(c.file, to...)
			}
			p.Do(func() { bob.Suspended = true })
			p.MustSync()
			r.read()
			r.mustShow(cases[7].file)
		})
	}
}

// What the whole internet can find is for whom the operator says, and the operator's condition
// narrows everything.
func TestTheOperatorsWords(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) {
		o.Anonymous, o.ACL = access.Members, access.ACL{"group:staff"}
	})
	ada := p.User("ada")
	d := p.Drive("Team", reader(ada))
	f := p.File(d, "open.txt", "x", gdrivetest.Grant{To: gdrivetest.Everyone{}, Role: "reader", Find: true})
	p.MustSync()
	r := p.readers()
	id := d.ID + "/" + f.ID
	for _, tt := range []struct {
		held []access.Principal
		want bool
	}{{[]access.Principal{access.Members}, false}, {[]access.Principal{access.Members, "group:staff"}, true}, {append(r.holds(ada.Email), "group:staff"), true}, {r.holds(ada.Email), false}} {
		if got := r.Lets(id, tt.held...); got != tt.want {
			t.Errorf("who holds %v is let in: %v, want %v", tt.held, got, tt.want)
		}
	}
}

// What the operator takes back holds from the next reading on.
func TestTheOperatorTakesBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) { o.Links, o.SweepEvery = true, 1000*time.Hour })
	ada := p.User("ada")
	d := p.Drive("Team", reader(ada))
	f := p.File(d, "linked.txt", "x", gdrivetest.Grant{To: gdrivetest.Everyone{}, Role: "reader"})
	p.MustSync()
	r := p.readers()
	r.mustShow(f, p.Admin, ada)
	p.options.Links = false
	p.Again()
	r.read()
	r.mustShow(f, ada)
	p.options.ACL = access.ACL{"group:staff"}
	p.Again()
	r.read()
	r.mustShow(f)
}

// A grant that ends is over then, though no log says so.
func TestAGrantEndsByItself(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) { o.SweepEvery = 1000 * time.Hour })
	bob := p.User("bob")
	d := p.Drive("Team")
	f := p.File(d, "for an hour.txt", "x", gdrivetest.Grant{To: bob, Role: "reader", Expires: p.Now().Add(time.Hour)})
	p.MustSync()
	r := p.readers()
	r.mustShow(f, bob)
	p.Pass(2 * time.Hour)
	r.read()
	r.mustShow(f)
}

// Grants that may not be read are nobody's; those that cannot be read for now stay as they were,
// and are read by the next run.
func TestGrantsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) { o.SweepEvery = 1000 * time.Hour })
	bob, cyd := p.User("bob"), p.User("cyd")
	d := p.Drive("Team")
	f := p.File(d, "a.txt", "x", reader(bob))
	p.MustSync()
	r := p.readers()
	r.mustShow(f, bob)
	p.Change(f, func() { f.Grants = []gdrivetest.Grant{reader(cyd)} })
	p.Faults.Add(gdrivetest.Fault{Path: f.ID + "/permissions", Answer: gdrivetest.Refuse(http.StatusInternalServerError, "backendError")}, 0, 5)
	r.read()
	if !slices.Equal(r.Unread, []string{d.ID + "/" + f.ID}) {
		t.Errorf("unread are %v", r.Unread)
	}
	r.read()
	r.mustShow(f, cyd)
	p.Change(f, func() { f.Name = "b.txt" })
	p.Faults.Add(gdrivetest.Fault{Path: f.ID + "/permissions", Answer: gdrivetest.Refuse(http.StatusForbidden, "insufficientFilePermissions")}, 0, 1)
	r.read()
	r.mustShow(f)
	// Who is a member of a drive is shown to those alone who run it.
	p.Do(func() { d.Members = []gdrivetest.Grant{reader(p.Bot), reader(bob)} })
	top := p.File(d, "top.txt", "x")
	p.MustSync()
	r.read()
	r.mustShow(top)
}

// Where Google does not tell of somebody's own files which grants come from a folder above, all of
// them count, and end with the folder's.
func TestGrantsWithoutDetails(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) { o.SweepEvery = 1000 * time.Hour })
	ada, bob, cyd := p.User("ada"), p.User("bob"), p.User("cyd")
	p.Do(func() { p.Bare = true })
	folder := p.Folder(ada, "Plans", reader(bob))
	below, alone := p.File(folder, "a.txt", "x"), p.File(p.Folder(folder, "Deeper"), "b.txt", "x", reader(cyd))
	closed := p.Folder(folder, "Closed", reader(cyd))
	p.Change(closed, func() { closed.Limited = true })
	secret := p.File(closed, "c.txt", "x")
	p.MustSync()
	r := p.readers()
	r.mustShow(below, ada, bob)
	r.mustShow(alone, ada, bob, cyd)
	p.Change(folder, func() { folder.Grants = nil })
	p.MustSync()
	r.read()
	r.mustShow(below, ada)
	r.mustShow(alone, ada, cyd)
	if r.may(bob, secret) {
		t.Error("what lies below a limited folder is shown to whom the folder above it was shared with")
	}
}

// An address that another one is given, or a group that is made anew under an old name, lets nobody
// in to what was shared with those before.
func TestAddressesAreGivenOutAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) { o.SweepEvery = 1000 * time.Hour })
	bob, red := p.User("bob"), p.Group("red")
	d := p.Drive("Team")
	f, g := p.File(d, "bob's.txt", "x", reader(bob)), p.File(d, "red's.txt", "x", reader(red))
	p.MustSync()
	r := p.readers()
	r.mustShow(f, bob)
	p.Do(func() {
		p.Users = slices.DeleteFunc(p.Users, func(u *gdrivetest.User) bool { return u == bob })
		p.Groups = nil
	})
	again := p.User("bob")
	p.Group("red", again)
	p.MustSync()
	r.read()
	r.mustShow(f)
	r.mustShow(g)
}

// What ends the authority ends the access, at once; what concerns one person does not.
func TestAuthority(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(_ *gdrive.Options, c *gdrive.Config) { c.Pause = time.Nanosecond })
	ada, bob := p.User("ada"), p.User("bob")
	p.File(p.Drive("Team", reader(ada)), "a.txt", "x")
	f := p.File(bob, "b.txt", "x")
	p.MustSync()
	r := p.readers()
	p.Forget() // tokens that are over before their time are asked for anew
	r.read()
	for name, change := range map[string]func(*gdrivetest.Switches){
		"no delegation": func(s *gdrivetest.Switches) { s.NoDelegate = true },
		"no directory":  func(s *gdrivetest.Switches) { s.Scopes = []string{"https://www.googleapis.com/auth/drive.readonly"} },
		"no drives": func(s *gdrivetest.Switches) {
			for _, of := range []string{"user", "group", "group.member"} {
				s.Scopes = append(s.Scopes, "https://www.googleapis.com/auth/admin.directory."+of+".readonly")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p.Forget()
			client, err := gdrive.New(configOf(p.Server))
			if err != nil {
				t.Fatal(err)
			}
			connector, err := gdrive.NewConnector(client, p.options)
			if err != nil {
				t.Fatal(err)
			}
			p.Switch(change)
			defer p.Switch(func(s *gdrivetest.Switches) { s.NoDelegate, s.Scopes = false, nil })
			err = nil
			for _, e := range connector.Nodes(t.Context(), nil) {
				err = e
			}
			if !errors.Is(err, index.ErrRevoked) || strings.Contains(err.Error(), "PRIVATE") || !strings.Contains(err.Error(), "scope") && name != "no drives" && !strings.Contains(err.Error(), "Delegation") {
				t.Errorf("it says %v", err)
			}
		})
	}
	p.Forget()
	// One account for whom nobody may act any more: nobody may read what it owns, and everything
	// else is read.
	other := p.File(ada, "c.txt", "x")
	for _, answer := range []http.HandlerFunc{
		gdrivetest.Refuse(http.StatusForbidden, "domainPolicy"),
		func(w http.ResponseWriter, _ *http.Request) { // Drive is turned off for the account
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error": {"code": 401, "message": "The caller does not have permission", "status": "PERMISSION_DENIED", "errors": [
				{"message": "Active session is invalid. Error code: 4", "domain": "global", "reason": "authError", "location": "Authorization", "locationType": "header"}]}}`))
		},
	} {
		p.Faults.Mend()
		p.Pass(2 * gdrive.SweepEvery)
		r.read()
		p.MustSync()
		r.mustShow(f, bob)
		p.Faults.Add(gdrivetest.Fault{Path: "(" + bob.Email + ")", Answer: answer}, 0, 1000)
		p.Pass(2 * gdrive.SweepEvery)
		r.read()
		p.mustRun()
		r.mustShow(f)
		r.mustShow(other, ada)
	}
}

// mustRun is mustSync where something of the source may not be readable.
func (p *place) mustRun() {
	p.T.Helper()
	if _, err := p.Sync(p.T.Context()); err != nil {
		p.T.Fatal(err)
	}
}

// A right that is taken from a single file is gone with the next run of nodes, however seldom
// documents are read: that run says which node the file is below.
func TestNodesMoveDocuments(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	ada := p.User("ada")
	d := p.Drive("Team", reader(ada))
	folder := p.Folder(d, "folder")
	f := p.File(folder, "plan.txt", "words")
	p.Pass(time.Minute)
	p.MustSync()
	r := new(sourcetest.Readers)
	named := func() access.ACL {
		var acl access.ACL
		for b, err := range p.Connector.Nodes(t.Context(), r.At) {
			if err != nil {
				t.Fatal(err)
			}
			r.At = b.Next
			for id, list := range b.Documents {
				if strings.HasSuffix(string(id), f.ID) {
					acl = list
				}
			}
		}
		return acl
	}
	before := p.Documents()[f.ID].ACL
	if got := named(); !slices.Equal(got, before) {
		t.Errorf("at first nodes say %v, and the document %v", got, before)
	}
	for _, limited := range []bool{true, false} {
		p.Change(f, func() { f.Limited = limited })
		p.Pass(5 * time.Minute)
		got := named()
		if moved := !slices.Equal(got, before); len(got) != 1 || moved != limited {
			t.Errorf("limited %v: nodes say %v, and it was %v", limited, got, before)
		}
		p.MustSync()
		if acl := p.Documents()[f.ID].ACL; !slices.Equal(acl, got) {
			t.Errorf("limited %v: nodes say %v, and the document %v", limited, got, acl)
		}
	}
}
