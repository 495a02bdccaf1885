// Package gdrivetest is a fake for tests. It fakes Google Drive, the directory of Google Workspace,
// the Docs API and Google's token server. It decides separately for each person which files the
// person may read. Comments quote the rules from Google's documentation.
package gdrivetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Folder, Doc, Sheet, Slides and Text are MIME types of files.
const (
	Folder = "application/vnd.google-apps.folder"
	Doc    = "application/vnd.google-apps.document"
	Sheet  = "application/vnd.google-apps.spreadsheet"
	Slides = "application/vnd.google-apps.presentation"
	Text   = "text/plain"
)

// User is a person in the directory, or a service account.
type User struct {
	ID, Name, Email string
	Aliases         []string
	Suspended       bool
	Service         bool
	Root            *File // root folder of the user's drive
}

// Group is a group of the directory, or of another organisation.
type Group struct {
	ID, Name, Email string
	Members         []any // *User, *Group, Everyone
	Elsewhere       bool  // it belongs to another organisation and is not in the directory
}

// Everyone as a group member means all users of the organisation. As the target of a grant it means
// anyone.
type Everyone struct{}

// Domain grants access to everyone in a domain.
type Domain string

// Grant is a permission that is set directly on a file or a drive.
type Grant struct {
	To      any // *User, *Group, Domain, Everyone, or an unknown target
	Role    string
	Find    bool // allowFileDiscovery
	Expires time.Time
	View    string
	Bare    bool // without permissionDetails
}

// Drive is a shared drive.
type Drive struct {
	ID, Name string
	Members  []Grant
	Closed   bool // driveMembersOnly
}

// File is a file or a folder.
type File struct {
	ID, Name, Type string
	Parent         *File  // nil: the file is in the root of Drive
	Drive          *Drive // nil: the file is in a personal drive
	Owner          *User  // nil: the file is in a shared drive
	Grants         []Grant
	Limited        bool // inheritedPermissionsDisabled
	Trashed        bool // trashed itself, not through a folder
	Gone           bool // deleted permanently
	Modified       time.Time
	Data           []byte   // content of an upload, or of an export other than HTML
	HTML           string   // HTML export of a Doc
	Tabs           []any    // a Doc in the format of the Docs API
	Parts          []string // names of sheets, ids of slides
	NoDownload     bool
	Huge           bool // exceeds the export limit
	Size           int64
	Target         *File // target of a shortcut
}

// World is a simulated organisation with its drives. Its methods are safe for concurrent use.
type World struct {
	servertest.World
	Domain string
	Users  []*User
	Groups []*Group
	Drives []*Drive
	Files  []*File
	Bot    *User // the service account
	Admin  *User
	Wordy  bool // logs also report the files below a changed folder
	// Bare omits the origin of grants on files in personal drives. The origin was long "present
	// only for shared drive items".
	Bare bool

	number int
	files  map[string]*File
	below  map[*File][]*File
	logs   map[string]*log // by id of a drive or user
}

// log is the change log of a drive. It keeps only the newest entry of each file, as Google does.
type log struct {
	at      int
	entries map[string]int // position of each file's newest entry, by file id
}

// NewWorld returns an organisation with an administrator.
func NewWorld() *World {
	w := &World{Domain: "example.com", World: servertest.World{Time: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)}, files: make(map[string]*File), below: make(map[*File][]*File), logs: make(map[string]*log)}
	w.Bot = &User{ID: "bot", Name: "bot", Email: "reader@project.iam.gserviceaccount.com", Service: true}
	w.Admin = w.User("admin")
	return w
}

func (w *World) next(prefix string) string {
	w.number++
	return fmt.Sprintf("%s%d", prefix, w.number)
}

// User adds a user and the root folder of the user's drive.
func (w *World) User(name string) *User {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	u := &User{ID: w.next("1000"), Name: name, Email: name + "@" + w.Domain}
	u.Root = w.add(&File{Name: "My Drive", Type: Folder, Owner: u})
	w.Users = append(w.Users, u)
	return u
}

// Group adds a group with the given members, which may be *User, *Group or Everyone.
func (w *World) Group(name string, members ...any) *Group {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	g := &Group{ID: w.next("g"), Name: name, Email: name + "@" + w.Domain, Members: members}
	w.Groups = append(w.Groups, g)
	return g
}

// Drive adds a shared drive. The service account is the drive's manager.
func (w *World) Drive(name string, members ...Grant) *Drive {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	d := &Drive{ID: w.next("0A"), Name: name, Members: append([]Grant{{To: w.Bot, Role: "organizer"}}, members...)}
	w.Drives = append(w.Drives, d)
	w.logOf(d.ID)
	return d
}

