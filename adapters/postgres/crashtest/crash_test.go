// Package crashtest_test kills real processes that answer questions from a real database, and looks
// at what the thread shows.
package crashtest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/dicetest"
	"github.com/footnotehq/footnote/core/thread"
)

// TestMain is the process under test when it is told to be one.
func TestMain(m *testing.M) {
	if os.Getenv(envReplica) == "" {
		os.Exit(m.Run())
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	kills       = 24  // of processes that carry atLeast turns each
	atLeast     = 10  // turns
	interrupted = 240 // turns in all
	freezes     = 4   // processes that are stopped until their leases are another's, and then go on
)

func TestEveryQuestionHasOneAnswerWhoeverIsKilled(t *testing.T) {
	w := open(t)
	for range 2 {
		w.spawn()
	}
	random := dicetest.New(t)
	killed, lost, frozen := 0, 0, 0
	for killed < kills || lost < interrupted || frozen < freezes {
		w.fill()
		victim := random.IntN(len(w.processes))
		held := w.held(w.processes[victim].id)
		if held < atLeast {
			w.pause(10 * time.Millisecond)
			continue
		}
		w.pause(time.Duration(random.IntN(words)) * pause) // anywhere in their turns
		held = w.held(w.processes[victim].id)
		if held < atLeast {
			continue
		}
		if frozen*kills < killed*freezes {
			frozen++
			w.processes[victim].signal(t, syscall.SIGSTOP)
			w.pause(2 * lease)
			w.processes[victim].signal(t, syscall.SIGCONT)
			continue
		}
		w.processes[victim].kill(t)
		killed++
		lost += held
		w.processes[victim] = w.start()
	}
	w.finish()
	t.Logf("%d kills and %d freezes interrupted %d of %d turns; %d messages were posted, %d of them were found to be too much",
		killed, frozen, lost, w.asked, w.platform.creates, w.platform.doubles)
	w.check()
	if n := w.count(`select count(*) from turn where takeovers > 0`); n < interrupted/2 {
		t.Errorf("only %d turns were taken over", n)
	}
}

type world struct {
	*testing.T
	url, socket string
	db          *postgres.DB
	store       *pgsession.Store
	platform    platform
	processes   []process
	started     int
	asked       int
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, url: localtest.Migrated(t, postgres.Migrate)}
	var err error
	if w.db, err = postgres.Open(t.Context(), postgres.Config{URL: w.url}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.db.Close)
	w.store = pgsession.New(w.db)
	dir, err := os.MkdirTemp("", "crash") // short: sockets allow about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	w.socket = filepath.Join(dir, "platform.sock")
	w.platform.serve(t, w.socket)
	return w
}

// process is a replica in a process of its own.
type process struct {
	id  session.ReplicaID
	cmd *exec.Cmd
}

func (w *world) start() process {
	w.Helper()
	w.started++
	id := fmt.Sprint("replica-", w.started)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envDatabase+"="+w.url, envSocket+"="+w.socket, envReplica+"="+id)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	p := process{session.ReplicaID(id), cmd}
	w.Cleanup(func() {
		if cmd.ProcessState == nil { // the test failed half-way
			p.kill(w.T)
		}
	})
	return p
}

func (w *world) spawn() { w.processes = append(w.processes, w.start()) }

func (p process) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatalf("%s ended by itself: %v", p.id, err)
	}
}

func (p process) kill(t *testing.T) {
	t.Helper()
	p.signal(t, syscall.SIGKILL)
	_ = p.cmd.Wait() // says that it was killed
}

// pause lets the processes under test go on; nothing depends on its length.
func (w *world) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-w.Context().Done():
		w.Fatal("the test ran out of time")
	}
}

func (w *world) count(sql string, args ...any) int {
	w.Helper()
	var n int
	if err := w.db.Pool.QueryRow(w.Context(), sql, args...).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) held(id session.ReplicaID) int {
	return w.count(`select count(*) from turn where owner = $1 and state in ('running', 'delivering')`, id)
}

// fill keeps enough questions waiting, in threads of which most have several.
func (w *world) fill() {
	w.Helper()
	for waiting := w.count(`select count(*) from turn where state = 'queued'`); waiting < 3*workers; waiting++ {
		w.asked++
		ref := thread.Ref{Platform: "test", Channel: "C", Thread: fmt.Sprint(w.asked % (4 * workers))}
		_, err := w.store.Accept(w.Context(), session.Intake{
			Tenant: access.DefaultTenant, Ref: ref, EventKey: fmt.Sprint(w.asked), Asker: thread.Person{ID: "U"},
			Text: fmt.Sprint("question ", w.asked), Audience: access.NewAudience(access.DefaultTenant),
		})
		if err != nil {
			w.Fatal(err)
		}
	}
}

// finish lets the processes answer what is left, and ends them.
func (w *world) finish() {
	w.Helper()
	w.pause(lease) // who was frozen last may still have to find out
	for w.count(`select count(*) from turn where state <> 'done' or disturbed`) > 0 {
		w.pause(50 * time.Millisecond)
	}
	for _, p := range w.processes {
		p.signal(w.T, syscall.SIGTERM)
		if err := p.cmd.Wait(); err != nil {
			w.Errorf("%s: %v", p.id, err)
		}
	}
}

// check compares what was saved and what the thread shows with what was asked.
func (w *world) check() {
	w.Helper()
	if n := w.count(`select count(*) from turn where outcome <> 'answered' or delivered_at is null`); n > 0 {
		w.Errorf("%d turns ended in another way", n)
	}
	if n := w.count(`select count(*) from turn t where 1 <> (select count(*) from message m where m.turn_id = t.id and m.role = 'assistant')`); n > 0 {
		w.Errorf("%d turns have no answer, or several", n)
	}
	const unaudited = `select count(*) from turn t where 1 <> (
		select count(*) from audit e where e.tenant_id = t.tenant_id and e.turn_id = t.id and e.deed = 'turn' and e.outcome = t.outcome)`
	if n := w.count(unaudited); n > 0 {
		w.Errorf("%d turns are not in the audit trail, or twice", n)
	}
	rows, err := w.db.Pool.Query(context.WithoutCancel(w.Context()), `
		select t.id::text, q.text, a.text from turn t
		join message q on q.turn_id = t.id and q.role = 'user' join message a on a.turn_id = t.id and a.role = 'assistant'`)
	if err != nil {
		w.Fatal(err)
	}
	defer rows.Close()
	shown := map[session.TurnID][]post{}
	for _, m := range w.platform.messages {
		shown[m.Turn] = append(shown[m.Turn], *m)
	}
	turns := 0
	for rows.Next() {
		var id session.TurnID
		var question, saved string
		if err := rows.Scan(&id, &question, &saved); err != nil {
			w.Fatal(err)
		}
		turns++
		if saved != reply(question) {
			w.Errorf("%s: the answer saved is %q", question, saved)
		}
		if posts := shown[id]; len(posts) != 1 || !posts[0].Final || posts[0].Text != reply(question) {
			w.Errorf("%s: the thread shows %+v", question, posts)
		}
	}
	if err := rows.Err(); err != nil {
		w.Fatal(err)
	}
	if turns != w.asked {
		w.Errorf("%d answers to %d questions", turns, w.asked)
	}
}
