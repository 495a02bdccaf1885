package wire

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	discordhistory "github.com/footnotehq/footnote/adapters/discord/history"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/adapters/slack"
	slackhistory "github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// tellEvery is how often what was heard is written down, for all replicas to find.
	tellEvery = time.Second
	// mostHeard is how much is held of a source until then. What comes beyond it is found out by
	// the next pass.
	mostHeard = 5000
)

// heard is what platforms tell of changes in what sources read, until it is written down. It is
// safe for concurrent use.
type heard struct {
	mu     sync.Mutex
	noted  map[document.SourceID]map[string]bool
	urgent map[document.SourceID]bool
}

// note takes what was heard, and reports whether there was room for it.
func (h *heard) note(source document.SourceID, subject string, urgent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.noted == nil {
		h.noted, h.urgent = make(map[document.SourceID]map[string]bool), make(map[document.SourceID]bool)
	}
	if h.noted[source] == nil {
		h.noted[source] = make(map[string]bool)
	}
	if len(h.noted[source]) < mostHeard {
		h.noted[source][subject] = true
	}
	h.urgent[source] = h.urgent[source] || urgent
}

// take empties it.
func (h *heard) take() (noted map[document.SourceID]map[string]bool, urgent map[document.SourceID]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	noted, urgent, h.noted, h.urgent = h.noted, h.urgent, nil, nil
	return noted, urgent
}

// Hear notes that something in a channel of a platform has changed that a source may have read: a
// thread or message, or with an empty key who may open the channel. What is new alone is not
// urgent: it is read when the source is read next. It asks no platform and does not wait.
func (b *Base) Hear(platform thread.Platform, workspace, channel, key string, urgent bool) {
	for _, s := range b.File().Sources {
		switch {
		case s.Slack != nil && platform == slack.Platform:
			b.heard.note(slackhistory.SourceOf(s.Name).ID, slackhistory.Subject(channel, key), urgent)
		case s.Discord != nil && platform == discord.Platform && s.Discord.Guild == workspace:
			b.heard.note(discordhistory.SourceOf(s.Name).ID, discordhistory.Subject(channel, key), urgent)
		}
	}
}

// Tell writes down what was heard, again and again until ctx ends, and has sources read of which
// something urgent was.
func (b *Base) Tell(ctx context.Context, client *jobs.Client) {
	for sleep.For(ctx, tellEvery) == nil {
		if err := b.tell(ctx, client); err != nil && ctx.Err() == nil {
			b.Logger.WarnContext(ctx, "what was heard of changes in sources is lost; the next pass over them finds it out", "error", err)
		}
	}
}

func (b *Base) tell(ctx context.Context, client *jobs.Client) error {
	noted, urgent := b.heard.take()
	var faults []error
	var due []jobs.Job
	for source, subjects := range noted {
		if err := b.Index.Hints(b.Tenant).Hear(ctx, source, slices.Sorted(maps.Keys(subjects))); err != nil {
			faults = append(faults, err)
			continue
		}
		if urgent[source] {
			due = append(due, jobs.Job{Kind: jobs.Sync, Tenant: b.Tenant, Subject: string(source)})
		}
	}
	if len(due) > 0 {
		healthy, err := b.healthy(ctx)
		due = slices.DeleteFunc(due, func(j jobs.Job) bool { return !healthy[document.SourceID(j.Subject)] })
		faults = append(faults, err, client.Enqueue(ctx, due...))
	}
	return errors.Join(faults...)
}

// healthy are the sources that are read on a schedule and were read well the last time: others are
// not read sooner than they are due.
func (b *Base) healthy(ctx context.Context) (map[document.SourceID]bool, error) {
	sources, err := b.StoredSources(ctx)
	healthy := make(map[document.SourceID]bool, len(sources))
	for _, s := range sources {
		healthy[s.ID] = s.Every > 0 && s.Refused == "" && !s.Paused() && s.failing == 0
	}
	return healthy, err
}
