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
	// tellEvery is how often hints of changes are stored for all replicas.
	tellEvery = time.Second
	// mostHeard is how many hints of a source are held in memory. The next full scan finds the
	// changes beyond that.
	mostHeard = 5000
)

// heard holds hints of changes in chat channels until tell stores them. It is safe for concurrent
// use.
type heard struct {
	mu     sync.Mutex
	noted  map[document.SourceID]map[string]bool
	urgent map[document.SourceID]bool
}

// note drops the subject if the source already has mostHeard hints, but keeps the urgency.
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

func (h *heard) take() (noted map[document.SourceID]map[string]bool, urgent map[document.SourceID]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	noted, urgent, h.noted, h.urgent = h.noted, h.urgent, nil, nil
	return noted, urgent
}

// Hear notes a change in a chat channel that sources may have read. key names the thread or
// message; "" means that the channel's members changed. If the change is not urgent, it waits until
// the source is read next. Hear does not block.
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

// Tell stores the changes noted by [Base.Hear] about once a second, until ctx ends. Sources with
// urgent changes are then read at once, unless their last run failed.
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

func (b *Base) healthy(ctx context.Context) (map[document.SourceID]bool, error) {
	stored, err := b.StoredSources(ctx)
	healthy := make(map[document.SourceID]bool, len(stored))
	for _, s := range stored {
		healthy[s.ID] = s.Schedule().Healthy()
	}
	return healthy, err
}
