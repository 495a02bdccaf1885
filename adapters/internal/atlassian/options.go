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

// Options are the options that the sources of all products share. Zero fields get their defaults.
type Options struct {
	Name        string // of the source
	Comments    bool
	Attachments bool
	// ACL restricts the readers of the source, in addition to the product's permissions. Nil: no
	// restriction.
	ACL access.ACL
	// Users names the groups whose members may use the site. None: the groups that the product
	// names.
	Users []string
	// Anonymous is who may read content that is open to everyone on the internet: access.Members,
	// access.Public, or empty for only the named readers.
	Anonymous access.Principal
	// Domains lists domains that the organisation has verified at Atlassian, so that it owns the
	// accounts with addresses below them ("managed"). Addresses of other accounts are not used.
	Domains []string

	Overlap time.Duration // overlap of consecutive reads by date; 30 min
	// interval of full scans for changes that no change list reports; SweepEvery
	SweepEvery time.Duration
	// Read returns the connector for one local file, used for attachments; nil: attachments are not
	// read.
	Read func(path string) (index.Connector, error)
	// reports whether a file may contain a document, by its name; nil: every file may
	Wanted   func(name string) bool
	MaxBytes int64 // larger files are left out; MostOfFile
}

// Day is 24 hours.
const Day = 24 * time.Hour

// SweepEvery is the default interval of full scans. Until the next scan, deleted, moved or
// restricted content may be shown to people who could read it before.
const SweepEvery = 30 * time.Minute

// MostOfFile is the default maximum size in bytes of an attachment that is read.
const MostOfFile = 25 << 20

// WithDefaults returns the options with defaults for zero fields.
func (o Options) WithDefaults() Options {
	o.Overlap, o.SweepEvery = cmp.Or(o.Overlap, 30*time.Minute), cmp.Or(o.SweepEvery, SweepEvery)
	o.MaxBytes = cmp.Or(o.MaxBytes, MostOfFile)
	o.Attachments = o.Attachments && o.Read != nil
	return o
}

// Takes reports whether a file may contain a document, by its name and size.
func (o *Options) Takes(name string, size int64) bool {
	return size <= o.MaxBytes && (o.Wanted == nil || o.Wanted(name))
}

// Validate returns an error that says which options are invalid.
func (o *Options) Validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	if o.Anonymous != "" && o.Anonymous != access.Members && o.Anonymous != access.Public {
		faults = append(faults, fmt.Errorf("anonymous: audience %q is neither %q nor %q", o.Anonymous, access.Members, access.Public))
	}
	for _, domain := range o.Domains {
		if strings.ContainsAny(domain, "@ /") || !strings.Contains(domain, ".") {
			faults = append(faults, fmt.Errorf("%q is not a domain such as example.org", domain))
		}
	}
	return errors.Join(faults...)
}
