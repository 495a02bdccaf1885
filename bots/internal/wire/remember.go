package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

// options are the options of a source, as the index stores them. Approvals cover their JSON, so a
// new field must be omitted when empty.
type options struct {
	ACL     access.ACL `json:"acl,omitempty"`
	BaseURL string     `json:"base_url,omitempty"`
	Include []string   `json:"include,omitempty"`
	Exclude []string   `json:"exclude,omitempty"`
	Commits bool       `json:"commits,omitempty"`
	Every   string     `json:"every,omitempty"`
	config.Systems
	Declared string `json:"declared,omitempty"` // its name in the configuration file
	// the approval that makes the row count if the configuration file does not hold the source
	Approval string `json:"approval,omitempty"`
	// distinguishes a source without options from one that was never requested
	Asked bool `json:"asked"`
}

func optionsOf(s config.Source, declared string) options {
	o := options{ACL: s.ACL, BaseURL: s.BaseURL, Include: s.Include, Exclude: s.Exclude, Commits: s.Commits, Systems: s.Systems, Declared: declared, Asked: true}
	if s.Every > 0 {
		o.Every = s.Every.String()
	}
	return o
}

// every returns the schedule; 0 if there is none or it is no longer valid.
func (o options) every() time.Duration {
	every, err := config.ParseEvery(o.Every)
	if err != nil {
		return 0
	}
	return every
}

// Remembered returns the connector of a source, and fills in options that were left out from the
// last run. So a forgotten flag never lets more people read the source. The sentence says which
// options were filled in; it is empty if none were. The options are stored for the next run.
func (b *Base) Remembered(ctx context.Context, s config.Source) (index.Connector, string, error) {
	connector, err := b.Connect(s)
	if err != nil {
		return nil, "", err
	}
	last, err := b.lastAsked(ctx, connector.Source().ID)
	if err != nil {
		return nil, "", err
	}
	declared := b.declaredName(s)
	sentence := takeOver(&s, last.options)
	everyOfLast := s.Every == 0 && declared == "" && last.every() > 0
	if (sentence != "" || everyOfLast) && last.approvedBy < 0 {
		return nil, "", errors.New(unapprovedOptions(connector.Source().ID, last.options))
	}
	if s.Every == 0 && declared == "" {
		s.Every, declared = last.every(), last.Declared
	}
	if sentence != "" {
		if connector, err = b.Connect(s); err != nil {
			return nil, "", err
		}
	}
	return connector, sentence, b.keepOptions(ctx, connector.Source(), optionsOf(s, declared))
}

// declaredName returns the source's name in the configuration file; empty if the file does not hold
// the source.
func (b *Base) declaredName(s config.Source) string {
	if d, ok := b.File().Source(s.Name); ok && d.Path == s.Path && d.URL == s.URL {
		return s.Name
	}
	return ""
}

// keepOptions stores a source's options with an approval. If there is no place for a key, a source
// of the configuration file is stored without an approval.
func (b *Base) keepOptions(ctx context.Context, source document.Source, o options) error {
	key, err := b.approver.signing()
	if err == nil {
		o.Approval, err = approval(key, b.Tenant, source, o)
	} else if _, declared := b.declared(source); declared {
		err = nil
	} else if o.Every == "" {
		b.Logger.WarnContext(ctx, "the source is read now, and by no later command until footnote sources approve", "source", string(source.ID), "error", err)
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%w: set FOOTNOTE_DATA to a folder that can be written and is kept, set SECRET_KEYS, or write the source into %s", err, config.FileName)
	}
	now, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("keep the options of source %s: %w", source.ID, err)
	}
	return b.Index.SetOptions(ctx, b.Tenant, source, now, b.Actor())
}

// Actor returns the person who makes changes.
func (b *Base) Actor() session.Actor {
	if b.By == "" {
		return b.person
	}
	return session.Actor{Platform: session.Host, ID: b.By}
}

