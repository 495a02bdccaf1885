package main_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// What is edited, deleted or made private on Slack and on Discord is found so within seconds,
// although the sources are read twice a day: the bot hears of it, and only what it heard of is
// read. No search shows it then.
func TestWhatIsHeardOfIsReadWithinSeconds(t *testing.T) {
	t.Parallel()
	addr := footnotetest.FreeAddress(t)
	slack := slacktest.Start(slacktest.Config{EventsURL: "http://" + addr + "/slack/events", Redeliver: []time.Duration{}})
	t.Cleanup(slack.Close)
	discord, err := discordtest.New(discordtest.Config{Members: true, IdentifyEvery: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	ann := slack.Person("ann", nil)
	room, plans := slack.Channel("general", nil, ann), slack.Channel("plans", nil, ann)
	const old = 60 * 24 * time.Hour
	root := ann.Earlier(room, "", "Where is the toner kept?", old)
	edited := ann.Earlier(room, root, "The toner is kept in the wardrobe.", old-time.Minute)
	deleted := ann.Earlier(room, root, "The toner costs ninety crowns.", old-2*time.Minute)
	ann.Earlier(plans, "", "The merger with Oakwood is in May.", old)
	guild := discord.AddGuild("Guild")
	bob := guild.AddPerson("bob", false)
	forum, board := guild.AddForum("questions"), guild.AddText("board")
	post := bob.PostEarlier(forum.ID, "Stapler", "The stapler lies in the attic.", old)
	reply := bob.EarlierReply(post, "The stapler needs long staples.", old-time.Minute)
	bob.EarlierReply(board.ID, "The bonus is a bicycle.", old)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  chat: {slack: {channels: [general, plans]}, every: 12h}\n  guild: {discord: {guild: "+guild.ID+", channels: [questions, board]}, every: 12h}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret,
		"SLACK_API_URL="+slack.URL(), "HTTP_ADDR="+addr, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "DISCORD_MEMBERS=true")
	p.run(t, "index")
	s, db := serve(t, p), database(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	// what members find, read where searches read it
	const texts = `select coalesce(string_agg(c.text, E'\n'), '') from chunk c join document d on d.tenant_id = c.tenant_id and d.shard = c.shard and d.id = c.document where 'members' = any(d.acl)`
	until := func(what string, holds func(text string) bool) {
		t.Helper()
		began := time.Now()
		for again := time.NewTicker(50 * time.Millisecond); ; <-again.C {
			var text string
			if err := db.Pool.QueryRow(ctx, texts).Scan(&text); err != nil {
				t.Fatalf("wait until %s: %v\n%s", what, err, s.log)
			}
			if holds(text) {
				t.Logf("%s after %s", what, time.Since(began).Round(10*time.Millisecond))
				return
			}
		}
	}
	holds := func(is, no string) func(string) bool {
		return func(text string) bool { return strings.Contains(text, is) && (no == "" || !strings.Contains(text, no)) }
	}
	until("everything is read", func(text string) bool {
		for _, part := range []string{"wardrobe", "ninety", "Oakwood", "attic", "long staples", "bicycle"} {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	})
	ann.Edit(room, edited, "The toner is kept in the cellar.")
	until("a reply is edited on Slack", holds("cellar", "wardrobe"))
	ann.Delete(room, deleted)
	until("a reply is deleted on Slack", holds("cellar", "ninety"))
	slack.Convert(plans, true)
	until("a channel becomes private on Slack", holds("cellar", "Oakwood"))
	bob.Edit(post, "The stapler lies in the garage.")
	until("a post is edited on Discord", holds("garage", "attic"))
	bob.Delete(reply)
	until("a reply is deleted on Discord", holds("garage", "long staples"))
	guild.Hide(board.ID, guild.AddRole("board", 0))
	until("a channel is hidden on Discord", holds("garage", "bicycle"))
	discord.Destroy(post)
	until("a post is deleted on Discord", holds("cellar", "garage"))
}
