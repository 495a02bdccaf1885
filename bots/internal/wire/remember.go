package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/upload"
)

// options are the stored options of a source. Approvals sign their JSON, so a new field must have
// omitempty.
type options struct {
	ACL     access.ACL `json:"acl,omitempty"`
	BaseURL string     `json:"base_url,omitempty"`
	Include []string   `json:"include,omitempty"`
	Exclude []string   `json:"exclude,omitempty"`
	Commits bool       `json:"commits,omitempty"`
	Every   string     `json:"every,omitempty"`
	config.Systems
	Declared string `json:"declared,omitempty"` // its name in the configuration file
	// Approval makes the row valid if the configuration file does not have the source.
	Approval string `json:"approval,omitempty"`
	// Asked distinguishes a source without options from one that was never requested.
	Asked bool `json:"asked"`
}

func rowOf(s config.Source, declared string) options {
	o := options{ACL: s.ACL, BaseURL: s.BaseURL, Include: s.Include, Exclude: s.Exclude, Commits: s.Commits, Systems: s.Systems, Declared: declared, Asked: true}
	if s.Every > 0 {
		o.Every = s.Every.String()
	}
	return o
}

func (o options) options() sources.Options {
	every, err := sources.ParseEvery(o.Every)
	if err != nil {
		every = 0
	}
	return sources.Options{
		ACL: o.ACL, BaseURL: o.BaseURL, Include: o.Include, Exclude: o.Exclude, Commits: o.Commits, Every: every, Declared: o.Declared, System: o.System() != "",
	}
}

func optionsOf(s config.Source) sources.Options {
	return sources.Options{
		ACL: s.ACL, BaseURL: s.BaseURL, Include: s.Include, Exclude: s.Exclude, Commits: s.Commits, Every: s.Every, System: s.System() != "",
	}
}

func with(s config.Source, o sources.Options) config.Source {
	s.ACL, s.BaseURL, s.Include, s.Exclude, s.Commits, s.Every = o.ACL, o.BaseURL, o.Include, o.Exclude, o.Commits, o.Every
	return s
}

// Remembered stores the options of s and returns its connector. Options that s omits are taken from
// the last run, and the returned sentence names them. For a paused source, it stores nothing and
// returns sources.ErrPaused.
func (b *Base) Remembered(ctx context.Context, s config.Source) (index.Connector, string, error) {
	connector, err := b.Connect(s)
	if err != nil {
		return nil, "", err
	}
	id := connector.Source().ID
	last, err := b.lastAsked(ctx, id)
	if err != nil {
		return nil, "", err
	}
	connector, sentence, err := b.remember(ctx, s, connector, last)
	if errors.Is(err, sources.ErrPaused) {
		err = fmt.Errorf("%w%s", err, b.StillIndexed(ctx, id, err))
	}
	return connector, sentence, err
}

// remember stores the options of s. It takes options that s omits from last, and the string names
// these.
func (b *Base) remember(ctx context.Context, s config.Source, connector index.Connector, last sources.Memory) (index.Connector, string, error) {
	given := optionsOf(s)
	given.Declared = b.declaredName(s)
	now, filled, err := sources.Remember(connector.Source().ID, given, last)
	if err != nil {
		return nil, "", err
	}
	s = with(s, now)
	sentence := ""
	if len(filled) > 0 {
		sentence = fmt.Sprintf("%s: as the last time, %s", s.Name, strings.Join(filled, ", "))
		if connector, err = b.Connect(s); err != nil {
			return nil, "", err
		}
	}
	return connector, sentence, b.keepOptions(ctx, connector.Source(), rowOf(s, now.Declared))
}

func (b *Base) declaredName(s config.Source) string {
	if d, ok := b.File().Source(s.Name); ok && d.Path == s.Path && d.URL == s.URL {
		return s.Name
	}
	return ""
}

// keepOptions stores a source's options with an approval. If there can be no key, it stores them
// without one, but only for sources in the configuration file and sources without a schedule.
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

// Actor returns who makes changes, for the audit trail.
func (b *Base) Actor() session.Actor {
	if b.By == "" {
		return b.person
	}
	return session.Actor{Platform: session.Host, ID: b.By}
}

// StoredSource is a source in the index, with the options of its last run.
type StoredSource struct {
	config.Source // Name is its id; for a system, its name in the configuration file
	sources.State
	ID       document.SourceID
	Declared string // name in the configuration file; empty if not in it
	Asked    bool   // it is known who may read the source
	// Refused says why the row does not count, and what to do; empty if it counts. A refused source
	// is not read, and no request is sent for it.
	Refused string
	// Leftover marks a file of a project that is no longer in the configuration file. No one ever
	// asked to have it read, so it has no options that need approval, and it is not read.
	Leftover bool
	origin   document.Source
	row      options
	memory   sources.Memory
}

// Schedule returns the facts that decide when the source is read next.
func (s StoredSource) Schedule() sources.Schedule {
	return sources.Schedule{State: s.State, Every: s.Every, Refused: s.Refused}
}

// Place returns a folder, a web address, or the source's name in the configuration file.
func (s StoredSource) Place() string { return s.origin.Name }

