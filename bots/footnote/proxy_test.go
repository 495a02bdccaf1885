package main_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/adapters/telemetry/telemetrytest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// Everything that the program talks to is behind a proxy and has certificates of a private
// authority: the model and its embeddings, Slack and its sockets, Discord and its gateway, the
// collector of traces, and sites that are indexed.
func TestEverythingGoesThroughTheProxy(t *testing.T) {
	t.Parallel()
	slack, collector := slacktest.Start(slacktest.Config{}), telemetrytest.Start(t)
	t.Cleanup(slack.Close)
	discord, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	search := openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["chargers"]}`}}}
	cited := openaitest.Reply{Text: "Behind the building [1]."}
	model := openaitest.New(t, search, cited, search, cited)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/guide/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>Parking</title><p>Two parking places behind the building have chargers for electric cars.</p>`)
	}))
	t.Cleanup(site.Close)
	outside := footnotetest.StartOutside(t, map[string]string{
		"model.footnote.test": model.URL(), "embed.footnote.test": model.URL(), "docs.footnote.test": site.URL, "traces.footnote.test": collector.URL(),
		"slack.footnote.test": slack.URL(), "socket.slack.footnote.test": slack.URL(),
		"discord.footnote.test": discord.URL(), "gateway.discord.footnote.test": discord.URL(),
	})
	p := newProgram(t, append(outside.Settings(),
		"OPENAI_BASE_URL=https://model.footnote.test/v1", "LLM_MODEL=test-model", "CRAWL_INTERVAL=1ms",
		"EMBEDDING_BASE_URL=https://embed.footnote.test/v1", "EMBEDDING_MODEL=test-embedding", "EMBEDDING_DIMENSIONS=64",
		"SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_APP_TOKEN="+slacktest.AppToken, "SLACK_API_URL=https://slack.footnote.test/api/",
		"DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL=https://discord.footnote.test/api",
		"OTEL_EXPORTER_OTLP_ENDPOINT=https://traces.footnote.test")...)
	if r := p.with("NO_PROXY=docs.footnote.test").try(t, "", "index", "https://docs.footnote.test/guide/", "--acl", "public"); r.code == 0 || outside.Asked()["docs.footnote.test"] > 0 {
		t.Errorf("what NO_PROXY names went through the proxy: exit code %d\n%s", r.code, r.stderr)
	}
	p.run(t, "index", "https://docs.footnote.test/guide/", "--acl", "public")
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	guild := discord.AddGuild("Guild")
	general, bob := guild.AddText("general"), guild.AddPerson("bob", false)
	s := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	root := alice.Say(room, "", slacktest.Mention()+" Where are the chargers?")
	const answer, link = "Behind the building", "https://docs.footnote.test/guide/"
	if err := slack.Wait(ctx, "the answer in Slack", func() bool {
		return slices.ContainsFunc(slack.Answers(room, root), func(m slacktest.Message) bool {
			return strings.Contains(m.Shown(), answer) && strings.Contains(m.Shown(), link) && !m.Streaming
		})
	}); err != nil {
		t.Fatalf("%v\n%v\n%s", err, outside.Asked(), s.log)
	}
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%v\n%s", err, outside.Asked(), s.log)
	}
	bob.Mention(general.ID, "Where are the chargers?")
	if err := discord.Until(ctx, func() bool {
		for _, thread := range discord.Threads(general.ID) {
			for _, m := range discord.Answers(thread.ID) {
				if strings.Contains(m.Content, answer) && strings.Contains(m.Content, link) {
					return true
				}
			}
		}
		return false
	}); err != nil {
		t.Fatalf("%v\n%v\n%s", err, outside.Asked(), s.log)
	}
	if _, err := collector.Wait(ctx, func(spans []telemetrytest.Span) bool { return len(spans) > 0 }); err != nil {
		t.Errorf("%v\n%v\n%s", err, outside.Asked(), s.log)
	}
	s.stop(t)
	asked := outside.Asked()
	for _, host := range []string{
		"model.footnote.test", "embed.footnote.test", "docs.footnote.test", "traces.footnote.test", "slack.footnote.test", "socket.slack.footnote.test",
		"discord.footnote.test", "gateway.discord.footnote.test",
	} {
		if asked[host] == 0 {
			t.Errorf("nothing went to %s through the proxy", host)
		}
		delete(asked, host)
	}
	if len(asked) > 0 || len(outside.Plain()) > 0 {
		t.Errorf("the proxy was asked for %v too, and without a tunnel for %v", asked, outside.Plain())
	}
}
