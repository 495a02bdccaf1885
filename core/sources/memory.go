package sources

import (
	"errors"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Options are an operator's settings of a source, except those that only one kind of source has.
type Options struct {
	ACL      access.ACL // default: members
	BaseURL  string
	Include  []string
	Exclude  []string
	Commits  bool
	Every    time.Duration // 0: the source is read only by hand
	Declared string        // the name in footnote.yaml; empty if it is not there
	// System reports whether the source is a system with its own readers. All settings of such a
	// source are below one key, so missing options are not filled in.
	System bool
}

// fillFrom copies options that are not set in o from last. It returns the command-line flags for
// these options. It does not copy the interval.
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

// Memory is the information that the last run of a source stored.
type Memory struct {
	Options
	// ApprovedBy is the index of the key that approved the options. It is Unapproved if no key did.
	ApprovedBy int
	Paused     bool // the source is paused, so that no run begins
}

// Unapproved is the value of [Memory.ApprovedBy] if no key approved the options.
const Unapproved = -1

func (m Memory) approved() bool { return m.ApprovedBy >= 0 }

// Remember returns the options for a run. Options that are not given keep their value from the last
// run, so that a forgotten flag never lets more people read the source. filled lists the flags of
// the options that were kept.
//
// The error is ErrPaused for a paused source. There is also an error if the kept options were not
// approved.
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

// Judge returns the options that apply to a stored source. entry has the options in footnote.yaml,
// or is nil. The stored options apply where entry sets none. If they are needed and not approved,
// the source must not be read, and refused says why and what to do. Otherwise refused is empty.
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

// Fate is the action for a stored source when footnote.yaml is read.
type Fate int

// Values of [Fate].
const (
	Keep       Fate = iota
	Remove          // it is a chat history that the file no longer contains
	Ignore          // it is not read, because it is not approved
	Renew           // approved by a key that may be removed; it gets a new approval
	Unschedule      // the file no longer contains it: it is not read any more, but can still be found
)

// FateOf decides what happens to a stored source when footnote.yaml is read. chat says that the
// source is the history of a chat platform. inFile says that footnote.yaml contains the source.
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

// Readers returns the access list of a source as text. The list applies if the source does not
// report who may read its documents.
func (o Options) Readers() string {
	if len(o.ACL) == 0 {
		return string(access.Members)
	}
	return joinACL(o.ACL, ", ")
}
