package main_test

import (
	"context"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// Commands come as signed requests to HTTP_ADDR; whose members a server's are is the operator's to
// say, and counts without a restart.
func TestDiscordBySignedRequests(t *testing.T) {
	t.Parallel()
	discord, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	addr := footnotetest.FreeAddress(t)
	p := newProgram(t, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "DISCORD_PUBLIC_KEY="+discord.PublicKey(), "HTTP_ADDR="+addr)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example") // for members
	first, second := discord.AddGuild("Guild"), discord.AddGuild("Partners")
	first.AddText("general")
	room, bob := second.AddText("room"), second.AddPerson("bob", false)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	if err := discord.Endpoint("http://" + addr + "/discord/interactions"); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	ask := func(want string) {
		t.Helper()
		for {
			i := bob.Command(room.ID, "ask", map[string]any{"question": "How do I roll back a failed deployment?", "private": true})
			if err := discord.Until(ctx, func() bool {
				state := i.State()
				return state.Kind != 0 && !state.Loading && !strings.Contains(state.Content, "▌")
			}); err != nil {
				t.Fatalf("%v\n%+v\n%s", err, i.State(), s.log)
			}
			if strings.Contains(i.State().Content, want) {
				return
			}
			if ctx.Err() != nil {
				t.Fatalf("the command shows %q\n%s", i.State().Content, s.log)
			}
		}
	}
	if r := p.try(t, "", "discord", "disallow", "Partners"); r.code != 2 || !strings.Contains(r.stderr, "is a number") {
		t.Errorf("discord disallow with a name = %d, %s", r.code, r.stderr)
	}
	ask("I found nothing about this in your documents")
	if out := p.run(t, "doctor").stdout; !strings.Contains(out, "footnote discord allow "+second.ID) {
		t.Errorf("the doctor does not say how the server is bound:\n%s", out)
	}
	p.run(t, "discord", "allow", second.ID)
	ask("make rollback")
	if out := p.run(t, "discord", "disallow", second.ID).stdout; !strings.Contains(out, "public documents only from now on") {
		t.Errorf("discord disallow says %q", out)
	}
	ask("I found nothing about this in your documents")
	if f := discord.EndpointFaults(); len(f) > 0 {
		t.Errorf("requests failed: %q", f)
	}
}
