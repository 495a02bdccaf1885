package history

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// again is the least time after which the recent days are read again while what is older is being read; they take no more than half of the time.
const again = time.Minute

// readRecent reads the recent days of every channel, beginning with the one that was read the longest ago. A pass that was interrupted goes on.
func (p *pass) readRecent(ctx context.Context) error {
	s := &p.state
	took := ofMicros(s.Done).Sub(ofMicros(s.Pass))
	if s.Ended || s.Pass == 0 || s.Done != 0 && p.now.Sub(ofMicros(s.Done)) >= max(again, took) {
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
		if err := p.list(ctx, false); err != nil {
			return err
		}
		c, ok := p.channels[id]
		if !ok {
			continue
		}
		if err := p.readChannel(ctx, c); err != nil {
			if err := p.failed(ctx, c, err); err != nil {
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

// readChannel reads the recent days of a channel.
func (p *pass) readChannel(ctx context.Context, c channel) error {
	for part, err := range p.parts(ctx, c, p.recent, time.Time{}) {
		if err == nil {
			err = p.take(ctx, c, part, p.options.RecentAge)
		}
		if err != nil {
			return err
		}
	}
	if _, still := p.channels[c.id]; !still {
		return nil
	}
	p.state.set(c.id, func(g *progress) {
		g.Recent = max(micros(p.now), p.state.Pass)
		if g.Floor == 0 && p.now.Sub(ofMicros(g.Whole)) >= p.options.Age {
			g.Floor = micros(p.recent)
		}
	})
	return p.emit(index.Batch{})
}

// readOlder reads what is older, of all channels the newest first.
func (p *pass) readOlder(ctx context.Context) error {
	tried := make(map[string]bool) // and failed
	for {
		if err := p.list(ctx, false); err != nil {
			return err
		}
		var next channel
		for id, c := range p.channels {
			at, best := p.state.Channels[id].Floor, p.state.Channels[next.id].Floor
			if at != 0 && !tried[id] && (at > best || at == best && id < next.id) {
				next = c
			}
		}
		if next.id == "" {
			return nil
		}
		if err := p.readBack(ctx, next); err != nil {
			tried[next.id] = true
			if err := p.failed(ctx, next, err); err != nil {
				return err
			}
			continue
		}
		p.failing = 0
	}
}

// readBack reads the next older part of a channel.
func (p *pass) readBack(ctx context.Context, c channel) error {
	floor := p.limit
	if to := ofMicros(p.state.Channels[c.id].Floor); to.After(p.limit) {
		for part, err := range p.parts(ctx, c, p.limit, to) {
			if err == nil {
				err = p.take(ctx, c, part, max(p.options.Age/2, 1)) // what this reading met already is not read again
			}
			if err != nil {
				return err
			}
			floor = part.from
			break
		}
	}
	if _, still := p.channels[c.id]; !still {
		return nil
	}
	p.state.set(c.id, func(g *progress) {
		if g.Floor = micros(floor); !floor.After(p.limit) {
			g.Floor, g.Whole = 0, micros(p.now)
		}
	})
	return p.emit(index.Batch{})
}

// part is all that was said outside threads in some whole days, with the beginnings of threads.
type part struct {
	from, to time.Time // beginnings of days; to is zero for now
	said     []api.Message
}

// parts reads a channel between two times, newest first, and yields its days as soon as they are known whole. Together the parts cover all of
// the time.
func (p *pass) parts(ctx context.Context, c channel, from, to time.Time) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		oldest, latest := stamp(from), ""
		if !to.IsZero() {
			latest = stamp(to.Add(-time.Microsecond))
		}
		var held []api.Message // of days that may not be whole
		stopped := false
		lowest := latest // what was read goes back to there
		err := pages(ctx, func(cursor string) (string, error) {
			found, err := p.workspace.history(ctx, c.id, oldest, latest, cursor)
			if err != nil {
				return "", err
			}
			for _, m := range found.Messages {
				if at := timeOf(m.Timestamp); !at.IsZero() && (len(held) == 0 || m.Timestamp < held[len(held)-1].Timestamp) {
					held = append(held, m)
					lowest = m.Timestamp
				}
			}
			if len(held) > 0 {
				last := startOf(timeOf(held[len(held)-1].Timestamp))
				whole := slices.IndexFunc(held, func(m api.Message) bool { return startOf(timeOf(m.Timestamp)).Equal(last) })
				if whole > 0 {
					done := part{from: last.Add(day), to: to, said: slices.Clone(held[:whole])}
					held, to = slices.Clone(held[whole:]), done.from
					if stopped = !yield(done, nil); stopped {
						return "", nil
					}
				}
			}
			if !found.HasMore {
				return "", nil
			}
			if found.ResponseMetaData.NextCursor == "" {
				return "", errRepeats // there is more, and no way to it
			}
			return found.ResponseMetaData.NextCursor, nil
		}, func() { latest = lowest })
		switch {
		case stopped:
		case err != nil:
			yield(part{}, err)
		default:
			yield(part{from: from, to: to, said: held}, nil)
		}
	}
}

// perBatch is how many documents are read before what was read is stored.
const perBatch = 4

// take yields the documents of a part, and removes those that it has no more.
func (p *pass) take(ctx context.Context, c channel, of part, age time.Duration) error {
	threads, days := sorted(of.said)
	items := make([]index.Item, 0, len(threads)+len(days))
	there := make(map[document.ID]bool)
	for _, root := range threads {
		items = append(items, p.thread(c, root))
	}
	for _, said := range days {
		items = append(items, p.day(c, said))
	}
	for i := range items {
		items[i].MaxAge = age
		there[items[i].ID] = true
	}
	review := func(id document.ID) index.Verdict {
		in, at, ok := p.place(id)
		gone := ok && in == c.id && !there[id] && !at.Before(of.from) && (of.to.IsZero() || at.Before(of.to))
		return index.Verdict{Gone: gone}
	}
	for some := range slices.Chunk(items, perBatch) {
		if err := p.emit(index.Batch{Review: review, Documents: some}); err != nil {
			return err
		}
		review = nil
		if err := p.list(ctx, false); err != nil {
			return err
		}
		if _, still := p.channels[c.id]; !still {
			return nil
		}
	}
	if review != nil {
		return p.emit(index.Batch{Review: review})
	}
	return nil
}

// sorted parts messages into the beginnings of threads and the rest, by day.
func sorted(said []api.Message) (threads []api.Message, days [][]api.Message) {
	for _, m := range said {
		switch {
		case m.ThreadTimestamp != "" && m.ThreadTimestamp != m.Timestamp: // a reply that was sent to the channel, too
		case m.ReplyCount > 0 || m.LatestReply != "" || m.SubType == "tombstone":
			threads = append(threads, m)
		case len(days) > 0 && sameDay(days[len(days)-1][0], m):
			days[len(days)-1] = append(days[len(days)-1], m)
		default:
			days = append(days, []api.Message{m})
		}
	}
	return threads, days
}

func sameDay(a, b api.Message) bool {
	return startOf(timeOf(a.Timestamp)).Equal(startOf(timeOf(b.Timestamp)))
}

// timeOf is when a message was written, by its id; zero for what is no id.
func timeOf(ts string) time.Time {
	if t := event.TimeOf(thread.MessageID(ts)); t.Unix() > 0 {
		return t.UTC()
	}
	return time.Time{}
}

// stamp is a time as ids of messages tell it.
func stamp(t time.Time) string {
	return fmt.Sprintf("%010d.%06d", max(t.Unix(), 0), t.Nanosecond()/1000)
}

// gone reports whether an error says that what was asked for cannot be read any more.
func gone(err error) bool {
	return slices.Contains([]string{"thread_not_found", "message_not_found", "channel_not_found", "not_in_channel"}, call.Code(err))
}
