package atlassian

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// Options are what the sources of all products have in common. Zero fields get their defaults.
type Options struct {
	Name        string // of the source
	Comments    bool
	Attachments bool
	// ACL is who may read anything of the source, in addition to what the product says: one more
	// condition. Nil: there is none.
	ACL access.ACL
	// Users are names of the groups whose members may use the site at all. None: those that the
	// product names.
	Users []string
	// Anonymous is who may read what everybody on the internet can: access.Members, access.Public,
	// or empty for no one in addition to those who are named.
	Anonymous access.Principal
	// Domains are those that the organisation has verified at Atlassian, so that accounts with an
	// address below them are its own ("managed"). Addresses of other accounts are not used.
	Domains []string

	Overlap time.Duration // how much of what was read already a reading by date repeats; 30 min
	// after how long everything is looked at for what no list of changes tells; SweepEvery
	SweepEvery time.Duration
	// Read returns the connector of one file on this machine, for attached files; nil: none are read.
	Read func(path string) (index.Connector, error)
	// whether a file may hold a document, by its name; all of them if nil
	Wanted   func(name string) bool
	MaxBytes int64 // larger files are left out; MostOfFile
}

// Day is a day.
const Day = 24 * time.Hour

// SweepEvery is after how long everything is looked at, unless Options say otherwise: until then
// what was deleted, moved or restricted may be shown to those who could read it before.
const SweepEvery = 30 * time.Minute

// MostOfFile is how large an attached file may be that is read, unless Options say otherwise.
const MostOfFile = 25 << 20

// WithDefaults are complete options.
func (o Options) WithDefaults() Options {
	o.Overlap, o.SweepEvery = cmp.Or(o.Overlap, 30*time.Minute), cmp.Or(o.SweepEvery, SweepEvery)
	o.MaxBytes = cmp.Or(o.MaxBytes, MostOfFile)
	o.Attachments = o.Attachments && o.Read != nil
	return o
}

// Takes reports whether a file may hold a document, by its name and size.
func (o *Options) Takes(name string, size int64) bool {
	return size <= o.MaxBytes && (o.Wanted == nil || o.Wanted(name))
}

// Validate says what is wrong with the options.
func (o *Options) Validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	if o.Anonymous != "" && o.Anonymous != access.Members && o.Anonymous != access.Public {
		faults = append(faults, fmt.Errorf("what everybody on the internet can read is read by members, public or nobody, and not by %q", o.Anonymous))
	}
	for _, domain := range o.Domains {
		if strings.ContainsAny(domain, "@ /") || !strings.Contains(domain, ".") {
			faults = append(faults, fmt.Errorf("%q is not a domain such as example.org", domain))
		}
	}
	return errors.Join(faults...)
}
