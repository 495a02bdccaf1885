// Package loadtest_test drives simulated workspaces, each served by the real program with a database of its own on one PostgreSQL server, with
// one Redis and one model for all, and reports what every stage takes, and of what.
//
//	make load                              10, 100 and 1,000 answers at once
//	make load LOAD=5x10,5x50               workspaces × threads
package loadtest_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// binary is the program as it is released, without the race detector.
var binary string

func TestMain(m *testing.M) {
	os.Exit(footnotetest.Build(m, func(built string) { binary = built }))
}

// Each answer searches, and is then written for five seconds at twenty deltas a second.
const (
	words = 100
	pause = 50 * time.Millisecond
	limit = 10 * time.Minute
)

// BenchmarkLoad asks one question in every thread of every workspace at once. The servers and the questions share the machine with the
// replicas; cpu-% counts the replicas alone.
func BenchmarkLoad(b *testing.B) {
	cases := "1x10,5x20,20x50"
	if said := os.Getenv("LOAD"); said != "" {
		cases = said
	}
	for _, c := range strings.Split(cases, ",") {
		var workspaces, threads int
		if n, err := fmt.Sscanf(c, "%dx%d", &workspaces, &threads); n != 2 || err != nil || workspaces < 1 || threads < 1 {
			b.Fatalf("LOAD is a list of workspaces × threads such as 5x10,5x50; %q is neither", c)
		}
		b.Run(c, func(b *testing.B) {
			for b.Loop() {
				measure(b, workspaces, threads)
			}
		})
	}
}

// workspace is one Slack, and the replica that serves it.
type workspace struct {
	db      *postgres.DB
	slack   *slacktest.Server
	replica *footnotetest.Replica
	person  *slacktest.Person
	rooms   []*slacktest.Channel
}

func measure(b *testing.B, workspaces, threads int) {
	ctx, cancel := context.WithTimeout(b.Context(), limit)
	defer cancel()
	model, redis := openaitest.New(b), redistest.Start(b)
	model.Otherwise(answer)
	shared := footnotetest.Environment("REDIS_URL="+redis.URL(), "OPENAI_BASE_URL="+model.URL(), "LOG_LEVEL=error",
		"SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_APP_TOKEN="+slacktest.AppToken)
	all := make([]*workspace, workspaces)
	for i := range all {
		url := localtest.URL(b)
		w := &workspace{slack: slacktest.Start(slacktest.Config{})}
		b.Cleanup(w.slack.Close)
		settings := append(slices.Clone(shared), "DATABASE_URL="+url, "SLACK_API_URL="+w.slack.URL())
		footnotetest.Run(b, binary, settings, "index", "../../../README.md", "../../../deploy", "--acl", "public")
		db, err := postgres.Open(ctx, postgres.Config{URL: url})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(db.Close)
		w.db = db
		w.person = w.slack.Person("person", nil)
		for n := range threads {
			w.rooms = append(w.rooms, w.slack.Channel(fmt.Sprintf("room%d", n), nil, w.person))
		}
		w.replica = footnotetest.Serve(b, binary, settings)
		all[i] = w
	}
	for _, w := range all {
		w.replica.Ready()
	}

	began, before := time.Now(), processor(b, all)
	watch := watchConnections(ctx, all[0].db)
	var (
		wait        sync.WaitGroup
		mu          sync.Mutex
		first, last []time.Duration
	)
	for _, w := range all {
		for _, room := range w.rooms {
			wait.Go(func() {
				asked := time.Now()
				root := w.person.Say(room, "", slacktest.Mention()+" how is a document's address decided?")
				err := w.slack.Wait(ctx, "the answer", func() bool {
					return slices.ContainsFunc(w.slack.Answers(room, root), func(m slacktest.Message) bool {
						return !m.Streaming && strings.Contains(m.Shown(), "It ends here.")
					})
				})
				ended := time.Since(asked)
				if err != nil {
					b.Errorf("%v: %+v", err, w.slack.Thread(room, root))
				}
				shown := w.firstWords(room, root).Sub(asked)
				mu.Lock()
				defer mu.Unlock()
				first, last = append(first, shown), append(last, ended)
			})
		}
	}
	wait.Wait()
	took := time.Since(began)
	b.ReportMetric(100*(processor(b, all)-before).Seconds()/took.Seconds(), "cpu-%")
	report(ctx, b, all, first, last)
	b.ReportMetric(float64(watch()), "connections")
	b.ReportMetric(float64(peakMemory(b, all))/float64(workspaces)/1024, "MiB/replica")
	for _, w := range all {
		w.replica.End(syscall.SIGKILL)
	}
}

// answer searches first, as a model does, and then writes.
func answer(req openaitest.Request) openaitest.Reply {
	if req.Last("tool").Role == "" && req.Offers(openaitest.SearchTool) {
		return openaitest.Librarian(req)
	}
	return openaitest.Reply{Text: "It begins [1]. " + strings.Repeat("word ", words) + "It ends here.", Delay: pause}
}

// firstWords is when a reader saw text of the answer for the first time.
func (w *workspace) firstWords(room *slacktest.Channel, root string) time.Time {
	for _, v := range w.slack.Versions() {
		if v.Bot && v.Channel == room.ID && v.Thread == root && strings.Contains(v.Shown(), "It begins") {
			return v.At
		}
	}
	return time.Time{}
}
