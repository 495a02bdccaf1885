package main_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// Two replicas of one bot, which both answer as much as they can, stay together within what Slack
// allows a workspace in a minute and Discord a bot in a second: nothing is refused.
func TestTwoReplicasShareThePlatformsRates(t *testing.T) {
	t.Parallel()
	const inSlack, rooms, inDiscord = 20, 5, 30
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	// The bot's share is 40 calls a second. Two that do not share make 80, unless their machine is
	// too slow for that. Discord itself refuses the 51st, and so does its double when the machine
	// stands still for a moment and what was sent in more than a second arrives in one: hence the
	// room.
	discord, err := discordtest.New(discordtest.Config{GlobalRequests: 65, IdentifyEvery: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() }) // the replicas are killed before
	model, redis := openaitest.New(t), redistest.Start(t)
	begin := make(chan struct{}) // closed when both replicas have questions to answer
	model.Otherwise(func(openaitest.Request) openaitest.Reply {
		text := beginning + ". " + strings.Repeat("One word follows another. ", 25) + "There is more, " + ending
		return openaitest.Reply{Text: text, Delay: 40 * time.Millisecond, Gate: begin}
	})
	p := newProgram(t, socketSettings(slack, "REDIS_URL="+redis.URL(), "OPENAI_BASE_URL="+model.URL(), "LOG_FORMAT=json",
		"DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL())...)
	var talks []footnotetest.Talk
	alice := slack.Person("alice", nil)
	for i := range rooms {
		talks = append(talks, footnotetest.InSlack{Server: slack, Person: alice, Room: slack.Channel(fmt.Sprint("room-", i), nil, alice)})
	}
	guild := discord.AddGuild("Guild")
	bob := guild.AddPerson("bob", false)
	for i := range inDiscord {
		talks = append(talks, footnotetest.InDiscord{Server: discord, Person: bob, Room: guild.AddText(fmt.Sprint("channel-", i))})
	}
	var replicas []*footnotetest.Replica
	for i := range 2 { // whose model's name says which one asks
		replicas = append(replicas, footnotetest.Serve(t, binary, footnotetest.Environment(append(slices.Clip(p.env), fmt.Sprint("LLM_MODEL=replica-", i))...)))
	}
	for _, r := range replicas {
		r.Ready()
	}

	type asked struct {
		in   footnotetest.Talk
		root string
	}
	var questions []asked
	for i := range inSlack {
		questions = append(questions, asked{talks[i%rooms], talks[i%rooms].Begin("how so?")})
	}
	for _, in := range talks[rooms:] {
		questions = append(questions, asked{in, in.Begin("how so?")})
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for both := false; !both; { // one replica may be quick enough to take them all: then it is asked on, until the other one has a question too
		asking, err := model.Wait(ctx, func(made []openaitest.Record) bool { return len(made) >= len(questions) })
		if err != nil {
			t.Fatalf("%d questions are asked: %v", len(questions), err)
		}
		if both = slices.ContainsFunc(asking, func(r openaitest.Record) bool { return r.Chat.Model != asking[0].Chat.Model }); !both {
			in := talks[rooms+len(questions)%inDiscord]
			discord.Only(1 + len(questions)%2) // which hears of it alone
			questions = append(questions, asked{in, in.Begin("how so?")})
		}
	}
	discord.Only(0)
	close(begin)
	for _, q := range questions {
		if err := q.in.Until(ctx, func() bool {
			return slices.ContainsFunc(q.in.Shows(q.root), func(p footnotetest.Post) bool { return !p.Writing && strings.Contains(p.Text, ending) })
		}); err != nil {
			t.Fatalf("%s has no answer: %v", q.in, err)
		}
	}
	writes := 0 // that are drawn from the rates
	for _, c := range slack.Calls("") {
		if c.Status == http.StatusTooManyRequests {
			t.Errorf("Slack refused %s", c.Method)
		}
		if strings.HasSuffix(c.Method, "Stream") {
			writes++
		}
	}
	for _, r := range discord.Requests() {
		if r.Status == http.StatusTooManyRequests {
			t.Errorf("Discord refused %s %s", r.Method, r.Path)
		}
		if r.Method == http.MethodPost || r.Method == http.MethodPatch {
			writes++
		}
	}
	// A machine may be too slow to break a rate, and without Redis the replicas would have divided
	// them. Each write must have been counted where both count.
	if counted := redis.Calls("hset"); counted < writes {
		t.Errorf("of %d writes, Redis counted %d", writes, counted)
	}
}
