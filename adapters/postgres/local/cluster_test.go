package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/jackc/pgx/v5"
)

func TestStartMakesAClusterThatKeepsItsData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	first, err := local.Start(testContext(t), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ statement, want string }{
		"vectors":             {`select ('[1,2]'::vector <-> '[4,6]'::vector)::text`, "5"},
		"encoding":            {`select pg_encoding_to_char(encoding) from pg_database where datname = current_database()`, "UTF8"},
		"database":            {`select current_database()::text`, "footnote"},
		"role":                {`select current_user::text`, "footnote"},
		"no TCP":              {`show listen_addresses`, ""},
		"jit":                 {`show jit`, "off"},
		"settings are passed": {`show shared_buffers`, "16MB"},
		"one way in":          {`select string_agg(concat_ws(' ', type, auth_method, options), '; ') from pg_hba_file_rules`, "local peer {map=footnote}"},
		"checksums":           {`show data_checksums`, "on"},
	} {
		if got := query(t, first.URL(), test.statement); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	execute(t, first.URL(), `create table kept as select 'still here' as word`)
	for _, closed := range []string{first.Dir(), first.SocketDir(), filepath.Join(first.Dir(), "data")} {
		info, err := os.Stat(closed)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %o, want 700", closed, info.Mode().Perm())
		}
	}

	for range 2 { // the second Close does nothing
		if err := first.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if pid := serverPID(t, dir); pid != 0 {
		t.Errorf("server %d runs although its only user has left", pid)
	}
	again := start(t, config(dir))
	if got := query(t, again.URL(), `select word from kept`); got != "still here" {
		t.Errorf("after a restart: %q", got)
	}
}

