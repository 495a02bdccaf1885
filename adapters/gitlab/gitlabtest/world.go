// Package gitlabtest is a fake GitLab instance for tests. It has groups, projects, issues, merge
// requests, wikis and files. It serves the parts of the REST API that read them, with the limits
// and errors of the real server.
//
// MayRead decides separately for each person what the person may read, by rules quoted from GitLab.
// Its code shares nothing with the adapter.
package gitlabtest

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Private, Internal and Public are the visibilities of projects and groups
// (https://docs.gitlab.com/user/public_access/).
const (
	Private  = "private"
	Internal = "internal"
	Public   = "public"
)

// Disabled, MembersOnly and Enabled are the access levels of a project's features. Enabled opens a
// feature to everyone who can see the project (https://docs.gitlab.com/api/projects/).
const (
	Disabled    = "disabled"
	MembersOnly = "private"
	Enabled     = "enabled"
)

// NoAccess and the constants below are access levels of members
// (https://docs.gitlab.com/development/permissions/predefined_roles/).
const (
	NoAccess  = 0
	Minimal   = 5
	Guest     = 10
	Planner   = 15
	Reporter  = 20
	Developer = 30
	Owner     = 50
)

// User is an account of the instance.
type User struct {
	ID                    int
	Username, Name, Email string
	Unconfirmed           bool // the primary address was never confirmed
	Blocked, External     bool
	Admin                 bool
}

// Member is a direct membership in a group or project.
type Member struct {
	User    *User
	Level   int
	Expires string // a date, "2026-12-01"; empty: never
}

// Share invites a group to a group or project, with a maximum role.
type Share struct {
	Group   *Group
	Most    int
	Expires string
}

// Group is a group, or a subgroup of Parent.
type Group struct {
	ID         int
	Path       string
	Parent     *Group
	Visibility string
	Members    []*Member
	Shares     []*Share
}

// FullPath returns the group's path with those of its parents: "acme/platform".
func (g *Group) FullPath() string {
	if g.Parent == nil {
		return g.Path
	}
	return g.Parent.FullPath() + "/" + g.Path
}

func (g *Group) within(other *Group) bool {
	for ; g != nil; g = g.Parent {
		if g == other {
			return true
		}
	}
	return false
}

// Project is a project of a group.
type Project struct {
	ID         int
	Path, Name string
	Group      *Group
	Visibility string
	// Access levels of the features. Code is the level of the repository.
	IssuesLevel, MergeLevel, WikiLevel, Code string

	Members              []*Member
	Shares               []*Share
	Archived, Deleted    bool
	Branch               string // the default branch; empty: the repository is empty
	Files                map[string]string
	history              []map[string]string // files of each commit, the newest last
	lastIssue, lastMerge int
}

// FullPath returns the project's path with that of its group: "acme/platform/app".
func (p *Project) FullPath() string { return p.Group.FullPath() + "/" + p.Path }

func (p *Project) head() string { return p.commit(len(p.history)) }

func (p *Project) commit(number int) string { return sha(fmt.Sprint("commit", p.ID, number)) }

func (p *Project) push() { p.history = append(p.history, maps.Clone(p.Files)) }

func (p *Project) at(ref string) (map[string]string, bool) {
	if ref == "" || ref == p.Branch || ref == "HEAD" {
		return p.Files, p.Branch != ""
	}
	for i, files := range p.history {
		if p.commit(i+1) == ref {
			return files, true
		}
	}
	return nil, false
}

// Kind is the kind of a Thing.
type Kind string

// Issue, Merge, Page and File are the kinds of a Thing.
const (
	Issue Kind = "issue"
	Merge Kind = "merge_request"
	Page  Kind = "wiki"
	File  Kind = "file"
)

// Thing is an issue, a merge request, a wiki page or a file.
type Thing struct {
	Kind              Kind
	Project           *Project
	ID, IID           int    // ids of an issue or a merge request
	Path              string // slug of a page, path of a file
	Title, Text       string
	State             string
	Confidential      bool
	Author            *User
	Assignees         []*User
	Labels            []string
	Notes             []*Note
	Created, Updated  time.Time
	Deleted           bool
	MovedTo           int
	SourceBranch, Ref string
}

// Note is a comment on an issue or merge request.
type Note struct {
	ID               int
	Text             string
	Author           *User
	System, Internal bool
	Created, Updated time.Time
}

// World is a simulated GitLab instance. Change its fields only within Do.
type World struct {
	servertest.World
	last     int
	Users    []*User
	Groups   []*Group
	Projects []*Project
	Things   []*Thing
	Bot      *User // the account of the token
}

