// Package sources defines how a kind of source describes itself. It decides when sources are read,
// which stored options count, why a source is not read, and what is wrong with it.
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
	Help  string // help text of its key in deploy/docs/footnote-yaml.md
	// Access says, after the kind's name, which settings decide what is read and who may read it,
	// if they differ from those of other sources.
	Access string
	Steps  []string // preparation steps, each a sentence or two with the reason
	Rights []Right  // that the credential must have

	Credentials []Credential
	Secret      Secret

	Bound  string      // who may read its documents, and the maximum delay of a change
	Paused string      // what is shown of a paused source
	Unit   string      // what its nodes are called, in the plural
	Empty  string      // what to do if the credential sees no node
	Looks  index.Looks // the scan that notices each kind of change

	Source func(name string) document.Source
	// Hooked reports, by the values of settings, whether sources send authenticated requests about
	// changes (index.Hooked). Nil means that they send none.
	Hooked func(value func(env string) string) bool
	// Lacks returns a sentence on the missing settings among those given, naming flags. Empty or
	// nil means that none is missing.
	Lacks func(given map[string]string) string
	// Called returns the name of a source that has none, by its settings. Empty or nil means the
	// name of the kind.
	Called func(given map[string]string) string
	New    func() Settings // empty settings, with their defaults
}

// Right is a scope or a permission that a credential needs, with the reason.
type Right struct{ Name, Reason string }

// Credential is an environment setting that holds a credential or names a file with one. A
// credential is never written to footnote.yaml.
type Credential struct {
	Env, Help string
	File      bool // it names a file with the credential
	Number    bool // it is a whole number, 0 if unset
}

// Secret describes how to ask people for the credentials.
type Secret struct {
	Env  string // the settings that hold them
	What string // what they are and where to find them
	// Set reports, by the values of settings, whether the credentials are set.
	Set func(value func(env string) string) bool
}

// Settings returns the keys below the kind's key, in the order in which people are asked for them.
type Settings interface {
	// Settings are the keys below the kind's, in the order in which people are asked for them.
	Settings() []Setting
	// Fault returns a sentence on the error in the settings at a path, or an empty string.
	Fault(path string) string
	// Open returns the connector of the source. It sends no request before the connector is used.
	Open(o Opening) (index.Connector, error)
}

// Setting is a key of a source in footnote.yaml.
type Setting struct {
	Key     string
	Ask     string // the question at a terminal; empty: it is taken as a flag alone
	Values  string // accepted values
	Default string
	Help    string
	Needed  bool
	// Bind receives the value: *string, *bool, *[]string, *access.ACL, *Lists, Some, Address, Word
	// or Audience.
	Bind any
}

// Lists are access lists by name. A nil list denies everyone.
type Lists = map[string]access.ACL

// Some binds a list that replaces its default. The word None, alone, gives an empty list.
type Some struct {
	To   *[]string
	None string
}

// Address binds a setting that is the address of a server.
type Address struct{ To *string }

// Word binds a setting with a fixed set of values.
type Word struct {
	Words []string
	Set   func(word string)
}

// Audience binds a setting that says who reads content that visitors can see. NoOne sets it to
// empty.
type Audience struct{ To *access.Principal }

// The words that an Audience setting accepts.
const (
	AudienceWords = "members, public or " + NoOne
	NoOne         = "nobody"
)

// Opening holds the values that Settings.Open needs.
type Opening struct {
	Name       string
	Credential func(env string) string
	AllowHosts []string // that may be reached although they are not on the public internet
	CAFile     string
	MaxBytes   int64 // of a document
	// Read returns the connector of one file on this machine. Wanted reports, by a file's name,
	// whether the file may hold text.
	Read    func(path string) (index.Connector, error)
	Wanted  func(name string) bool
	Folder  func(f Folder) (index.Connector, error) // of a folder's files
	Clients *Clients
}

// Folder describes a folder of files to read.
type Folder struct {
	Path   string
	Base   string // where readers find the files
	Source document.Source
	ACL    access.ACL
	Files  []string // patterns of paths
}

// Seen reports what a credential can see of a source.
type Seen struct {
	Sees  string   // "12 channels"
	Lacks []string // sentences about what cannot be read and what to do
	Notes []string // sentences about what may be unintended
}

// Looker is a connector that reports what it sees in more than one sentence.
type Looker interface {
	Look(ctx context.Context) (Seen, error)
}

// Clients holds the API clients that the sources of a process share, so that they share rate
// limits. The zero value is ready. It is safe for concurrent use.
type Clients struct {
	mu    sync.Mutex
	known map[clientKey]any
}

type clientKey struct{ kind, address string }

// Client returns the client of a kind for an address. The first call makes it with connect.
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

// Sentences returns the text of each error that err joins. It returns none for nil.
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
