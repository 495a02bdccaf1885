package main_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// script runs one of the scripts that operators run, with the program's settings.
func (p *program) script(t *testing.T, name string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join("..", "..", "deploy", "install", name), args...)
	cmd.Env = append(footnotetest.Environment(p.env...), "FOOTNOTE="+binary)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode()}
}

// succeeds is script for runs that must end well.
func (p *program) succeeds(t *testing.T, name string, args ...string) {
	t.Helper()
	if r := p.script(t, name, args...); r.code != 0 {
		t.Fatalf("%s ended with %d\n%s%s", name, r.code, r.stdout, r.stderr)
	}
}

var askedAbout = regexp.MustCompile(`question-[a-z-]+`)

// echo answers each question with its own name, and stands still in the middle of those that are
// named.
func echo(model *openaitest.Server, gate <-chan struct{}, held ...string) {
	model.Otherwise(func(req openaitest.Request) openaitest.Reply {
		name := ""
		for _, m := range req.Messages {
			if found := askedAbout.FindString(m.Text()); m.Role == "user" && found != "" {
				name = found
			}
		}
		reply := openaitest.Reply{Text: "The answer to " + name + " has a beginning, which is long enough to be shown, and here it ends."}
		if slices.Contains(held, name) {
			reply.Gate, reply.GateAfter = gate, 14
		}
		return reply
	})
}

// whole reports whether a message is the whole answer to a question.
func whole(m slacktest.Message, name string) bool {
	return !m.Deleted && !m.Streaming && strings.Contains(m.Shown(), "answer to "+name+" has") && strings.Contains(m.Shown(), "here it ends")
}

