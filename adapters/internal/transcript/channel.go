package transcript

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func (p *pass) list(ctx context.Context, force bool) error {
	if !force && time.Since(p.listed) < p.options.Relist {
		return nil
	}
	began := time.Now()
	found, err := p.platform.Channels(ctx)
	if err != nil {
		return err
	}
	chosen := make(map[string]Channel)
	var unmet []index.Notice
	for _, c := range found {
		switch {
		case !p.options.Chooses(c):
		case c.Barred != "":
			unmet = append(unmet, index.Notice{Name: "#" + c.Name, Sentence: c.Barred})
		default:
			chosen[c.ID] = c
		}
	}
	if err := p.confirm(ctx, found); err != nil {
		return err
	}
	first := p.channels == nil
	p.listed, p.channels = began, chosen
	if !first {
		unmet = nil
	} else {
		for _, name := range p.options.Unmet(found) {
			unmet = append(unmet, index.Notice{Name: name, Sentence: p.rules.Absent})
		}
	}
	return p.apply(unmet)
}

// Chooses reports whether the options select a channel, either by name or id, or because it is
// public.
func (o Options) Chooses(c Channel) bool {
	return o.Public && !c.Private || slices.ContainsFunc(o.Channels, func(name string) bool { return names(name, c) })
}

func names(entry string, c Channel) bool {
	return entry == c.ID || strings.EqualFold(strings.TrimPrefix(entry, "#"), c.Name)
}

// Unmet returns the configured channels that are not in found.
func (o Options) Unmet(found []Channel) []string {
	var unmet []string
	for _, name := range o.Channels {
		if !slices.ContainsFunc(found, func(c Channel) bool { return names(name, c) }) {
			unmet = append(unmet, name)
		}
	}
	return unmet
}

const mostAsked = 3

// confirm checks that a list of channels is complete. It looks up some known channels that are
// missing in found. If the bot can still read one of them, confirm returns an error.
func (p *pass) confirm(ctx context.Context, found []Channel) error {
	asked := 0
	for _, id := range slices.Sorted(maps.Keys(p.state.Channels)) {
		if slices.ContainsFunc(found, func(c Channel) bool { return c.ID == id }) || asked == mostAsked {
			continue
		}
		asked++
		reads, err := p.platform.Reads(ctx, id)
		if err != nil {
			return err
		}
		if reads {
			return fmt.Errorf("the list of the bot's channels lacks %s, which it can read: the next run lists them again", id)
		}
	}
	return nil
}

func (p *pass) readers(id string) (access.ACL, error) {
	c, ok := p.channels[id]
	if !ok {
		return nil, fmt.Errorf("the channel is not read any more: %w", index.ErrWithdrawn)
	}
	return c.ACL, nil
}

// apply updates stored documents after the list of channels has changed. It removes the documents
// of channels that are no longer read, and replaces the access lists of channels with other
// readers. It checks all documents at least once a day.
func (p *pass) apply(unmet []index.Notice) error {
	changed := p.now.Sub(ofMicros(p.state.Reviewed)) >= day
	for id := range p.state.Channels {
		if _, ok := p.channels[id]; !ok {
			changed = true
			delete(p.state.Channels, id)
		}
	}
	for id, c := range p.channels {
		readers := fmt.Sprint(c.ACL)
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
		in, at, known := p.parseID(id)
		c, ok := channels[in]
		if !ok || !known || at.Before(p.limit) {
			return index.Verdict{Gone: true}
		}
		return index.Verdict{ACL: c.ACL}
	}})
}

// patience is the number of consecutive channels that may fail before the pass fails.
const patience = 3

// ErrLone is wrapped by errors that concern only one channel. The other channels are then still
// read.
var ErrLone = errors.New("the other channels are read")

// handleFailure reports an error about a channel as a notice and returns nil. It returns the error
// if the whole run must stop, or after patience consecutive failures. An error that wraps ErrLone
// does not stop the run.
func (p *pass) handleFailure(ctx context.Context, c Channel, err error) error {
	if ctx.Err() != nil || errors.Is(err, sourcepass.ErrBroken) || errors.Is(err, index.ErrRevoked) {
		return err
	}
	if p.failing++; p.failing >= patience && !errors.Is(err, ErrLone) {
		return err
	}
	return p.emit(index.Batch{Failures: []index.Notice{{Name: "#" + c.Name, Sentence: err.Error() + ". The next run tries again."}}})
}
