package main_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
	"github.com/footnotehq/footnote/core/session/dicetest"
)

// rounds is how many questions each property asks.
const rounds = 30

// Whatever happens in a Slack, and whichever of two processes hears of it: no prompt holds a
// document that somebody present may not read, and what all may read is found. The rule is written
// here once more, from what Slack says of its people.
func TestNoPromptHoldsWhatSomebodyPresentMayNotReadInSlack(t *testing.T) {
	t.Parallel()
	c, die := newCrew(t, slacktest.Config{NoTiers: true}), dicetest.New(t)
	var people []*slacktest.Person
	for _, name := range []string{"alice", "bob", "carol", "dave"} {
		people = append(people, c.slack.Person(name, nil))
	}
	guest := c.slack.Person("guest", func(p *slacktest.Person) { p.Guest = true })
	people = append(people, guest)
	rooms := []*slacktest.Channel{
		c.slack.Channel("open", nil, people[0], people[1]), c.slack.Channel("closed", func(ch *slacktest.Channel) { ch.Private = true }, people[0], people[2]),
	}
	acls := map[string]string{"wordmembers": "members", "wordpublic": "public", "wordalice": "user:slack:" + people[0].ID}
	for i, room := range rooms {
		acls[fmt.Sprint("wordroom", i)] = "channel:slack:" + room.ID
	}
	words := []string{"wordalice", "wordmembers", "wordpublic", "wordroom0", "wordroom1"}
	library(t, c.program, acls)
	c.serve(0)
	c.serve(1)
	in := func(p *slacktest.Person, room *slacktest.Channel) bool { return slices.Contains(room.Members, p.ID) }
	may := func(p *slacktest.Person, word string) bool { // alone
		switch word {
		case "wordpublic":
			return true
		case "wordmembers":
			return !p.Guest
		case "wordalice":
			return p == people[0]
		case "wordroom0":
			return in(p, rooms[0])
		default:
			return in(p, rooms[1])
		}
	}
	seen := make(map[string]int)
	for range rounds {
		for range die.IntN(3) {
			who, room := people[1+die.IntN(len(people)-1)], rooms[die.IntN(len(rooms))]
			c.does(die.IntN(2), func() {
				switch kind := die.IntN(6); {
				case kind == 0:
					who.Become(func(p *slacktest.Person) { p.Guest = !p.Guest })
				case kind == 1:
					c.slack.Convert(room, !room.Private)
				case in(who, room):
					who.Leave(room)
				default:
					who.Join(room)
				}
			})
		}
		room := rooms[die.IntN(len(rooms))]
		asker, present := people[0], []*slacktest.Person{}
		for _, p := range people {
			if in(p, room) {
				present = append(present, p)
			}
		}
		if die.IntN(3) == 0 {
			asker, room = people[die.IntN(len(people))], nil
			present = []*slacktest.Person{asker}
		}
		var want []string
		for _, word := range words {
			// Of what is one's own, or another channel's, nothing is said where others listen; a
			// private channel that the bot is in counts like any.
			own := room != nil && (word == "wordalice" || strings.HasPrefix(word, "wordroom") && word != fmt.Sprint("wordroom", slices.Index(rooms, room)))
			if !own && !slices.ContainsFunc(present, func(p *slacktest.Person) bool { return !may(p, word) }) {
				want = append(want, word)
			}
		}
		got := c.ask(die.IntN(2), asker, room, words...)
		if !slices.Equal(got, want) {
			place := "alone"
			if room != nil {
				place = room.Name
			}
			t.Fatalf("%s asks %s, where %d people listen: the prompts hold %v, and are to hold %v", asker.Name, place, len(present), got, want)
		}
		seen[strings.Join(got, " ")]++
	}
	if len(seen) < 3 {
		t.Errorf("what was shown hardly differed: %v", seen)
	}
	t.Logf("shown: %v", seen)
}