// A backup is made while questions are answered. Afterwards more is answered, the database is lost,
// and the backup is put into another one. What the backup does not know is not answered again; what
// was asked meanwhile is answered, or asked about when it is too old by then.
func TestRestoredBackupRepostsNothing(t *testing.T) {
	t.Parallel()
	// By the time that a backup is restored, Slack no longer delivers what it could not.
	slack := slacktest.Start(slacktest.Config{Redeliver: []time.Duration{}})
	t.Cleanup(slack.Close)
	gate, model := make(chan struct{}), openaitest.New(t)
	echo(model, gate, "question-under-way")
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	p := newProgram(t, socketSettings(slack, "OPENAI_BASE_URL="+model.URL())...)
	p.run(t, "index", handbook(t))
	s := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	ask := func(root, name string) string {
		return alice.Say(room, root, slacktest.Mention()+" what about "+name+"?")
	}
	wait := func(what string, holds func() bool) {
		t.Helper()
		for !holds() {
			soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond) // the database changes without Slack's knowledge
			err := slack.Wait(soon, what, holds)
			cancel()
			if err != nil && ctx.Err() != nil {
				t.Fatalf("%v\n%+v\n%s", err, slack.Versions(), s.log)
			}
		}
	}
	answers := func(root, name string) int {
		return len(slices.DeleteFunc(slack.Answers(room, root), func(m slacktest.Message) bool { return !whole(m, name) }))
	}
	settled := func(root, name string) {
		t.Helper()
		wait(name+" is answered", func() bool { return answers(root, name) == 1 })
	}

	known := ask("", "question-known")
	settled(known, "question-known")
	underWay := ask("", "question-under-way")
	wait("the answer has begun", func() bool {
		a := slack.Answers(room, underWay)
		return len(a) == 1 && strings.Contains(a[0].Shown(), "has a beginning")
	})
	backup := filepath.Join(t.TempDir(), "footnote.backup")
	p.succeeds(t, "backup.sh", backup)
	if r := p.script(t, "backup.sh", backup); r.code == 0 || !strings.Contains(r.stderr, "overwrites nothing") {
		t.Errorf("the same file again: exit code %d\n%s", r.code, r.stderr)
	}

	close(gate)
	settled(underWay, "question-under-way")
	after := ask("", "question-after")
	settled(after, "question-after")
	ask(known, "question-after-too")
	settled(known, "question-after-too")
	s.stop(t)
	meanwhile := ask("", "question-meanwhile") // it comes last, and so it is looked at last
	shown := func() map[string]string {
		all := make(map[string]string)
		for _, root := range []string{known, underWay, after} {
			for _, m := range slack.Thread(room, root) {
				if !m.Deleted {
					all[m.TS] = m.Shown()
				}
			}
		}
		return all
	}
	before := shown()
	unchanged := func(when string) {
		t.Helper()
		now := shown()
		for ts, text := range now {
			if _, was := before[ts]; !was {
				t.Errorf("%s: posted anew: %s", when, text)
			}
		}
		if len(now) < len(before) {
			t.Errorf("%s: of %d messages there are %d", when, len(before), len(now))
		}
	}

	var db *postgres.DB
	restore := func(env ...string) *server {
		t.Helper()
		p = (&program{env: append([]string{"DATABASE_URL=" + localtest.URL(t)}, p.env[1:]...)}).with(env...)
		p.succeeds(t, "restore.sh", backup)
		if r := p.script(t, "restore.sh", backup); r.code == 0 || !strings.Contains(r.stderr, "restore into an empty one") {
			t.Errorf("into a database that is in use: exit code %d\n%s", r.code, r.stderr)
		}
		db = database(t, p)
		return serve(t, p)
	}
	unfinished := func() (open bool) {
		t.Helper()
		if err := db.Pool.QueryRow(t.Context(), `select exists (select from turn where state <> 'done')`).Scan(&open); err != nil {
			t.Fatal(err)
		}
		return open
	}
	// Two hours later, as far as this program can tell: everything is older than it may be.
	s = restore("REDELIVERY_MAX_AGE=1ms")
	offer := func() bool {
		a := slack.Answers(room, meanwhile)
		return len(a) == 1 && strings.Contains(a[0].Shown(), "still wanted")
	}
	wait("what was asked meanwhile is asked about", offer)
	wait("what was under way is closed", func() bool { return !unfinished() })
	s.stop(t)
	unchanged("long after")
	if !offer() {
		t.Errorf("the thread of what was asked meanwhile shows %+v", slack.Answers(room, meanwhile))
	}

	// A minute later.
	latest := ask("", "question-latest")
	s = restore("REDELIVERY_MAX_AGE=15m")
	settled(latest, "question-latest")
	settled(meanwhile, "question-meanwhile")
	wait("what was under way is answered, where it stands", func() bool { return !unfinished() && answers(underWay, "question-under-way") == 1 })
	s.stop(t)
	unchanged("soon after")
	for root, names := range map[string][]string{known: {"question-known", "question-after-too"}, after: {"question-after"}, meanwhile: {"question-meanwhile"}, latest: {"question-latest"}} {
		for _, name := range names {
			if n := answers(root, name); n != 1 {
				t.Errorf("%s has %d answers:\n%+v", name, n, slack.Thread(room, root))
			}
		}
	}
}

// shortDir is a folder for a private server: the path of its socket may have 107 bytes, and its
// server runs as another user when the tests run as root.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "footnote-private-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The private server's backup goes into another private server.
func TestBackupOfThePrivateServer(t *testing.T) {
	t.Parallel()
	dir, backup := shortDir(t), filepath.Join(t.TempDir(), "footnote.backup")
	p := &program{env: []string{"FOOTNOTE_DATA=" + dir}}
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	p.succeeds(t, "backup.sh", backup)
	other := &program{env: []string{"FOOTNOTE_DATA=" + shortDir(t)}}
	other.succeeds(t, "restore.sh", backup)
	if got := jsonOf[answered](t, other.run(t, "ask", "--json", "How many vacation days does an employee have?")); !strings.Contains(got.Answer, "thirty") {
		t.Errorf("after the restoration the answer is %+v", got)
	}
}
