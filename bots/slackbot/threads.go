package slackbot

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/thread"
)

// maxThreads bounds what is remembered of threads; a forgotten one is read from Slack again.
const maxThreads = 20_000

// threads remembers who takes part in threads. What was said before this process began is read from Slack, once for each thread.
// No text is kept. It is safe for concurrent use.
type threads struct {
	read func(context.Context, thread.Ref) ([]slack.Post, error)

	mu    sync.Mutex
	known map[thread.Ref]*conversation
}

// conversation is what is known of a thread.
type conversation struct {
	bot        bool // takes part
	unfollowed bool
	people     map[string]bool // who wrote since the bot took part, and who asked it then
	last       time.Time
}

// with counts the people when one more writes.
func (c conversation) with(author string) int {
	if c.people[author] {
		return len(c.people)
	}
	return len(c.people) + 1
}

// get returns what is known of a thread, reading it when that is nothing.
func (t *threads) get(ctx context.Context, ref thread.Ref) (conversation, error) {
	t.mu.Lock()
	c := t.known[ref]
	if c != nil {
		defer t.mu.Unlock()
		return c.copy(), nil
	}
	t.mu.Unlock()
	posts, err := t.read(ctx, ref)
	if err != nil {
		return conversation{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c = t.known[ref]; c == nil { // nobody was faster
		c = t.put(ref)
		c.fold(posts)
	}
	return c.copy(), nil
}

func (c *conversation) copy() conversation {
	people := make(map[string]bool, len(c.people))
	for id := range c.people {
		people[id] = true
	}
	return conversation{bot: c.bot, unfollowed: c.unfollowed, people: people, last: c.last}
}

// fold reads a thread. The newest message is the one that is being decided about, and does not count.
func (c *conversation) fold(posts []slack.Post) {
	if len(posts) > 0 {
		posts = posts[:len(posts)-1]
	}
	asker := ""
	for _, p := range posts {
		switch {
		case p.Own:
			c.bot = true
			if asker != "" {
				c.people[asker] = true
			}
		case p.Bot:
			continue
		case c.bot:
			c.people[p.Author] = true
		default:
			asker = p.Author
		}
		c.last = p.At
	}
}

// put begins to remember a thread. t.mu is held.
func (t *threads) put(ref thread.Ref) *conversation {
	if t.known == nil || len(t.known) >= maxThreads {
		t.known = make(map[thread.Ref]*conversation)
	}
	c := &conversation{people: make(map[string]bool)}
	t.known[ref] = c
	return c
}

// asked notes a question that was taken in: from then on the bot takes part.
func (t *threads) asked(ref thread.Ref, by string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.known[ref]
	if c == nil {
		c = t.put(ref)
	}
	c.bot, c.unfollowed = true, false
	c.people[by] = true
	c.seen(at)
}

// wrote notes a message that is not answered.
func (t *threads) wrote(ref thread.Ref, by string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.known[ref]; c != nil {
		if c.bot {
			c.people[by] = true
		}
		c.seen(at)
	}
}

func (t *threads) unfollow(ref thread.Ref) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.known[ref]
	if c == nil {
		c = t.put(ref)
	}
	c.unfollowed = true
}

func (c *conversation) seen(at time.Time) {
	if at.After(c.last) {
		c.last = at
	}
}

// once remembers keys, as many as may be of use within minutes. It is safe for concurrent use.
type once struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxOnce bounds what is remembered.
const maxOnce = 1000

// first reports whether a key is new.
func (o *once) first(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[key] {
		return false
	}
	if o.seen == nil || len(o.seen) >= maxOnce {
		o.seen = make(map[string]bool)
	}
	o.seen[key] = true
	return true
}
