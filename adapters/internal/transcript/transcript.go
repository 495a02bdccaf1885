// Package transcript reads the channels of a chat platform as documents. Each thread is a document.
// The messages of a day outside of threads are a document too. The adapter of each platform
// (Platform) sends the requests and builds the documents. This package decides when to read
// something again, and what happens if a channel's audience changes.
//
// The readers of a document are the current readers of its channel. Every pass begins with the list
// of channels. It applies changes of that list to all documents of a channel before it reads
// anything. It removes documents of channels that are no longer read.
package transcript

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Platform reads the channels of a chat workspace. It serves one run at a time, but several
// goroutines may call Item.Load concurrently.
type Platform interface {
	// Connect connects to the workspace. It is the first call of each run. Its error wraps
	// index.ErrRevoked if the credential is rejected.
	Connect(ctx context.Context) (workspace string, err error)
	// Channels lists all channels that the bot can read, with their current readers.
	Channels(ctx context.Context) ([]Channel, error)
	// Reads reports whether the bot can read a channel that was missing from a list.
	Reads(ctx context.Context, channel string) (bool, error)
	// Parts yields the messages of a channel between two times, newest first. It yields a part as
	// soon as whole days are complete. Together the parts cover the whole period. from and to are
	// beginnings of days. A zero to means now.
	Parts(ctx context.Context, c Channel, from, to time.Time) iter.Seq2[Part, error]
	// Changed returns the current state of threads and days by the keys of Subject. It returns each
	// existing document once, and the keys of documents that no longer exist.
	Changed(ctx context.Context, c Channel, keys []string) (items []Item, gone []string, err error)
}

// Channel is a channel of a chat platform that the bot can read.
type Channel struct {
	ID, Name string
	Private  bool       // read only if named in the options
	ACL      access.ACL // readers of its messages
	// Barred is a sentence that says why the channel is not read although the bot could read it. It
	// is empty if the channel is read.
	Barred string
}

// Part has the threads and messages of a channel in a period.
type Part struct {
	// From and To limit the period that Items cover, at beginnings of days. Stored documents of the
	// period that are not in Items are deleted. A zero To means now.
	From, To time.Time
	Items    []Item
}

// Item is a thread, or a day's messages outside of threads. It becomes one document, which is
// loaded only if needed.
type Item struct {
	// Key identifies the document within its channel: a day as time.DateOnly, or the thread's id.
	Key      string
	Modified time.Time // as index.Item.ModifiedAt
	// Load reads the document, without its id and access list.
	Load func(ctx context.Context) (document.Document, error)
}

// Options configure a [Connector]. Zero fields get defaults.
type Options struct {
	Name     string   // of the source; it is part of every document's id
	Channels []string // names or ids of channels to read; private channels are read only if listed
	Public   bool     // also read every public channel that the bot can read
	// Since is the maximum age of a message: 365 days. Older messages are not read. If they are
	// stored, they are removed.
	Since time.Duration
	// Every is the interval between passes over all channels. Runs between passes follow only
	// hints. If zero, every run reads all channels.
	Every time.Duration
	Hints index.Hints // nil: only passes find changes

	// Recent is the period that every pass checks for replies, edits and deletions: 14 days.
	Recent time.Duration
	// RecentAge is the time for which a thread within Recent counts as current, unless the
	// platform's lists show a change: 24 h.
	RecentAge time.Duration
	// Age is the interval after which everything older than Recent is read again: 7 days.
	Age time.Duration
	// Relist is the time for which a list of channels stays valid within a pass: 2 min.
	Relist time.Duration
	Now    func() time.Time
}

const day = 24 * time.Hour

// StartOf returns the beginning of the day of t in UTC.
func StartOf(t time.Time) time.Time { return t.UTC().Truncate(day) }

