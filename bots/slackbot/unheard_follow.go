package slackbot

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// known lists the threads that the bot takes part in and in which something was said lately, the newest first.
func (b *Bot) known(ctx context.Context) ([]session.Active, error) {
	if b.deps.Absences == nil {
		return nil, nil
	}
	return b.deps.Absences.Active(ctx, b.config.Tenant, slack.Platform, b.client.Identity().Team, knownFor, mostKnown)
}

// followed are the threads in which replies count that do not mention the bot: those that it knew before, and those of questions that it finds.
type followed map[thread.Ref]bool

func follow(known []session.Active) followed {
	f := make(followed)
	for _, k := range known {
		f[k.Ref] = true
	}
	return f
}

// followUp does with a reply that mentions nobody, and that nobody was there for, what would have been done then: it is answered or asked about
// where the bot follows the thread and nobody else has answered. What was decided when it was heard is not decided once more.
func (b *Bot) followUp(ctx context.Context, m slack.Message, old bool) error {
	if b.deps.Turns == nil {
		return nil
	}
	_, err := b.deps.Turns.TurnOf(ctx, b.config.Tenant, m.Ref, m.ID)
	switch known := err == nil; {
	case known && old:
		return b.askAbout(ctx, m) // it may have been closed, because nobody was there for its answer
	case known:
		return nil
	case !errors.Is(err, session.ErrUnknownTurn):
		return err
	}
	if passed, err := b.service.Passed(ctx, b.config.Tenant, m.Ref, m.ID); err != nil || passed {
		return err
	}
	j, err := b.service.Judge(ctx, b.occurrence(m))
	switch {
	case err != nil:
		return err
	case j.Action == answer.Unfollow:
		if err := b.deps.Threads.Unfollow(ctx, b.config.Tenant, m.Ref, m.Author); err != nil {
			return fmt.Errorf("stop following a thread: %w", err)
		}
		return nil
	case j.Action != answer.Answer || j.Ambient:
		return nil
	case old:
		return b.askAbout(ctx, m)
	}
	if answered, err := b.client.Answered(ctx, m); err != nil || answered { // a restored store does not know
		return err
	}
	return b.take(ctx, m, j)
}
