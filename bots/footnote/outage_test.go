package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
	"github.com/footnotehq/footnote/core/thread"
)

// office is a Slack with somebody in a channel, and a model whose first answers are held up in the
// middle, one gate each; every further answer is whole.
type office struct {
	testing.TB
	slack *slacktest.Server
	alice *slacktest.Person
	room  *slacktest.Channel
	model *openaitest.Server
	env   []string
}

const (
	beginning = "This answer has a beginning"
	ending    = "and it has an end."
)

func newOffice(t testing.TB, gates ...chan struct{}) *office {
	t.Helper()
	o := &office{TB: t, slack: slacktest.Start(slacktest.Config{NoTiers: true})}
	t.Cleanup(o.slack.Close)
	var held []openaitest.Reply
	for _, gate := range gates {
		held = append(held, openaitest.Reply{Text: beginning + ". There is more, " + ending, Gate: gate, GateAfter: 8})
	}
	o.model = openaitest.New(t, held...)
	o.model.Otherwise(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: beginning + ". There is more, " + ending}
	})
	o.alice = o.slack.Person("alice", nil)
	o.room = o.slack.Channel("help", nil, o.alice)
	o.env = footnotetest.Environment(socketSettings(o.slack, "OPENAI_BASE_URL="+o.model.URL(), "LOG_FORMAT=json")...)
	return o
}

func (o *office) serve(settings ...string) *footnotetest.Replica {
	o.Helper()
	return footnotetest.Serve(o, binary, append(slices.Clone(o.env), settings...))
}

func (o *office) ask(text string) (root string) {
	return o.alice.Say(o.room, "", slacktest.Mention()+" "+text)
}

// until waits for a condition of what Slack shows.
func (o *office) until(what string, holds func() bool) {
	o.Helper()
	ctx, cancel := context.WithTimeout(o.Context(), limit)
	defer cancel()
	if err := o.slack.Wait(ctx, what, holds); err != nil {
		o.Fatalf("%v\n%+v", err, o.slack.Versions())
	}
}

func (o *office) begun(root string) {
	o.Helper()
	o.until("words of the answer", func() bool {
		return slices.ContainsFunc(o.slack.Answers(o.room, root), func(m slacktest.Message) bool { return strings.Contains(m.Shown(), beginning) })
	})
}

// answered waits for the whole answer, beside which there is nothing.
func (o *office) answered(root string) {
	o.Helper()
	o.until("one whole answer", func() bool {
		a := o.slack.Answers(o.room, root)
		return len(a) == 1 && isWhole(a[0])
	})
}

func isWhole(m slacktest.Message) bool {
	return !m.Streaming && strings.Contains(m.Shown(), ending) && !strings.Contains(string(m.Blocks), thread.ButtonID(thread.ActionStop, ""))
}

// A replica that is told to end takes no more questions, finishes what it writes, and hands over
// what takes too long. One that is told twice ends at once, and another takes over.
func TestRollingDeploy(t *testing.T) {
	t.Parallel()
	gates := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	o := newOffice(t, gates...)
	p := newProgram(t)
	patient, hasty := p.env[0], "SHUTDOWN_GRACE=1s"
	first := o.serve(patient, "SHUTDOWN_GRACE=5m")
	first.Ready()

	inGrace := o.ask("one?")
	o.begun(inGrace)
	second := o.serve(p.env[0], hasty)
	second.Ready()
	first.Signal(syscall.SIGTERM)
	first.Unready()
	meanwhile := o.ask("two?")
	close(gates[1]) // whatever answers it
	o.answered(meanwhile)
	if a := o.slack.Answers(o.room, inGrace); len(a) != 1 || !a[0].Streaming {
		t.Errorf("the first answer was not waited for: %+v", a)
	}
	close(gates[0])
	o.answered(inGrace)
	first.Ended()
	if n := len(o.model.ChatRequests()); n != 2 {
		t.Errorf("the model was asked %d times, want 2: an answer in grace is not begun anew", n)
	}

	tooLong := o.ask("three?")
	o.begun(tooLong)
	first = o.serve(patient, "SHUTDOWN_GRACE=5m")
	first.Ready()
	second.End(syscall.SIGTERM) // although the answer hangs
	o.answered(tooLong)

	var twice string
	hold := make(chan struct{})
	o.model.Otherwise(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: beginning + ". There is more, " + ending, Gate: hold, GateAfter: 8}
	})
	twice = o.ask("four?")
	o.begun(twice)
	o.model.Otherwise(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: beginning + ". There is more, " + ending}
	})
	second = o.serve(p.env[0], hasty)
	second.Ready()
	first.Signal(syscall.SIGTERM)
	first.Unready()
	first.Signal(syscall.SIGTERM)
	first.Gone()
	o.answered(twice)
	close(hold)
}

