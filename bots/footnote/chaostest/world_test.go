package chaostest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// world is the replicas and everything that they talk to.
type world struct {
	*testing.T
	slack    *slacktest.Server
	discord  *discordtest.Server
	talks    []footnotetest.Talk
	db       *postgres.DB
	env      []string
	replicas []*footnotetest.Replica
}

var mark = regexp.MustCompile(`Q\d+x\d+`)

// answer writes for a few hundred milliseconds, so that replicas are hit in the middle of it.
func answer(req openaitest.Request) openaitest.Reply {
	asked := ""
	for _, m := range req.Messages {
		if m.Role == "user" {
			if found := mark.FindString(m.Text()); found != "" {
				asked = found
			}
		}
	}
	words := strings.Repeat("one word after another ", 15)
	return openaitest.Reply{Text: "The answer to " + asked + " begins. " + words + "And here it ends.", Delay: 10 * time.Millisecond}
}

func open(t *testing.T) *world {
	t.Helper()
	// Tiers count in seconds instead of minutes, and Slack delivers again after seconds: ten
	// minutes hold an hour.
	url := localtest.Migrated(t, postgres.Migrate)
	w := &world{T: t, slack: slacktest.Start(slacktest.Config{
		Minute: 5 * time.Second, Redeliver: []time.Duration{0, 2 * time.Second, 10 * time.Second, 20 * time.Second},
	})}
	t.Cleanup(w.slack.Close)
	var err error
	if w.discord, err = discordtest.New(discordtest.Config{IdentifyEvery: time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.discord.Close(); err != nil {
			t.Error(err)
		}
	})
	guild := w.discord.AddGuild("Guild")
	for i := range conversations {
		name := fmt.Sprintf("room%d", i)
		if i%2 == 0 {
			person := w.slack.Person(fmt.Sprintf("person%d", i), nil)
			w.talks = append(w.talks, footnotetest.InSlack{Server: w.slack, Person: person, Room: w.slack.Channel(name, nil, person)})
		} else {
			w.talks = append(w.talks, footnotetest.InDiscord{
				Server: w.discord, Person: guild.AddPerson(fmt.Sprintf("person%d", i), false), Room: guild.AddText(name),
			})
		}
	}
	model, redis := openaitest.New(t), redistest.Start(t)
	model.Otherwise(answer)
	w.env = footnotetest.Environment(
		"DATABASE_URL="+url, "REDIS_URL="+redis.URL(), "OPENAI_BASE_URL="+model.URL(), "LOG_FORMAT=json",
		"SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_APP_TOKEN="+slacktest.AppToken, "SLACK_API_URL="+w.slack.URL(),
		"DISCORD_BOT_TOKEN="+w.discord.Token(), "DISCORD_API_URL="+w.discord.URL(),
	)
	if w.db, err = postgres.Open(t.Context(), postgres.Config{URL: url}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.db.Close)
	return w
}

// start starts all replicas and waits for them.
func (w *world) start() {
	for range replicas {
		w.replicas = append(w.replicas, footnotetest.Serve(w, binary, w.env))
	}
	for _, r := range w.replicas {
		r.Ready()
	}
}

// count asks the database for a number.
func (w *world) count(query string) int {
	var n int
	if err := w.db.Pool.QueryRow(w.Context(), query).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}
