// Package confluencetest is a fake Confluence site for tests. It serves the REST APIs of Confluence
// Cloud and Data Center. It decides separately for each person what the person may read.
package confluencetest

import (
	"slices"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Subject is the subject of a permission or a restriction: a *User, a *Group, or an Odd.
type Subject any

// Odd is a subject of an unknown type, such as "ROLE", "ACCESS_CLASS" or "app".
type Odd string

// User is a person with an account.
type User struct {
	ID, Name, Email string
	Hidden          bool // the address is not shown, by the person's choice
	Inactive        bool
	External        bool
}

// Group is a group of people. On Cloud a group has an id. On Data Center the name is the id.
type Group struct {
	ID, Name string
	Members  []*User
}

// Space is a Confluence space.
type Space struct {
	ID, Key, Name string
	Personal      bool
	Archived      bool
	View          []Subject
	Anonymous     bool // "Anonymous users may view this space"
}

// Content is a page, blog post, folder, whiteboard, database, Smart Link, comment or attachment.
type Content struct {
	ID, Type, Title, Body string
	Space                 *Space
	Parent                *Content // the containing content
	Labels                []string
	Version               int
	When                  time.Time
	Status                string // current, archived, trashed
	Read                  []Subject
	Author                *User
	Data                  []byte
	NewEditor             bool
	// text in the Atlassian Document Format; the page then has no other format
	Document string
}

// World is a simulated Confluence site. Change its fields only within Do.
type World struct {
	servertest.World
	last     int
	Users    []*User
	Groups   []*Group
	Spaces   []*Space
	Contents []*Content
	Site     []*Group // groups whose members may use Confluence
	// Anonymous is the site's setting "Anonymous access … can use".
	Anonymous bool
	Bot       *User // the account of the credential
	Roles     bool  // the site has role-based access
	byID      map[string]*Content
}

// NewWorld returns a site with an empty group of its users, and with the account that the connector
// uses.
func NewWorld() *World {
	w := &World{World: servertest.World{Time: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}, last: 1000}
	users := w.Group("confluence-users")
	w.Site = []*Group{users}
	w.Bot = w.User("bot")
	return w
}

func (w *World) id() string {
	w.last++
	return strconv.Itoa(w.last)
}

// User adds a person who may use the site.
func (w *World) User(name string) *User {
	u := &User{ID: "acc-" + name, Name: name, Email: name + "@example.com"}
	w.Do(func() {
		w.Users = append(w.Users, u)
		w.Site[0].Members = append(w.Site[0].Members, u)
	})
	return u
}

// Group adds a group with the given members.
func (w *World) Group(name string, members ...*User) *Group {
	g := &Group{Name: name, Members: members}
	w.Do(func() {
		g.ID = "g-" + w.id()
		w.Groups = append(w.Groups, g)
	})
	return g
}

// Space adds a space. The subjects in view and the account of the connector may view it.
func (w *World) Space(key string, view ...Subject) *Space {
	s := &Space{Key: key, Name: "Space " + key}
	w.Do(func() {
		s.ID, s.View = w.id(), append(view, w.Bot)
		w.Spaces = append(w.Spaces, s)
	})
	return s
}

// Page adds a page to a space. If parent is nil, the page is at the top of the space.
func (w *World) Page(s *Space, parent *Content, title, body string) *Content {
	return w.Add(&Content{Type: "page", Space: s, Parent: parent, Title: title, Body: body})
}

// Add adds a page, comment or other content, and sets its id, version, time and status.
func (w *World) Add(c *Content) *Content {
	w.Do(func() {
		if c.ID = w.id(); c.Type == "attachment" {
			c.ID = "att" + c.ID
		}
		c.Version, c.When, c.Status = 1, w.Time, "current"
		w.Contents = append(w.Contents, c)
		if w.byID == nil {
			w.byID = make(map[string]*Content)
		}
		w.byID[c.ID] = c
	})
	return c
}

// Edit runs change, increments the version of c and sets its time.
func (w *World) Edit(c *Content, change func()) {
	w.Do(func() {
		w.Time = w.Time.Add(time.Second)
		change()
		c.Version++
		c.When = w.Time
	})
}

// Trash sets the status of c: "trashed" deletes it, "current" restores it. The child pages of a
// deleted page move up to its parent.
func (w *World) Trash(c *Content, status string) {
	w.Do(func() {
		// "deleting a page moves its children up"; its comments and files go with it
		for _, other := range w.Contents {
			if other.Parent == c && (other.Type == "page" || slices.Contains(containers, other.Type)) && status == "trashed" {
				other.Parent = c.Parent
			}
		}
		c.Status = status
	})
}

// Purge deletes c permanently, with its comments and files.
func (w *World) Purge(c *Content) {
	w.Trash(c, "trashed")
	w.Do(func() {
		w.Contents = slices.DeleteFunc(w.Contents, func(o *Content) bool {
			gone := o == c || o.Parent == c
			if gone {
				o.Status = "purged"
				delete(w.byID, o.ID)
			}
			return gone
		})
	})
}

// there reports whether c can be opened. c and all its ancestors must be current, and the space
// must not be archived.
func (c *Content) there() bool {
	for at := c; at != nil; at = at.Parent {
		if at.Status != "current" {
			return false
		}
	}
	return !c.Space.Archived
}

// MayRead reports whether a user may read c. A nil user is a visitor without an account.
//
//   - "If someone can't view a space, they won't be able to view any of its pages, whatever their
//     restrictions say". A user who may not use the site cannot view any space:
//     https://support.atlassian.com/confluence-cloud/docs/what-are-confluence-cloud-permissions-and-restrictions/
//   - "View restrictions are inherited: if a page or folder has a view restriction, that
//     restriction applies to all the content nested under it". So a user "must be included in the view
//     restrictions of all of the parent pages" and of the page:
//     https://support.atlassian.com/confluence-cloud/docs/add-or-remove-page-restrictions/
//   - "Anonymous access": visitors see what a space opens to them, if the site admits visitors:
//     https://support.atlassian.com/confluence-cloud/docs/make-a-space-public/
func (w *World) MayRead(u *User, c *Content) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.mayRead(u, c)
}

func (w *World) mayRead(u *User, c *Content) bool {
	if !c.there() || !w.mayView(u, c.Space) {
		return false
	}
	for at := c; at != nil; at = at.Parent {
		if len(at.Read) > 0 && (!w.mayUse(u) || !includesUser(at.Read, u)) {
			return false
		}
	}
	return true
}

func (w *World) mayUse(u *User) bool {
	return u != nil && !u.Inactive && slices.ContainsFunc(w.Site, func(g *Group) bool { return slices.Contains(g.Members, u) })
}

func (w *World) mayView(u *User, s *Space) bool {
	return !s.Archived && (w.Anonymous && s.Anonymous || w.mayUse(u) && includesUser(s.View, u))
}

func includesUser(subjects []Subject, u *User) bool {
	return slices.ContainsFunc(subjects, func(s Subject) bool {
		switch s := s.(type) {
		case *User:
			return s == u
		case *Group:
			return slices.Contains(s.Members, u)
		}
		return false
	})
}
