package main_test

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// nextVersion is what the next version of the program adds to the schema.
const nextVersion = `-- +goose Up
alter table turn add column of_the_next_version text not null default '';
create table of_the_next_version (tenant_id text primary key);

-- +goose Down
drop table of_the_next_version;
alter table turn drop column of_the_next_version;
`

// The version is replaced by the next one, replica by replica, and put back again, while questions
// come. Both serve the same workspace and the same database at once, whose schema is newer than the
// old version. Each question is answered once, whichever takes it in.
func TestUpgradeAndRollbackWhileQuestionsCome(t *testing.T) {
	t.Parallel()
	next := footnotetest.BuildVersion(t, "1.1.0", map[string]string{"90000_next.sql": nextVersion})
	slack := slacktest.Start(slacktest.Config{Minute: 5 * time.Second}) // tiers count in seconds instead of minutes
	t.Cleanup(slack.Close)
	model := openaitest.New(t)
	model.Otherwise(func(req openaitest.Request) openaitest.Reply {
		name := ""
		for _, m := range req.Messages {
			if found := askedAbout.FindString(m.Text()); m.Role == "user" && found != "" {
				name = found
			}
		}
		words := strings.Repeat("one word after another ", 10) // it takes a few hundred milliseconds, so that replicas end in the middle
		return openaitest.Reply{Text: "The answer to " + name + " has " + words + "and here it ends.", Delay: 10 * time.Millisecond}
	})
	p := newProgram(t, socketSettings(slack, "OPENAI_BASE_URL="+model.URL())...)
	env := footnotetest.Environment(p.env...)
	if got := footnotetest.Run(t, next, env, "--version"); got != "1.1.0\n" {
		t.Errorf("the next version says that it is %q", got)
	}
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	roots := map[string]string{}
	ask := func() {
		for range 3 {
			name := "question-" + strings.Repeat("x", len(roots)+1)
			roots[name] = alice.Say(room, "", slacktest.Mention()+" what about "+name+"?")
		}
	}
	answers := func(name string) (n int) {
		for _, m := range slack.Answers(room, roots[name]) {
			if whole(m, name) {
				n++
			}
		}
		return n
	}

	old := footnotetest.Serve(t, binary, env)
	old.Ready()
	ask()
	footnotetest.Run(t, next, env, "migrate")
	ask()
	newer := footnotetest.Serve(t, next, env)
	newer.Ready()
	ask() // both take questions in
	old.End(syscall.SIGTERM)
	ask()
	old.Start() // the way back: the schema stays as it is
	old.Ready()
	ask()
	newer.End(syscall.SIGTERM)
	ask()
	if err := slack.Wait(ctx, "everything is answered", func() bool {
		for name := range roots {
			if answers(name) == 0 {
				return false
			}
		}
		return true
	}); err != nil {
		t.Fatalf("%v\n%+v", err, slack.Versions())
	}
	old.End(syscall.SIGTERM) // what is under way is finished first

	for name, root := range roots {
		if shown := slack.Answers(room, root); len(shown) != 1 || answers(name) != 1 {
			t.Errorf("%s has %d answers in %d messages:\n%+v", name, answers(name), len(shown), shown)
		}
	}
	db := database(t, p)
	var turns, open int
	err := db.Pool.QueryRow(ctx, `select count(*), count(*) filter (where state <> 'done' or outcome <> 'answered') from turn`).Scan(&turns, &open)
	if err != nil || turns != len(roots) || open > 0 {
		t.Errorf("%d turns for %d questions, %d of them not answered, %v", turns, len(roots), open, err)
	}
	for who, r := range map[string]*footnotetest.Replica{"the old version": old, "the next version": newer} {
		if !strings.Contains(r.Log(), `"turn ended"`) {
			t.Errorf("%s answered nothing:\n%s", who, r.Log())
		}
	}
	if !strings.Contains(old.Log(), "newer version of footnote") {
		t.Errorf("the old version does not say that the schema is newer:\n%s", old.Log())
	}

	// Once a migration takes away what the old version uses, the old version says so instead of
	// failing in the middle.
	if _, err := db.Pool.Exec(ctx, `update schema_floor set version = 90000`); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve"}, {"serve", "--no-migrate"}, {"ask", "anything"}} {
		r := p.with("ADMIN_ADDR=127.0.0.1:0").try(t, "", args...)
		if r.code != 1 || !strings.Contains(r.stderr, "run the newer footnote") {
			t.Errorf("%s of the old version: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
	if got := footnotetest.Run(t, next, env, "migrate"); !strings.Contains(got, "up to date") {
		t.Errorf("the next version says %q", got)
	}
}
