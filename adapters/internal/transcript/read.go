package transcript

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// recentInterval is the minimum pause between two reads of the recent days. Older days are read
// during the pause. The pause is at least as long as the last read of the recent days took.
const recentInterval = time.Minute

func (p *pass) readRecent(ctx context.Context) error {
	s := &p.state
	took := ofMicros(s.Done).Sub(ofMicros(s.Pass))
	if s.Ended || s.Pass == 0 || s.Done != 0 && p.now.Sub(ofMicros(s.Done)) >= max(recentInterval, took) {
		s.Pass, s.Done = micros(p.now), 0
	}
	s.Ended = false
	var due []string
	for id := range p.channels {
		if s.Channels[id].Recent < s.Pass {
			due = append(due, id)
		}
	}
	slices.SortFunc(due, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Channels[a].Recent, s.Channels[b].Recent), cmp.Compare(a, b))
	})
	for _, id := range due {
		if err := p.handleUrgent(ctx); err != nil {
			return err
		}
		c, ok := p.channels[id]
		if !ok {
			continue
		}
		if err := p.readChannel(ctx, c); err != nil {
			if err := p.handleFailure(ctx, c, err); err != nil {
				return err
			}
			continue
		}
		p.failing = 0
	}
	if s.Done == 0 {
		s.Done = micros(p.options.Now())
	}
	return p.emit(index.Batch{})
}

func (p *pass) handleUrgent(ctx context.Context) error {
	if err := p.list(ctx, false); err != nil {
		return err
	}
	return p.listen(ctx, false)
}

func (p *pass) readChannel(ctx context.Context, c Channel) error {
	for part, err := range p.platform.Parts(ctx, c, p.recent, time.Time{}) {
		if err == nil {
			err = p.yieldPart(ctx, c, part, p.options.RecentAge)
		}
		if err != nil {
			return err
		}
	}
	if _, still := p.channels[c.ID]; !still {
		return nil
	}
	p.state.set(c.ID, func(g *progress) {
		g.Recent = max(micros(p.now), p.state.Pass)
		if g.Floor == 0 && p.now.Sub(ofMicros(g.Whole)) >= p.options.Age {
			g.Floor = micros(p.recent)
		}
	})
	return p.emit(index.Batch{})
}

func (p *pass) readOlder(ctx context.Context) error {
	tried := make(map[string]bool) // channels that failed
	for {
		if err := p.handleUrgent(ctx); err != nil {
			return err
		}
		var next Channel
		for id, c := range p.channels {
			at, best := p.state.Channels[id].Floor, p.state.Channels[next.ID].Floor
			if at != 0 && !tried[id] && (at > best || at == best && id < next.ID) {
				next = c
			}
		}
		if next.ID == "" {
			return nil
		}
		if err := p.readBack(ctx, next); err != nil {
			tried[next.ID] = true
			if err := p.handleFailure(ctx, next, err); err != nil {
				return err
			}
			continue
		}
		p.failing = 0
	}
}

func (p *pass) readBack(ctx context.Context, c Channel) error {
	floor := p.limit
	if to := ofMicros(p.state.Channels[c.ID].Floor); to.After(p.limit) {
		for part, err := range p.platform.Parts(ctx, c, p.limit, to) {
			if err == nil {
				// an unchanged document that was read within half of Age is not read again
				err = p.yieldPart(ctx, c, part, max(p.options.Age/2, 1))
			}
			if err != nil {
				return err
			}
			floor = part.From
			break
		}
	}
	if _, still := p.channels[c.ID]; !still {
		return nil
	}
	p.state.set(c.ID, func(g *progress) {
		if g.Floor = micros(floor); !floor.After(p.limit) {
			g.Floor, g.Whole = 0, micros(p.now)
		}
	})
	return p.emit(index.Batch{})
}

const (
	perBatch = 4
	waiting  = 10 * time.Minute // for a document to be loaded
)

// yieldPart emits the documents of a part. It removes stored documents of the same period that are
// not in the part.
func (p *pass) yieldPart(ctx context.Context, c Channel, of Part, age time.Duration) error {
	of.Items = slices.DeleteFunc(of.Items, func(i Item) bool { return p.keyTime(i.Key).Before(p.limit) })
	there := make(map[document.ID]bool)
	for _, i := range of.Items {
		there[p.id(c.ID, i.Key)] = true
	}
	review := func(id document.ID) index.Verdict {
		in, at, ok := p.parseID(id)
		gone := ok && in == c.ID && !there[id] && !at.Before(of.From) && (of.To.IsZero() || at.Before(of.To))
		return index.Verdict{Gone: gone}
	}
	for some := range slices.Chunk(of.Items, perBatch) {
		items := make([]index.Item, len(some))
		for i := range some {
			items[i] = p.item(c, some[i], age)
		}
		if err := p.emit(index.Batch{Review: review, Documents: items}); err != nil {
			return err
		}
		review = nil
		if err := p.handleUrgent(ctx); err != nil {
			return err
		}
		if _, still := p.channels[c.ID]; !still {
			return nil
		}
	}
	if review != nil {
		return p.emit(index.Batch{Review: review})
	}
	return nil
}

func (p *pass) item(c Channel, i Item, age time.Duration) index.Item {
	id := p.id(c.ID, i.Key)
	return index.Item{ID: id, ModifiedAt: i.Modified, MaxAge: age, Wait: waiting, Load: func(ctx context.Context) (document.Document, error) {
		acl, err := p.readers(c.ID)
		if err != nil {
			return document.Document{}, err
		}
		d, err := i.Load(ctx)
		d.ID, d.ACL = id, acl
		return d, err
	}}
}