// StoredSources lists the sources in the index, except the source of uploaded files, which has no
// options.
func (b *Base) StoredSources(ctx context.Context) ([]StoredSource, error) {
	asked, err := b.Index.AskedSources(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	keys, err := b.approver.keys()
	if err != nil {
		return nil, err
	}
	asked = slices.DeleteFunc(asked, func(a pgindex.Asked) bool { return a.Source.ID == upload.Source })
	all := make([]StoredSource, len(asked))
	for i, a := range asked {
		o, memory, err := b.decode(a, keys)
		if err != nil {
			return nil, err
		}
		all[i] = stored(a, o)
		all[i].row, all[i].memory = o, memory
		b.judge(&all[i])
	}
	return all, nil
}

func (b *Base) decode(a pgindex.Asked, keys [][]byte) (options, sources.Memory, error) {
	var o options
	if err := json.Unmarshal(a.Options, &o); err != nil {
		return o, sources.Memory{}, fmt.Errorf("read the options of source %s: %w", a.Source.ID, err)
	}
	row, err := canonical(b.Tenant, a.Source, o)
	return o, sources.Memory{Options: o.options(), ApprovedBy: sources.ApprovedBy(keys, row, o.Approval), Paused: a.Paused()}, err
}

// lastAsked returns empty, unapproved options if there was no run.
func (b *Base) lastAsked(ctx context.Context, id document.SourceID) (sources.Memory, error) {
	keys, err := b.approver.keys()
	if err != nil {
		return sources.Memory{}, err
	}
	all, err := b.Index.AskedSources(ctx, b.Tenant)
	if err != nil {
		return sources.Memory{}, err
	}
	for _, a := range all {
		if a.Source.ID == id {
			_, memory, err := b.decode(a, keys)
			return memory, err
		}
	}
	return sources.Memory{ApprovedBy: sources.Unapproved}, nil
}

func (b *Base) judge(s *StoredSource) {
	entry, declared := b.declared(s.origin)
	if !declared {
		if s.Leftover = leftover(s.origin, s.row); s.Leftover {
			return
		}
		_, s.Refused = sources.Judge(s.ID, s.memory, nil)
		return
	}
	given := optionsOf(entry)
	var counts sources.Options
	counts, s.Refused = sources.Judge(s.ID, s.memory, &given)
	entry.Name = s.Name
	s.Source = with(entry, counts)
}

func stored(a pgindex.Asked, o options) StoredSource {
	s := StoredSource{
		Source: with(config.Source{Name: string(a.Source.ID)}, o.options()), State: a.State,
		ID: a.Source.ID, Declared: o.Declared, Asked: o.Asked || len(o.ACL) > 0, origin: a.Source,
	}
	switch {
	case o.System() != "":
		s.Name, s.Systems = a.Source.Name, o.Systems
	case a.Source.Kind == web.Kind || a.Source.Kind == git.Kind:
		s.URL = a.Source.Name
	default:
		s.Path = a.Source.Name
	}
	return s
}

// storedSource returns false if the source does not exist or may not be read.
func (b *Base) storedSource(ctx context.Context, id document.SourceID) (StoredSource, bool, error) {
	all, err := b.StoredSources(ctx)
	if err != nil {
		return StoredSource{}, false, err
	}
	for _, s := range all {
		if s.ID == id {
			if s.Refused != "" {
				b.Logger.WarnContext(ctx, "a source does not count and is not read", "source", string(id), "reason", s.Refused)
			}
			return s, s.Asked && s.Refused == "", nil
		}
	}
	return StoredSource{}, false, nil
}

// declare stores the configuration file's sources, and stops reading those that the file no longer
// holds. A source that cannot be opened is only logged: its run will record the failure.
func (b *Base) declare(ctx context.Context) error {
	known, err := b.StoredSources(ctx)
	if err != nil {
		return err
	}
	for _, s := range b.File().Sources {
		if err := b.declareOne(ctx, s); err != nil && !errors.Is(err, context.Canceled) {
			b.Logger.WarnContext(ctx, "a source of the configuration file cannot be read", "source", s.Name, "error", err)
		}
	}
	if b.File().Path == "" {
		return nil
	}
	for _, s := range known {
		if err := b.applyFate(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// declareOne ignores a pause, because it starts no run.
func (b *Base) declareOne(ctx context.Context, s config.Source) error {
	connector, err := b.Connect(s)
	if err != nil {
		return err
	}
	last, err := b.lastAsked(ctx, connector.Source().ID)
	if err != nil {
		return err
	}
	last.Paused = false
	_, _, err = b.remember(ctx, s, connector, last)
	return err
}

func (b *Base) applyFate(ctx context.Context, s StoredSource) error {
	_, inFile := b.entry(s.origin)
	switch sources.FateOf(s.memory, s.Schedule(), s.Chat(), inFile) {
	case sources.Remove:
		if _, err := b.Index.RemoveSource(ctx, b.Tenant, s.ID, b.Actor()); err != nil {
			return err
		}
		b.Logger.InfoContext(ctx, "a source of a chat platform is no longer in the configuration file and was removed", "source", string(s.ID))
	case sources.Ignore:
		b.Logger.WarnContext(ctx, "a source does not count and is not read", "source", string(s.ID), "reason", s.Refused)
	case sources.Renew:
		return b.keepOptions(ctx, s.origin, s.row)
	case sources.Unschedule:
		s.Every = 0
		if err := b.keepOptions(ctx, s.origin, rowOf(s.Source, "")); err != nil {
			return err
		}
		b.Logger.InfoContext(ctx, "a source is no longer in the configuration file and is not read any more; what it held can still be found",
			"source", string(s.ID))
	case sources.Keep:
	}
	return nil
}

// StillIndexed returns a sentence about the documents that stay in the index after a failed run.
func (b *Base) StillIndexed(ctx context.Context, id document.SourceID, failure error) string {
	indexed, err := b.Index.Sources(context.WithoutCancel(ctx), b.Tenant)
	if err != nil { // the run's own error says more
		return ""
	}
	return sources.StillIndexed(id, countOf(indexed, id), failure)
}