// The database is restarted in the middle of an answer: there is one answer, and it is whole.
func TestPostgresRestartsDuringAnAnswer(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "footnote-restart-") // short: a socket's path may have 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // its server runs as another user when the tests run as root
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	t.Cleanup(cancel)
	start := func() *local.Cluster {
		c, err := local.Start(ctx, local.Config{Dir: dir, Settings: map[string]string{"fsync": "off"}, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	cluster := start()
	t.Cleanup(func() { _ = cluster.Close(ctx) })
	gate := make(chan struct{})
	o := newOffice(t, gate)
	r := o.serve("DATABASE_URL=" + cluster.URL())
	r.Ready()
	root := o.ask("one?")
	o.begun(root)
	if err := cluster.Close(ctx); err != nil {
		t.Fatal(err)
	}
	r.Unready()
	r.Unready()
	cluster = start()
	r.Ready()
	r.Ready()
	for _, said := range []string{"the database does not answer", "the database answers again"} { // which it is, once
		if n := r.Logged(said); n != 1 {
			t.Errorf("the log says %d times that %s", n, said)
		}
	}
	close(gate)
	o.answered(root)
	next := o.ask("two?")
	o.answered(next)
	r.End(syscall.SIGTERM)
	if a := o.slack.Answers(o.room, root); len(a) != 1 || !isWhole(a[0]) {
		t.Errorf("in the end the thread shows %+v", a)
	}
}

// Without its Redis a replica starts and answers, says so, and finds Redis once it is there; it may
// go again at any time.
func TestRedisComesAndGoes(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	redis.Stop()
	gates := []chan struct{}{make(chan struct{}), make(chan struct{})}
	o := newOffice(t, gates...)
	r := o.serve(newProgram(t).env[0], "REDIS_URL="+redis.URL())
	r.Ready()
	says := func(want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		for told := ""; !strings.HasPrefix(told, want); {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.Admin+"/readyz", nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatalf("readiness says of redis %q, want %q: %v", told, want, err)
			}
			var parts map[string]string
			if err := json.NewDecoder(res.Body).Decode(&parts); err != nil || res.StatusCode != http.StatusOK {
				t.Fatalf("readiness: %s, %v, %v", res.Status, parts, err)
			}
			_ = res.Body.Close() // it was read
			told = parts["redis"]
		}
	}
	says("not connected")
	stopped := o.ask("one?")
	o.begun(stopped)
	o.alice.React(o.room, stopped, "octagonal_sign")
	o.until("a stop works within the process", func() bool {
		a := o.slack.Answers(o.room, stopped)
		return len(a) == 1 && !a[0].Streaming && strings.Contains(strings.ToLower(a[0].Shown()), "stopped")
	})
	redis.Restart()
	says("connected")
	lost := o.ask("two?")
	o.begun(lost)
	redis.Stop()
	says("not connected")
	close(gates[1])
	o.answered(lost)
	o.answered(o.ask("three?"))
}

// Two replicas on a Redis Cluster lose the master that carries their stops, in the middle of an
// answer. That goes on, and once the master's replica has taken its place stops reach whichever
// replica answers.
func TestRedisClusterLosesAMaster(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartReplicatedCluster(t)
	gates := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	o := newOffice(t, gates...)
	p := newProgram(t, "REDIS_URL="+cluster.URL())
	replicas := []*footnotetest.Replica{o.serve(p.env...), o.serve(p.env...)}
	logged := func(text string) {
		t.Helper()
		again, end := time.NewTicker(20*time.Millisecond), time.After(limit)
		defer again.Stop()
		for _, r := range replicas {
			for !strings.Contains(r.Log(), text) {
				select {
				case <-again.C:
				case <-end:
					t.Fatalf("a replica does not say %q", text)
				}
			}
		}
	}
	for _, r := range replicas {
		r.Ready()
	}
	lost := o.ask("one?")
	o.begun(lost)
	cluster.KillMasterOf("footnote:stop")
	logged("redis subscription lost")
	close(gates[0])
	o.answered(lost)
	logged("redis subscription restored")
	for _, text := range []string{"two?", "three?"} {
		stopped := o.ask(text)
		o.begun(stopped)
		o.alice.React(o.room, stopped, "octagonal_sign")
		o.until("the stop of "+text, func() bool {
			a := o.slack.Answers(o.room, stopped)
			return len(a) == 1 && !a[0].Streaming && strings.Contains(strings.ToLower(a[0].Shown()), "stopped")
		})
	}
}

// Every replica is away for half an hour. Of what was asked meanwhile, and of what had been taken
// in before, each question is asked about; what is younger is answered.
func TestEveryReplicaIsAwayForHalfAnHour(t *testing.T) {
	t.Parallel()
	discord, err := discordtest.New(discordtest.Config{IdentifyEvery: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() }) // the process was killed
	hold := make(chan struct{})
	o := newOffice(t, hold, hold)
	p := newProgram(t, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL())
	guild := discord.AddGuild("Guild")
	general, bob := guild.AddText("general"), guild.AddPerson("bob", false)
	r := o.serve(p.env...)
	r.Ready()
	until := func(what string, holds func() bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		if discord.Until(ctx, holds) != nil {
			t.Fatalf("it did not come about that %s\n%+v", what, discord.Versions())
		}
	}
	broken := bob.Mention(general.ID, "Is this written to its end?")
	until("words appear in Discord", func() bool {
		a := discord.Answers(broken)
		return len(a) == 1 && strings.Contains(a[0].Content, beginning)
	})
	half := o.ask("and this?")
	o.begun(half)
	talk := o.ask("and what is whole?")
	o.answered(talk)
	r.End(syscall.SIGKILL)
	db := database(t, p)
	for _, age := range []string{
		`update turn set intake_at = intake_at - interval '31 minutes'`,
		`update replica set started_at = started_at - interval '31 minutes', expires_at = expires_at - interval '31 minutes'`,
	} {
		if _, err := db.Pool.Exec(t.Context(), age); err != nil {
			t.Fatal(err)
		}
	}
	var old, young []string
	var oldThere, youngThere []string
	for i := range 3 { // twenty are asked about in the tests of the platforms, without the pauses that leave Slack's rates to answers
		old = append(old, o.alice.Earlier(o.room, "", fmt.Sprintf("%s question %d?", slacktest.Mention(), i), 30*time.Minute))
		oldThere = append(oldThere, bob.Earlier(general.ID, fmt.Sprintf("Question %d?", i), 30*time.Minute))
		young = append(young, o.alice.Earlier(o.room, "", fmt.Sprintf("%s young question %d?", slacktest.Mention(), i), 5*time.Minute))
		youngThere = append(youngThere, bob.Earlier(general.ID, fmt.Sprintf("Young question %d?", i), 5*time.Minute))
	}
	o.alice.Earlier(o.room, talk, "and what without a mention?", 5*time.Minute)
	close(hold)
	r.Start()
	r.Ready()
	for _, root := range young {
		o.answered(root)
	}
	o.until("the follow-up is answered", func() bool {
		a := o.slack.Answers(o.room, talk)
		return len(a) == 2 && isWhole(a[0]) && isWhole(a[1])
	})
	for _, question := range youngThere {
		until("a young question is answered in Discord", func() bool {
			a := discord.Answers(question)
			return len(a) == 1 && strings.Contains(a[0].Content, ending) && !strings.Contains(a[0].Content, "▌")
		})
	}
	for _, root := range old {
		o.until("an old question is asked about", func() bool {
			a := o.slack.Answers(o.room, root)
			return len(a) == 1 && strings.Contains(a[0].Shown(), "still wanted")
		})
	}
	for _, question := range oldThere {
		until("an old question is asked about in Discord", func() bool {
			return slices.ContainsFunc(discord.Answers(general.ID), func(v discordtest.Version) bool {
				return v.ReplyTo == question && strings.Contains(v.Content, "still wanted")
			})
		})
	}
	o.until("the half-written answer has an end", func() bool {
		a := o.slack.Answers(o.room, half)
		return len(a) == 1 && !a[0].Streaming && strings.Contains(a[0].Shown(), "I was interrupted")
	})
	until("the half-written answer has an end in Discord", func() bool {
		a := discord.Answers(broken)
		return len(a) == 1 && strings.Contains(a[0].Content, "I was interrupted")
	})
	r.End(syscall.SIGTERM)
}
