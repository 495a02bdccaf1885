// Package upload decides which files people may keep in projects. It decides who may keep a file,
// in which project, under which name, and who may read the file. It also phrases the replies to the
// person.
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

// Limits of kept files.
const (
	MaxBytes = 20 << 20 // maximum size of a file
	MaxFiles = 100      // maximum number of files of a project
	MaxName  = 120      // maximum characters of a name
)

// Source is the source of documents that are made from files that people keep in a project.
const Source document.SourceID = "uploads"

// Kind is the kind of [Source].
const Kind document.Kind = "upload"

// ID identifies a kept file within its tenant. It is short, because people type it.
type ID string

// NewID returns a random id of 10 lower-case characters.
func NewID() ID { return ID(strings.ToLower(rand.Text()[:10])) }

// Document returns the id of the file's document in the index. A newer version of the file has the
// same id.
func (id ID) Document() document.ID { return document.ID(string(Source) + ":" + string(id)) }

// File describes a file that a person keeps in a project, without its content.
type File struct {
	ID      ID
	Project string
	Name    string     // result of CleanName
	Readers access.ACL // sorted, never empty
	Size    int64      // in bytes
	Hash    [sha256.Size]byte
	// Author is the account of the person who kept the file. Its ID is empty if the person's data
	// was deleted.
	Author access.Account
	// From is the thread in which the file was uploaded, and Message is the message that contained
	// the file. Both are empty for files from the console.
	From    thread.Ref
	Message thread.MessageID
	Link    string    // address of Message; empty: none
	At      time.Time // when this version was stored
}

// Project is a project in which people can keep files.
type Project struct {
	Name string
	// Readers are the people who may know that the project exists. According to the configuration,
	// these people may also read its files.
	Readers access.ACL
}

// Errors of a Store.
var (
	// ErrFull reports that the project already has MaxFiles files.
	ErrFull = errors.New("the project has no room for another file")
	// ErrTaken reports that another person kept a file with the same project, name and readers.
	ErrTaken = errors.New("someone else kept a file of that name")
	// ErrGone means that the file does not exist.
	ErrGone = errors.New("there is no such file")
)

// Became is the effect of storing a file.
type Became int

// Values of [Became].
const (
	Added Became = iota
	Replaced
	Unchanged // the same content was stored before
)

// Store stores kept files. It is safe for concurrent use by any number of processes.
type Store interface {
	// Keep stores a file completely, or changes nothing if it fails. If a file with the same
	// project, name and readers exists and MayReplace allows it, Keep replaces that file and keeps
	// its id. The error is ErrTaken if MayReplace does not allow it, and ErrFull if the project has
	// MaxFiles files.
	Keep(ctx context.Context, tenant access.TenantID, f File, content []byte) (File, Became, error)
	// List returns all files of a tenant, ordered by project, name and id.
	List(ctx context.Context, tenant access.TenantID) ([]File, error)
	// Remove deletes a file and its content. The error is ErrGone if the file does not exist.
	Remove(ctx context.Context, tenant access.TenantID, id ID, by session.Actor) error
	// RemoveOf deletes the files that came with a message, and returns the number of deleted files.
	RemoveOf(ctx context.Context, tenant access.TenantID, at thread.Ref, message thread.MessageID) (int, error)
}

// MayKeep reports whether a person may keep files. Guests, partners in shared channels, apps and
// unknown people may not.
func MayKeep(person access.Account) bool {
	return person.ID != "" && person.Full && !person.Gone && !person.Bot
}

// Visible returns the projects that everyone in an audience may know.
func Visible(all []Project, audience access.Audience) []Project {
	return slices.DeleteFunc(slices.Clone(all), func(p Project) bool { return !audience.MayRead(p.Readers) })
}

// Readable returns the files that everyone in an audience may read.
func Readable(all []File, audience access.Audience) []File {
	return slices.DeleteFunc(slices.Clone(all), func(f File) bool { return !audience.MayRead(f.Readers) })
}

// ReadersOf returns the access list of a file that was sent with a message. Everyone who is in the
// channel when a question is asked may read it. In a direct message, or in a thread that may have
// fewer readers than its channel (enclosed), only the author may.
func ReadersOf(at thread.Ref, person string, direct, enclosed bool) access.ACL {
	if direct || enclosed {
		return access.ACL{access.User(string(at.Platform), person)}
	}
	return access.ACL{access.Channel(string(at.Platform), at.Channel)}
}

// MayReplace reports whether a person may replace a file. The author may. If the author's data was
// deleted, everyone may.
func MayReplace(f File, person access.Account) bool {
	return f.Author.ID == "" || f.Author.Platform == person.Platform && f.Author.ID == person.ID
}

// MayRemove reports whether a person may remove a file. The person must be allowed to read the
// file, and must be the author or an administrator.
func MayRemove(f File, person access.Account, admin bool, holds access.Audience) bool {
	own := person.ID != "" && f.Author.Platform == person.Platform && f.Author.ID == person.ID
	return holds.MayRead(f.Readers) && (own || admin)
}
