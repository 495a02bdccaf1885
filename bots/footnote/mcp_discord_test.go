package main_test

import (
	"context"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/mcp/mcptest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// A token of a person on Discord reads what members may, until the person leaves the server.
func TestAssistantOfAPersonOnDiscord(t *testing.T) {
	t.Parallel()
	discord, err := discordtest.New(discordtest.Config{Members: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	guild := discord.AddGuild("Guild")
	general := guild.AddText("general")
	bob := guild.AddPerson("bob", false)
	addr := footnotetest.FreeAddress(t)
	p := newProgram(t, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "DISCORD_MEMBERS=true", "HTTP_ADDR="+addr, "MCP_URL=http://"+addr+"/mcp")
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example") // for members
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	secret := ""
	for secret == "" { // until the server belongs to the tenant
		told := bob.Command(general.ID, "footnote", map[string]any{"token": discordtest.Sub(nil)})
		if err := discord.Until(ctx, func() bool { return told.State().Content != "" }); err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
		if secret = tokenForm.FindString(told.State().Content); !told.State().Private {
			t.Fatalf("others see %q", told.State().Content)
		}
	}
	client, err := mcptest.Dial(t, "http://"+addr+"/mcp", secret)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	query := map[string]any{"query": "vacation days"}
	text := ""
	for refused := true; refused && ctx.Err() == nil; { // until the server belongs to the tenant
		if text, refused, err = client.Call(ctx, "search", query); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(text, "thirty vacation days") {
		t.Errorf("bob finds %s\n%s", text, s.log)
	}
	guild.Part(bob)
	for refused := false; !refused && ctx.Err() == nil; { // until the event has arrived
		if text, refused, err = client.Call(ctx, "search", query); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(text, "has left") {
		t.Errorf("once bob has left: %q", text)
	}
}
