// Package githubtest is a fake GitHub server for tests. It has an organisation's repositories,
// people, teams and threads. It serves the parts of the REST and GraphQL APIs that read them, with
// the limits and errors of the real server.
//
// It decides separately for each person what the person may read, by rules quoted from GitHub. It
// does not use Footnote's concept of groups.
package githubtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Public, Internal and Private are visibilities of repositories.
const (
	Public   = "public"
	Internal = "internal"
	Private  = "private"
)

// World is the simulated content of a GitHub server. Its methods may be called while it is served.
type World struct {
	servertest.World
	last int64 // last number that was assigned

	Orgs  []*Org
	Users []*User
	Repos []*Repo
}

// User is a person with an account.
type User struct {
	ID       int64
	Login    string
	SAML     string   // name in single sign-on
	Verified []string // addresses in domains that the organisation has verified
	Profile  string   // public, unverified address
}

// Org is an organisation. All organisations belong to one enterprise.
type Org struct {
	ID     int64
	Login  string
	Base   string         // permission of members in every repository: none, read, write
	Owners map[*User]bool // administrators
	Member map[*User]bool // members, including owners
	Teams  []*Team
	HasSSO bool
}

// Team is a team of an organisation.
type Team struct {
	ID      int64
	Parent  *Team
	Members map[*User]bool
}

// Repo is a repository.
type Repo struct {
	ID         int64
	Org        *Org
	Name       string
	Visibility string
	Archived   bool
	Direct     map[*User]string // rights of people, including outside collaborators
	Teams      map[*Team]string
	Invited    map[*User]bool // people who have not accepted their invitation
	Threads    []*Thread
	Numbers    int
	NoIssues   bool
	Hidden     bool            // the credential cannot see it
	CannotList bool            // the credential may not list its collaborators
	NoContents bool            // the credential may not read its files
	Git, Wiki  *gittest.Server // nil if it has no commit
	HasWiki    bool            // the wiki is turned on
	Former     []string        // previous names
	pushed     time.Time
	head       string // commit of the branch "trunk"
}

// Thread is an issue, a pull request or a discussion.
type Thread struct {
	Kind     string // issue, pull, discussion
	ID       int64
	Number   int
	Title    string
	Body     string
	Author   *User
	State    string
	Labels   []string
	Created  time.Time
	Updated  time.Time
	Comments []*Comment
	Reviews  []*Comment
	Places   []*Place // code locations with comments, in a pull request
}

// Place is a location in code with its comments.
type Place struct {
	ID       int64
	Path     string
	Line     int
	Comments []*Comment
}

// Comment is a comment, a review, or a reply.
type Comment struct {
	ID      int64
	Author  *User
	Body    string
	State   string // state of a review, such as APPROVED
	Created time.Time
	Hidden  bool
	Answer  bool
	Replies []*Comment
}

// NewWorld returns a server without organisations, people and repositories.
func NewWorld() *World {
	return &World{World: servertest.World{Time: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}}
}

func (w *World) next() int64 {
	w.last++
	return w.last
}

// Org adds an organisation. base is the permission of its members: none, read or write.
func (w *World) Org(login, base string) *Org {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	o := &Org{ID: w.next(), Login: login, Base: base, Owners: make(map[*User]bool), Member: make(map[*User]bool)}
	w.Orgs = append(w.Orgs, o)
	return o
}

// User adds an account.
func (w *World) User(login string) *User {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	u := &User{ID: w.next(), Login: login}
	w.Users = append(w.Users, u)
	return u
}

// Team adds a team to an organisation. parent is the team above it, or nil.
func (w *World) Team(o *Org, parent *Team, members ...*User) *Team {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	t := &Team{ID: w.next(), Parent: parent, Members: make(map[*User]bool)}
	for _, u := range members {
		t.Members[u] = true
	}
	o.Teams = append(o.Teams, t)
	return t
}

// Repo adds an empty repository to an organisation.
func (w *World) Repo(o *Org, name, visibility string) *Repo {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.repo(o, name, visibility)
}

func (w *World) repo(o *Org, name, visibility string) *Repo {
	r := &Repo{
		ID: w.next(), Org: o, Name: name, Visibility: visibility, Direct: make(map[*User]string), Teams: make(map[*Team]string), Invited: make(map[*User]bool),
		pushed: w.Time,
	}
	w.Repos = append(w.Repos, r)
	return r
}

// FullName returns the names of the owner and the repository: "acme/app".
func (r *Repo) FullName() string { return r.Org.Login + "/" + r.Name }

// Rename renames a repository. The old name redirects to the repository until another repository
// has that name.
func (w *World) Rename(r *Repo, name string) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	r.Former = append(r.Former, r.FullName())
	r.Name = name
}

// Move transfers a repository to another organisation.
func (w *World) Move(r *Repo, to *Org) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	r.Former = append(r.Former, r.FullName())
	r.Org = to
	clear(r.Teams)
}

// Recreate deletes a repository and creates another with the same name.
func (w *World) Recreate(r *Repo, visibility string) *Repo {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Repos = slices.DeleteFunc(w.Repos, func(one *Repo) bool { return one == r })
	return w.repo(r.Org, r.Name, visibility)
}