func (o Options) withDefaults() Options {
	for _, field := range []struct {
		value     *time.Duration
		otherwise time.Duration
	}{{&o.Since, 365 * day}, {&o.Recent, 14 * day}, {&o.RecentAge, day}, {&o.Age, 7 * day}, {&o.Relist, 2 * time.Minute}} {
		if *field.value <= 0 {
			*field.value = field.otherwise
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Validate returns an error that names every invalid option.
func (o Options) Validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	if len(o.Channels) == 0 && !o.Public {
		faults = append(faults, errors.New("no channel is chosen: name some under channels, or write public: true for every public one that the bot is in"))
	}
	return errors.Join(faults...)
}

// Connector reads the channels of a chat workspace as documents. It implements [index.Connector].
type Connector struct {
	platform Platform
	rules    Rules
	options  Options
}

// Rules are properties of a chat platform that are the same for all of its sources.
type Rules struct {
	Source   document.Source
	Settings string // as index.Connector.Settings
	// Absent is the sentence for a configured channel that cannot be read.
	Absent string
	// At returns the start time of a thread, derived from the thread's id. It returns the zero time
	// if the id is invalid.
	At func(thread string) time.Time
}

var _ index.Connector = (*Connector)(nil)

// New returns a connector for a workspace. It returns an error if the options are invalid, and does
// not call the platform.
func New(p Platform, rules Rules, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.Validate(); err != nil {
		return nil, err
	}
	return &Connector{platform: p, rules: rules, options: options}, nil
}

// Source implements index.Connector.
func (c *Connector) Source() document.Source { return c.rules.Source }

// Settings implements index.Connector. The result does not include channels, ages and access lists,
// because every run compares these with the stored documents.
func (c *Connector) Settings() string { return c.rules.Settings }

// Sync implements index.Connector. It first applies changed channels and hints of changes. It then
// reads the recent days of each channel, and after that older days, newest first.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.Batch) error) error {
		p := &pass{Connector: c, source: c.Source().ID, now: c.options.Now(), send: emit, state: sourcepass.Decode[state](since)}
		p.limit = StartOf(p.now.Add(-c.options.Since))
		p.recent = StartOf(p.now.Add(-c.options.Recent))
		if p.recent.Before(p.limit) {
			p.recent = p.limit
		}
		return p.run(ctx)
	})
}

type pass struct {
	*Connector
	source document.SourceID
	now    time.Time
	limit  time.Time // older messages are not read; beginning of a day
	recent time.Time // newer messages are read in every pass; beginning of a day
	send   func(index.Batch) error

	state    state
	listed   time.Time          // when the channels were last listed
	heard    time.Time          // when hints were last asked for
	channels map[string]Channel // channels to read, by id
	failing  int                // consecutive channels that failed
	sent     map[document.ID]bool
}

// emit sends a batch with a checkpoint. It drops documents that this run has already sent, except
// those with index.Item.Again.
func (p *pass) emit(b index.Batch) error {
	if p.sent == nil {
		p.sent = make(map[document.ID]bool)
	}
	b.Documents = slices.DeleteFunc(b.Documents, func(i index.Item) bool {
		twice := p.sent[i.ID] && !i.Again
		p.sent[i.ID] = true
		return twice
	})
	b.Next = p.state.encode()
	return p.send(b)
}

func (p *pass) run(ctx context.Context) error {
	workspace, err := p.platform.Connect(ctx)
	if err != nil {
		return p.revoked(err)
	}
	if p.state.Team != workspace { // another one, or the first pass
		p.state = state{Team: workspace}
	}
	if err := p.list(ctx, true); err != nil {
		return p.revoked(err)
	}
	if err := p.listen(ctx, true); err != nil {
		return p.revoked(err)
	}
	// the scheduler of runs has another clock: allow a tenth
	if p.state.Ended && p.now.Sub(ofMicros(p.state.Pass)) < p.options.Every*9/10 {
		return p.emit(index.Batch{}) // hints were all that there was to do
	}
	if err := p.readRecent(ctx); err != nil {
		return p.revoked(err)
	}
	if err := p.readOlder(ctx); err != nil {
		return p.revoked(err)
	}
	p.state.Ended = true
	return p.emit(index.Batch{})
}

// revoked hides all documents from everyone if err means that the platform rejects the credential.
// The next successful list of channels shows them again. revoked returns err.
func (p *pass) revoked(err error) error {
	if !errors.Is(err, index.ErrRevoked) {
		return err
	}
	p.state.Reviewed = 0
	nobody := func(document.ID) index.Verdict { return index.Verdict{ACL: access.ACL{}} }
	// the second one waits for the first
	if broken := errors.Join(p.emit(index.Batch{Review: nobody}), p.emit(index.Batch{})); broken != nil {
		return broken
	}
	return err
}

// id returns a document id of the form "source:channel:key".
func (p *pass) id(channel, key string) document.ID {
	return document.ID(string(p.source) + ":" + channel + ":" + key)
}

// parseID returns the channel and the start time in a document id. ok is false if the id belongs to
// another source or is invalid.
func (p *pass) parseID(id document.ID) (channel string, at time.Time, ok bool) {
	rest, found := strings.CutPrefix(string(id), string(p.source)+":")
	channel, key, parted := strings.Cut(rest, ":")
	if !found || !parted {
		return "", time.Time{}, false
	}
	at = p.keyTime(key)
	return channel, at, !at.IsZero()
}

func (p *pass) keyTime(key string) time.Time {
	if at, err := time.Parse(time.DateOnly, key); err == nil {
		return at
	}
	return p.rules.At(key)
}
