package main_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// While Slack takes no message a deep search goes on to its end. Whatever process dies then, the thread catches up with the plan, as it was at its end, and the report,
// each once, and no model is asked again.
func TestDeepSearchOutlivesItsPlatform(t *testing.T) {
	t.Parallel()
	model := openaitest.New(t)
	model.Otherwise(researcher(nil))
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	p := withModel(t, model, socketSettings(slack)...)
	db := database(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	first := serve(t, p)
	first.inSlack(ctx, t, slack)
	for _, method := range []string{"chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream"} {
		slack.Fail(slacktest.Fault{Method: method, Status: 503, Times: 1000})
	}
	root := alice.Say(room, "", slacktest.Mention()+" deep: "+twoMatters)
	within(ctx, t, "the search has come to its end", func() bool {
		var ended bool
		err := db.Pool.QueryRow(ctx, `select exists (select from turn where state = 'delivering' and outcome = 'answered')`).Scan(&ended)
		return err == nil && ended && len(slack.Calls("chat.postMessage")) > 0
	})
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.ended
	asked := len(model.ChatRequests())
	slack.Mend()
	second := serve(t, p)
	defer second.stop(t)
	if err := slack.Wait(ctx, "the thread has caught up", func() bool {
		shown := slack.Answers(room, root)
		return len(shown) == 2 && strings.Contains(string(shown[1].Blocks), "footnote:up:")
	}); err != nil {
		t.Fatalf("%v\n%+v\n%s", err, slack.Answers(room, root), second.log)
	}
	shown := slack.Answers(room, root)
	for text, in := range map[string]slacktest.Message{"2 of 2 done · ": shown[0], " · searches: 3 · documents read: ": shown[0], "Escalate an unanswered page": shown[1]} {
		if !strings.Contains(in.Shown(), text) {
			t.Errorf("%q is not shown in %q", text, in.Shown())
		}
	}
	if n := len(model.ChatRequests()); n != asked {
		t.Errorf("the model was asked %d times more", n-asked)
	}
}

// However many deep searches run, as many of their parts are worked on as may be and no more, and an ordinary question that comes last is answered before any of them.
func TestOrdinaryQuestionsBesideDeepSearches(t *testing.T) {
	t.Parallel()
	const searches, together = 100, 16
	model, hold := openaitest.New(t), make(chan struct{})
	answers := researcher(hold)
	var held atomic.Int32
	model.Otherwise(func(r openaitest.Request) openaitest.Reply {
		reply := answers(r)
		if reply.Gate != nil {
			held.Add(1)
		}
		return reply
	})
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	p := withModel(t, model, socketSettings(slack)...)
	db := database(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	alice := slack.Person("alice", nil)
	room, deep := slack.Channel("plain", nil, alice), slack.Channel("deep", nil, alice)
	s := serve(t, p)
	defer func() {
		if err := s.cmd.Process.Kill(); err != nil { // it would write a hundred reports first
			t.Error(err)
		}
		<-s.ended
		close(hold)
	}()
	s.inSlack(ctx, t, slack)
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
	if err := slack.Wait(ctx, "the ordinary question is answered", func() bool {
		shown := slack.Answers(room, root)
		return len(shown) == 1 && strings.Contains(shown[0].Shown(), "make rollback")
	}); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
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