// DeleteRepo deletes a repository.
func (w *World) DeleteRepo(r *Repo) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Repos = slices.DeleteFunc(w.Repos, func(one *Repo) bool { return one == r })
}

// Push commits files to a repository's branch. A file whose content is nil is removed. Set r.Git
// before the first push.
func (w *World) Push(r *Repo, files map[string][]byte) {
	r.Git.Commit("a change", files)
	head := strings.TrimSpace(r.Git.Git("rev-parse", "HEAD"))
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Time = w.Time.Add(time.Second)
	r.pushed, r.head = w.Time, head
}

// Open adds a thread to a repository. kind is "issue", "pull" or "discussion".
func (w *World) Open(r *Repo, kind, title, body string, author *User) *Thread {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Time = w.Time.Add(time.Second)
	r.Numbers++
	t := &Thread{Kind: kind, ID: w.next(), Number: r.Numbers, Title: title, Body: body, Author: author, State: "OPEN", Created: w.Time, Updated: w.Time}
	r.Threads = append(r.Threads, t)
	return t
}

// Say adds a comment to a thread.
func (w *World) Say(t *Thread, author *User, body string) *Comment {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Time = w.Time.Add(time.Second)
	c := &Comment{ID: w.next(), Author: author, Body: body, Created: w.Time}
	t.Comments = append(t.Comments, c)
	t.Updated = w.Time
	return c
}

// Touch runs change and updates the date of a thread.
func (w *World) Touch(t *Thread, change func()) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Time = w.Time.Add(time.Second)
	change()
	t.Updated = w.Time
}

// Comment creates a comment that is not in any thread. The caller adds it to one.
func (w *World) Comment(author *User, body string) *Comment {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return &Comment{ID: w.next(), Author: author, Body: body, Created: w.Time}
}

// DeleteThread deletes an issue, pull request or discussion. No list of the server reports it.
func (w *World) DeleteThread(r *Repo, t *Thread) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	r.Threads = slices.DeleteFunc(r.Threads, func(one *Thread) bool { return one == t })
}

// Transfer moves an issue to another repository, where the issue gets another number and node id.
func (w *World) Transfer(from *Repo, t *Thread, to *Repo) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	from.Threads = slices.DeleteFunc(from.Threads, func(one *Thread) bool { return one == t })
	to.Numbers++
	w.Time = w.Time.Add(time.Second)
	moved := *t
	moved.ID, moved.Number, moved.Updated = w.next(), to.Numbers, w.Time
	to.Threads = append(to.Threads, &moved)
}

// MayRead reports whether a person may read a repository on GitHub. It applies GitHub's documented
// rules one after the other.
func (w *World) MayRead(u *User, r *Repo) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if !slices.Contains(w.Repos, r) {
		return false
	}
	// "Public repositories are accessible to everyone on the internet."
	// (https://docs.github.com/en/repositories/creating-and-managing-repositories/about-repositories#about-repository-visibility)
	if r.Visibility == Public {
		return true
	}
	return w.hasRight(u, r)
}

// hasRight reports whether a person may read a repository as a member, owner or collaborator. It
// ignores that everyone may read a public repository.
func (w *World) hasRight(u *User, r *Repo) bool {
	// "Internal repositories are accessible to all enterprise members." (ibidem) "All members of an
	// enterprise" are those of its organisations.
	if r.Visibility == Internal {
		for _, o := range w.Orgs {
			if o.Member[u] {
				return true
			}
		}
	}
	// "Organization owners have complete administrative access to your organization."
	// (https://docs.github.com/en/organizations/managing-peoples-access-to-your-organization-with-roles/roles-in-an-organization)
	if r.Org.Owners[u] {
		return true
	}
	// "You can set base permissions that apply to all members of an organization when accessing any of the organization's repositories. Base permissions
	// do not apply to outside collaborators."
	// (https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/setting-base-permissions-for-an-organization)
	if r.Org.Member[u] && r.Org.Base != "none" {
		return true
	}
	// "Direct" rights of members and of outside collaborators. An invitation that was not accepted
	// grants nothing.
	if r.Direct[u] != "" && !r.Invited[u] {
		return true
	}
	// "Child teams inherit the parent's access permissions."
	// (https://docs.github.com/en/organizations/organizing-members-into-teams/about-teams)
	for _, t := range r.Org.Teams {
		if !t.Members[u] || !r.Org.Member[u] {
			continue
		}
		above := t
		for range 100 {
			if above == nil {
				break
			}
			if r.Teams[above] != "" {
				return true
			}
			above = above.Parent
		}
	}
	return false
}

func (w *World) find(name string) (r *Repo, former bool) {
	for _, one := range w.Repos {
		if strings.EqualFold(one.FullName(), name) {
			return one, false
		}
	}
	for _, one := range w.Repos {
		if slices.ContainsFunc(one.Former, func(n string) bool { return strings.EqualFold(n, name) }) {
			return one, true
		}
	}
	return nil, false
}

func (r *Repo) node() string     { return fmt.Sprintf("R_kg%d", r.ID) }
func (t *Thread) node() string   { return fmt.Sprintf("T_kg%d", t.ID) }
func (p *Place) node() string    { return fmt.Sprintf("P_kg%d", p.ID) }
func (c *Comment) node() string  { return fmt.Sprintf("C_kg%d", c.ID) }
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }
