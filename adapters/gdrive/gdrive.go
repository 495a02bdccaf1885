// Package gdrive reads Google Drive: shared drives by membership, and people's own drives ("My
// Drives") by delegation. Docs, Sheets, Slides and uploaded files of readable formats become
// documents.
//
// The readers of a file are the people with whom the file or any folder above it is shared. A
// folder with limited access stops this inheritance. "Only users you directly add to the folder's
// permissions can open it and access its content … The owner role in My Drive and the organizer
// role in shared drives can always access folders with limited access"
// (https://developers.google.com/workspace/drive/api/guides/limited-expansive-access).
//
// Each shared drive, each folder and each file with its own shares is a node (index.Node). The
// parent of a node is the folder that contains it. A document names the node of its file or, if
// there is none, of the file's folder.
package gdrive

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// Kind is the [document.Kind] of Google Drive.
const Kind document.Kind = "google_drive"

// Options configure a Connector. Only Name is required.
type Options struct {
	Name string // name of the source
	// Admin is the address of the administrator on whose behalf the directory of people and groups
	// is read. If Admin is empty, the service account needs an administrator role.
	Admin string
	// Customer is the id of the organisation whose directory is read, for example C012ab3cd. The
	// default is Admin's organisation. A service account belongs to no organisation.
	Customer string
	// Reader is the address of the account on whose behalf shared drives are read. If Reader is
	// empty, the service account must be a member of the drives.
	Reader   string
	Drives   []string // ids of the shared drives to read; empty: all of which Reader is a member
	MyDrives bool     // also reads files in personal drives, by delegation for each person
	Users    []string // addresses of people whose personal drives are read; empty: all
	// ACL is an additional condition for reading any document of the source. Nil adds no condition.
	ACL access.ACL
	// Links lets everyone in the link's domain, or in the directory, read files that are shared by
	// link. If false, such shares are ignored. Google's search also ignores files that are shared
	// by link.
	Links bool
	// Anonymous sets who may read files that everyone on the internet can find. It is
	// access.Members or access.Public. If empty, only the people named by the file may read it.
	Anonymous access.Principal

	// SweepEvery is the interval between full scans, which find changes that the change logs omit.
	// The default is 1 h.
	SweepEvery time.Duration
	// Read returns a connector that parses the downloaded file at a local path. If nil, no uploaded
	// files are read.
	Read func(path string) (index.Connector, error)
	// Wanted reports by name whether a file may contain a document. If nil, every file may.
	Wanted   func(name string) bool
	MaxBytes int64 // larger uploads are skipped; default 25 MB
}

// SweepEvery is the default of Options.SweepEvery.
const SweepEvery = time.Hour

// Looks lists the kinds of changes that the connector detects, and which scan detects each of them.
// Some deletions are detected only by a full scan.
var Looks = index.Looks{
	index.ChangeMember: {}, index.ChangeAccount: {}, index.ChangeNode: {}, index.ChangeDocument: {}, index.ChangeMove: {},
	index.ChangeDeletion: {Documents: true, Sweep: SweepEvery},
}

// MostOfFile is the default size limit of uploaded files, in bytes.
const MostOfFile = 25 << 20

func (o Options) withDefaults() Options {
	o.SweepEvery, o.MaxBytes = cmp.Or(o.SweepEvery, SweepEvery), cmp.Or(o.MaxBytes, MostOfFile)
	if o.Wanted == nil {
		o.Wanted = func(string) bool { return true }
	}
	// "You can also use the my_customer alias to represent your account's customerId"
	o.Customer = cmp.Or(o.Customer, "my_customer")
	return o
}

func (o Options) validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	for _, address := range append([]string{o.Admin, o.Reader}, o.Users...) {
		if address != "" && !strings.Contains(address, "@") {
			faults = append(faults, fmt.Errorf("%q is not the address of an account, such as ada@example.org", address))
		}
	}
	for _, id := range o.Drives {
		if !isID(id) {
			faults = append(faults, fmt.Errorf("%q is not the id of a shared drive: it is the end of the drive's address, such as 0AKq… in https://drive.google.com/drive/folders/0AKq…", id))
		}
	}
	if len(o.Users) > 0 && !o.MyDrives {
		faults = append(faults, errors.New("users are named, and people's own drives are not read: say my_drives as well"))
	}
	if o.Anonymous != "" && o.Anonymous != access.Members && o.Anonymous != access.Public {
		faults = append(faults, fmt.Errorf("anonymous is %q: write %s", o.Anonymous, sources.AudienceWords))
	}
	return errors.Join(faults...)
}

// Connector reads the shared and personal drives that [Options] select.
type Connector struct {
	*crawl.Engine
	client  *Client
	options Options
	source  document.Source
}

var (
	_ index.Resumer      = (*Connector)(nil)
	_ index.Waiter       = (*Connector)(nil)
	_ index.NodeReader   = (*Connector)(nil)
	_ index.GroupReader  = (*Connector)(nil)
	_ index.PointChecker = (*Connector)(nil)
)

// Waited implements index.Waiter. The time is the total for all connectors that share the [Client].
func (c *Connector) Waited() time.Duration { return c.client.Waited() }

// NewConnector returns a connector. It sends no request.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Google Drive: %w", err)
	}
	c := &Connector{client: client, options: options, source: SourceOf(options.Name)}
	c.Engine = crawl.New(&vendor{Connector: c}, crawl.Options{Now: client.config.Now})
	return c, nil
}

// SourceOf returns the source that is configured under the given name. Its id is "gdrive-" plus the
// name.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("gdrive-" + name), Kind: Kind, Name: name}
}

// isID reports whether id has the form of a Drive id: at most 200 letters, digits, hyphens and
// underscores.
func isID(id string) bool {
	return id != "" && len(id) <= 200 && strings.IndexFunc(id, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}) < 0
}

// nodeID returns the [index.Node] id of a drive, folder or file. The id contains the id of the
// drive, so it changes if the file moves to another drive.
func nodeID(corpus, id string) string { return corpus + "/" + id }

// managers takes the position of the file id in the id of an extra [index.Node] of each shared
// drive. The readers of that node are the drive's managers, who may open every limited folder.
const managers = "(managers)"

func (c *Connector) node(id string) access.Principal { return access.Node(string(c.source.ID), id) }

func (c *Connector) id(file string) document.ID { return document.ID(string(c.source.ID) + ":" + file) }

const (
	kindGroup  = "group"
	kindDomain = "domain"
)

func (c *Connector) group(id string) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindGroup, id)
}

func (c *Connector) domain(name string) access.Principal {
	return access.SourceGroup(string(c.source.ID), kindDomain, strings.ToLower(name))
}

func (c *Connector) person(id string) access.Principal {
	return access.SourceGroup(string(c.source.ID), access.SourcePerson, id)
}