func (w *World) logOf(corpus string) *log {
	if w.logs[corpus] == nil {
		w.logs[corpus] = &log{at: 1, entries: make(map[string]int)}
	}
	return w.logs[corpus]
}

func (w *World) add(f *File) *File {
	if f.ID == "" {
		f.ID = w.next("f")
	}
	if f.Type == "" {
		f.Type = Text
	}
	if f.Modified.IsZero() {
		f.Modified = w.Time
	}
	w.Files = append(w.Files, f)
	w.files[f.ID] = f
	if f.Parent != nil {
		w.below[f.Parent] = append(w.below[f.Parent], f)
	}
	if f.Owner != nil {
		w.logOf(f.Owner.ID)
	}
	return f
}

// Add adds a file or folder to its shared drive or folder. Without a folder, the item is added to
// the root of the owner's drive.
func (w *World) Add(f *File) *File {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	switch {
	case f.Parent != nil && f.Parent.Drive != nil:
		f.Drive, f.Owner = f.Parent.Drive, nil
	case f.Parent == nil && f.Drive == nil:
		f.Parent = f.Owner.Root
	}
	w.add(f)
	w.note(f, nil)
	return f
}

// Folder adds a folder to another folder, or to the root of a *Drive or of a *User's drive.
func (w *World) Folder(in any, name string, grants ...Grant) *File {
	return w.Add(w.put(in, &File{Name: name, Type: Folder, Grants: grants}))
}

// File adds a text file to a folder, or to the root of a *Drive or of a *User's drive.
func (w *World) File(in any, name, text string, grants ...Grant) *File {
	return w.Add(w.put(in, &File{Name: name, Data: []byte(text), Size: int64(len(text)), Grants: grants}))
}

func (w *World) put(in any, f *File) *File {
	switch in := in.(type) {
	case *Drive:
		f.Drive = in
	case *User:
		f.Owner = in
	case *File:
		f.Parent, f.Owner = in, in.Owner
	}
	return f
}

// Change runs change and adds f to the change logs of all drives that are affected.
func (w *World) Change(f *File, change func()) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	before := w.seers(f)
	parent := f.Parent
	change()
	if f.Parent != parent {
		if parent != nil {
			w.below[parent] = slices.DeleteFunc(slices.Clone(w.below[parent]), func(c *File) bool { return c == f })
		}
		if f.Parent != nil {
			w.below[f.Parent] = append(w.below[f.Parent], f)
		}
	}
	w.note(f, before)
}

// Edit changes the content of a file.
func (w *World) Edit(f *File, text string) {
	w.Change(f, func() {
		f.Data, f.Size = []byte(text), int64(len(text))
		w.Time = w.Time.Add(time.Second)
		f.Modified = w.Time
	})
}

// Move moves a file and everything below it to a folder, or to the root of a *Drive or a *User's
// drive.
func (w *World) Move(f *File, to any) {
	w.Change(f, func() {
		at := &File{}
		switch to := to.(type) {
		case *Drive:
			at.Drive = to
		case *User:
			at.Parent, at.Owner = to.Root, to
		case *File:
			at.Parent, at.Drive, at.Owner = to, to.Drive, to.Owner
		}
		f.Parent = at.Parent
		if f.Drive != at.Drive {
			w.carry(f, at.Drive, at.Owner)
		}
	})
}

func (w *World) carry(f *File, drive *Drive, owner *User) {
	f.Drive, f.Owner = drive, owner
	if drive != nil {
		f.Owner = nil
	}
	for _, c := range w.below[f] {
		w.carry(c, drive, owner)
	}
}

// Delete deletes a file permanently, with everything below it. It adds each deletion to the logs.
func (w *World) Delete(f *File) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var all func(f *File)
	all = func(f *File) {
		before := w.seers(f)
		f.Gone = true
		w.noteOne(f, before)
		for _, c := range w.below[f] {
			all(c)
		}
	}
	all(f)
}

func (w *World) seers(f *File) map[*File][]string {
	seen := make(map[*File][]string)
	var see func(f *File)
	see = func(f *File) {
		seen[f] = w.corpora(f)
		if w.Wordy {
			for _, c := range w.below[f] {
				see(c)
			}
		}
	}
	see(f)
	return seen
}

func (w *World) corpora(f *File) []string {
	if f.Drive != nil {
		return []string{f.Drive.ID}
	}
	var all []string
	for _, u := range w.Users {
		if w.mayOpen(u, f) {
			all = append(all, u.ID)
		}
	}
	return all
}

