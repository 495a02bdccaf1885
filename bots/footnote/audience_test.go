package main_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// vacation are words of every document of these tests, and of their questions, so that all are
// found that may be.
const vacation = "vacation policy"

// library indexes a document for each access list. What it says is the list's own word, by which
// prompts are looked through.
func library(t *testing.T, p *program, acls map[string]string) {
	t.Helper()
	for word, acl := range acls {
		p.run(t, "index", folder(t, map[string]string{word + ".md": "# The " + vacation + " of " + word + "\n\nThe " + vacation + " says " + word + ".\n"}), "--acl", acl)
	}
}

// shown lists the words that the prompts hold which the model has received from one on.
func shown(model *openaitest.Server, from int, words ...string) []string {
	var found []string
	for _, r := range model.ChatRequests()[from:] {
		for _, w := range words {
			if strings.Contains(string(r.Body), w) && !slices.Contains(found, w) {
				found = append(found, w)
			}
		}
	}
	slices.Sort(found)
	return found
}

// crew is two processes on one database, in a Slack that delivers each event to the one that the
// test names.
type crew struct {
	*testing.T
	ctx      context.Context
	slack    *slacktest.Server
	model    *openaitest.Server
	program  *program
	replicas []*footnotetest.Replica
	to       atomic.Int32
	env      [2][]string
}

func newCrew(t *testing.T, config slacktest.Config) *crew {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
	t.Cleanup(cancel)
	c := &crew{T: t, ctx: ctx, model: openaitest.New(t)}
	c.model.Otherwise(openaitest.Librarian)
	addresses := [2]string{footnotetest.FreeAddress(t), footnotetest.FreeAddress(t)}
	post := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = "http", addresses[c.to.Load()]
	}})
	t.Cleanup(post.Close)
	config.EventsURL = post.URL + "/slack/events"
	c.slack = slacktest.Start(config)
	t.Cleanup(c.slack.Close)
	c.program = newProgram(t)
	for i, address := range addresses {
		c.env[i] = footnotetest.Environment(c.program.env[0], "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret,
			"SLACK_API_URL="+c.slack.URL(), "OPENAI_BASE_URL="+c.model.URL(), "HTTP_ADDR="+address)
	}
	return c
}

func (c *crew) serve(i int) *footnotetest.Replica {
	c.Helper()
	r := footnotetest.Serve(c, binary, c.env[i])
	r.Ready()
	c.replicas = append(c.replicas, r)
	return r
}

// does has something happen whose events one process gets, and waits until it has taken them in.
func (c *crew) does(to int, what func()) {
	c.Helper()
	c.to.Store(int32(to))
	what()
	c.until("the event is acknowledged", func() bool { return len(c.slack.Undelivered()) == 0 })
}

func (c *crew) until(what string, holds func() bool) {
	c.Helper()
	if err := c.slack.Wait(c.ctx, what, holds); err != nil {
		c.Fatalf("%v\n%+v", err, c.slack.Versions())
	}
}

// ask asks in a channel, by one process, and returns the words that prompts of the answer hold.
func (c *crew) ask(to int, who *slacktest.Person, in *slacktest.Channel, words ...string) []string {
	c.Helper()
	from := len(c.model.ChatRequests())
	var root string
	c.does(to, func() {
		if in == nil {
			in, root = who.DM("", "What does the "+vacation+" say?")
			return
		}
		root = who.Say(in, "", slacktest.Mention()+" What does the "+vacation+" say?")
	})
	c.until("the answer", func() bool { // in a direct message, what is said to the asker meanwhile is a message like any other
		return slices.ContainsFunc(c.slack.Answers(in, root), func(a slacktest.Message) bool {
			return !a.Streaming && strings.Contains(a.Shown(), "ccording to") && !strings.Contains(string(a.Blocks), "footnote:stop")
		})
	})
	return shown(c.model, from, words...)
}

