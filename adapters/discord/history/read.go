package history

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/internal/transcript"
)

// day is the period that one document of messages outside threads covers.
const day = 24 * time.Hour

// Parts implements transcript.Platform. A thread is in the part that covers its creation time. The
// newest part also contains older threads with recent activity.
func (r *reader) Parts(ctx context.Context, c transcript.Channel, from, to time.Time) iter.Seq2[transcript.Part, error] {
	return func(yield func(transcript.Part, error) bool) {
		var threads []post
		var err error
		if to.IsZero() {
			threads, err = r.recent(ctx, c.ID, from)
		} else {
			threads, err = r.all(ctx, c.ID)
		}
		if err != nil {
			yield(transcript.Part{}, r.failed(err))
			return
		}
		first := to.IsZero()
		parts := r.days(ctx, c.ID, from, to)
		switch newest := r.channels[c.ID].LastMessageID; {
		case r.isForum(c.ID):
			parts = steps(threads, from, to)
		case newest != "" && timeOf(newest).Before(from): // nothing was said since
			parts = steps(nil, from, to)
		}
		for part, err := range parts {
			if err != nil {
				yield(transcript.Part{}, r.failed(err))
				return
			}
			out := transcript.Part{From: part.from, To: part.to, Items: r.items(c, part.messages)}
			for _, t := range threads {
				at := timeOf(t.id)
				if !at.Before(part.from) && (part.to.IsZero() || at.Before(part.to)) || first && at.Before(from) {
					out.Items = append(out.Items, r.thread(c, t))
				}
			}
			first = false
			if !yield(out, nil) {
				return
			}
		}
	}
}

func (r *reader) isForum(channel string) bool {
	c := r.channels[channel]
	return c.Type == discordgo.ChannelTypeGuildForum || c.Type == discordgo.ChannelTypeGuildMedia
}

// failed adds index.ErrRevoked to err if Discord rejects the token. Other errors are returned
// unchanged.
func (r *reader) failed(err error) error {
	if call.Status(err) == 401 {
		return r.revoked(err)
	}
	return err
}

// perStep is the approximate number of threads in one part of a forum. Progress is stored after
// each part.
const perStep = 50

// threadPart holds a channel's messages of one or more whole days, without the messages in threads.
type threadPart struct {
	from, to time.Time // beginnings of days; to is zero for now
	messages []*discordgo.Message
}

// steps divides a forum's threads into periods with about perStep threads each. It yields only the
// periods, without messages.
func steps(threads []post, from, to time.Time) iter.Seq2[threadPart, error] {
	return func(yield func(threadPart, error) bool) {
		n := 0
		for _, t := range threads {
			at := transcript.StartOf(timeOf(t.id))
			if !to.IsZero() && !at.Before(to) || at.Before(from) {
				continue
			}
			if n++; n < perStep {
				continue
			}
			if !yield(threadPart{from: at, to: to}, nil) {
				return
			}
			n, to = 0, at
		}
		yield(threadPart{from: from, to: to}, nil)
	}
}

// days reads the messages of a channel between two times, newest first. It yields a part when all
// messages of its days are read. The parts together cover the whole period.
func (r *reader) days(ctx context.Context, channel string, from, to time.Time) iter.Seq2[threadPart, error] {
	return func(yield func(threadPart, error) bool) {
		before := ""
		if !to.IsZero() {
			before = call.IdAt(to)
		}
		var held []*discordgo.Message // of days that are not yet read completely
		for {
			found, err := r.discord.OldMessages(ctx, channel, before)
			if err != nil {
				yield(threadPart{}, err)
				return
			}
			more := len(found) == call.HistoryLimit
			slices.SortFunc(found, func(a, b *discordgo.Message) int { return compareIDs(b.ID, a.ID) })
			for _, m := range found {
				if before != "" && !call.Newer(before, m.ID) {
					yield(threadPart{}, errRepeats)
					return
				}
				before = m.ID
				if timeOf(m.ID).Before(from) {
					more = false
					break
				}
				held = append(held, m)
			}
			if !more {
				yield(threadPart{from: from, to: to, messages: held}, nil)
				return
			}
			last := transcript.StartOf(timeOf(held[len(held)-1].ID))
			if whole := slices.IndexFunc(held, func(m *discordgo.Message) bool { return transcript.StartOf(timeOf(m.ID)).Equal(last) }); whole > 0 {
				done := threadPart{from: last.Add(day), to: to, messages: slices.Clone(held[:whole])}
				held, to = slices.Clone(held[whole:]), done.from
				if !yield(done, nil) {
					return
				}
			}
		}
	}
}

func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// Changed implements transcript.Platform. A key is the id of a thread or message. The message may
// have opened a thread.
func (r *reader) Changed(ctx context.Context, c transcript.Channel, keys []string) (items []transcript.Item, gone []string, err error) {
	days := make(map[time.Time]bool)
	for _, key := range keys {
		t, there, err := r.threadOf(ctx, c, key)
		switch {
		case err != nil:
			return nil, nil, r.failed(err)
		case there:
			items = append(items, r.thread(c, t))
		default:
			gone = append(gone, key)
		}
		days[transcript.StartOf(timeOf(key))] = true
	}
	if r.isForum(c.ID) {
		return items, gone, nil
	}
	for at := range days {
		n := len(items)
		for part, err := range r.days(ctx, c.ID, at, at.Add(day)) {
			if err != nil {
				return nil, nil, r.failed(err)
			}
			items = append(items, r.items(c, part.messages)...)
		}
		if len(items) == n {
			gone = append(gone, at.Format(time.DateOnly))
		}
	}
	return items, gone, nil
}

// threadOf fetches a thread. It returns false if the thread is not in the channel, or is not
// indexed.
func (r *reader) threadOf(ctx context.Context, c transcript.Channel, id string) (post, bool, error) {
	t, err := r.discord.OldChannel(ctx, id)
	if isGone(err) {
		return post{}, false, nil
	}
	return postOf(t), err == nil && t.ParentID == c.ID && r.reads(t), err
}
