package transcript

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// Subject is how an index.Hint says that something was written, edited or deleted in a channel: key is Item.Key of the thread or, where the message
// belongs to none, the message's own id.
func Subject(channel, key string) string { return channel + ":" + key }

const (
	// listenEvery is how often hints are asked for in the middle of a pass.
	listenEvery = 2 * time.Second
	// mostFollowed is how many hints a run follows: they stay in its checkpoint until it has ended.
	mostFollowed = 500
)

// settle forgets the hints that earlier runs have followed: of those the checkpoint says that what came of them is stored.
func (p *pass) settle(ctx context.Context) error {
	if len(p.state.Followed) == 0 || p.options.Hints == nil {
		return nil
	}
	if err := p.options.Hints.Followed(ctx, p.source, p.state.Followed); err != nil {
		return fmt.Errorf("forget what was heard of changes: %w", err)
	}
	p.state.Followed = nil
	return nil
}

// listen follows what was heard of changes. Without force it does so only when that was some time ago.
func (p *pass) listen(ctx context.Context, force bool) error {
	if p.options.Hints == nil || !force && time.Since(p.heard) < listenEvery || len(p.state.Followed) >= mostFollowed {
		return nil
	}
	p.heard = time.Now()
	found, err := p.options.Hints.Heard(ctx, p.source, mostFollowed)
	if err != nil {
		return fmt.Errorf("look for what was heard of changes: %w", err)
	}
	byChannel := make(map[string][]index.Hint)
	var order []string
	for _, h := range found {
		channel, _, _ := strings.Cut(h.Subject, ":")
		if slices.ContainsFunc(p.state.Followed, func(f index.Hint) bool { return f.Subject == h.Subject && f.At.Equal(h.At) }) {
			continue
		}
		if byChannel[channel] == nil {
			order = append(order, channel)
		}
		byChannel[channel] = append(byChannel[channel], h)
	}
	for _, id := range order {
		hints := byChannel[id]
		if c, read := p.channels[id]; read {
			if err := p.follow(ctx, c, hints); err != nil {
				if err := p.failed(ctx, c, err); err != nil {
					return err
				}
				continue // they are followed by the next run
			}
		}
		p.state.Followed = append(p.state.Followed, hints...)
	}
	if len(order) == 0 {
		return nil
	}
	return p.emit(index.Batch{})
}

// follow reads what hints of a channel are about.
func (p *pass) follow(ctx context.Context, c Channel, hints []index.Hint) error {
	var keys []string
	for _, h := range hints {
		if _, key, _ := strings.Cut(h.Subject, ":"); !p.at(key).Before(p.limit) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	items, gone, err := p.platform.Changed(ctx, c, keys)
	if err != nil {
		return err
	}
	b := index.Batch{}
	for _, key := range gone {
		b.Deleted = append(b.Deleted, p.id(c.ID, key))
	}
	for some := range slices.Chunk(items, perBatch) {
		for _, i := range some {
			item := p.item(c, i, 0)
			item.Again = true // whatever is stored of it, and whatever this run read of it before
			b.Documents = append(b.Documents, item)
		}
		if err := p.emit(b); err != nil {
			return err
		}
		b = index.Batch{}
	}
	if len(b.Deleted) > 0 {
		return p.emit(b)
	}
	return nil
}
