package main_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/standbytest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// Searches go to a replica of the database and, when it dies, to the database itself; readiness says which.
func TestServeSearchesOnAReplica(t *testing.T) {
	t.Parallel()
	pair, slack := standbytest.Start(t), slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	p := newProgram(t, socketSettings(slack, "DATABASE_URL="+pair.Primary(), "SEARCH_DATABASE_URL="+pair.Standby())...)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "public")
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	s := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	answered := func(question, text string) {
		t.Helper()
		root := alice.Say(room, "", slacktest.Mention()+" "+question)
		if err := slack.Wait(ctx, "the answer to "+question, func() bool {
			for _, m := range slack.Answers(room, root) {
				if strings.Contains(m.Shown(), text) && !m.Streaming {
					return true
				}
			}
			return false
		}); err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
	}
	s.readiness(ctx, t, http.StatusOK, map[string]string{"status": "ok", "database": "ok", "search_replica": "answers searches"})
	answered("How many vacation days does an employee have?", "thirty vacation days")
	pair.Kill()
	answered("How do I roll back a failed deployment?", "make rollback")
	s.readiness(ctx, t, http.StatusOK, map[string]string{"status": "degraded", "search_replica": "away or behind"})
	pair.Restart()
	s.readiness(ctx, t, http.StatusOK, map[string]string{"status": "ok", "search_replica": "answers searches"})
	s.stop(t)
}
