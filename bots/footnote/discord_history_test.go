package main_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
)

// What was said in a server's forums and channels is read, and a question is answered from it with
// the message's own address; what was said in a channel that not everybody can open is used there
// and nowhere else, and a forum that is hidden takes its posts along while the server runs.
func TestDiscordHistoryIsASource(t *testing.T) {
	t.Parallel()
	discord, err := discordtest.New(discordtest.Config{Members: true, IdentifyEvery: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	guild := discord.AddGuild("Guild")
	ann, bob := guild.AddPerson("ann", false), guild.AddPerson("bob", false)
	role := guild.AddRole("board", 0)
	guild.Grant(ann, role)
	forum, board, help := guild.AddForum("questions"), guild.AddText("board"), guild.AddText("help")
	guild.Hide(board.ID, role)
	post := ann.PostEarlier(forum.ID, "Toner", "Where are the spare toner cartridges for the printer kept?", 48*time.Hour)
	reply := bob.EarlierReply(post, "The spare toner cartridges are kept in the blue cupboard behind the reception desk.", 47*time.Hour)
	discord.Tag(post, "Solved")
	ann.EarlierReply(board.ID, "The merger with Oakwood becomes public on the ninth of May.", 47*time.Hour)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  chat: {discord: {guild: "+guild.ID+", channels: [board, questions]}, every: 1m}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "DISCORD_MEMBERS=true")
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "chat: documents:") {
		t.Fatalf("indexing says:\n%s", r.stderr)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].ID != "discord-chat" || list[0].Documents != 2 || list[0].Every != "1m" {
		t.Errorf("the sources are %+v", list)
	}
	if r := p.try(t, "", "doctor"); !strings.Contains(r.stdout, "✓ source chat: 2 channels") {
		t.Errorf("doctor says:\n%s", r.stdout)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s, db := serve(t, p), database(t, p)
	defer s.stop(t)
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	ask := func(who *discordtest.Person, channel, question string) string {
		t.Helper()
		at := who.Mention(channel, question)
		for again := time.NewTicker(20 * time.Millisecond); ; <-again.C {
			var done bool
			if err := db.Pool.QueryRow(ctx, `select not exists (select from turn where state in ('queued', 'running', 'delivering'))`).Scan(&done); err != nil {
				t.Fatalf("wait for the answer: %v\n%s", err, s.log)
			}
			if answers := discord.Answers(at); done && len(answers) > 0 {
				return answers[0].Content
			}
		}
	}
	if got := ask(ann, help.ID, "Where are the spare toner cartridges?"); !strings.Contains(got, "blue cupboard") || !strings.Contains(got, "/"+post+"/"+post) && !strings.Contains(got, "/"+post+"/"+reply) {
		t.Errorf("in another channel: %s", got)
	}
	const merger = "When does the merger with Oakwood become public?"
	if got := ask(ann, help.ID, merger); strings.Contains(got, "ninth of May") {
		t.Errorf("what was said among few is told to all: %s", got)
	}
	if got := ask(ann, board.ID, merger); !strings.Contains(got, "ninth of May") {
		t.Errorf("where it was said: %s", got)
	}
	guild.Hide(forum.ID, role)
	if _, err := db.Pool.Exec(ctx, `update source set last_run = jsonb_set(last_run, '{StartedAt}', to_jsonb(now() - interval '2 days'))`); err != nil {
		t.Fatal(err)
	}
	for strings.Contains(ask(bob, help.ID, "Where are the spare toner cartridges?"), "blue cupboard") {
		if ctx.Err() != nil {
			t.Fatalf("what is hidden is still told\n%s", s.log)
		}
	}
}