// A guest joins, or somebody becomes one, and one process alone hears of it, which then ends: the
// other one, which has answered in this channel before, shows the channel nothing more that is for
// members.
func TestGuestInAChannelCountsForTheReplicaThatDidNotHearOfIt(t *testing.T) {
	t.Parallel()
	for name, comes := range map[string]func(guest, bob *slacktest.Person, room *slacktest.Channel){
		"a guest joins": func(guest, _ *slacktest.Person, room *slacktest.Channel) { guest.Join(room) },
		"a member becomes one": func(_, bob *slacktest.Person, _ *slacktest.Channel) {
			bob.Become(func(p *slacktest.Person) { p.Guest = true })
		},
		"a partner's channel": func(_, _ *slacktest.Person, room *slacktest.Channel) { room.Shared = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrew(t, slacktest.Config{NoTiers: true})
			alice, bob := c.slack.Person("alice", nil), c.slack.Person("bob", nil)
			guest := c.slack.Person("guest", func(p *slacktest.Person) { p.Guest = true })
			room := c.slack.Channel("help", nil, alice, bob)
			library(t, c.program, map[string]string{"wordmembers": "members", "wordpublic": "public"})
			c.serve(0)
			want := []string{"wordmembers", "wordpublic"}
			if got := c.ask(0, alice, room, want...); !slices.Equal(got, want) {
				t.Fatalf("among members the prompts hold %v, want %v", got, want)
			}
			other := c.serve(1)
			c.does(1, func() {
				comes(guest, bob, room)
				if room.Shared {
					c.slack.Event(map[string]any{"type": "channel_shared", "channel": room.ID})
				}
			})
			other.End(syscall.SIGKILL)
			if got := c.ask(0, alice, room, want...); !slices.Equal(got, want[1:]) {
				t.Errorf("with an outsider the prompts hold %v, want %v", got, want[1:])
			}
		})
	}
}

// A guest joins in the middle of an answer, and a process hears of it that does not write it: what
// is asked of the model and shown from then on holds nothing that the guest may not read.
func TestGuestWhoJoinsInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		held   func(openaitest.Reply) bool // the first such reply waits
		after  int                         // events before it waits
		goesOn bool                        // it goes on after the join
		prompt []string                    // what all prompts hold
	}{
		{"between two calls of the model", func(r openaitest.Reply) bool { return len(r.Calls) > 0 }, 0, true, []string{"wordpublic"}},
		{"while the model writes", func(r openaitest.Reply) bool { return len(r.Calls) == 0 }, 3, false, []string{"wordmembers", "wordpublic"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCrew(t, slacktest.Config{NoTiers: true})
			alice := c.slack.Person("alice", nil)
			guest := c.slack.Person("guest", func(p *slacktest.Person) { p.Guest = true })
			room := c.slack.Channel("help", nil, alice)
			library(t, c.program, map[string]string{"wordmembers": "members", "wordpublic": "public"})
			c.serve(0)
			c.serve(1)
			gate := make(chan struct{})
			goOn := sync.OnceFunc(func() { close(gate) })
			t.Cleanup(goOn)
			var held atomic.Bool
			c.model.Otherwise(func(r openaitest.Request) openaitest.Reply {
				reply := openaitest.Librarian(r)
				if tt.held(reply) && held.CompareAndSwap(false, true) {
					reply.Gate, reply.GateAfter = gate, tt.after
				}
				return reply
			})
			var root string
			c.does(0, func() { root = alice.Say(room, "", slacktest.Mention()+" What does the "+vacation+" say?") })
			if _, err := c.model.Wait(c.ctx, func(r []openaitest.Record) bool { return held.Load() }); err != nil {
				t.Fatal(err)
			}
			c.does(1, func() { guest.Join(room) })
			if tt.goesOn {
				goOn()
			}
			c.until("the answer", func() bool {
				a := c.slack.Answers(room, root)
				return len(a) > 0 && !a[0].Streaming && strings.Contains(a[0].Shown(), "wordpublic")
			})
			if a := c.slack.Answers(room, root); len(a) != 1 || strings.Contains(a[0].Shown(), "wordmembers") {
				t.Errorf("the guest reads %+v", a)
			}
			if got := shown(c.model, 0, "wordmembers", "wordpublic"); !slices.Equal(got, tt.prompt) {
				t.Errorf("the prompts hold %v", got)
			}
		})
	}
}

