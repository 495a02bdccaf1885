package sources

import (
	"errors"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Options are what an operator decided about a source, apart from the settings of its system.
type Options struct {
	ACL      access.ACL // default: members
	BaseURL  string
	Include  []string
	Exclude  []string
	Commits  bool
	Every    time.Duration // 0: the source is read only by hand
	Declared string        // the name in footnote.yaml; empty if it is not there
	// System reports whether the source reads a system with its own readers. Nothing that such a
	// source omits is filled in, because all its settings are below one key.
	System bool
}

// fillFrom fills in what o omits from the last options, and returns the flags that it filled in.
// The interval is not among them.
func (o *Options) fillFrom(last Options) []string {
	if o.System {
		return nil
	}
	var flags []string
	if len(o.ACL) == 0 && len(last.ACL) > 0 {
		o.ACL = last.ACL
		flags = append(flags, "--acl "+joinACL(last.ACL, ","))
	}
	if o.BaseURL == "" && last.BaseURL != "" {
		o.BaseURL = last.BaseURL
		flags = append(flags, "--base-url "+last.BaseURL)
	}
	if len(o.Include) == 0 && len(last.Include) > 0 {
		o.Include = last.Include
		flags = append(flags, "--include "+strings.Join(last.Include, " "))
	}
	if len(o.Exclude) == 0 && len(last.Exclude) > 0 {
		o.Exclude = last.Exclude
		flags = append(flags, "--exclude "+strings.Join(last.Exclude, " "))
	}
	if !o.Commits && last.Commits {
		o.Commits = true
		flags = append(flags, "--commits")
	}
	return flags
}

func joinACL(acl access.ACL, separator string) string {
	names := make([]string, len(acl))
	for i, p := range acl {
		names[i] = string(p)
	}
	return strings.Join(names, separator)
}

// Memory is what is stored about a source from its last run.
type Memory struct {
	Options
	// ApprovedBy is the number of the key that approved the options; Unapproved for none.
	ApprovedBy int
	Paused     bool // the source is paused, so that no run begins
}

// Unapproved says that no key approved the options.
const Unapproved = -1

func (m Memory) approved() bool { return m.ApprovedBy >= 0 }

// Remember returns the options for a run: those given, and for what they omit, those of the last
// run. So a forgotten flag never lets more people read the source. filled are the flags that were
// filled in. It fails with ErrPaused for a paused source: a run that is refused changes no options.
// It fails if options of the last run are needed that no key approved.
func Remember(id document.SourceID, given Options, last Memory) (now Options, filled []string, err error) {
	if last.Paused {
		return Options{}, nil, ErrPaused
	}
	now = given
	filled = now.fillFrom(last.Options)
	keepsEvery := given.Every == 0 && given.Declared == ""
	if (len(filled) > 0 || keepsEvery && last.Every > 0) && !last.approved() {
		return Options{}, nil, errors.New(unapprovedOptions(id, last.Options))
	}
	if keepsEvery {
		now.Every, now.Declared = last.Every, last.Declared
	}
	return now, filled, nil
}

// Judge decides which options of a stored source count, and whether it is read at all. entry is
// what footnote.yaml says about the source, or nil. What an entry omits comes from the stored
// options, if they are approved. refused says why the source is not read, and what to do. It is
// empty if the source is read.
func Judge(id document.SourceID, stored Memory, entry *Options) (counts Options, refused string) {
	if entry == nil {
		if !stored.approved() {
			refused = unapproved(id, stored.Options)
		}
		return stored.Options, refused
	}
	counts = *entry
	if counts.Every == 0 && stored.approved() {
		counts.Every = stored.Every
	}
	if filled := counts.fillFrom(stored.Options); len(filled) > 0 && !stored.approved() {
		refused = unapprovedOptions(id, stored.Options)
	}
	return counts, refused
}

// Fate says what happens to a stored source when footnote.yaml is read.
type Fate int

// The fates.
const (
	Keep       Fate = iota
	Remove          // it is a chat history that the file no longer holds
	Ignore          // ignored
	Renew           // approved by a key that may be removed; it gets a new approval
	Unschedule      // the file no longer holds it: it is not read any more, and can still be found
)

// FateOf decides what happens to a stored source with a schedule. chat reports whether it is the
// history of a chat platform, of which a channel could become private without notice. inFile
// reports whether footnote.yaml holds the source.
func FateOf(stored Memory, s Schedule, chat, inFile bool) Fate {
	switch {
	case chat && !inFile:
		return Remove
	case s.Refused != "":
		return Ignore
	case stored.Declared != "" && !inFile && s.Every > 0:
		return Unschedule
	case stored.ApprovedBy > 0:
		return Renew
	}
	return Keep
}

// Readers says who may read the documents if the source has no permissions.
func (o Options) Readers() string {
	if len(o.ACL) == 0 {
		return string(access.Members)
	}
	return joinACL(o.ACL, ", ")
}
