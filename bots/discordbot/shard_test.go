package discordbot_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// Servers are divided among as many connections as Discord recommends, which begin one after the
// other.
func TestShards(t *testing.T) {
	t.Parallel()
	var guilds []*discordtest.Guild
	var channels []string
	w := begin(t, llmtest.Native(slices.Repeat([]llmtest.Reply{said(0, "The answer.")}, 7)...), func(s *setting) {
		s.server.Shards = 3
		s.before = func(w *world) {
			for i := range 6 {
				g := w.discord.AddGuild(fmt.Sprintf("Server %d", i))
				channels = append(channels, g.AddText("general").ID)
				guilds = append(guilds, g)
			}
		}
	})
	w.until("all shards are connected", func() bool { return len(w.discord.Shards()) == 3 })
	for i, g := range guilds {
		person := g.AddPerson(fmt.Sprintf("Person %d", i), false)
		w.answers(person.Mention(channels[i], "What is it?"), 1)
	}
	w.ada.Say(w.ada.DM(), "And here?") // direct messages are the first shard's
	w.answers(w.ada.DM(), 1)
	if got := w.discord.Shards(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("shards = %v", got)
	}
	if hasty, _, _ := w.discord.Manners(); hasty > 0 {
		t.Errorf("%d sessions began too soon after another", hasty)
	}
}

// A bot that has grown while it was connected is asked for more connections.
func TestMoreShardsAreNeeded(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer.")))
	w.answers(w.ada.Mention(w.general, "What is it?"), 1)
	w.discord.Recommend(2)
	w.discord.Invalidate()
	w.until("both shards are connected", func() bool { return slices.Equal(w.discord.Shards(), []int{0, 1}) })
	w.answers(w.ada.Mention(w.general, "And now?"), 1)
}

// When the day's sessions are used up, none is begun.
func TestNoSessionsAreLeft(t *testing.T) {
	t.Parallel()
	w := prepare(t, llmtest.Native(), func(s *setting) { s.server.Sessions = -1 })
	w.until("somebody is told", func() bool { return w.log.has("no more sessions today") })
	if n, _ := w.discord.Logins(); n != 0 {
		t.Errorf("the bot identified %d times", n)
	}
}