// In a large workspace nobody is taken for an outsider because the list of its people is not read
// yet: the asker is told so, and is answered once it is, even by another process. After a restart
// the list is there. Where nobody has heard of changes for a while it is read again, before anybody
// in it is believed: whoever has become a guest meanwhile is one.
func TestLargeWorkspaceIsKnownAfterARestart(t *testing.T) {
	t.Parallel()
	c := newCrew(t, slacktest.Config{Minute: 20 * time.Second})
	people := c.slack.Crowd("p", 12_000)
	var rooms []*slacktest.Channel
	for i := range 4 {
		rooms = append(rooms, c.slack.Channel(fmt.Sprint("room", i), nil, people[i*600:(i+1)*600]...))
	}
	library(t, c.program, map[string]string{"wordmembers": "members", "wordpublic": "public"})
	c.slack.Fail(slacktest.Fault{Method: "users.list", Times: 1, Status: http.StatusTooManyRequests, RetryAfter: 5 * time.Second})
	all, public := []string{"wordmembers", "wordpublic"}, []string{"wordpublic"}
	asks := func(i int, what string, want []string) {
		t.Helper()
		if got := c.ask(0, people[i*600], rooms[i], all...); !slices.Equal(got, want) {
			t.Errorf("%s the prompts hold %v, want %v", what, got, want)
		}
	}
	pages := func() (n int) {
		for _, call := range c.slack.Calls("users.list") {
			if call.Status == http.StatusOK && call.Form.Get("cursor") == slacktest.Cursor+"12000" { // the last of a list
				n++
			}
		}
		return n
	}
	r := c.serve(0)
	asks(0, "while the list is read", all)
	if !slices.ContainsFunc(c.slack.Ephemeral(people[0]), func(m slacktest.Message) bool { return strings.Contains(m.Shown(), "still finding out") }) {
		t.Error("the notice that the answer waits was not posted")
	}
	ends := func() { // with nothing on its way, which Slack would deliver again only in a minute
		c.until("what happened is acknowledged", func() bool { return len(c.slack.Undelivered()) == 0 })
		r.End(syscall.SIGTERM)
	}
	ends() // in the middle of the list, as a rule
	r.Start()
	r.Ready()
	asks(1, "after the first restart", all)
	db := database(t, c.program)
	c.until("the last page of the list is read", func() bool { return pages() > 0 })
	for again := time.NewTicker(20 * time.Millisecond); ; { // it is stored a little later
		var kept bool
		if err := db.Pool.QueryRow(c.ctx, `select exists (select from audience_workspace where listed_at > '-infinity')`).Scan(&kept); err != nil {
			t.Fatalf("wait until the list is kept: %v", err)
		}
		if kept {
			again.Stop()
			break
		}
		<-again.C
	}
	ends()
	listed := len(c.slack.Calls("users.list"))
	r.Start()
	r.Ready()
	asks(2, "with the list of before", all)
	if n := len(c.slack.Calls("users.list")); n != listed {
		t.Errorf("after a restart the list was read again: %d calls, before %d", n, listed)
	}
	if n := len(c.slack.Calls("users.info")); n > 10 {
		t.Errorf("%d people were looked up", n)
	}
	ends()
	people[3*600+500].BecomeUnheard(func(p *slacktest.Person) { p.Guest = true })
	if _, err := db.Pool.Exec(c.ctx, `update audience_workspace set heard_at = heard_at - interval '1 minute'`); err != nil {
		t.Fatal(err)
	}
	r.Start()
	r.Ready()
	asks(3, "with somebody who became a guest unheard", public)
}