// NewWorld returns an instance with one administrator, whose token the connector uses.
func NewWorld() *World {
	start := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	w := &World{World: servertest.World{Time: start}, last: 100}
	w.Bot = w.User("footnote")
	w.Bot.Admin = true
	return w
}

func (w *World) id() int {
	w.last++
	return w.last
}

// User adds an account that has a confirmed address.
func (w *World) User(name string) *User {
	u := &User{Username: name, Name: "The " + name, Email: name + "@example.com"}
	w.Do(func() {
		u.ID = w.id()
		w.Users = append(w.Users, u)
	})
	return u
}

// Group adds a group. If parent is not nil, it is a subgroup.
func (w *World) Group(parent *Group, path, visibility string, members ...*Member) *Group {
	g := &Group{Path: path, Parent: parent, Visibility: visibility, Members: members}
	w.Do(func() {
		g.ID = w.id()
		w.Groups = append(w.Groups, g)
	})
	return g
}

// Project adds a project with all features enabled.
func (w *World) Project(g *Group, path, visibility string, members ...*Member) *Project {
	p := &Project{
		Path: path, Name: strings.ToUpper(path[:1]) + path[1:], Group: g, Visibility: visibility, Members: members,
		IssuesLevel: Enabled, MergeLevel: Enabled, WikiLevel: Enabled, Code: Enabled, Branch: "main",
		Files: make(map[string]string),
	}
	w.Do(func() {
		p.ID = w.id()
		w.Projects = append(w.Projects, p)
	})
	return p
}

// Add adds an issue, a merge request, a page or a file to its project.
func (w *World) Add(t *Thing) *Thing {
	w.Do(func() {
		w.Time = w.Time.Add(time.Second)
		t.ID, t.State = w.id(), cmp.Or(t.State, "opened")
		t.Created, t.Updated = w.Time, w.Time
		if t.Author == nil {
			t.Author = w.Bot
		}
		switch t.Kind {
		case Issue:
			t.Project.lastIssue++
			t.IID = t.Project.lastIssue
		case Merge:
			t.Project.lastMerge++
			t.IID = t.Project.lastMerge
		case File:
			t.Project.Files[t.Path] = t.Text
			t.Project.push()
		case Page:
			t.Title = cmp.Or(t.Title, t.Path)
		}
		w.Things = append(w.Things, t)
	})
	return t
}

// Edit runs change and updates the time of t. For a file it creates a commit.
func (w *World) Edit(t *Thing, change func()) {
	w.Do(func() {
		w.Time = w.Time.Add(time.Second)
		change()
		t.Updated = w.Time
		if t.Kind == File {
			t.Project.Files[t.Path] = t.Text
			t.Project.push()
		}
	})
}

// Comment adds a comment to an issue or merge request. It updates the time of the issue or merge
// request.
func (w *World) Comment(t *Thing, n *Note) *Note {
	w.Edit(t, func() {
		n.ID, n.Created, n.Updated = w.id(), w.Time, w.Time
		if n.Author == nil {
			n.Author = w.Bot
		}
		t.Notes = append(t.Notes, n)
	})
	return n
}

// Uncomment deletes a comment. It does not update the time of the issue or merge request.
func (w *World) Uncomment(t *Thing, n *Note) {
	w.Do(func() {
		t.Notes = slices.DeleteFunc(slices.Clone(t.Notes), func(o *Note) bool { return o == n })
	})
}

// Delete deletes an item permanently. No list of the server reports it.
func (w *World) Delete(t *Thing) {
	w.Do(func() {
		w.Time = w.Time.Add(time.Second)
		t.Deleted = true
		if t.Kind == File {
			delete(t.Project.Files, t.Path)
			t.Project.push()
		}
		w.Things = slices.DeleteFunc(w.Things, func(o *Thing) bool { return o == t })
	})
}

// Move copies an issue to another project, closes the original, and returns the copy. GitLab moves
// issues like this (https://docs.gitlab.com/user/project/issues/managing_issues/).
func (w *World) Move(t *Thing, to *Project) *Thing {
	copied := *t
	copied.Project, copied.Notes = to, slices.Clone(t.Notes)
	moved := w.Add(&copied)
	w.Edit(t, func() { t.State, t.MovedTo = "closed", moved.ID })
	return moved
}

func sha(text string) string {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // Git's own choice
	return hex.EncodeToString(sum[:])
}
