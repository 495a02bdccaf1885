package transcript

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// Subject returns the [index.Hint] subject that reports a change in a channel. key is the id of the
// thread, or of a message outside of threads. If key is empty, the channel's readers may have
// changed.
func Subject(channel, key string) string { return channel + ":" + key }

const (
	listenEvery  = 2 * time.Second
	mostFollowed = 500
)

func (p *pass) listen(ctx context.Context, force bool) error {
	if p.options.Hints == nil || !force && time.Since(p.heard) < listenEvery {
		return nil
	}
	p.heard = time.Now()
	found, err := p.options.Hints.Heard(ctx, p.source, mostFollowed)
	if err != nil {
		return fmt.Errorf("look for what was heard of changes: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	byChannel := make(map[string][]index.Hint)
	var order []string
	for _, h := range found {
		channel, key, _ := strings.Cut(h.Subject, ":")
		if byChannel[channel] == nil {
			order = append(order, channel)
		}
		byChannel[channel] = append(byChannel[channel], h)
		if key == "" && p.listed.Before(p.heard) {
			if err := p.list(ctx, true); err != nil {
				return err
			}
		}
	}
	var followed []index.Hint
	for _, id := range order {
		hints := byChannel[id]
		if c, read := p.channels[id]; read {
			if err := p.follow(ctx, c, hints); err != nil {
				if err := p.handleFailure(ctx, c, err); err != nil {
					return err
				}
				continue // the next run follows them
			}
		}
		followed = append(followed, hints...)
	}
	for range 2 { // when the second is accepted, the first and all earlier batches are stored
		if err := p.emit(index.Batch{}); err != nil {
			return err
		}
	}
	if err := p.options.Hints.Followed(ctx, p.source, followed); err != nil {
		return fmt.Errorf("forget what was heard of changes: %w", err)
	}
	return nil
}

func (p *pass) follow(ctx context.Context, c Channel, hints []index.Hint) error {
	var keys []string
	for _, h := range hints {
		if _, key, _ := strings.Cut(h.Subject, ":"); !p.keyTime(key).Before(p.limit) {
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
			item.Again = true // read it even if it is stored or was read in this run
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
