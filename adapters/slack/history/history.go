// Package history reads messages of a workspace's channels as documents. Each thread is one
// document. The messages of one day without replies are also one document. The package reads only
// channels that the bot is in. It never reads direct messages or the bot's own messages.
package history

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind identifies Slack as the kind of a document source.
const Kind document.Kind = "slack"

// Subject returns the subject of an index.Hint about a change in a channel. key is the id of the
// changed thread or message. If key is empty, the access to the channel changed.
func Subject(channel, key string) string { return transcript.Subject(channel, key) }

// Reading configures which channels a source reads, how far back it reads, and how often.
type Reading = transcript.Options

// Options configures a connector. Zero fields get their defaults.
type Options struct {
	Reading
	// Open is the group of readers for public channels, in addition to the members of the channel.
	// It is access.Members or access.Public. Empty means access.Members. In an organisation with
	// several workspaces, empty means no additional readers, because access.Members would include
	// people of other workspaces.
	Open access.Principal
}

func (o Options) validate() error {
	err := o.Validate()
	if o.Open != "" && o.Open != access.Members && o.Open != access.Public {
		err = errors.Join(err, fmt.Errorf("public channels are read by members or public, and not by %s", o.Open))
	}
	return err
}

// reading is the version of the rules that convert messages to documents. Increase it after a
// change of the rules. Every message is then read again.
const reading = 2

// New returns a connector. It makes no API call before Sync.
func New(w *Workspace, options Options) (*transcript.Connector, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Slack history: %w", err)
	}
	rules := transcript.Rules{Source: SourceOf(options.Name), Settings: fmt.Sprintf("slack history %d", reading), Absent: sayAbsent, At: timeOf}
	return transcript.New(&reader{workspace: w, open: options.Open}, rules, options.Reading)
}

const sayAbsent = "The bot is in no channel of this name or id: invite it there, or correct the name. Ids outlast renaming."

// SourceOf returns the source with the given name in the configuration.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("slack-" + name), Kind: Kind, Name: name}
}

type reader struct {
	workspace *Workspace
	open      access.Principal
	me        identity // set once connected
}

var _ transcript.Platform = (*reader)(nil)

type identity struct {
	team, link string
	grid       bool // the organisation has several workspaces
}

// Connect implements transcript.Platform.
func (r *reader) Connect(ctx context.Context) (string, error) {
	me, err := r.workspace.connect(ctx)
	if err != nil {
		return "", err
	}
	r.me = me
	return me.team, nil
}

// Channels implements transcript.Platform.
func (r *reader) Channels(ctx context.Context) ([]transcript.Channel, error) {
	found, err := r.workspace.channels(ctx)
	for i := range found {
		found[i].ACL = r.acl(found[i])
	}
	return found, err
}

// Reads implements transcript.Platform.
func (r *reader) Reads(ctx context.Context, channel string) (bool, error) {
	return r.workspace.isIn(ctx, channel)
}

func (r *reader) acl(c transcript.Channel) access.ACL {
	inside := access.Channel(string(call.Platform), c.ID)
	switch {
	case c.Private, r.me.grid && r.open == "":
		return access.ACL{inside}
	case r.open == access.Public:
		return access.ACL{access.Public}
	default:
		return access.ACL{inside, access.Members}
	}
}

// Parts implements transcript.Platform.
func (r *reader) Parts(ctx context.Context, c transcript.Channel, from, to time.Time) iter.Seq2[transcript.Part, error] {
	return func(yield func(transcript.Part, error) bool) {
		for part, err := range r.parts(ctx, c, from, to) {
			if !yield(transcript.Part{From: part.from, To: part.to, Items: r.items(c, part.messages)}, markLone(err)) {
				return
			}
		}
	}
}

// Changed implements transcript.Platform. It reads the whole day of each changed thread or message.
// Only the day's messages show whether a message began a thread.
func (r *reader) Changed(ctx context.Context, c transcript.Channel, keys []string) (items []transcript.Item, gone []string, err error) {
	asked := make(map[time.Time][]string)
	for _, key := range keys {
		at := transcript.StartOf(timeOf(key))
		asked[at] = append(asked[at], key)
	}
	for at, roots := range asked {
		there := make(map[string]bool)
		for part, err := range r.parts(ctx, c, at, at.Add(day)) {
			if err != nil {
				return nil, nil, markLone(err)
			}
			for _, i := range r.items(c, part.messages) {
				there[i.Key] = true
				for _, root := range roots {
					if i.Key == root || timeOf(i.Key).IsZero() { // the thread, or the day
						items = append(items, i)
						break
					}
				}
			}
		}
		for _, key := range append(roots, at.Format(time.DateOnly)) {
			if !there[key] {
				gone = append(gone, key)
			}
		}
	}
	return items, gone, nil
}

// markLone adds transcript.ErrLone to an error for a missing scope, because other channels may
// still be readable.
func markLone(err error) error {
	if call.Code(err) == "missing_scope" {
		return fmt.Errorf("%w (%w)", err, transcript.ErrLone)
	}
	return err
}

// revoked adds index.ErrRevoked to an error if Slack no longer accepts the token.
func revoked(err error) error {
	switch call.Code(err) {
	case "token_revoked", "account_inactive", "token_expired", "invalid_auth", "not_authed":
		return fmt.Errorf("%w; %w", err, index.ErrRevoked)
	}
	return err
}
