package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// channel is one that the bot is in.
type channel struct {
	id, name string
	private  bool // people come in by invitation alone
}

// list finds out which channels are read and who may read them, and does what has changed of that to stored documents before anything else is
// read. Without force it does so only when the last list is old.
func (p *pass) list(ctx context.Context, force bool) error {
	if !force && time.Since(p.listed) < p.options.Relist {
		return nil
	}
	began := time.Now()
	found, err := p.workspace.channels(ctx)
	if err != nil {
		return err
	}
	chosen := make(map[string]channel)
	for _, c := range found {
		if p.chooses(c) {
			chosen[c.id] = c
		}
	}
	if err := p.confirm(ctx, found); err != nil {
		return err
	}
	first := p.channels == nil
	p.listed, p.channels = began, chosen
	var unmet []index.Notice
	if first {
		unmet = p.unmet(found)
	}
	return p.apply(unmet)
}

func (p *pass) chooses(c channel) bool {
	return p.options.Public && !c.private || slices.ContainsFunc(p.options.Channels, func(name string) bool { return names(name, c) })
}

// names reports whether an entry of the configuration means a channel.
func names(entry string, c channel) bool {
	return entry == c.id || strings.EqualFold(strings.TrimPrefix(entry, "#"), c.name)
}

// unmet tells of channels that are named and not read.
func (p *pass) unmet(found []channel) []index.Notice {
	var all []index.Notice
	for _, name := range p.options.Channels {
		if !slices.ContainsFunc(found, func(c channel) bool { return names(name, c) }) {
			all = append(all, index.Notice{Name: name, Sentence: sayAbsent})
		}
	}
	return all
}

const sayAbsent = "The bot is in no channel of this name or id: invite it there, or correct the name. Ids outlast renaming."

// mostAsked is how many of the channels that a list lacks are asked about one by one.
const mostAsked = 3

// confirm asks about channels that were read and that a list lacks, so that a list that is cut short removes nothing.
func (p *pass) confirm(ctx context.Context, found []channel) error {
	asked := 0
	for _, id := range slices.Sorted(maps.Keys(p.state.Channels)) {
		if slices.ContainsFunc(found, func(c channel) bool { return c.id == id }) || asked == mostAsked {
			continue
		}
		asked++
		in, err := p.workspace.isIn(ctx, id)
		if err != nil {
			return err
		}
		if in {
			return fmt.Errorf("Slack's list of the bot's channels lacks %s, which it is in: the next run lists them again", id)
		}
	}
	return nil
}

// readers is who may read the documents of a channel as it is now; an error where it is not read any more.
func (p *pass) readers(id string) (access.ACL, error) {
	c, ok := p.channels[id]
	if !ok {
		return nil, fmt.Errorf("the channel is not read any more: %w", index.ErrWithdrawn)
	}
	return p.acl(c), nil
}

// acl is who may read the documents of a channel.
func (p *pass) acl(c channel) access.ACL {
	inside := access.Channel(string(call.Platform), c.id)
	switch {
	case c.private, p.me.grid && p.options.Open == "":
		return access.ACL{inside}
	case p.options.Open == access.Public:
		return access.ACL{access.Public}
	default:
		return access.ACL{inside, access.Members}
	}
}

// apply has stored documents follow their channels: those of a channel that is not read any more are removed, and of one whose readers are others
// now all change at once. All documents are compared once a day, whatever is known to have changed.
func (p *pass) apply(unmet []index.Notice) error {
	changed := p.now.Sub(ofMicros(p.state.Reviewed)) >= day
	for id := range p.state.Channels {
		if _, ok := p.channels[id]; !ok {
			changed = true
			delete(p.state.Channels, id)
		}
	}
	for id, c := range p.channels {
		readers := fmt.Sprint(p.acl(c))
		if known, ok := p.state.Channels[id]; ok && known.Access == readers {
			continue
		} else if ok {
			changed = true
		}
		p.state.set(id, func(g *progress) { g.Access = readers })
	}
	if !changed {
		if len(unmet) == 0 {
			return nil
		}
		return p.emit(index.Batch{Failures: unmet})
	}
	p.state.Reviewed = micros(p.now)
	channels := maps.Clone(p.channels)
	return p.emit(index.Batch{Failures: unmet, Review: func(id document.ID) index.Verdict {
		c, ok := channels[channelOf(p.place(id))]
		if _, at, known := p.place(id); !ok || !known || at.Before(p.limit) {
			return index.Verdict{Gone: true}
		}
		return index.Verdict{ACL: p.acl(c)}
	}})
}

func channelOf(id string, _ time.Time, _ bool) string { return id }

// patience is how many channels in a row may fail before the pass does.
const patience = 3

// failed says what a channel that could not be read means: a notice, or the end of the pass where it is not about that channel.
func (p *pass) failed(ctx context.Context, c channel, err error) error {
	if ctx.Err() != nil || errors.Is(err, errBroken) {
		return err
	}
	if p.failing++; p.failing >= patience || call.Hopeless(err) && call.Code(err) != "missing_scope" {
		return err
	}
	return p.emit(index.Batch{Failures: []index.Notice{{Name: "#" + c.name, Sentence: err.Error() + ". The next run tries again."}}})
}
