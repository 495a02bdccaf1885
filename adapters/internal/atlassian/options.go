package atlassian

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// Options are the options that the connectors of all Atlassian products share. Zero fields get
// defaults.
type Options struct {
	Name        string // name of the source
	Comments    bool
	Attachments bool
	// ACL restricts the readers of the source, in addition to the product's permissions. If nil,
	// there is no restriction.
	ACL access.ACL
	// Users names the groups whose members may use the site. The default is the groups that the
	// product names.
	Users []string
	// Anonymous is the audience of content that is open to everyone on the internet: access.Members
	// or access.Public. If empty, only the named readers may read that content.
	Anonymous access.Principal
	// Domains lists domains that the organisation has verified at Atlassian. The organisation owns
	// ("managed") the accounts with addresses below these domains. Addresses of other accounts are
	// not used.
	Domains []string

	Overlap time.Duration // how far a read by date overlaps the previous one; 30 min
	// SweepEvery is the interval between full scans. They find changes that no change list reports.
	// The default is the constant SweepEvery.
	SweepEvery time.Duration
	// Read returns the connector for a local file. It is used for downloaded attachments. If nil,
	// attachments are not read.
	Read func(path string) (index.Connector, error)
	// Wanted reports, by the name, whether a file may contain a document. If nil, every file may.
	Wanted   func(name string) bool
	MaxBytes int64 // maximum size of an attachment; MostOfFile
}

// Day is 24 hours.
const Day = 24 * time.Hour

// SweepEvery is the default interval between full scans. Only a full scan notices moves, deletions
// and changed permissions that the API does not list as changes.
const SweepEvery = 30 * time.Minute

// MostOfFile is the default maximum size of an attachment in bytes. Larger attachments are not
// read.
const MostOfFile = 25 << 20

// WithDefaults returns the options with defaults for zero fields. It turns attachments off if Read
// is nil.
func (o Options) WithDefaults() Options {
	o.Overlap, o.SweepEvery = cmp.Or(o.Overlap, 30*time.Minute), cmp.Or(o.SweepEvery, SweepEvery)
	o.MaxBytes = cmp.Or(o.MaxBytes, MostOfFile)
	o.Attachments = o.Attachments && o.Read != nil
	return o
}

// Takes reports whether MaxBytes and Wanted permit reading an attachment with this name and size.
func (o *Options) Takes(name string, size int64) bool {
	return size <= o.MaxBytes && (o.Wanted == nil || o.Wanted(name))
}

// Validate returns an error that names every invalid option.
func (o *Options) Validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	if o.Anonymous != "" && o.Anonymous != access.Members && o.Anonymous != access.Public {
		faults = append(faults, fmt.Errorf("anonymous is %q: write %s", o.Anonymous, sources.AudienceWords))
	}
	for _, domain := range o.Domains {
		if strings.ContainsAny(domain, "@ /") || !strings.Contains(domain, ".") {
			faults = append(faults, fmt.Errorf("%q is not a domain such as example.org", domain))
		}
	}
	return errors.Join(faults...)
}
