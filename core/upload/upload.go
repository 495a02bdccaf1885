// Package upload decides which files people may keep in projects: who may, in which project, under
// which name, who reads them, and what to say to the person.
package upload

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Limits of what is stored.
const (
	MaxBytes = 20 << 20 // of a file
	MaxFiles = 100      // of a project
	MaxName  = 120      // characters of a name
)

// Source is the source of the documents that kept files become.
const Source document.SourceID = "uploads"

// Kind is the kind of that source.
const Kind document.Kind = "upload"

// ID identifies a kept file within its tenant. It is short, because people type it.
type ID string

// NewID returns a random id.
func NewID() ID { return ID(strings.ToLower(rand.Text()[:10])) }

// Document returns the id of the file's document in the index. A newer version has the same id.
func (id ID) Document() document.ID { return document.ID(string(Source) + ":" + string(id)) }

// File is a kept file without its content.
type File struct {
	ID      ID
	Project string
	Name    string     // result of CleanName
	Readers access.ACL // sorted, never empty
	Size    int64      // in bytes
	Hash    [sha256.Size]byte
	// Author is the account of the person who kept the file. Its ID is empty if the person was
	// forgotten.
	Author access.Account
	// From is where the file was given, and Message its message. Both are empty for files from the
	// console.
	From    thread.Ref
	Message thread.MessageID
	Link    string    // address of that message; empty: none
	At      time.Time // of this version
}

// Project is a project as uploads know it.
type Project struct {
	Name string
	// Readers may know of the project: those who may read its files according to the configuration.
	Readers access.ACL
}

// Errors of a Store.
var (
	// ErrFull reports that the project already has MaxFiles files.
	ErrFull = errors.New("the project has no room for another file")
	// ErrTaken means that another person kept a file with that project, name and readers.
	ErrTaken = errors.New("someone else kept a file of that name")
	// ErrGone means that the file does not exist.
	ErrGone = errors.New("there is no such file")
)

// Became is the effect of storing a file.
type Became int

// What storing a file did.
const (
	Added Became = iota
	Replaced
	Unchanged // the same content was stored before
)

// Store stores kept files. It is safe for concurrent use by any number of processes.
type Store interface {
	// Keep stores a file. It replaces the file of the same project, name and readers if MayReplace
	// allows it, and keeps that one's id. The whole file is stored, or nothing changes. It fails
	// with ErrFull and ErrTaken.
	Keep(ctx context.Context, tenant access.TenantID, f File, content []byte) (File, Became, error)
	// List returns all files of a tenant, by project, name and id.
	List(ctx context.Context, tenant access.TenantID) ([]File, error)
	// Remove deletes a file with its content. It fails with ErrGone.
	Remove(ctx context.Context, tenant access.TenantID, id ID, by session.Actor) error
	// RemoveOf deletes the files that came with a message, and returns their number.
	RemoveOf(ctx context.Context, tenant access.TenantID, at thread.Ref, message thread.MessageID) (int, error)
}

// MayKeep reports whether a person may keep files. Guests, partners of shared channels, apps and
// unknown people may not.
func MayKeep(person access.Account) bool {
	return person.ID != "" && person.Full && !person.Gone && !person.Bot
}

// Visible returns the projects that everyone in an audience may know of.
func Visible(all []Project, audience access.Audience) []Project {
	return slices.DeleteFunc(slices.Clone(all), func(p Project) bool { return !audience.MayRead(p.Readers) })
}

// Readable returns the files that everyone in an audience may read.
func Readable(all []File, audience access.Audience) []File {
	return slices.DeleteFunc(slices.Clone(all), func(f File) bool { return !audience.MayRead(f.Readers) })
}

// ReadersOf returns the readers of a file that comes with a message: everyone in the channel at the
// time of a question. In a direct message, or a thread that may have fewer readers than its
// channel, it is only the author.
func ReadersOf(at thread.Ref, person string, direct, enclosed bool) access.ACL {
	if direct || enclosed {
		return access.ACL{access.User(string(at.Platform), person)}
	}
	return access.ACL{access.Channel(string(at.Platform), at.Channel)}
}

// MayReplace reports whether a person may replace a file: its author, and anyone if the author was
// forgotten.
func MayReplace(f File, person access.Account) bool {
	return f.Author.ID == "" || f.Author.Platform == person.Platform && f.Author.ID == person.ID
}

// MayRemove reports whether a person may remove a file: its author, and administrators, if they may
// read it.
func MayRemove(f File, person access.Account, admin bool, holds access.Audience) bool {
	own := person.ID != "" && f.Author.Platform == person.Platform && f.Author.ID == person.ID
	return holds.MayRead(f.Readers) && (own || admin)
}
