// Package loadtest_test drives simulated workspaces, each a Slack and a Discord that are served by
// the real program with a database of its own on one PostgreSQL server and a Redis of its own,
// since all of these workspaces have one name, and with one model for all. It reports what every
// stage takes, and of what, and where it bends.
//
//	make load                              10, 100 and 1,000 answers at once
//	make load LOAD=5x10,5x50               workspaces × threads
//	make load MIX=1                        of four questions, one is edited, one stopped, one deleted
package loadtest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
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

// binary is the program as it is released, without the race detector.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" { // there is nothing to run
		os.Exit(m.Run())
	}
	os.Exit(footnotetest.Build(m, func(built string) { binary = built }))
}

// Each answer searches, and is then written for five seconds at twenty deltas a second.
const (
	words = 100
	pause = 50 * time.Millisecond
	limit = 10 * time.Minute
)

const (
	begins = "It begins"
	ends   = "It ends here."
	edited = "(edited)" // stands in a question that was edited
	again  = "It is written again"
)

// BenchmarkLoad asks one question in every thread of every workspace at once, in Slack and in
// Discord in turn. The servers and the questions share the machine with the replicas and go first,
// since a platform and its people do not wait for the program's processors; replicas-% counts the
// replicas' processor time alone, machine-% everybody's.
func BenchmarkLoad(b *testing.B) {
	cases := "1x10,5x20,20x50"
	if said := os.Getenv("LOAD"); said != "" {
		cases = said
	}
	var all []figures
	for _, c := range strings.Split(cases, ",") {
		var workspaces, threads int
		if n, err := fmt.Sscanf(c, "%dx%d", &workspaces, &threads); n != 2 || err != nil || workspaces < 1 || threads < 1 {
			b.Fatalf("LOAD is a list of workspaces × threads such as 5x10,5x50; %q is neither", c)
		}
		b.Run(c, func(b *testing.B) {
			for b.Loop() {
				f := measure(b, workspaces, threads)
				f.report(b)
				all = append(all, f)
			}
		})
	}
	fmt.Printf("%s\n%s\n\n", table(all), knee(all)) // a benchmark that has others under it shows no log
}

// workspace is one Slack and one Discord, and the replica that serves them.
type workspace struct {
	db      *postgres.DB
	slack   *slacktest.Server
	discord *discordtest.Server
	replica *footnotetest.Replica
	talks   []footnotetest.Talk
	before  []footnotetest.Talk // whose questions are answered before
}

func begin(ctx context.Context, b *testing.B, shared []string, threads int) *workspace {
	b.Helper()
	url := localtest.URL(b)
	w := &workspace{slack: slacktest.Start(slacktest.Config{})}
	b.Cleanup(w.slack.Close)
	var err error
	if w.discord, err = discordtest.New(discordtest.Config{}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = w.discord.Close() }) // the replica was killed
	settings := append(slices.Clone(shared), "DATABASE_URL="+url, "REDIS_URL="+redistest.Start(b).URL(), "SLACK_API_URL="+w.slack.URL(),
		"DISCORD_BOT_TOKEN="+w.discord.Token(), "DISCORD_API_URL="+w.discord.URL())
	footnotetest.Run(b, binary, settings, "index", "../../../deploy/docs", "--acl", "public")
	if w.db, err = postgres.Open(ctx, postgres.Config{URL: url}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.db.Close)
	somebody, guild := w.slack.Person("person", nil), w.discord.AddGuild("Guild")
	member := guild.AddPerson("person", false)
	for n := range threads {
		name := fmt.Sprintf("room%d", n)
		if n%2 == 0 {
			w.talks = append(w.talks, footnotetest.InSlack{Server: w.slack, Person: somebody, Room: w.slack.Channel(name, nil, somebody)})
		} else {
			w.talks = append(w.talks, footnotetest.InDiscord{Server: w.discord, Person: member, Room: guild.AddText(name)})
		}
	}
	w.before = []footnotetest.Talk{
		footnotetest.InSlack{Server: w.slack, Person: somebody, Room: w.slack.Channel("before", nil, somebody)},
		footnotetest.InDiscord{Server: w.discord, Person: member, Room: guild.AddText("before")},
	}
	w.replica = footnotetest.ServeBehind(b, binary, settings)
	return w
}

// asked is a question and its thread.
type asked struct {
	in   footnotetest.Talk
	of   *workspace
	root string
	mark string // stands in the question, by which the model's side knows it
	at   time.Time

	change string        // what its person does while the answer is written; empty: nothing
	took   time.Duration // until that showed
}

// changeOf is what the person of a thread does. The platforms take turns by thread.
func changeOf(thread int) string {
	if os.Getenv("MIX") == "" {
		return ""
	}
	return []string{"", edit, stop, remove}[thread/2%4]
}

