// Package gdrive reads Google Drive: shared drives by membership, and people's own drives ("My
// Drives") by delegation. Docs, Sheets and Slides become documents, and so do uploaded files of
// readable formats.
//
// Who may read a file is whom it was shared with itself, and whom anything above it was shared
// with, up to a folder with limited access: "Only users you directly add to the folder's
// permissions can open it and access its content … The owner role in My Drive and the organizer
// role in shared drives can always access folders with limited access"
// (https://developers.google.com/workspace/drive/api/guides/limited-expansive-access). Each shared
// drive, each folder, and each file that was shared by itself is a node, within the folder that it
// lies in. A document names the node of its file, or of the folder.
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
)

// Kind of the sources that this package reads.
const Kind document.Kind = "google_drive"

// Options of a Connector. Zero fields get their defaults.
type Options struct {
	Name string // of the source
	// Admin is the address of an administrator for whom the directory of people and groups is read.
	// Empty: the service account has its own role.
	Admin string
	// Customer is the id of the organisation, such as C012ab3cd, whose directory is read. Empty:
	// that of Admin. A service account belongs to none.
	Customer string
	// Reader is the address of an account for whom shared drives are read. Empty: the service
	// account is a member of them itself.
	Reader   string
	Drives   []string // ids of the shared drives to read; none: all that the reader is a member of
	MyDrives bool     // what people own is read, for each of them by delegation
	Users    []string // addresses of those whose drives are read; none: everybody
	// ACL is who may read anything of the source, in addition to what Google says: one more
	// condition. Nil: there is none.
	ACL access.ACL
	// Links says that what was shared with whoever has the link is read by everybody: in the link's
	// domain, or in the directory. Otherwise such a share lets no one in: it is not found by
	// searching in Google either.
	Links bool
	// Anonymous is who may read what everybody on the internet can find: access.Members,
	// access.Public, or empty for only those who are named.
	Anonymous access.Principal

	// after how long everything is looked at, for what the logs of changes do not tell; 1 h
	SweepEvery time.Duration
	// Read returns the connector of one file on this machine, for what was uploaded; nil: none are
	// read.
	Read func(path string) (index.Connector, error)
	// whether a file may hold a document, by its name; all of them if nil
	Wanted   func(name string) bool
	MaxBytes int64 // larger files are left out; 25 MB
}

// SweepEvery is after how long everything is looked at, unless Options say otherwise: until then
// what no log of changes tells is not known.
const SweepEvery = time.Hour

// Looks are how late a change of who may read shows.
var Looks = index.Looks{
	index.ChangeMember: {}, index.ChangeAccount: {}, index.ChangeNode: {}, index.ChangeDocument: {}, index.ChangeMove: {},
	index.ChangeDeletion: {Documents: true, Sweep: SweepEvery},
}

// MostOfFile is how large an uploaded file may be that is read, unless Options say otherwise.
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
		faults = append(faults, fmt.Errorf("what everybody on the internet can find is read by members, public or nobody, and not by %q", o.Anonymous))
	}
	return errors.Join(faults...)
}

// Connector reads one source.
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

// Waited implements index.Waiter, for all sources that are read with the credential.
func (c *Connector) Waited() time.Duration { return c.client.Waited() }

// NewConnector returns a connector; nothing is asked before it is used.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Google Drive: %w", err)
	}
	c := &Connector{client: client, options: options, source: SourceOf(options.Name)}
	c.Engine = crawl.New(&vendor{Connector: c}, crawl.Options{Now: client.config.Now})
	return c, nil
}

// SourceOf returns the source of a name in the configuration.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("gdrive-" + name), Kind: Kind, Name: name}
}

// isID reports whether a text may be an id of Drive: "IDs … opaque", of letters, digits, hyphens
// and underscores.
func isID(id string) bool {
	return id != "" && len(id) <= 200 && strings.IndexFunc(id, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}) < 0
}

// nodeID is the id of the node of a drive, folder or file within a corpus. Nodes of what moves to
// another corpus are other nodes, so that what one log says to be gone takes nothing away from
// where it is now.
func nodeID(corpus, id string) string { return corpus + "/" + id }

// managers is the node within a shared drive of those who pass every limited folder. No file has
// such an id.
const managers = "(managers)"

func (c *Connector) node(id string) access.Principal { return access.Node(string(c.source.ID), id) }

func (c *Connector) id(file string) document.ID { return document.ID(string(c.source.ID) + ":" + file) }

// Kinds of groups.
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