// takeOver fills in omitted options, and returns a sentence about that.
func takeOver(s *config.Source, last options) string {
	if s.System() != "" { // all its keys are below its own key
		return ""
	}
	var takenOver []string
	if len(s.ACL) == 0 && len(last.ACL) > 0 {
		s.ACL = last.ACL
		names := make([]string, len(last.ACL))
		for i, p := range last.ACL {
			names[i] = string(p)
		}
		takenOver = append(takenOver, "--acl "+strings.Join(names, ","))
	}
	if s.BaseURL == "" && last.BaseURL != "" {
		s.BaseURL = last.BaseURL
		takenOver = append(takenOver, "--base-url "+last.BaseURL)
	}
	if len(s.Include) == 0 && len(last.Include) > 0 {
		s.Include = last.Include
		takenOver = append(takenOver, "--include "+strings.Join(last.Include, " "))
	}
	if len(s.Exclude) == 0 && len(last.Exclude) > 0 {
		s.Exclude = last.Exclude
		takenOver = append(takenOver, "--exclude "+strings.Join(last.Exclude, " "))
	}
	if !s.Commits && last.Commits {
		s.Commits = true
		takenOver = append(takenOver, "--commits")
	}
	if len(takenOver) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: as the last time, %s", s.Name, strings.Join(takenOver, ", "))
}

// StoredSource is a source in the index, with its last options.
type StoredSource struct {
	config.Source // Name is its id; for a system, its name in the configuration file
	ID            document.SourceID
	Declared      string // name in the configuration file; empty if not in it
	Asked         bool   // it is known who may read the source
	// Refused says why the row does not count, and what to do; empty if it counts. A refused source
	// is not read, and no request is sent for it.
	Refused    string
	PausedAt   time.Time
	Resync     bool // a full read was requested and has not begun
	heardAt    time.Time
	origin     document.Source
	last       index.Run
	failing    int
	row        options
	approvedBy int // the number of the key; -1 for none
}

// Next returns when a scheduled source is next due, unless it is paused. The time may be in the
// past.
func (s StoredSource) Next() time.Time {
	if s.Resync || s.failing == 0 && s.heardSince(s.last.StartedAt) {
		return time.Time{}
	}
	return index.Next(s.Every, s.last, s.failing)
}

// heardSince reports whether the source reported changes after t that have not been read.
func (s StoredSource) heardSince(t time.Time) bool { return s.heardAt.After(t) }

// Place returns where the documents come from: a folder, an address, or the name of the source in
// the configuration file.
func (s StoredSource) Place() string { return s.origin.Name }

// Paused reports whether the source is paused.
func (s StoredSource) Paused() bool { return !s.PausedAt.IsZero() }

