package main_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// scene is a workspace whose questions are answered with their own names.
type scene struct {
	*slacktest.Server
	t     *testing.T
	ctx   context.Context
	model *openaitest.Server
	alice *slacktest.Person
	room  *slacktest.Channel
}

// stage opens a workspace. The model stands still, until gate is closed, in the middle of what is
// named in held.
func stage(t *testing.T, gate <-chan struct{}, held ...string) *scene {
	t.Helper()
	s := &scene{Server: slacktest.Start(slacktest.Config{
		Minute: 5 * time.Second, Redeliver: []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second},
	}), t: t, model: openaitest.New(t)}
	t.Cleanup(s.Close)
	echo(s.model, gate, held...)
	s.alice = s.Person("alice", nil)
	s.room = s.Channel("help", nil, s.alice)
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return s
}

func (s *scene) settings() []string {
	return socketSettings(s.Server, "OPENAI_BASE_URL="+s.model.URL())
}

func (s *scene) ask(name string) (root string) {
	return s.alice.Say(s.room, "", slacktest.Mention()+" what about "+name+"?")
}

// until waits for what may change without Slack's knowledge.
func (s *scene) until(what string, holds func() bool) {
	s.t.Helper()
	for !holds() {
		soon, cancel := context.WithTimeout(s.ctx, 50*time.Millisecond)
		err := s.Wait(soon, what, holds)
		cancel()
		if err != nil && s.ctx.Err() != nil {
			s.t.Fatalf("%v\n%+v", err, s.Versions())
		}
	}
}

// answered waits for a question's answer, of which there is one, whole.
func (s *scene) answered(root, name string) {
	s.t.Helper()
	s.until(name+" is answered", func() bool {
		a := s.Answers(s.room, root)
		return len(a) > 0 && whole(a[len(a)-1], name)
	})
	if a := s.Answers(s.room, root); len(a) != 1 {
		s.t.Errorf("%s is answered in %d messages:\n%+v", name, len(a), a)
	}
}

// said waits until a process has logged something.
func (s *scene) said(r *footnotetest.Replica, text string) {
	s.t.Helper()
	s.until("the process says "+text, func() bool { return strings.Contains(r.Log(), text) })
}