func (w *World) note(f *File, before map[*File][]string) {
	w.noteOne(f, before)
	if w.Wordy {
		for _, c := range w.below[f] {
			w.note(c, before)
		}
	}
}

func (w *World) noteOne(f *File, before map[*File][]string) {
	for _, corpus := range append(before[f], w.corpora(f)...) {
		l := w.logOf(corpus)
		l.entries[f.ID] = l.at
		l.at++
	}
}

// MayRead reports whether a person may read a file that is not in the trash. A nil user is a
// visitor without an account.
func (w *World) MayRead(u *User, f *File) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return !w.trashed(f) && w.mayOpen(u, f)
}

// Shown reports whether u may read f, as far as a connector that impersonates owners can see. It
// ignores access through folders that the file's owner does not see. If w.Bare is set, it ignores
// grants on limited folders in personal drives.
func (w *World) Shown(u *User, f *File) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return !w.trashed(f) && w.hasAccess(u, f, true)
}

// trashed reports whether a file or a folder above it is in the trash or deleted.
func (w *World) trashed(f *File) bool {
	for at := f; at != nil; at = at.Parent {
		if at.Trashed || at.Gone {
			return true
		}
	}
	return false
}

// mayOpen reports whether a person may open a file. Access to a folder includes everything below
// it, except limited folders without their own grant. Owners and organizers may open limited
// folders (https://developers.google.com/workspace/drive/api/guides/limited-expansive-access).
func (w *World) mayOpen(u *User, f *File) bool { return w.hasAccess(u, f, false) }

// sees reports whether a file is listed for a person. A person also sees limited folders that the
// person may not open, if the person may open the folder above. Files in the trash are listed too.
func (w *World) sees(u *User, f *File) bool {
	return !f.Gone && (w.mayOpen(u, f) || f.Limited && f.Parent != nil && w.mayOpen(u, f.Parent))
}

func (w *World) hasAccess(u *User, f *File, shown bool) bool {
	if f.Gone || u != nil && u.Suspended {
		return false
	}
	if d := f.Drive; d != nil && d.Closed && !slices.ContainsFunc(d.Members, func(g Grant) bool { return w.lets(g, u) }) {
		// "driveMembersOnly: Whether access to items inside this shared drive is restricted to its
		// members"
		return false
	}
	for at := f; at != nil; at = at.Parent {
		if u != nil && at.Owner == u {
			return true
		}
		untold := shown && w.Bare && at.Limited && at.Drive == nil // unknown: which grants are direct
		for _, g := range at.Grants {
			if !untold && w.lets(g, u) {
				return true
			}
		}
		if at.Limited {
			return at.Drive != nil && w.manages(u, at.Drive)
		}
		if shown && at.Owner != nil && at.Parent != nil && !w.sees(at.Owner, at.Parent) {
			return false
		}
	}
	if f.Drive == nil {
		return false
	}
	for _, g := range f.Drive.Members {
		if w.lets(g, u) {
			return true
		}
	}
	return false
}

func (w *World) manages(u *User, d *Drive) bool {
	for _, g := range d.Members {
		if g.Role == "organizer" && w.lets(g, u) {
			return true
		}
	}
	return false
}

// lets reports whether a grant gives a person access. A share by link gives no access, because it
// is unknown who has the link.
func (w *World) lets(g Grant, u *User) bool {
	if u == nil || g.View != "" || g.Bare || !slices.Contains([]string{"owner", "organizer", "fileOrganizer", "writer", "commenter", "reader"}, g.Role) {
		return false
	}
	if !g.Expires.IsZero() && !g.Expires.After(w.Time) {
		return false
	}
	switch to := g.To.(type) {
	case *User:
		return to == u
	case *Group:
		return !to.Elsewhere && w.isIn(u, to, nil)
	case Domain:
		_, domain, _ := strings.Cut(u.Email, "@")
		return g.Find && !u.Service && domain == string(to)
	}
	return false
}

// isIn reports whether a user is a member of a group or of its nested groups. been has the groups
// that were already visited, because groups may contain each other.
func (w *World) isIn(u *User, g *Group, been []*Group) bool {
	if slices.Contains(been, g) {
		return false
	}
	for _, m := range g.Members {
		switch m := m.(type) {
		case *User:
			if m == u {
				return true
			}
		case *Group:
			if !m.Elsewhere && w.isIn(u, m, append(been, g)) {
				return true
			}
		case Everyone:
			if slices.Contains(w.Users, u) {
				return true
			}
		}
	}
	return false
}
