// Package transcript reads what was said in the channels of a chat platform as documents: a thread
// is one, and so are a channel's messages of a day that belong to no thread. What a platform is
// asked, and what a document of it looks like, is the platform's room to know (Platform); when
// something is read, again or for the first time, and what becomes of a channel that is another
// one's now, is known here, once for all.
//
// Who may read a document follows from its channel as it is now. Every pass begins with the list of
// channels. A change of it holds for all documents of a channel before anything is read, and
// documents of a channel that is not read any more are removed.
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

// Platform is a workspace as it is read. A Platform serves one run at a time; only Items are loaded
// by several goroutines.
type Platform interface {
	// Connect finds out which workspace is read. It is called first in each run. Its error wraps
	// index.ErrRevoked where the credential is not accepted.
	Connect(ctx context.Context) (workspace string, err error)
	// Channels lists all channels that the bot can read, with who may read them now.
	Channels(ctx context.Context) ([]Channel, error)
	// Reads asks whether the bot can read one channel, which a list lacked.
	Reads(ctx context.Context, channel string) (bool, error)
	// Parts yields what was said in a channel between two times, newest first, as soon as days are
	// known whole. Together the parts cover all of the time. to is zero for now; both are
	// beginnings of days.
	Parts(ctx context.Context, c Channel, from, to time.Time) iter.Seq2[Part, error]
	// Changed returns what has become of threads and days, by the keys of Subject: the documents
	// there are, each once, and the keys of documents that there are no more.
	Changed(ctx context.Context, c Channel, keys []string) (items []Item, gone []string, err error)
}

// Channel is one that the bot can read.
type Channel struct {
	ID, Name string
	Private  bool       // it is read only where it is named
	ACL      access.ACL // who may read what was said there
	// a sentence that says why it is not read, although the bot could; empty for others
	Barred string
}

// Part is what was said in some of a channel's time.
type Part struct {
	// From and To bound the time that Items cover, beginnings of days: what is stored of it and is
	// none of them is gone. To is zero for now.
	From, To time.Time
	Items    []Item
}

// Item is a document that is read only when it is needed.
type Item struct {
	// Key is the document's among those of its channel: a day as time.DateOnly, or the thread's id.
	Key      string
	Modified time.Time // as index.Item.ModifiedAt
	// Load reads the document, without its id and access list.
	Load func(ctx context.Context) (document.Document, error)
}

// Options of a Connector. Zero fields get their defaults.
type Options struct {
	Name     string   // of the source; it is part of every document's id
	Channels []string // names or ids of channels to read; a private one is read only where it is named
	Public   bool     // every public channel that the bot can read, in addition to those named
	// Since is how old a message may be: 365 days. What is older is not read, and is removed.
	Since time.Duration
	// Every is how often all channels are looked at. A run that comes sooner follows hints alone.
	// Zero: every run looks at all.
	Every time.Duration
	Hints index.Hints // nil: no change is noticed

	// Recent is how far back every pass looks for replies, edits and deletions: 14 days.
	Recent time.Duration
	// RecentAge is how long a thread of these days counts as read, unless the platform's lists show
	// a change: 24 h.
	RecentAge time.Duration
	// Age is after how long all that is older than Recent is read again: 7 days.
	Age time.Duration
	// Relist is how long a list of channels counts within a pass: 2 min.
	Relist time.Duration
	Now    func() time.Time
}

// day is what belongs together of what was said outside threads.
const day = 24 * time.Hour

// StartOf is the beginning of a time's day.
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

// Validate says what is wrong with the options.
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

// Connector reads the channels of one source.
type Connector struct {
	platform Platform
	rules    Rules
	options  Options
}

// Rules are what the platform's room says of all its sources.
type Rules struct {
	Source   document.Source
	Settings string // as index.Connector.Settings
	// Absent is the sentence about a channel that is named and cannot be read.
	Absent string
	// At is when a thread began, by its id; zero for what is no id.
	At func(thread string) time.Time
}

var _ index.Connector = (*Connector)(nil)

// New returns a connector; nothing is called before Sync.
func New(p Platform, rules Rules, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.Validate(); err != nil {
		return nil, err
	}
	return &Connector{platform: p, rules: rules, options: options}, nil
}

// Source implements index.Connector.
func (c *Connector) Source() document.Source { return c.rules.Source }

// Settings implements index.Connector. Channels, ages and access lists are compared with what is
// stored in every pass.
func (c *Connector) Settings() string { return c.rules.Settings }

// Sync implements index.Connector. It lists the channels, follows what was heard of changes, reads
// the recent days of each channel, then what is older, newest first.
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

// pass is one Sync.
type pass struct {
	*Connector
	source document.SourceID
	now    time.Time
	limit  time.Time // nothing older is read; the beginning of a day, as recent
	recent time.Time // what is newer is looked at in every pass
	send   func(index.Batch) error

	state    state
	listed   time.Time          // when the channels were last listed
	heard    time.Time          // when hints were last asked for
	channels map[string]Channel // those that are read, by id
	failing  int                // channels in a row
	sent     map[document.ID]bool
}

// emit yields a batch. The checkpoint is the state as it is now. A thread that is named by its own
// channel and by the list of threads is read once.
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
	// whoever plans runs has another clock
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

// revoked hides all documents where the platform does not accept the credential any more: who is in
// a channel, and whether it is still as open as it was, cannot be found out by it either. The next
// list of channels shows them again.
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

// id is the id of a document: the source, the channel, and the thread or the day.
func (p *pass) id(channel, key string) document.ID {
	return document.ID(string(p.source) + ":" + channel + ":" + key)
}

// place is what an id says; false for an id that is none.
func (p *pass) place(id document.ID) (channel string, at time.Time, ok bool) {
	rest, found := strings.CutPrefix(string(id), string(p.source)+":")
	channel, key, parted := strings.Cut(rest, ":")
	if !found || !parted {
		return "", time.Time{}, false
	}
	at = p.at(key)
	return channel, at, !at.IsZero()
}

// at is when a document's key says that it begins; zero for what is no key.
func (p *pass) at(key string) time.Time {
	if at, err := time.Parse(time.DateOnly, key); err == nil {
		return at
	}
	return p.rules.At(key)
}