// The disk of the database is full when a question comes, which is refused, and when an answer is
// to be stored, which is done later. The log says what to do.
func TestDiskIsFullWhileAnswering(t *testing.T) {
	t.Parallel()
	s := stage(t, nil)
	p := newProgram(t, s.settings()...)
	db := database(t, p)
	execute := func(sql string) {
		t.Helper()
		if _, err := db.Pool.Exec(s.ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	execute(`create function full_disk() returns trigger language plpgsql as $$ begin
		raise exception 'could not extend file "base/1/2": No space left on device' using errcode = 'disk_full'; end $$`)
	r := footnotetest.Serve(t, binary, footnotetest.Environment(p.env...))
	r.Ready()

	execute(`create trigger full_disk before insert on message for each row when (new.role = 'user') execute function full_disk()`)
	s.ask("question-refused")
	s.until("the refusal", func() bool {
		return slices.ContainsFunc(s.Ephemeral(s.alice), func(m slacktest.Message) bool {
			return strings.Contains(m.Shown(), "the disk of my database is full")
		})
	})
	s.said(r, "make room there")
	execute(`drop trigger full_disk on message`)
	taken := s.ask("question-taken-in") // at once
	s.answered(taken, "question-taken-in")

	execute(`create trigger full_disk before insert on message for each row when (new.role = 'assistant') execute function full_disk()`)
	stored := s.ask("question-stored")
	s.said(r, "what came of a turn is not stored; trying again")
	execute(`drop trigger full_disk on message`)
	s.answered(stored, "question-stored")
	s.until("both turns are at their end", func() bool {
		var n int
		err := db.Pool.QueryRow(s.ctx, `select count(*) from turn where state = 'done' and outcome = 'answered'`).Scan(&n)
		return err == nil && n == 2
	})
	r.End(syscall.SIGTERM)
}

// The database has no connection left at the start, and again in the middle.
func TestTooFewConnections(t *testing.T) {
	t.Parallel()
	const most = 12
	cluster, err := local.Start(t.Context(), local.Config{Dir: shortDir(t), Logger: slog.New(slog.DiscardHandler), Settings: map[string]string{
		"max_connections": fmt.Sprint(most), "superuser_reserved_connections": "0", "fsync": "off", "max_wal_senders": "0",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
		defer cancel()
		if err := cluster.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	s := stage(t, nil)
	p := &program{env: append([]string{"DATABASE_URL=" + cluster.URL()}, s.settings()...)}
	p.run(t, "migrate")
	control := hold(s.ctx, cluster.URL())
	if control == nil {
		t.Fatal("there is no connection at all")
	}
	t.Cleanup(control.Close)
	var held []*postgres.DB
	take := func() bool { // all connections that are free
		for len(held)+1 < most {
			db := hold(s.ctx, cluster.URL())
			if db == nil {
				return false
			}
			held = append(held, db)
		}
		return true
	}
	give := func() {
		for _, db := range held {
			db.Close()
		}
		held = nil
	}
	t.Cleanup(give)

	s.until("no connection is left", take)
	const advice = "the database server has no connection left"
	if got := p.try(t, "", "ask", "anything"); got.code != 1 || !strings.Contains(got.stderr, advice) {
		t.Errorf("without a connection: exit code %d\n%s", got.code, got.stderr)
	}
	r := footnotetest.Serve(t, binary, footnotetest.Environment(p.env...))
	s.said(r, "waiting for a connection of the database")
	give()
	r.Ready()
	first := s.ask("question-first")
	s.answered(first, "question-first")
	s.said(r, "turn ended")

	s.until("no connection is left to the process", func() bool {
		// Ours say so by their name.
		if _, err := control.Pool.Exec(s.ctx, `select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and application_name <> 'held'`); err != nil {
			t.Fatal(err)
		}
		log := r.Log()
		return take() && strings.Contains(log[strings.LastIndex(log, "turn ended"):], advice)
	})
	second := s.ask("question-second")
	give()
	s.answered(second, "question-second")
	r.End(syscall.SIGTERM)
}

// hold takes one connection; nil when there is none.
func hold(ctx context.Context, url string) *postgres.DB {
	db, err := postgres.Open(ctx, postgres.Config{URL: url + "&application_name=held", MaxConns: 1})
	if err != nil {
		return nil
	}
	if err := db.Pool.Ping(ctx); err != nil {
		db.Close()
		return nil
	}
	return db
}

// The database's clock is an hour ahead of those of all processes, or behind. Leases are the
// database's: one process takes over from another that was killed in the middle, at once, and
// nothing counts as too old, or as not yet due.
func TestClocksAreAnHourApart(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"1 hour", "-1 hour"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			gate := make(chan struct{})
			s := stage(t, gate, "question-held")
			p := newProgram(t, s.settings()...)
			skew(t, p, by)
			p.run(t, "index", handbook(t))
			env := footnotetest.Environment(p.env...)
			killed := footnotetest.Serve(t, binary, env)
			killed.Ready()
			first := s.ask("question-first")
			s.answered(first, "question-first")
			held := s.ask("question-held")
			s.until("the answer has begun", func() bool {
				a := s.Answers(s.room, held)
				return len(a) == 1 && strings.Contains(a[0].Shown(), "has a beginning")
			})
			killed.End(syscall.SIGKILL)
			close(gate)
			r := footnotetest.Serve(t, binary, env)
			r.Ready()
			s.answered(held, "question-held")
			last := s.ask("question-last")
			s.answered(last, "question-last")
			r.End(syscall.SIGTERM)
		})
	}
}

// skew sets a database's clock, for everything that asks it for the time from now on.
func skew(t *testing.T, p *program, by string) {
	t.Helper()
	sql := "create schema skew; "
	for name, volatility := range map[string]string{"clock_timestamp": "volatile", "statement_timestamp": "stable", "now": "stable", "transaction_timestamp": "stable"} {
		sql += fmt.Sprintf(`create function skew.%[1]s() returns timestamptz language sql %[2]s as $$ select pg_catalog.%[1]s() + interval '%[3]s' $$; `, name, volatility, by)
	}
	// Listed, pg_catalog is no longer looked at first of all.
	sql += `do $$ begin execute format('alter database %I set search_path = skew, pg_catalog, public', current_database()); end $$`
	p.run(t, "database", "--", "sh", "-c", `exec psql "$DATABASE_URL" --no-psqlrc --quiet --set ON_ERROR_STOP=1 --command "$1"`, "sh", sql)
}

// A role that was granted what answering needs, and nothing else, indexes, serves with all work
// beside, and answers; the owner migrates.
func TestEverythingRunsAsTheGrantedRole(t *testing.T) {
	t.Parallel()
	s := stage(t, nil)
	superuser := localtest.URL(t)
	owner := &program{env: []string{"DATABASE_URL=" + localtest.Owner(t, superuser)}}
	role, address := localtest.Role(t, superuser)
	p := &program{env: append([]string{"DATABASE_URL=" + address, "SESSION_RETENTION=30d", "AUDIT_RETENTION=30d"}, s.settings()...)}
	if got := owner.try(t, "", "migrate", "--grant", "nobody_here"); got.code != 1 || !strings.Contains(got.stderr, "create role") {
		t.Errorf("a role that does not exist: exit code %d\n%s", got.code, got.stderr)
	}
	if got := owner.run(t, "migrate", "--grant", role); !strings.Contains(got.stdout, "may run footnote serve --no-migrate") {
		t.Errorf("it says %q", got.stdout)
	}
	docs := t.TempDir()
	corpus(t, docs, 0, 260)
	p.run(t, "index", docs)
	db := database(t, owner)
	// Vectors are to be filled in, an entry of the audit trail has been kept for long enough, and
	// it is night.
	for _, sql := range []string{
		`delete from embedding`,
		`insert into audit (tenant_id, at, deed) values ('default', clock_timestamp() - interval '40 days', 'turn')`,
		`insert into river_job (kind, args, max_attempts) select kind, '{}', 1 from unnest(array['index_purge', 'sweep', 'retention']) as kind`,
	} {
		if _, err := db.Pool.Exec(s.ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	running := serve(t, p.with("LOG_LEVEL=info"), "--no-migrate")
	defer running.stop(t)
	running.inSlack(s.ctx, t, s.Server)
	root := s.ask("question-role")
	s.answered(root, "question-role")
	denied := func() bool {
		log := running.log.String()
		return strings.Contains(log, "permission denied") || strings.Contains(log, "42501")
	}
	s.until("the work beside was done", func() bool {
		var done bool
		err := db.Pool.QueryRow(s.ctx, `
			select (select count(distinct kind) from river_job where state = 'completed'
					and kind in ('plan', 'index_tidy', 'index_vectors', 'index_purge', 'sweep', 'retention')) = 6
				and (select count(*) from chunk) = (select count(*) from embedding)
				and not exists (select from audit where at < clock_timestamp() - interval '30 days')`).Scan(&done)
		return err == nil && done || denied()
	})
	if denied() {
		t.Errorf("the role may not do something:\n%s", running.log)
	}
	if got := p.try(t, "", "prompt", "reset"); got.code != 0 {
		t.Errorf("a setting is not changed: exit code %d\n%s", got.code, got.stderr)
	}
}