// Whatever happens in a Discord, and whichever of two processes hears of it: no prompt holds a
// document that somebody who can open the channel may not read, and what all may read is found. The
// rule is written here once more, from what Discord says of permissions.
func TestNoPromptHoldsWhatSomebodyPresentMayNotReadInDiscord(t *testing.T) {
	t.Parallel()
	const view, send = 1 << 10, 1 << 11
	ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
	defer cancel()
	die := dicetest.New(t)
	server, err := discordtest.New(discordtest.Config{Members: true, BucketWindow: 20 * time.Millisecond, IdentifyEvery: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	guild := server.AddGuild("Guild")
	others := guild.AddRole("others", 0)
	engineers := guild.AddRole("engineers", 0) // above the others, who cannot give it to themselves
	rooms := []*discordtest.Channel{guild.AddText("one"), guild.AddText("two")}
	var people []*discordtest.Person
	held := make(map[string]string) // roles of people
	hidden := map[string]string{}   // channels that a role alone can see
	powers := map[string]int64{}    // of roles
	for _, name := range []string{"ada", "bob", "eve"} {
		people = append(people, guild.AddPerson(name, false))
		held[people[len(people)-1].ID] = ""
	}
	model := openaitest.New(t)
	model.Otherwise(openaitest.Librarian)
	p := newProgram(t)
	library(t, p, map[string]string{
		"wordmembers": "members", "wordpublic": "public", "wordengineers": "group:discord:" + engineers, "wordothers": "group:discord:" + others,
		"wordroom0": "channel:discord:" + rooms[0].ID, "wordroom1": "channel:discord:" + rooms[1].ID,
	})
	words := []string{"wordengineers", "wordmembers", "wordothers", "wordpublic", "wordroom0", "wordroom1"}
	env := footnotetest.Environment(p.env[0], "DISCORD_BOT_TOKEN="+server.Token(), "DISCORD_API_URL="+server.URL(), "DISCORD_MEMBERS=true",
		"DISCORD_GUILDS="+guild.ID, "OPENAI_BASE_URL="+model.URL())
	var replicas []*footnotetest.Replica
	for range 2 {
		r := footnotetest.Serve(t, binary, env)
		r.Ready()
		replicas = append(replicas, r)
	}
	sees := func(roles []string, room string) bool {
		for _, r := range roles {
			if powers[r]&8 != 0 { // administrators
				return true
			}
		}
		return hidden[room] == "" || slices.Contains(roles, hidden[room])
	}
	rolesOf := func(id string) []string {
		if r := held[id]; r != "" {
			return []string{r}
		}
		return nil
	}
	seen := make(map[string]int)
	for range rounds {
		server.Only(1 + die.IntN(2))
		for range die.IntN(3) {
			who, room := people[die.IntN(len(people))], rooms[die.IntN(len(rooms))].ID
			role := []string{"", engineers, others}[die.IntN(3)]
			switch die.IntN(3) {
			case 0:
				held[who.ID] = role
				guild.Regrant(who, role)
			case 1:
				if hidden[room] = role; role != "" {
					guild.Hide(room, role)
				} else {
					guild.Show(room)
				}
			default:
				if powers[others] ^= 8; powers[others] != 0 {
					guild.Permit(others, 8|view|send)
				} else {
					guild.Permit(others, 0)
				}
			}
		}
		// Which process is told last is told by what it does: a message that only it hears of is
		// answered after all that came before.
		asker, n := people[die.IntN(len(people))], die.IntN(len(rooms))
		room := rooms[n]
		private := die.IntN(3) == 0
		if !sees(rolesOf(asker.ID), room.ID) {
			private = true
		}
		var want []string
		for _, word := range words {
			needs := map[string]string{"wordengineers": engineers, "wordothers": others}[word]
			place := map[string]string{"wordroom0": rooms[0].ID, "wordroom1": rooms[1].ID}[word]
			var shows bool
			switch {
			case needs == "" && place == "":
				shows = true
			case private && needs != "":
				shows = held[asker.ID] == needs
			case private:
				shows = sees(rolesOf(asker.ID), place)
			case needs != "":
				// Nobody opens the channel without the role, whatever roles people might be given.
				shows = hidden[room.ID] == needs && (powers[others]&8 == 0 || needs == others)
			default:
				shows = place == room.ID
			}
			if shows {
				want = append(want, word)
			}
		}
		from := len(model.ChatRequests())
		question := "What does the " + vacation + " say?"
		if private {
			m := asker.Say(asker.DM(), question)
			if err := server.Until(ctx, func() bool { return answeredIn(server, asker.DM(), m) }); err != nil {
				t.Fatalf("%v\n%s", err, replicas[0].Log())
			}
		} else {
			root := asker.Mention(room.ID, question)
			if err := server.Until(ctx, func() bool { return answeredIn(server, root, root) }); err != nil {
				t.Fatalf("%v\n%s", err, replicas[0].Log())
			}
		}
		server.Only(0)
		if got := shown(model, from, words...); !slices.Equal(got, want) {
			t.Fatalf("asked %q (private: %v) with %v: the prompts hold %v, and are to hold %v", asker.Username, private, held, got, want)
		} else {
			seen[strings.Join(got, " ")]++
		}
	}
	if len(seen) < 3 {
		t.Errorf("what was shown hardly differed: %v", seen)
	}
	t.Logf("shown: %v", seen)
}

// answeredIn reports whether a question is answered in a place, completely. What else is said there
// after it counts for nothing, such as an offer that belongs to an earlier question.
func answeredIn(server *discordtest.Server, place, question string) bool {
	return slices.ContainsFunc(server.Answers(place), func(v discordtest.Version) bool {
		return (v.Message > question || place == question) && strings.Contains(v.Content, "ccording to") && !strings.Contains(v.Content, "▌")
	})
}