// StoredSources lists all sources in the index.
func (b *Base) StoredSources(ctx context.Context) ([]StoredSource, error) {
	asked, err := b.Index.AskedSources(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	keys, err := b.approver.keys()
	if err != nil {
		return nil, err
	}
	sources := make([]StoredSource, len(asked))
	for i, a := range asked {
		o, err := b.decode(a, keys)
		if err != nil {
			return nil, err
		}
		sources[i] = stored(a, o.options)
		sources[i].row, sources[i].approvedBy = o.options, o.approvedBy
		b.judge(&sources[i])
	}
	return sources, nil
}

// asked holds a source's last options, and the index of the key that approves their row, or -1 for
// none.
type asked struct {
	options
	approvedBy int
}

func (b *Base) decode(a pgindex.Asked, keys [][]byte) (asked, error) {
	var o options
	if err := json.Unmarshal(a.Options, &o); err != nil {
		return asked{}, fmt.Errorf("read the options of source %s: %w", a.Source.ID, err)
	}
	by, err := approvedBy(keys, b.Tenant, a.Source, o)
	return asked{o, by}, err
}

// lastAsked returns a source's last options, or the zero value if there are none.
func (b *Base) lastAsked(ctx context.Context, id document.SourceID) (asked, error) {
	keys, err := b.approver.keys()
	if err != nil {
		return asked{}, err
	}
	all, err := b.Index.AskedSources(ctx, b.Tenant)
	if err != nil {
		return asked{}, err
	}
	for _, a := range all {
		if a.Source.ID == id {
			return b.decode(a, keys)
		}
	}
	return asked{approvedBy: -1}, nil
}

// judge decides whether a row counts. For a source of the configuration file, the file's options
// count. Options that the file omits come from an approved row.
func (b *Base) judge(s *StoredSource) {
	approved := s.approvedBy >= 0
	entry, declared := b.declared(s.origin)
	switch {
	case !declared && !approved:
		s.Refused = unapproved(s.ID, s.row)
	case declared:
		name := s.Source.Name
		s.Source = entry
		s.Source.Name = name
		if entry.Every == 0 && approved {
			s.Every = s.row.every()
		}
		if takeOver(&s.Source, s.row) != "" && !approved {
			s.Refused = unapprovedOptions(s.ID, s.row)
		}
	}
}

func stored(a pgindex.Asked, o options) StoredSource {
	s := StoredSource{
		Source: config.Source{Name: string(a.Source.ID), ACL: o.ACL, BaseURL: o.BaseURL, Include: o.Include, Exclude: o.Exclude, Commits: o.Commits, Every: o.every()},
		ID:     a.Source.ID, Declared: o.Declared, Asked: o.Asked || len(o.ACL) > 0, PausedAt: a.PausedAt, Resync: a.Resync, heardAt: a.HeardAt,
		origin: a.Source, last: a.Run, failing: a.Failing,
	}
	switch {
	case o.System() != "":
		s.Source.Name, s.Systems = a.Source.Name, o.Systems
	case a.Source.Kind == web.Kind || a.Source.Kind == git.Kind:
		s.URL = a.Source.Name
	default:
		s.Path = a.Source.Name
	}
	return s
}

// storedSource returns a source that may be read, or false if there is none.
func (b *Base) storedSource(ctx context.Context, id document.SourceID) (StoredSource, bool, error) {
	sources, err := b.StoredSources(ctx)
	if err != nil {
		return StoredSource{}, false, err
	}
	for _, s := range sources {
		if s.ID == id {
			if s.Refused != "" {
				b.Logger.WarnContext(ctx, "a source does not count and is not read", "source", string(id), "reason", s.Refused)
			}
			return s, s.Asked && s.Refused == "", nil
		}
	}
	return StoredSource{}, false, nil
}

// declare stores the configuration file's sources with their schedules, and unschedules sources
// that the file no longer holds. A missing folder does not stop the others: its failure is recorded
// when that source is due.
func (b *Base) declare(ctx context.Context) error {
	known, err := b.StoredSources(ctx)
	if err != nil {
		return err
	}
	for _, s := range b.File().Sources {
		if _, _, err := b.Remembered(ctx, s); err != nil && !errors.Is(err, context.Canceled) {
			b.Logger.WarnContext(ctx, "a source of the configuration file cannot be read", "source", s.Name, "error", err)
		}
	}
	if b.File().Path == "" {
		return nil
	}
	for _, s := range known {
		_, still := b.entry(s.origin)
		if s.Chat() && !still { // no one would see its channels become private
			if _, err := b.Index.RemoveSource(ctx, b.Tenant, s.ID, b.Actor()); err != nil {
				return err
			}
			b.Logger.InfoContext(ctx, "a source of a chat platform is no longer in the configuration file and was removed", "source", string(s.ID))
			continue
		}
		if s.Refused != "" {
			b.Logger.WarnContext(ctx, "a source does not count and is not read", "source", string(s.ID), "reason", s.Refused)
			continue
		}
		if s.approvedBy > 0 { // by a key that is about to be taken away
			if err := b.keepOptions(ctx, s.origin, s.row); err != nil {
				return err
			}
		}
		if s.Declared == "" || still || s.Every == 0 {
			continue
		}
		s.Every = 0
		if err := b.keepOptions(ctx, s.origin, optionsOf(s.Source, "")); err != nil {
			return err
		}
		b.Logger.InfoContext(ctx, "a source is no longer in the configuration file and is not read any more; what it held can still be found",
			"source", string(s.ID))
	}
	return nil
}

// StillIndexed returns a sentence for a failed run: earlier documents of the source can still be
// found, and how to remove them. It is empty if there are none, or if the failure hides the source.
func (b *Base) StillIndexed(ctx context.Context, id document.SourceID, failure error) string {
	if errors.Is(failure, index.ErrRevoked) {
		return ""
	}
	sources, err := b.Index.Sources(context.WithoutCancel(ctx), b.Tenant)
	if err != nil { // the run's own error says more
		return ""
	}
	for _, s := range sources {
		if s.Source.ID == id && s.Documents > 0 {
			return fmt.Sprintf(" (%s from earlier can still be found; footnote sources remove %s takes them out)", plural.Count(s.Documents, "document"), id)
		}
	}
	return ""
}
