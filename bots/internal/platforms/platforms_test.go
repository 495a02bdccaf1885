package platforms

import (
	"context"
	"errors"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/bots/discordbot"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// A turn goes to its own platform. Of a platform that another process serves, nothing is known, and
// an answer to it fails.
func TestTurnsGoToTheirPlatform(t *testing.T) {
	t.Parallel()
	here, elsewhere := thread.Ref{Platform: "here"}, thread.Ref{Platform: "elsewhere"}
	s := &Set{platforms: []platform{{name: "here", chat: unending{tenant: "acme"}}}}
	turn := func(at thread.Ref) session.Turn { return session.Turn{Session: session.Session{Ref: at}} }
	if there, err := s.Listeners(t.Context(), turn(here)); err != nil || there.Tenant != "acme" {
		t.Errorf("here: %v, %v", there, err)
	}
	if _, err := s.Listeners(t.Context(), turn(elsewhere)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("elsewhere: %v", err)
	}
	if _, err := s.Open(t.Context(), turn(elsewhere), nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an answer elsewhere: %v", err)
	}
	for at, want := range map[thread.Ref]bool{here: true, elsewhere: false} {
		if _, half, err := s.Written(t.Context(), turn(at), session.Page{}, nil); err != nil || half != want {
			t.Errorf("%s: unfinished %t, %v; want %t", at.Platform, half, err, want)
		}
	}
}

// unending is a platform of one tenant whose answers are never finished.
type unending struct {
	chat.Unsupported

	tenant access.TenantID
}

func (u unending) Listeners(context.Context, session.Turn) (access.Presence, error) {
	return access.Presence{Tenant: u.tenant}, nil
}

func (unending) Written(context.Context, session.Turn, session.Page, chat.Permit) (string, bool, error) {
	return "", true, nil
}

// What a platform can do is asked for each thread: one process serves several.
func TestFeaturesAreThoseOfTheThread(t *testing.T) {
	t.Parallel()
	s := &Set{platforms: []platform{{name: slack.Platform, chat: (*slackbot.Bot)(nil)}, {name: discord.Platform, chat: (*discordbot.Bot)(nil)}, {name: "mute", chat: chat.Unsupported{}}}}
	for name, want := range map[thread.Platform]chat.Features{
		slack.Platform:   {Redelivers: true, Moderates: true, Known: true, Whispers: true, SaysAlone: true},
		discord.Platform: {Whispers: true},
		"mute":           {},
		"elsewhere":      {},
	} {
		if got := s.Features(thread.Ref{Platform: name}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
