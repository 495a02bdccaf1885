package slackbot

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// lookBack is how far back questions are looked for that came while no process was there. Older ones have found their answers elsewhere.
const lookBack = 24 * time.Hour

const sayStill = "I was not there when this was asked. Is an answer still wanted?"

// Known threads that are older than what channels tell are looked at one by one.
const (
	knownFor  = 30 * 24 * time.Hour
	mostKnown = 200
)

// askedOnce is how long another process that asks about the same question has for it.
const askedOnce = time.Minute

// heardAfter is how much of what was said before an interruption was noticed may have been lost with it: a connection that is broken looks like a
// quiet one until a ping is missed.
const heardAfter = 2 * time.Minute

// What cannot be looked for at once, since Slack does not answer, is looked for again.
const (
	lookTries = 5
	lookAgain = 30 * time.Second
)

// lookBacks looks for what nobody heard: before the start, and then after each interruption that the process survives.
func (b *Bot) lookBacks(ctx context.Context) {
	for since := time.Now().Add(-lookBack); ; {
		b.lookSince(ctx, since)
		select {
		case lost := <-b.client.Interruptions():
			b.deps.Logger.InfoContext(ctx, "events come again; looking for what was said meanwhile", "since", lost)
			since = lost.Add(-heardAfter)
			if longest := time.Now().Add(-lookBack); since.Before(longest) {
				since = longest
			}
		case <-ctx.Done():
			return
		}
	}
}

func (b *Bot) lookSince(ctx context.Context, since time.Time) {
	for try := 1; ; try++ {
		err := b.unheard(ctx, since)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !slack.Transient(err) || try == lookTries {
			b.deps.Logger.WarnContext(ctx, "questions that were asked while the bot was away may have been missed", "error", err)
			return
		}
		if sleep.For(ctx, lookAgain) != nil {
			return
		}
	}
}

// unheard answers what was asked since while nobody was there to hear it, and asks about what was asked long ago. What was taken in then, by
// whichever process, is not answered twice: the store knows the message. Replies without a mention count in the threads that the bot follows, by
// the same rules as when they are heard. What cannot be found is a mention in a thread that the bot did not
// know and that began more than a week ago, or before the newest few hundred messages of its channel.
func (b *Bot) unheard(ctx context.Context, since time.Time) error {
	begun := time.Now() // what is read late because there are many channels is not older for that
	known, err := b.known(ctx)
	threads := follow(known)
	visit := func(m slack.Message) error {
		m.Late = true
		old := begun.Sub(m.At) > b.config.MaxAge
		switch reply := !m.Mentioned && !m.Direct; {
		case answer.IsStop(m.Text), !reply && answer.IsUnfollow(m.Text):
			return nil // it was meant for something that has ended
		case reply && threads[m.Ref]:
			return b.followUp(ctx, m, old)
		case reply:
			return nil
		case old:
			return b.askAbout(ctx, m)
		}
		threads[m.Ref] = true
		return b.missed(ctx, m)
	}
	if err == nil {
		var lately []string // channels in which somebody talked to the bot, the newest first
		for _, k := range known {
			if !slices.Contains(lately, k.Ref.Channel) {
				lately = append(lately, k.Ref.Channel)
			}
		}
		err = b.client.Unheard(ctx, since, lately, visit)
	}
	if err == nil {
		err = b.unheardInKnown(ctx, known, since, visit)
	}
	return err
}

// unheardInKnown looks at the threads that the bot takes part in and that began before the channels were read from.
func (b *Bot) unheardInKnown(ctx context.Context, known []session.Active, since time.Time, visit func(slack.Message) error) error {
	for _, k := range known {
		if slack.TimeOf(thread.MessageID(k.Ref.Thread)).After(since) {
			continue // its channel has told
		}
		if err := b.client.UnheardIn(ctx, k.Ref, since, visit); err != nil && ctx.Err() == nil {
			b.deps.Logger.WarnContext(ctx, "what was said while nobody was there is not known of a thread", "channel", k.Ref.Channel, "error", err)
		}
	}
	return nil
}

// askAbout asks whether an old question is still wanted, unless it was answered, or asked about before.
func (b *Bot) askAbout(ctx context.Context, m slack.Message) error {
	over, err := b.over(ctx, m)
	if err != nil || !over {
		return err
	}
	involved, err := b.client.Involved(ctx, m, func(id thread.MessageID) bool {
		if b.deps.Turns == nil {
			return false
		}
		t, err := b.deps.Turns.TurnOf(ctx, b.config.Tenant, m.Ref, id)
		return err == nil && t.Message != m.ID // it answers another one
	})
	if err != nil || involved {
		return err
	}
	if b.deps.Absences != nil { // processes that start together find the same
		mine, err := b.deps.Absences.Claim(ctx, b.config.Tenant, m.Ref, "still "+m.Ref.Channel+" "+string(m.ID), askedOnce)
		if err != nil || !mine {
			return err
		}
	}
	_, err = b.client.Tell(ctx, m.Ref, sayStill, string(m.ID), thread.Button{Action: slack.ActionStill, Label: "Yes, answer it", Primary: true})
	return err
}

// settling is how long a turn of before the absence is given to be closed, which the start begins with.
const settling = 30 * time.Second

// over reports whether nothing comes of a message any more: it was not taken in, or its turn was closed without an answer, since nobody was
// there for it.
func (b *Bot) over(ctx context.Context, m slack.Message) (bool, error) {
	if b.deps.Turns == nil {
		return true, nil
	}
	for begun := time.Now(); ; {
		t, err := b.deps.Turns.TurnOf(ctx, b.config.Tenant, m.Ref, m.ID)
		switch {
		case errors.Is(err, session.ErrUnknownTurn):
			return true, nil
		case err != nil:
			return false, err
		case t.State == session.Done:
			return t.Outcome == session.Superseded, nil
		case time.Since(begun) > settling: // somebody is at it
			return false, nil
		}
		if err := sleep.For(ctx, settling/100); err != nil {
			return false, err
		}
	}
}

// still takes in a question that is wanted after all.
func (b *Bot) still(ctx context.Context, p slack.Press) error {
	m, err := b.client.One(ctx, p.Ref, thread.MessageID(p.Turn))
	if err != nil {
		return err
	}
	if p.By != m.Author && !b.privileged(ctx, p.By) {
		b.platform().whisper(ctx, p.Ref, p.By, "Only whoever asked can say so.", p.Direct)
		return nil
	}
	m.Mentioned = true // who says so speaks to the bot
	if err := b.Message(ctx, m); err != nil {
		return err
	}
	// It may have been taken in then, and closed because nobody was there for it.
	if err := b.service.Wanted(ctx, answer.Wanted{Tenant: b.config.Tenant, Ref: p.Ref, Message: m.ID, Key: p.EventKey, By: thread.Person{ID: p.By}}); err != nil {
		return err
	}
	return b.client.Untell(ctx, p.Ref, p.Message)
}
