package history

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
)

type post struct {
	id, channel, name, last string
	count                   int
	tags                    []string // ids
}

// archive is a complete or partial list of a channel's threads. It is kept between runs, so that a
// later run continues an incomplete list.
type archive struct {
	posts  []post
	seen   map[string]bool
	before time.Time // position in the list of archived threads
	begun  time.Time
	whole  bool
}

const (
	// activeAge is how long the list of a server's active threads is cached. A full scan may miss a
	// thread that leaves the archive during that time.
	activeAge = 30 * time.Second
	// archiveAge is how long a complete list of a channel's threads is cached. It may contain
	// threads that have since been deleted.
	archiveAge = 10 * time.Minute
	// clockSkew is the largest assumed delay of Discord's clock against the local clock.
	clockSkew = time.Minute
)

var errRepeats = errors.New("Discord's pages repeat themselves, so that what was asked for cannot be read whole: the next run tries again")

// recent lists the threads of a channel that are active or were archived after since, newest first.
// The result includes all threads created after since.
func (r *reader) recent(ctx context.Context, channel string, since time.Time) ([]post, error) {
	list := &archive{seen: make(map[string]bool)}
	if err := r.join(ctx, list, channel); err != nil {
		return nil, err
	}
	if err := r.readArchivedPages(ctx, list, channel, since); err != nil {
		return nil, err
	}
	return list.sorted(), nil
}

// all lists all threads of a channel, newest first.
func (r *reader) all(ctx context.Context, channel string) ([]post, error) {
	now := time.Now()
	list := r.cached(r.name+" "+channel, now)
	// add the active threads again, as when the list was begun
	if err := r.join(ctx, list, channel); err != nil {
		return nil, err
	}
	if list.begun.Before(now) { // add the threads that were archived since then
		since := &archive{seen: make(map[string]bool)}
		if err := r.readArchivedPages(ctx, since, channel, list.begun.Add(-clockSkew)); err != nil {
			return nil, err
		}
		for _, p := range since.posts {
			list.add(p)
		}
	}
	if err := r.readArchivedPages(ctx, list, channel, time.Time{}); err != nil {
		return nil, err
	}
	return list.sorted(), nil
}

// cached returns the stored thread list for a key. It begins a new list if there is none or the
// stored one is too old.
func (s *Server) cached(key string, now time.Time) *archive {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.archives[key]
	if list == nil || list.whole && now.Sub(list.begun) > archiveAge || now.Sub(list.begun) > 24*archiveAge {
		list = &archive{seen: make(map[string]bool), begun: now}
		s.archives[key] = list
	}
	return list
}

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

// add stores a thread, and replaces an earlier entry of the same thread. fresh reports whether the
// thread is new to the list.
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

// readArchivedPages adds further pages of a channel's archived threads to a list. It stops at the
// last page, or at threads that were archived before since.
func (r *reader) readArchivedPages(ctx context.Context, list *archive, channel string, since time.Time) error {
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
		case fresh > 0: // the next page may have threads of the same moment
			list.before = last.Add(time.Microsecond)
		case list.before.IsZero() || last.Before(list.before):
			list.before = last
		default:
			return errRepeats
		}
	}
	return nil
}

// reads reports whether a thread is indexed. Everyone who can open the channel must be able to open
// the thread. The bot must not have opened the thread for an answer.
func (r *reader) reads(t *discordgo.Channel) bool {
	return (t.Type == discordgo.ChannelTypeGuildPublicThread || t.Type == discordgo.ChannelTypeGuildNewsThread) && t.OwnerID != r.self
}

func postOf(t *discordgo.Channel) post {
	return post{id: t.ID, channel: t.ParentID, name: t.Name, last: t.LastMessageID, count: t.MessageCount, tags: t.AppliedTags}
}
