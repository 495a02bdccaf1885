package history

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
)

// post is what lists tell of a thread or post.
type post struct {
	id, channel, name, last string
	count                   int
	tags                    []string // ids
}

// archive is what was listed of a channel's threads, whole or on the way there. It outlives a run:
// some channels have more threads than can be listed in a piece of one.
type archive struct {
	posts  []post
	seen   map[string]bool
	before time.Time // how far the list of the archived ones is
	begun  time.Time
	whole  bool
}

const (
	// activeAge is how long a list of a server's active threads counts. A thread that leaves the
	// archive within it may be missed by one pass.
	activeAge = 30 * time.Second
	// archiveAge is how long a list of all threads of a channel counts. Those that were deleted
	// since are found out one by one.
	archiveAge = 10 * time.Minute
	// clockSkew is how far Discord's clock may be behind this process's.
	clockSkew = time.Minute
)

// errRepeats says that a list leads back to what was read.
var errRepeats = errors.New("Discord's pages repeat themselves, so that what was asked for cannot be read whole: the next run tries again")

// recent lists the threads of a channel that are active, or were put into the archive since a time:
// all that began since then are among them. The newest come first.
func (r *reader) recent(ctx context.Context, channel string, since time.Time) ([]post, error) {
	list := &archive{seen: make(map[string]bool)}
	if err := r.join(ctx, list, channel); err != nil {
		return nil, err
	}
	if err := r.page(ctx, list, channel, since); err != nil {
		return nil, err
	}
	return list.sorted(), nil
}

// all lists all threads of a channel, the newest first.
func (r *reader) all(ctx context.Context, channel string) ([]post, error) {
	now := time.Now()
	list := r.kept(r.name+" "+channel, now)
	// those that are active now, and at the beginning
	if err := r.join(ctx, list, channel); err != nil {
		return nil, err
	}
	if list.begun.Before(now) { // and those that were put into the archive since the list was begun
		since := &archive{seen: make(map[string]bool)}
		if err := r.page(ctx, since, channel, list.begun.Add(-clockSkew)); err != nil {
			return nil, err
		}
		for _, p := range since.posts {
			list.add(p)
		}
	}
	if err := r.page(ctx, list, channel, time.Time{}); err != nil {
		return nil, err
	}
	return list.sorted(), nil
}

// kept is the list of a channel that a source has begun, or a new one where that is old.
func (s *Server) kept(key string, now time.Time) *archive {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.archives[key]
	if list == nil || list.whole && now.Sub(list.begun) > archiveAge || now.Sub(list.begun) > 24*archiveAge {
		list = &archive{seen: make(map[string]bool), begun: now}
		s.archives[key] = list
	}
	return list
}

// join adds the active threads of a channel.
func (r *reader) join(ctx context.Context, list *archive, channel string) error {
	if time.Since(r.activeAt) > activeAge {
		now := time.Now()
		active, err := r.discord.ActiveThreads(ctx, r.guild)
		if err != nil {
			return err
		}
		r.active = r.active[:0]
		for _, t := range active {
			if r.reads(t) {
				r.active = append(r.active, postOf(t))
			}
		}
		r.activeAt = now
	}
	for _, p := range r.active {
		if p.channel == channel {
			list.add(p)
		}
	}
	return nil
}

// add notes a thread and replaces what was known of it.
func (a *archive) add(p post) (fresh bool) {
	if a.seen[p.id] {
		a.posts[slices.IndexFunc(a.posts, func(o post) bool { return o.id == p.id })] = p
		return false
	}
	a.seen[p.id] = true
	a.posts = append(a.posts, p)
	return true
}

func (a *archive) sorted() []post {
	slices.SortFunc(a.posts, func(x, y post) int { return compareIDs(y.id, x.id) })
	return slices.Clone(a.posts)
}

// page reads on in the list of archived threads, to its end or to what was put there before a time.
func (r *reader) page(ctx context.Context, list *archive, channel string, since time.Time) error {
	for !list.whole {
		found, more, err := r.discord.ArchivedThreads(ctx, channel, list.before)
		if err != nil {
			return err
		}
		fresh, last := 0, list.before
		for _, t := range found {
			if t.ThreadMetadata == nil {
				return errors.New("list archived threads: Discord does not say when they were put there")
			}
			last = t.ThreadMetadata.ArchiveTimestamp
			if !list.seen[t.ID] {
				fresh++
			}
			if r.reads(t) {
				list.add(postOf(t))
			}
			list.seen[t.ID] = true
		}
		switch {
		case !more, len(found) > 0 && last.Before(since):
			list.whole = true
		case fresh > 0: // those of the same moment may stand on the next page
			list.before = last.Add(time.Microsecond)
		case list.before.IsZero() || last.Before(list.before):
			list.before = last
		default:
			return errRepeats
		}
	}
	return nil
}

// reads reports whether a thread is one to read: everybody who can open its channel can open it,
// and the bot did not open it for an answer.
func (r *reader) reads(t *discordgo.Channel) bool {
	return (t.Type == discordgo.ChannelTypeGuildPublicThread || t.Type == discordgo.ChannelTypeGuildNewsThread) && t.OwnerID != r.self
}

func postOf(t *discordgo.Channel) post {
	return post{id: t.ID, channel: t.ParentID, name: t.Name, last: t.LastMessageID, count: t.MessageCount, tags: t.AppliedTags}
}