func TestOperatorSettingsWin(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	cluster, err := local.Start(testContext(t), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(cluster.Dir(), "postgresql.conf")
	if err := os.WriteFile(own, []byte("work_mem = '7MB'\nport = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	again := start(t, config(dir))
	if got := query(t, again.URL(), `show work_mem`); got != "7MB" {
		t.Errorf("work_mem is %s", got)
	}
}

func TestTwoProcessesShareACluster(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	one, two := spawn(t, self(t), dir, nil), spawn(t, self(t), dir, nil)
	if a, b := one.says("ready"), two.says("ready"); a != b {
		t.Errorf("two addresses: %s and %s", a, b)
	}
	pid := serverPID(t, dir)
	three := start(t, config(dir))
	one.leave()
	two.leave()
	if got := serverPID(t, dir); got != pid {
		t.Errorf("server %d became %d while it was in use", pid, got)
	}
	if got := query(t, three.URL(), `select 'served'`); got != "served" {
		t.Error(got)
	}
	if err := three.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := serverPID(t, dir); got != 0 {
		t.Errorf("server %d runs although everybody has left", got)
	}
}

// Whoever forgets his Cluster is a user all the same, until his process ends.
func TestForgottenClusterIsInUse(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	url := func() string {
		cluster, err := local.Start(testContext(t), config(dir))
		if err != nil {
			t.Fatal(err)
		}
		return cluster.URL()
	}()
	t.Cleanup(func() {
		if err := syscall.Kill(serverPID(t, dir), syscall.SIGINT); err != nil {
			t.Error(err)
		}
		for serverPID(t, dir) != 0 {
			runtime.Gosched()
		}
	})
	for range 3 { // finalizers run after one collection, what they free goes in the next
		runtime.GC()
	}
	other := spawn(t, self(t), dir, nil)
	other.says("ready")
	other.leave()
	if got := query(t, url, `select 'served'`); got != "served" {
		t.Error(got)
	}
}

func TestCloseEndsAServerThatHangs(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	ctx := testContext(t)
	cluster, err := local.Start(ctx, local.StopsFastFor(config(dir), time.Second))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	// A server that stops in good order waits for this process.
	if err := syscall.Kill(int(conn.PgConn().PID()), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if pid := serverPID(t, dir); pid != 0 {
		t.Errorf("server %d still runs", pid)
	}
}

func TestKilledProcess(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// harm is done after the process is gone and before the next one starts.
		harm    func(t *testing.T, dir, socketDir string, server int)
		adopted bool
	}{
		{name: "its server is adopted", adopted: true, harm: func(*testing.T, string, string, int) {}},
		{name: "a killed server is started again", harm: func(t *testing.T, _, _ string, server int) {
			if err := syscall.Kill(server, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "the number of a killed server belongs to another process now", harm: func(t *testing.T, dir, socketDir string, server int) {
			if err := syscall.Kill(server, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			replacePID(t, filepath.Join(dir, "postgres", "data", "postmaster.pid"), os.Getpid())
			replacePID(t, filepath.Join(socketDir, ".s.PGSQL.5432.lock"), os.Getpid())
		}},
		{name: "postmaster.pid was cut short", harm: func(t *testing.T, dir, _ string, server int) {
			if err := syscall.Kill(server, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(filepath.Join(dir, "postgres", "data", "postmaster.pid"), 0); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "the socket was deleted", harm: func(t *testing.T, _, socketDir string, _ int) {
			if err := os.Remove(filepath.Join(socketDir, ".s.PGSQL.5432")); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			other := spawn(t, self(t), dir, nil)
			url := other.says("ready")
			execute(t, url, `create table kept as select 'still here' as word`)
			before := serverPID(t, dir)
			other.kill()
			test.harm(t, dir, filepath.Join(dir, "postgres", "socket"), before)

			cluster := start(t, config(dir))
			if got := query(t, cluster.URL(), `select word from kept`); got != "still here" {
				t.Errorf("the data: %q", got)
			}
			if after := serverPID(t, dir); (after == before) != test.adopted {
				t.Errorf("server %d, before it was %d; want it adopted: %v", after, before, test.adopted)
			}
			if err := cluster.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			if pid := serverPID(t, dir); pid != 0 {
				t.Errorf("server %d runs although everybody has left", pid)
			}
		})
	}
}

// replacePID keeps all but the first line of a lock file.
func replacePID(t *testing.T, name string, pid int) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(name, []byte(itoa(pid)+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestInterruptOfTheProcessGroupSparesTheServer(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	other := spawn(t, self(t), dir, nil)
	other.says("ready")
	before := serverPID(t, dir)
	// What a terminal does at Ctrl-C.
	if err := syscall.Kill(-other.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = other.cmd.Wait() // reports the interrupt
	cluster := start(t, config(dir))
	if after := serverPID(t, dir); after != before {
		t.Errorf("server %d became %d", before, after)
	}
	if got := query(t, cluster.URL(), `select 'served'`); got != "served" {
		t.Error(got)
	}
}

func TestUnfinishedDataDirectories(t *testing.T) {
	t.Parallel()
	t.Run("killed while making one", func(t *testing.T) {
		t.Parallel()
		dir := newDir(t)
		other := spawn(t, self(t), dir, nil)
		for begun := false; !begun; {
			found, err := filepath.Glob(filepath.Join(dir, "postgres", "data*"))
			if err != nil {
				t.Fatal(err)
			}
			begun = len(found) > 0
		}
		other.kill()
		start(t, config(dir))
		if found, _ := filepath.Glob(filepath.Join(dir, "postgres", "data.new-*")); len(found) > 0 {
			t.Errorf("left over: %v", found)
		}
	})
	t.Run("an empty one", func(t *testing.T) {
		t.Parallel()
		dir := newDir(t)
		if err := os.MkdirAll(filepath.Join(dir, "postgres", "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		start(t, config(dir))
	})
	t.Run("one that is something else", func(t *testing.T) {
		t.Parallel()
		dir := newDir(t)
		data := filepath.Join(dir, "postgres", "data")
		if err := os.MkdirAll(filepath.Join(data, "holiday pictures"), 0o700); err != nil {
			t.Fatal(err)
		}
		wantError(t, config(dir), local.ErrStart, data, "move it away")
		if _, err := os.Stat(filepath.Join(data, "holiday pictures")); err != nil {
			t.Errorf("it was touched: %v", err)
		}
	})
}

func TestStartGivesUpWaiting(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	cluster := start(t, config(dir))
	lock, err := os.OpenFile(filepath.Join(cluster.Dir(), "start.lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	if _, err := local.Start(ctx, config(dir)); !errors.Is(err, enough) {
		t.Errorf("Start: %v, want the cause of the cancellation", err)
	}
}

// wantError starts a cluster that cannot start, and looks for the parts of the message.
func wantError(t *testing.T, cfg local.Config, want error, parts ...string) {
	t.Helper()
	cluster, err := local.Start(testContext(t), cfg)
	if err == nil {
		_ = cluster.Close(context.Background())
		t.Fatal("it started")
	}
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message lacks %q:\n%v", part, err)
		}
	}
}
