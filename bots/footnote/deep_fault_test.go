package main_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// While Slack takes no message a deep search goes on to its end. Whatever process dies then, the
// thread catches up with the plan, as it was at its end, and the report, each once, and no model is
// asked again.
func TestDeepSearchOutlivesItsPlatform(t *testing.T) {
	t.Parallel()
	o := newWorkplace(t, researcher(nil))
	slack, room, db := o.slack, o.room, database(t, o.program)
	first := o.serve()
	for _, method := range []string{"chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream"} {
		slack.Fail(slacktest.Fault{Method: method, Status: 503, Times: 1000})
	}
	root := o.ask(twoMatters)
	within(o.ctx, t, "the search has come to its end", func() bool {
		var ended bool
		err := db.Pool.QueryRow(o.ctx, `select exists (select from turn where state = 'delivering' and outcome = 'answered')`).Scan(&ended)
		return err == nil && ended && len(slack.Calls("chat.postMessage")) > 0
	})
	first.kill(t)
	asked := len(o.model.ChatRequests())
	slack.Mend()
	defer o.serve().stop(t)
	o.until("the thread has caught up", func() bool {
		shown := slack.Answers(room, root)
		return len(shown) == 2 && strings.Contains(string(shown[1].Blocks), "footnote:up:")
	})
	shown := slack.Answers(room, root)
	for text, in := range map[string]slacktest.Message{"2 of 2 done · ": shown[0], " · searches: 3 · documents read: ": shown[0], "Escalate an unanswered page": shown[1]} {
		if !strings.Contains(in.Shown(), text) {
			t.Errorf("%q is not shown in %q", text, in.Shown())
		}
	}
	if n := len(o.model.ChatRequests()); n != asked {
		t.Errorf("the model was asked %d times more", n-asked)
	}
}

// The same on Discord, which takes no message from the middle of a search on.
func TestDeepSearchOutlivesDiscord(t *testing.T) {
	t.Parallel()
	model, hold, discord := openaitest.New(t), make(chan struct{}), newClub(t)
	model.Otherwise(researcher(hold))
	p := withModel(t, model, discord.settings()...)
	p.run(t, "discord", "allow", discord.guild.ID)
	db := database(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	first := serve(t, p)
	s, asked := first, ""
	until := func(what string, holds func() bool) {
		t.Helper()
		if err := discord.Until(ctx, holds); err != nil {
			t.Fatalf("%s: %v\n%+v\n%s", what, err, discord.Answers(asked), s.log)
		}
	}
	until("it is connected", discord.Connected)
	asked = discord.ann.Mention(discord.general.ID, "deep: "+twoMatters)
	until("a row has its finding", func() bool {
		shown := discord.Answers(asked)
		return len(shown) == 1 && strings.Contains(shown[0].Content, "thirty vacation days")
	})
	for _, method := range []string{http.MethodPost, http.MethodPatch} {
		discord.Inject(discordtest.Fault{Method: method, Path: "/messages", Status: http.StatusServiceUnavailable, Body: "{}", Times: 1000})
	}
	close(hold)
	within(ctx, t, "the search has come to its end, and Discord takes nothing", func() bool {
		var ended bool
		err := db.Pool.QueryRow(ctx, `select exists (select from turn where state = 'delivering' and outcome = 'answered')`).Scan(&ended)
		return err == nil && ended && discord.Count(http.StatusServiceUnavailable) > 0
	})
	first.kill(t)
	before := len(model.ChatRequests())
	discord.Mend()
	s = serve(t, p)
	defer s.stop(t)
	until("the thread has caught up", func() bool {
		shown := discord.Answers(asked)
		return len(shown) == 2 && strings.Contains(shown[0].Content, "2 of 2 done · ") && strings.Contains(shown[1].Content, "Escalate an unanswered page") && len(shown[1].Buttons) > 0
	})
	if n := len(model.ChatRequests()); n != before {
		t.Errorf("the model was asked %d times more", n-before)
	}
}

// However many deep searches run, as many of their parts are worked on as may be and no more, and
// an ordinary question that comes last is answered before any of them.
func TestOrdinaryQuestionsBesideDeepSearches(t *testing.T) {
	t.Parallel()
	const searches, together = 100, 16
	hold := make(chan struct{})
	answers := researcher(hold)
	var held atomic.Int32
	o := newWorkplace(t, func(r openaitest.Request) openaitest.Reply {
		reply := answers(r)
		if reply.Gate != nil {
			held.Add(1)
		}
		return reply
	})
	slack, alice, ctx, db := o.slack, o.alice, o.ctx, database(t, o.program)
	room, deep := slack.Channel("plain", nil, alice), slack.Channel("deep", nil, alice)
	s := o.serve()
	defer func() {
		s.kill(t) // it would write a hundred reports first
		close(hold)
	}()
	before := resident(t, s.cmd.Process.Pid)
	for range searches {
		alice.Say(deep, "", slacktest.Mention()+" deep: "+twoMatters)
	}
	within(ctx, t, "all are planned, and no more parts can be worked on", func() bool {
		var planned int
		return db.Pool.QueryRow(ctx, `select count(*) from deep_search where steerable`).Scan(&planned) == nil && planned == searches && held.Load() == together
	})
	during := resident(t, s.cmd.Process.Pid)
	root := alice.Say(room, "", slacktest.Mention()+" How do I roll back a failed deployment?")
	o.until("the ordinary question is answered", func() bool {
		shown := slack.Answers(room, root)
		return len(shown) == 1 && strings.Contains(shown[0].Shown(), "make rollback")
	})
	var ended int
	if err := db.Pool.QueryRow(ctx, `select count(*) from turn where outcome is not null and id in (select turn_id from deep_search)`).Scan(&ended); err != nil || ended != 0 || held.Load() != together {
		t.Errorf("%d deep searches have ended, and %d parts were begun: %v", ended, held.Load(), err)
	}
	t.Logf("%d deep searches at once: %d KiB resident, %d before", searches, during, before)
}

// resident is how much memory a process holds, in KiB.
func resident(t *testing.T, pid int) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib
		}
	}
	t.Fatal("the system does not say how much memory the process holds")
	return 0
}
