package discordbot

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	sayStill  = "I was not there when this was asked. Is an answer still wanted?"
	sayWanted = "Yes, answer it"
	// askedOnce is how long another process that asks about the same question has for it.
	askedOnce = time.Minute
	// settling is how long a turn of before an absence is given to be closed, which the start begins with.
	settling = 30 * time.Second
	// Direct conversations that are looked into after a start.
	knownFor  = 30 * 24 * time.Hour
	mostKnown = 200
	// followedFor is how long nobody may have written in a server's thread that is looked into: what was written a day ago, within a day of what
	// was written before.
	followedFor = 2 * answer.FollowIdle
)

// Conversations implements discord.Conversations.
func (b *Bot) Conversations(ctx context.Context, guild string) []string {
	if b.deps.Absences == nil {
		return nil
	}
	var channels []string
	if guild != "" {
		known, err := b.deps.Absences.Active(ctx, b.binding.tenant(guild), discord.Platform, guild, followedFor, mostKnown)
		if err != nil {
			b.deps.Logger.WarnContext(ctx, "what was said in archived threads while nobody was there may have been missed", "guild", guild, "error", err)
		}
		for _, k := range known {
			channels = append(channels, k.Ref.Thread)
		}
		return channels
	}
	for _, tenant := range b.binding.tenants() {
		known, err := b.deps.Absences.Active(ctx, tenant, discord.Platform, "", knownFor, mostKnown)
		if err != nil {
			b.deps.Logger.WarnContext(ctx, "what was asked in direct messages while nobody was there may have been missed", "error", err)
		}
		for _, k := range known {
			if !slices.Contains(channels, k.Ref.Channel) {
				channels = append(channels, k.Ref.Channel)
			}
		}
	}
	return channels
}

// missed reports whether a message that was found after an interruption is still to be decided about: it was not taken in, and it is
// young enough to be answered. Of an older question it is asked whether an answer is still wanted.
func (b *Bot) missed(ctx context.Context, m discord.Message, j answer.Judgement) bool {
	t, err := b.deps.Turns.TurnOf(ctx, b.tenant(m.Ref), m.Ref, m.ID)
	unknown := errors.Is(err, session.ErrUnknownTurn)
	switch old := time.Since(m.At) > b.config.MaxAge; {
	case err != nil && !unknown:
		b.deps.Logger.WarnContext(ctx, "what became of a message is not known", "message", m.ID, "error", err)
		return false
	case unknown && j.Action == answer.Unfollow:
		return true
	case !old:
		return unknown && !b.answeredThere(ctx, m, j)
	case unknown && (j.Action != answer.Answer || j.Ambient), !unknown && !b.closed(ctx, t):
		return false
	}
	if err := b.askStill(ctx, m); err != nil && ctx.Err() == nil {
		b.deps.Logger.WarnContext(ctx, "nobody was asked whether an old question is still wanted", "message", m.ID, "error", err)
	}
	return false
}

// passed reports whether a message that was found after an interruption was heard when it was written, and not to be answered: who is spoken to
// may have changed since. What is said to the bot by name or alone is looked at in any case.
func (b *Bot) passed(ctx context.Context, m discord.Message) bool {
	if m.Event.Direct || m.Event.Mentioned || m.Event.Forum {
		return false
	}
	passed, err := b.service.Passed(ctx, b.tenant(m.Ref), m.Ref, m.ID)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "what was decided about a message is not known", "message", m.ID, "error", err)
	}
	return passed || err != nil
}

// closed reports whether a turn ended without an answer, for which it is given some time.
func (b *Bot) closed(ctx context.Context, t session.Turn) bool {
	for begun := time.Now(); t.State != session.Done && time.Since(begun) < settling; {
		if sleep.For(ctx, settling/100) != nil {
			return false
		}
		found, err := b.deps.Turns.Turn(ctx, t.Session.Tenant, t.ID)
		if err != nil {
			return false
		}
		t = found
	}
	return t.State == session.Done && t.Outcome == session.Superseded
}

// askStill asks whether an old question is still wanted, unless it was answered, or asked about before.
func (b *Bot) askStill(ctx context.Context, m discord.Message) error {
	involved, err := b.client.Involved(ctx, m, b.beside(ctx, m))
	if err != nil || involved {
		return err
	}
	if b.deps.Absences != nil { // processes that start together find the same
		mine, err := b.deps.Absences.Claim(ctx, b.tenant(m.Ref), m.Ref, "still "+string(m.ID), askedOnce)
		if err != nil || !mine {
			return err
		}
	}
	return b.client.AskAbout(ctx, m, sayStill, sayWanted)
}

// still takes in a question that is wanted after all.
func (b *Bot) still(ctx context.Context, p discord.Press, id thread.MessageID) {
	m, err := b.client.Question(ctx, p, id)
	if errors.Is(err, thread.ErrMessageGone) {
		b.respond(ctx, p, "The question is no longer there. Ask again.")
		return
	}
	if err != nil {
		b.deps.Logger.ErrorContext(ctx, "press not taken in", "action", "still", "error", err)
		b.respond(ctx, p, conversation.SayBroken)
		return
	}
	if m.Author.ID != p.By.ID && !p.Moderator {
		b.respond(ctx, p, "Only whoever asked can say so.")
		return
	}
	if err := b.client.Notice(ctx, p); err != nil {
		b.deps.Logger.WarnContext(ctx, "press not acknowledged", "action", "still", "error", err)
	}
	m.Event.Mentioned = true // who says so speaks to the bot
	b.Message(ctx, m)
	// It may have been taken in then, and closed because nobody was there for it.
	err = b.service.Wanted(ctx, answer.Wanted{Tenant: b.tenant(m.Ref), Ref: m.Ref, Message: m.ID, Key: p.Key, By: p.By})
	if err != nil {
		b.deps.Logger.ErrorContext(ctx, "press not taken in", "action", "still", "error", err)
		b.say(ctx, m, conversation.SayBroken)
		return
	}
	b.unsay(ctx, p.Note())
}