func measure(b *testing.B, workspaces, threads int) figures {
	ctx, cancel := context.WithTimeout(b.Context(), limit)
	defer cancel()
	model := openaitest.New(b)
	model.Otherwise(answer)
	shared := footnotetest.Environment("OPENAI_BASE_URL="+model.URL(), "LOG_LEVEL=error",
		"SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_APP_TOKEN="+slacktest.AppToken)
	all := make([]*workspace, workspaces)
	for i := range all {
		all[i] = begin(ctx, b, shared, threads)
	}
	for _, w := range all {
		w.replica.Ready()
	}
	answerBefore(ctx, b, all)

	committed := transactions(ctx, b, all)
	began, before, busy := time.Now(), processor(b, all), readMachine(b)
	watch := watchConnections(ctx, all)
	var (
		wait      sync.WaitGroup
		mu        sync.Mutex
		questions []asked
	)
	for i, w := range all {
		for n, t := range w.talks {
			wait.Go(func() {
				q := asked{in: t, of: w, mark: fmt.Sprintf("(W%dT%d)", i, n), at: time.Now()}
				if q.change = changeOf(n); q.change == "" {
					q.root = ask(ctx, b, t, q.mark)
				} else {
					q.root, q.took = interrupt(ctx, b, t, q.mark, q.change)
				}
				mu.Lock()
				defer mu.Unlock()
				questions = append(questions, q)
			})
		}
	}
	wait.Wait()
	took := time.Since(began)
	f := figures{name: fmt.Sprintf("%dx%d", workspaces, threads), answers: workspaces * threads}
	used := processor(b, all) - before
	f.replicas = 100 * used.Seconds() / took.Seconds()
	f.perAnswer = float64(used.Milliseconds()) / float64(f.answers)
	f.machine = busy.since(b)
	f.connections = watch()
	f.transactions = float64(transactions(ctx, b, all)-committed) / float64(f.answers)
	f.memory = float64(peakMemory(b, all)) / float64(workspaces) / 1024
	for _, w := range all {
		f.refused += w.slack.Limited() + w.discord.Count(429)
	}
	f.stages = stages(ctx, b, all, questions, model, began)
	for _, w := range all {
		w.replica.End(syscall.SIGKILL)
	}
	return f
}

// interrupt asks in a new thread, and edits, stops or deletes once words are visible. It returns
// how long it took until that showed: the new answer's first words, an answer that is not written
// any more, or one that says that its question was deleted.
func interrupt(ctx context.Context, b *testing.B, t footnotetest.Talk, mark, change string) (root string, took time.Duration) {
	b.Helper()
	root = t.Begin(question + mark)
	shows := func(text string) bool {
		return slices.ContainsFunc(t.Shows(root), func(p footnotetest.Post) bool { return strings.Contains(p.Text, text) })
	}
	err := t.Until(ctx, func() bool { return shows(begins) })
	changed := time.Now()
	var holds func() bool
	switch change {
	case edit:
		t.Edit(root, question+mark+" "+edited)
		holds = func() bool { return shows(again) }
	case stop:
		t.Stop(root)
		holds = func() bool {
			return !slices.ContainsFunc(t.Shows(root), func(p footnotetest.Post) bool { return p.Writing })
		}
	case remove:
		t.Delete(root)
		holds = func() bool { return shows("The question was deleted.") }
	}
	if err == nil {
		err = t.Until(ctx, holds)
	}
	took = time.Since(changed)
	if err == nil && change == edit {
		err = t.Until(ctx, func() bool { return shows(ends) })
	}
	if err != nil {
		b.Errorf("%s: the %s does not show: %v, but %v", t, change, err, t.Shows(root))
	}
	if change == stop && shows(ends) {
		b.Errorf("%s: a stopped answer was written to its end after %s: %v", t, took, t.Shows(root))
	}
	return root, took
}

const question = "how is a document's address decided? "

// ask asks in a thread of its own and waits for the answer.
func ask(ctx context.Context, b *testing.B, t footnotetest.Talk, mark string) (root string) {
	b.Helper()
	root = t.Begin(question + mark)
	err := t.Until(ctx, func() bool {
		return slices.ContainsFunc(t.Shows(root), func(p footnotetest.Post) bool { return !p.Writing && strings.Contains(p.Text, ends) })
	})
	if err != nil {
		b.Errorf("%s was not answered: %v, and shows %v", t, err, t.Shows(root))
	}
	return root
}

// answerBefore has every replica answer a question on each platform, so that a crowd meets
// processes that are at work, and not such as are connecting and planning their first statements.
func answerBefore(ctx context.Context, b *testing.B, all []*workspace) {
	b.Helper()
	var wait sync.WaitGroup
	for _, w := range all {
		for _, t := range w.before {
			wait.Go(func() { ask(ctx, b, t, "") })
		}
	}
	wait.Wait()
}

// answer searches first, as a model does, and then writes.
func answer(req openaitest.Request) openaitest.Reply {
	if req.Last("tool").Role == "" && req.Offers(openaitest.SearchTool) {
		return openaitest.Librarian(req)
	}
	begins := begins
	if slices.ContainsFunc(req.Messages, func(m openaitest.Message) bool { return m.Role == "user" && strings.Contains(m.Text(), edited) }) {
		begins = again
	}
	return openaitest.Reply{Text: begins + " [1]. " + strings.Repeat("word ", words) + ends, Delay: pause}
}
