package slackbot_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// A guest who joins while a question waits is one of those who will see its answer.
func TestGuestWhoJoinsIsHeardOfBeforeTheAnswerBegins(t *testing.T) {
	t.Parallel()
	s := play(t, options{})
	waiting := session.Turn{Asker: thread.Person{ID: s.ann.ID}, Session: session.Session{
		Tenant: access.DefaultTenant, Ref: thread.Ref{Platform: slack.Platform, Channel: s.general.ID, Thread: "1"},
	}}
	inside := func() bool {
		audience, err := s.bot.Listeners(s.ctx, waiting)
		if err != nil {
			t.Error(err)
		}
		return access.AudienceOf(audience.Tenant, audience.Held).MayRead(access.ACL{access.Members})
	}
	if !inside() {
		t.Fatal("members of the workspace alone may not read what members may")
	}
	s.Person("guest", func(p *slacktest.Person) { p.Guest = true }).Join(s.general)
	s.wait("the guest counts", func() bool { return !inside() })
	waiting.Session.Owner = s.ann.ID // a private answer is hers alone
	if !inside() {
		t.Error("what one member is told alone depends on a guest in the channel")
	}
}
