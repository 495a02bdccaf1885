// Package sources is how a kind of source states itself: what it is called, what it needs and asks
// for, and how a source of it is opened.
package sources

import (
	"context"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind is a kind of source. The reader of footnote.yaml, the flags and questions of footnote
// sources add, the documents and the checks follow from it.
type Kind struct {
	Name  string // its key in footnote.yaml: "notion"
	Title string // as a sentence names it
	Help  string // what deploy/docs/footnote-yaml.md says of its key
	// Access says, after its name, which settings decide who may read and what is read, instead of
	// those of other sources.
	Access string
	Steps  []string // what to do before, each a sentence or two that says why
	Rights []Right  // that the credential must have

	Credentials []Credential
	Secret      Secret

	Bound  string // who may read its documents, and how late a change of that shows at most
	Paused string // what is shown of a source while it is paused
	Unit   string // what its nodes are called, in the plural
	Empty  string // what to do where the credential sees no node
	Looks  index.Looks

	Source func(name string) document.Source
	// Hooked reports whether sources tell of changes by requests that can be believed
	// (index.Hooked), by the values of settings; nil: they tell of none.
	Hooked func(value func(env string) string) bool
	// Lacks says which settings are missing among those given, naming flags; empty or nil: none.
	Lacks func(given map[string]string) string
	// Called is what a source is called that was given no name, by its settings; empty or nil: as
	// the kind.
	Called func(given map[string]string) string
	New    func() Settings // empty settings, with their defaults
}

// Right is a scope or a permission of a credential, and what it is for.
type Right struct{ Name, Reason string }

// Credential is a setting of the environment that holds a credential, or names a file with one. It
// never stands in footnote.yaml.
type Credential struct {
	Env, Help string
	File      bool // it names a file that holds the credential
	Number    bool // it is a whole number, 0 if unset
}

// Secret is how people are asked for the credentials.
type Secret struct {
	Env  string // the settings that hold them
	What string // what they are, and where they are found
	// Set reports whether they are set, by the values of settings.
	Set func(value func(env string) string) bool
}

// Settings are what footnote.yaml says of one source. They are stored as JSON.
type Settings interface {
	// Settings are the keys below the kind's, in the order in which people are asked for them.
	Settings() []Setting
	// Fault is a sentence on what is wrong with the settings at a path; empty where nothing is.
	Fault(path string) string
	// Open returns the connector of the source; nothing is asked before it is used.
	Open(o Opening) (index.Connector, error)
}

// Setting is a key of a source in footnote.yaml.
type Setting struct {
	Key     string
	Ask     string // the question at a terminal; empty: it is taken as a flag alone
	Values  string // what may be written
	Default string
	Help    string
	Needed  bool
	// Bind is where the value goes: *string, *bool, *[]string, *access.ACL, *Lists, Some, Address,
	// Word or Audience.
	Bind any
}

// Lists are access lists by names; nil: no one may read.
type Lists = map[string]access.ACL

// Some binds a list that replaces its default. None, alone, is an empty list.
type Some struct {
	To   *[]string
	None string
}

// Address binds a setting that is the address of a server.
type Address struct{ To *string }

// Word binds a setting that is one of some words.
type Word struct {
	Words []string
	Set   func(word string)
}

// Audience binds a setting that says who reads what visitors can see. No one is empty.
type Audience struct{ To *access.Principal }

// What an Audience is said by.
const (
	AudienceWords = "members, public or " + NoOne
	NoOne         = "nobody"
)

// Opening is what a source is opened with.
type Opening struct {
	Name       string
	Credential func(env string) string
	AllowHosts []string // that may be reached although they are not on the public internet
	CAFile     string
	MaxBytes   int64 // of a document
	// Read returns the connector of one file on this machine, and Wanted reports whether a file may
	// hold text, by its name.
	Read    func(path string) (index.Connector, error)
	Wanted  func(name string) bool
	Folder  func(f Folder) (index.Connector, error) // of a folder's files
	Clients *Clients
}

// Folder is a folder of files to be read.
type Folder struct {
	Path   string
	Base   string // where readers find the files
	Source document.Source
	ACL    access.ACL
	Files  []string // patterns of paths
}

// Seen is what a source shows of itself.
type Seen struct {
	Sees  string   // "12 channels"
	Lacks []string // sentences about what was asked for and cannot be read, with what to do
	Notes []string // sentences about what may be meant so
}

// Looker is a connector that says more than one sentence about what it sees.
type Looker interface {
	Look(ctx context.Context) (Seen, error)
}

// Clients are the clients of APIs that the sources of a process share, so that their limits are
// kept together. The zero value is ready. It is safe for concurrent use.
type Clients struct {
	mu    sync.Mutex
	known map[clientKey]any
}

type clientKey struct{ kind, address string }

// Client returns the client of a kind for an address, which connect makes when it is asked for
// first.
func Client[C any](in *Clients, kind, address string, connect func() (C, error)) (C, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if known, ok := in.known[clientKey{kind, address}].(C); ok {
		return known, nil
	}
	client, err := connect()
	if err != nil {
		return client, err
	}
	if in.known == nil {
		in.known = make(map[clientKey]any)
	}
	in.known[clientKey{kind, address}] = client
	return client, nil
}

// Sentences takes joined errors apart; nil has none.
func Sentences(err error) []string {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // only what was joined here
	if !ok {
		return []string{err.Error()}
	}
	var all []string
	for _, e := range joined.Unwrap() {
		all = append(all, Sentences(e)...)
	}
	return all
}
