// Package history reads what was said in a workspace's channels as documents: a thread is one, and so are a channel's messages of a day that
// nobody replied to. It reads the channels that the bot is in, never direct messages, and nothing of what the bot itself wrote.
//
// Who may read a document follows from its channel as it is now: the members of the workspace where it is public, those who are in it where it
// is private. Every pass begins with the list of channels, so that a change of that holds for all documents of a channel before anything is
// read, and documents of a channel that the bot is no longer in are removed.
package history

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind of the sources that this package reads.
const Kind document.Kind = "slack"

// Options of a Connector. Zero fields get their defaults.
type Options struct {
	Name     string   // of the source; it is part of every document's id
	Channels []string // names or ids of channels to read; a private one is read only where it is named
	Public   bool     // every public channel that the bot is in, beside those named
	// Open says who may read what was said in public channels, beside those who are in them: access.Members or access.Public. Empty is
	// Members, and in a workspace of an organisation with several, where members of the others are no members of this one, nobody else.
	Open access.Principal
	// Since is how old a message may be: 365 days. What is older is not read, and is removed.
	Since time.Duration

	// Recent is how far back every pass looks for replies, edits and deletions: 14 days.
	Recent time.Duration
	// RecentAge is how long a thread of these days counts as read, unless Slack's list of the channel's messages shows a change: 24 h.
	RecentAge time.Duration
	// Age is after how long all that is older than Recent is read again: 7 days.
	Age time.Duration
	// Relist is how long a list of channels counts within a pass: 2 min.
	Relist time.Duration
	Now    func() time.Time
}

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

const day = 24 * time.Hour

func (o Options) validate() error {
	var faults []error
	if o.Name == "" {
		faults = append(faults, errors.New("the source has no name"))
	}
	if len(o.Channels) == 0 && !o.Public {
		faults = append(faults, errors.New("no channel is chosen: name some under channels, or write public: true for every public one that the bot is in"))
	}
	if o.Open != "" && o.Open != access.Members && o.Open != access.Public {
		faults = append(faults, fmt.Errorf("public channels are read by members or public, and not by %s", o.Open))
	}
	return errors.Join(faults...)
}

// Connector reads the channels of one source.
type Connector struct {
	options   Options
	workspace *Workspace
}

var _ index.Connector = (*Connector)(nil)

// New returns a connector; nothing is called before Sync.
func New(w *Workspace, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Slack history: %w", err)
	}
	return &Connector{options: options, workspace: w}, nil
}

// SourceOf returns the source of a name in the configuration.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("slack-" + name), Kind: Kind, Name: name}
}

// Source implements index.Connector.
func (c *Connector) Source() document.Source { return SourceOf(c.options.Name) }

// reading numbers the rules by which messages become documents. Raise it when they change: everything is then read again.
const reading = 1

// Settings implements index.Connector. Channels, ages and access lists are compared with what is stored in every pass.
func (c *Connector) Settings() string { return fmt.Sprintf("slack history %d", reading) }

// Sync implements index.Connector. It lists the channels, then reads the recent days of each, then what is older, newest first.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		p := &pass{Connector: c, source: c.Source().ID, now: c.options.Now(), yield: yield, state: decode(since)}
		p.limit = startOf(p.now.Add(-c.options.Since))
		p.recent = startOf(p.now.Add(-c.options.Recent))
		if p.recent.Before(p.limit) {
			p.recent = p.limit
		}
		if err := p.run(ctx); err != nil && !errors.Is(err, errBroken) {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			yield(index.Batch{}, err)
		}
	}
}

// errBroken says that nobody wants another batch.
var errBroken = errors.New("the caller has broken off")

// pass is one Sync.
type pass struct {
	*Connector
	source document.SourceID
	now    time.Time
	limit  time.Time // nothing older is read; the beginning of a day, as recent
	recent time.Time // what is newer is looked at in every pass
	yield  func(index.Batch, error) bool

	state    state
	me       identity
	listed   time.Time          // when the channels were last listed
	channels map[string]channel // those that are read, by id
	failing  int                // channels in a row
}

// identity is the workspace as documents name it.
type identity struct {
	team, link string
	grid       bool // it is one of several of an organisation
}

// emit yields a batch. The checkpoint is the state as it is now.
func (p *pass) emit(b index.Batch) error {
	b.Next = p.state.encode()
	if !p.yield(b, nil) {
		return errBroken
	}
	return nil
}

func (p *pass) run(ctx context.Context) error {
	id, err := p.workspace.connect(ctx)
	if err != nil {
		return err
	}
	p.me = id
	if p.state.Team != id.team { // another workspace, or the first pass
		p.state = state{Team: id.team}
	}
	if err := p.list(ctx, true); err != nil {
		return err
	}
	if err := p.readRecent(ctx); err != nil {
		return err
	}
	if err := p.readOlder(ctx); err != nil {
		return err
	}
	p.state.Ended = true
	return p.emit(index.Batch{})
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
	if at, err := time.Parse(time.DateOnly, key); err == nil {
		return channel, at, true
	}
	at = timeOf(key)
	return channel, at, !at.IsZero()
}

// startOf is the beginning of a time's day.
func startOf(t time.Time) time.Time { return t.UTC().Truncate(day) }
