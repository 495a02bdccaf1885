// Package jiratest is a fake Jira site for tests. It serves the REST APIs of Jira Cloud and Data
// Center. It decides separately for each person what the person may read.
package jiratest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// User is a person with an account.
type User struct {
	ID, Name, Email string // on Data Center, ID is the key, which stays the same if Login changes
	Login           string
	Hidden          bool // the address is not shown, by the person's choice
	Inactive        bool
}

// Group is a group of people. On Cloud a group has an id. On Data Center the name is the id.
type Group struct {
	ID, Name string
	Members  []*User
}

// Holder is the holder of a permission. Type is one of Jira's types: anyone, applicationRole,
// assignee, group, groupCustomField, projectLead, projectRole, reporter, user, userCustomField, or
// an unknown type.
type Holder struct {
	Type  string
	User  *User
	Group *Group
	Role  string // id of a role
	Field string // id of a custom field
	App   string // key of an application; empty: all
}

// Level is a security level of issues.
type Level struct {
	ID, Name string
	Members  []Holder
}

// Scheme is the set of security levels of a project.
type Scheme struct {
	ID     string
	Levels []*Level
}

// Project is a Jira project.
type Project struct {
	ID, Key, Name string
	Archived      bool
	TeamManaged   bool
	Desk          bool // the project is a service desk
	Lead          *User
	Browse        []Holder // holders of the permission Browse Projects
	Security      *Scheme
	Roles         map[string][]any // *User and *Group, by the role's id
	last          int
}

// Comment is a comment on an issue.
type Comment struct {
	ID, Text string
	Author   *User
	When     time.Time
	Role     string // name of the role that may read it; empty: all
	Group    string // name of the group that may read it; empty: all
	Internal bool   // internal to a service desk: its customers do not see it
}

// File is an attached file.
type File struct {
	ID, Name string
	Data     []byte
	When     time.Time
}

// Issue is an issue of a project.
type Issue struct {
	ID, Key, Summary, Text, Type, Status string
	Project                              *Project
	Reporter, Assignee                   *User
	Level                                *Level
	// Restricted has the ids of the roles that the issue is restricted to, in a team-managed
	// project.
	Restricted       []string
	RestrictedOddly  bool           // restricted in a way that the connector does not know
	Custom           map[string]any // *User, []*User or *Group, by the field's id
	Labels           []string
	Parent           *Issue
	Blocks           *Issue
	Comments         []*Comment
	Files            []*File
	Created, Updated time.Time
	Deleted          bool
}

// App is an application of the site, such as jira-software.
type App struct {
	Key    string
	Groups []*Group
}

// World is a simulated Jira site. Change its fields only within Do.
type World struct {
	servertest.World
	last     int
	Users    []*User
	Groups   []*Group
	Projects []*Project
	Issues   []*Issue
	Apps     []*App
	// Anonymous says that the site admits visitors without an account.
	Anonymous bool
	Bot       *User  // the account of the credential
	Zone      string // time zone of the bot
	byID      map[string]*Issue
}

// NewWorld returns a site with one application and its group of users. It also has the account that
// the connector uses.
func NewWorld() *World {
	w := &World{World: servertest.World{Time: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}, last: 10_000, byID: make(map[string]*Issue), Zone: "Asia/Kolkata"}
	w.Apps = []*App{{Key: "jira-software", Groups: []*Group{w.Group("jira-software-users")}}}
	w.Bot = w.User("bot")
	return w
}

func (w *World) id() string {
	w.last++
	return strconv.Itoa(w.last)
}

// User adds a person who may use the site.
func (w *World) User(name string) *User {
	u := &User{ID: "acc-" + name, Name: "The " + name, Login: name, Email: name + "@example.com"}
	w.Do(func() {
		w.Users = append(w.Users, u)
		in := w.Apps[0].Groups[0]
		in.Members = append(in.Members, u)
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

// Project adds a project. The holders in browse and the account of the connector may browse it.
func (w *World) Project(key string, browse ...Holder) *Project {
	p := &Project{Key: key, Name: "Project " + key, Roles: make(map[string][]any)}
	w.Do(func() {
		p.ID, p.Browse = w.id(), append(browse, Holder{Type: "user", User: w.Bot})
		w.Projects = append(w.Projects, p)
	})
	return p
}

// Level adds a security level to a project. The given members and the account of the connector
// belong to it.
func (w *World) Level(p *Project, name string, members ...Holder) *Level {
	l := &Level{Name: name, Members: append(members, Holder{Type: "user", User: w.Bot})}
	w.Do(func() {
		if p.Security == nil {
			p.Security = &Scheme{ID: w.id()}
		}
		l.ID = w.id()
		p.Security.Levels = append(p.Security.Levels, l)
	})
	return l
}

// Issue adds an issue with a summary and a text to a project.
func (w *World) Issue(p *Project, summary, text string) *Issue {
	return w.Add(&Issue{Project: p, Summary: summary, Text: text})
}

// Add adds an issue and sets its id, key and times.
func (w *World) Add(i *Issue) *Issue {
	w.Do(func() {
		w.Time = w.Time.Add(time.Second)
		i.ID = w.id()
		i.Type, i.Status = cmp.Or(i.Type, "Task"), cmp.Or(i.Status, "To Do")
		w.place(i, i.Project)
		i.Created, i.Updated = w.Time, w.Time
		w.Issues = append(w.Issues, i)
		w.byID[i.ID] = i
	})
	return i
}

func (w *World) place(i *Issue, p *Project) {
	p.last++
	i.Project, i.Key = p, fmt.Sprintf("%s-%d", p.Key, p.last)
}

// Edit runs change and updates the date of an issue.
func (w *World) Edit(i *Issue, change func()) {
	w.Do(func() {
		w.Time = w.Time.Add(time.Second)
		change()
		i.Updated = w.Time
	})
}

// Move moves an issue to another project. The issue's key changes.
func (w *World) Move(i *Issue, to *Project) {
	w.Edit(i, func() {
		w.place(i, to)
		i.Level = nil
		i.Restricted = nil
	})
}

// Comment adds a comment to an issue and updates the date of the issue.
func (w *World) Comment(i *Issue, c *Comment) *Comment {
	w.Edit(i, func() {
		c.ID, c.When = w.id(), w.Time
		i.Comments = append(i.Comments, c)
	})
	return c
}

// Attach attaches a file to an issue and updates the date of the issue.
func (w *World) Attach(i *Issue, name string, data []byte) *File {
	f := &File{Name: name, Data: data}
	w.Edit(i, func() {
		f.ID, f.When = w.id(), w.Time
		i.Files = append(i.Files, f)
	})
	return f
}

// Delete deletes an issue permanently.
func (w *World) Delete(i *Issue) {
	w.Do(func() {
		i.Deleted = true
		delete(w.byID, i.ID)
		w.Issues = slices.DeleteFunc(w.Issues, func(o *Issue) bool { return o == i })
	})
}
