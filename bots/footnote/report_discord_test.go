package main_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
)

// A report to Discord holds what was asked in channels that every member can open, and nothing of
// hidden channels and private threads. One that Discord did not confirm is found by its first line.
func TestReportToDiscord(t *testing.T) {
	t.Parallel()
	discord, err := discordtest.New(discordtest.Config{Members: true, IdentifyEvery: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	guild := discord.AddGuild("Guild")
	general, board, office := guild.AddText("general"), guild.AddText("board"), guild.AddText("office")
	people := []*discordtest.Person{guild.AddPerson("ann", false), guild.AddPerson("bob", false), guild.AddPerson("cy", false)}
	const view, history = 1 << 10, 1 << 16
	guild.Overwrite(board.ID, guild.ID, false, 0, view)
	for _, who := range append([]string{discord.Bot().ID}, people[0].ID, people[1].ID, people[2].ID) {
		guild.Overwrite(board.ID, who, true, view|history, 0)
	}
	name := "discord:" + office.ID + ":report"
	p := newProgram(t, "FOOTNOTE_CONFIG="+reportsDue(t, "discord", office.ID), "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "DISCORD_MEMBERS=true")
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	r := reporting{p, database(t, p)}
	s := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	until := func(holds func() bool) {
		t.Helper()
		if err := discord.Until(ctx, holds); err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
	}
	until(discord.Connected)
	answered := func(at string) func() bool {
		return func() bool {
			a := discord.Answers(at)
			return len(a) > 0 && !strings.Contains(a[len(a)-1].Content, "▌") && a[len(a)-1].Content != ""
		}
	}
	for _, by := range people {
		until(answered(by.Mention(general.ID, parking+" @everyone <@&1> [intranet](https://evil.example)")))
		until(answered(by.Mention(board.ID, "When does the merger with Initech close?")))
		private := by.OpenPrivate(general.ID, "private", people...)
		by.Mention(private, "Who is laid off in the garage on Friday?")
		until(answered(private))
	}
	s.stop(t)
	r.age(t)
	posted := func() []string {
		var all []string
		for _, m := range discord.Standing(office.ID) {
			if m.Author == discord.Bot().ID && strings.HasPrefix(m.Content, "Weekly report") {
				all = append(all, m.Content)
			}
		}
		return all
	}
	r.due(t, name)
	discord.Inject(discordtest.Fault{Method: "POST", Holds: "Weekly report", Times: 10, Drop: true, Done: true})
	logs := r.until(t, 2, name, "begun noted")
	discord.Mend()
	r.exec(t, `update schedule set again_at = now() where name = $1`, name)
	logs += r.until(t, 1, name, "done")
	all := posted()
	if len(all) != 1 || !strings.Contains(all[0], "parking permit") || strings.Contains(all[0], "Initech") || strings.Contains(all[0], "laid off") ||
		strings.Contains(all[0], "@everyone") || strings.Contains(all[0], "](https://evil") || len(all[0]) > 2000 {
		t.Errorf("posted %q\n%s", all, logs)
	}
	if preview := p.run(t, "report").stdout; !strings.Contains(preview, "parking permit") || !strings.Contains(preview, "done") {
		t.Errorf("the preview is\n%s", preview)
	}
}
