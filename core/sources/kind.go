// Package sources defines how a kind of source describes itself. It also decides when sources are
// read, which stored options apply, why a source is not read, and which faults it has.
package sources

import (
	"context"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind describes a kind of source, such as Notion. The format of footnote.yaml, the command
// "footnote sources add", the documentation and the checks are derived from it.
type Kind struct {
	Name  string // key in footnote.yaml: "notion"
	Title string // name for use in a sentence
	Help  string // help text of its key in deploy/docs/footnote-yaml.md
	// Access is a text that follows the kind's name. It says which settings decide what is read and
	// who may read it. It is empty if these settings are the same as for other sources.
	Access string
	Steps  []string // preparation steps, each a sentence or two with the reason
	Rights []Right  // rights that the credential must have

	Credentials []Credential
	Secret      Secret

	Bound  string      // text on who may read its documents, and on the maximum delay of a change
	Paused string      // text on what is shown of a paused source
	Unit   string      // what its nodes are called, in the plural
	Empty  string      // what to do if the credential sees no node
	Looks  index.Looks // the scan that notices each kind of change

	Source func(name string) document.Source
	// Hooked reports, for the values of settings, whether sources send authenticated requests about
	// changes (index.Hooked). A nil Hooked means that they do not.
	Hooked func(value func(env string) string) bool
	// Lacks returns a sentence that names the flags of missing settings, for the given settings. It
	// is nil or returns an empty string if none is missing.
	Lacks func(given map[string]string) string
	// Called returns the name of a source without a configured name, for the given settings. If it
	// is nil or returns an empty string, the name is that of the kind.
	Called func(given map[string]string) string
	New    func() Settings // empty settings, with their defaults
}

// Right is a scope or permission that a credential needs, with the reason.
type Right struct{ Name, Reason string }

// Credential is an environment setting that holds a credential or names a file with a credential.
// Credentials are never written to footnote.yaml.
type Credential struct {
	Env, Help string
	File      bool // the setting names a file with the credential
	Number    bool // the value is a whole number, 0 if unset
}

// Secret describes how to ask people for credentials.
type Secret struct {
	Env  string // settings that hold the credentials
	What string // what the credentials are and where to find them
	// Set reports whether the credentials are set. value returns the value of a setting.
	Set func(value func(env string) string) bool
}

// Settings are the settings of a source of one kind.
type Settings interface {
	// Settings returns the keys below the kind's key, in the order in which people are asked for
	// them.
	Settings() []Setting
	// Fault returns a sentence about the error in the settings at a path. It returns an empty
	// string if there is no error.
	Fault(path string) string
	// Open returns the connector of the source. It sends no request before the connector is used.
	Open(o Opening) (index.Connector, error)
}

// Setting is a key of a source in footnote.yaml.
type Setting struct {
	Key     string
	Ask     string // question at a terminal; empty: the setting has only a flag
	Values  string // accepted values
	Default string
	Help    string
	Needed  bool
	// Bind is the variable for the value. Its type is *string, *bool, *[]string, *access.ACL,
	// *Lists, Some, Address, Word or Audience.
	Bind any
}

// Lists maps names to access lists. A nil list denies everyone.
type Lists = map[string]access.ACL

// Some is a type for [Setting.Bind]. It binds a list with a default value. A list in footnote.yaml
// replaces the default. A list with the single entry None means an empty list.
type Some struct {
	To   *[]string
	None string
}

// Address is a type for [Setting.Bind]. It binds the address of a server.
type Address struct{ To *string }

// Word is a type for [Setting.Bind]. It binds a setting with a fixed set of values.
type Word struct {
	Words []string
	Set   func(word string)
}

// Audience is a type for [Setting.Bind]. It binds a setting that says who may read content that is
// visible without an account. The word NoOne means no audience.
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
	AllowHosts []string // hosts that may be reached although they are not on the public internet
	CAFile     string
	MaxBytes   int64 // maximum size of a document
	// Read returns the connector for one file on this machine. Wanted reports, by the name of a
	// file, whether the file may contain text.
	Read    func(path string) (index.Connector, error)
	Wanted  func(name string) bool
	Folder  func(f Folder) (index.Connector, error) // returns the connector for a folder's files
	Clients *Clients
}

// Folder describes a folder of files to read.
type Folder struct {
	Path   string
	Base   string // address where readers find the files
	Source document.Source
	ACL    access.ACL
	Files  []string // patterns of paths
}

// Seen describes what a credential can read in a source, and what it cannot.
type Seen struct {
	Sees  string   // "12 channels"
	Lacks []string // sentences about what cannot be read and what to do
	Notes []string // sentences about what may be unintended
}

// Looker is a connector that can describe what its credential can read.
type Looker interface {
	Look(ctx context.Context) (Seen, error)
}

// Clients holds the API clients of a process. Sources share them, so that they also share rate
// limits. The zero value is ready to use. It is safe for concurrent use.
type Clients struct {
	mu    sync.Mutex
	known map[clientKey]any
}

type clientKey struct{ kind, address string }

// Client returns the client of a kind for an address. The first call creates the client with
// connect.
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

// Sentences returns the text of each error that is joined in err. It returns nil for a nil error.
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
