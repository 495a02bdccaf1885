package slackbot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// lookBack limits the age of questions that arrived while no process ran. The askers of older ones
// no longer wait.
const lookBack = 24 * time.Hour

// Limits for threads that are older than lookBack. They are read one by one.
const (
	knownFor  = 30 * 24 * time.Hour
	mostKnown = 200
)

// lossMargin is how long before a detected interruption events may already be lost. A broken
// connection looks like a quiet one until a ping is missed.
const lossMargin = 2 * time.Minute

// lookRetries is the schedule for reading what could not be read because Slack did not respond.
var lookRetries = sleep.Backoff{First: 30 * time.Second, Most: 30 * time.Second, Tries: 5}

// lookBacks finds messages whose events were lost: those from before the start, and those of every
// later interruption.
func (b *Bot) lookBacks(ctx context.Context) {
	for since := time.Now().Add(-lookBack); ; {
		b.lookSince(ctx, since)
		select {
		case lost := <-b.client.Interruptions():
			b.deps.Logger.InfoContext(ctx, "events come again; looking for what was said meanwhile", "since", lost)
			since = lost.Add(-lossMargin)
			if longest := time.Now().Add(-lookBack); since.Before(longest) {
				since = longest
			}
		case <-ctx.Done():
			return
		}
	}
}

func (b *Bot) lookSince(ctx context.Context, since time.Time) {
	begun, done := time.Now(), make(slack.Done) // age is counted from here, even if reading takes long
	err := lookRetries.Retry(ctx, func() error { return b.missed(ctx, since, begun, done) }, func(err error) time.Duration {
		if !call.Transient(err) {
			return sleep.Never
		}
		return 0
	})
	if err != nil && ctx.Err() == nil {
		b.deps.Logger.WarnContext(ctx, "questions that were asked while the bot was away may have been missed", "error", err)
	}
}

// missed handles messages since a time whose events were lost. It does not find mentions in unknown
// threads that began more than a week ago, or before the newest few hundred messages of their
// channel. It reads nothing again that is in done.
func (b *Bot) missed(ctx context.Context, since, begun time.Time, done slack.Done) error {
	known, err := b.known(ctx)
	followed := make(map[thread.Ref]bool)
	for _, k := range known {
		followed[k.Ref] = true
	}
	visit := func(m chat.Message) error {
		m.Late = true
		reply := !m.Mentioned && !m.Direct
		if policy.IsStop(m.Text) || !reply && policy.IsUnfollow(m.Text) || reply && !followed[m.Ref] {
			// Such a message concerns something that has ended, or is not for the bot.
			return nil
		}
		followed[m.Ref] = true
		m.Looked = begun
		return b.talk.Message(ctx, m)
	}
	if err == nil {
		var lately []string // channels in which people talked to the bot, the newest first
		for _, k := range known {
			if !slices.Contains(lately, k.Ref.Channel) {
				lately = append(lately, k.Ref.Channel)
			}
		}
		err = b.client.Unheard(ctx, since, lately, done, visit)
	}
	if err == nil || call.Transient(err) {
		err = errors.Join(err, b.missedInThreads(ctx, known, since, done, visit))
	}
	return err
}

// missedInThreads reads only threads that began before since. The newer ones were read with their
// channels. It returns the temporary errors.
func (b *Bot) missedInThreads(ctx context.Context, known []session.Active, since time.Time, done slack.Done, visit func(chat.Message) error) (failed error) {
	for _, k := range known {
		if event.TimeOf(thread.MessageID(k.Ref.Thread)).After(since) {
			continue // already read with its channel
		}
		err := b.client.UnheardIn(ctx, k.Ref, since, done, visit)
		switch {
		case err == nil || ctx.Err() != nil:
		case call.Transient(err):
			failed = errors.Join(failed, fmt.Errorf("thread %s of channel %s: %w", k.Ref.Thread, k.Ref.Channel, err))
		default:
			b.deps.Logger.WarnContext(ctx, "cannot read a thread; messages in it may have been missed during an outage", "channel", k.Ref.Channel, "error", err)
		}
	}
	return failed
}

func (b *Bot) known(ctx context.Context) ([]session.Active, error) {
	return b.deps.Store.Active(ctx, b.config.Tenant, slack.Platform, b.client.Identity().Team, knownFor, mostKnown)
}

func (b *Bot) answerConfirmed(ctx context.Context, p chat.Press) error {
	sentence, err := b.talk.Still(ctx, conversation.Wanted{
		At: p.Ref, Question: thread.MessageID(p.Turn), Notice: p.Message, Key: p.EventKey, By: p.By,
	}, func() {})
	if sentence != "" {
		b.tell(ctx, p.Ref, p.By.ID, sentence, p.Direct)
	}
	return err
}
