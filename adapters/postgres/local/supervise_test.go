package local_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/jackc/pgx/v5"
)

// installation is a copy of the machine's PostgreSQL that a test may upgrade.
type installation struct {
	t       *testing.T
	dir     string // of its programs
	version string // that a server says it has
}

func install(t *testing.T) *installation {
	t.Helper()
	server, err := local.Find(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	real, lib := server.Dir, filepath.Join(filepath.Dir(server.Dir), "lib")
	if _, err := os.Stat(filepath.Join(lib, "plpgsql.so")); err != nil {
		t.Skipf("the libraries of PostgreSQL are not where Debian has them: %v", err)
	}
	prefix := newDir(t)
	run(t, "mkdir", "-m", "755", filepath.Join(prefix, "bin"), filepath.Join(prefix, "lib"))
	for _, program := range []string{"initdb", "pg_ctl", "postgres"} {
		run(t, "cp", filepath.Join(real, program), filepath.Join(prefix, "bin"))
	}
	libraries, err := filepath.Glob(filepath.Join(lib, "*.so"))
	if err != nil {
		t.Fatal(err)
	}
	for _, library := range libraries {
		if !strings.Contains(library, "llvm") {
			run(t, "cp", library, filepath.Join(prefix, "lib"))
		}
	}
	out, err := exec.CommandContext(testContext(t), filepath.Join(real, "postgres"), "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(strings.TrimSpace(string(out)), "(PostgreSQL) ")
	return &installation{t: t, dir: filepath.Join(prefix, "bin"), version: version}
}

func run(t *testing.T, name string, arguments ...string) {
	t.Helper()
	if out, err := exec.CommandContext(testContext(t), name, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// upgrade replaces the programs by those of another version, as a package manager does.
func (i *installation) upgrade() {
	i.t.Helper()
	last := i.version[len(i.version)-1]
	changed := i.version[:len(i.version)-1] + string('a'+last%7)
	for _, program := range []string{"initdb", "pg_ctl", "postgres"} {
		name := filepath.Join(i.dir, program)
		image, err := os.ReadFile(name)
		if err != nil {
			i.t.Fatal(err)
		}
		image = bytes.ReplaceAll(image, []byte(i.version), []byte(changed))
		if err := errors.Join(os.WriteFile(name+".new", image, 0o755), os.Rename(name+".new", name)); err != nil {
			i.t.Fatal(err)
		}
	}
	i.version = changed
}

// journal collects log lines.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) count(part string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), part)
}

// supervised starts a cluster, and supervises it until the test ends.
func supervised(t *testing.T, cfg local.Config) (*local.Cluster, *journal) {
	t.Helper()
	log := new(journal)
	cfg.Logger = slog.New(slog.NewTextHandler(log, nil))
	cluster := start(t, cfg)
	ctx, end := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { cluster.Supervise(ctx) })
	t.Cleanup(func() {
		end()
		watching.Wait()
		if t.Failed() {
			t.Log(log.text.String())
		}
	})
	return cluster, log
}

// until waits for a condition, and asks for an examination meanwhile.
func until(t *testing.T, cluster *local.Cluster, what string, holds func() bool) {
	t.Helper()
	ctx := testContext(t)
	for !holds() {
		if ctx.Err() != nil {
			t.Fatalf("it did not come about that %s", what)
		}
		cluster.Suspect()
		runtime.Gosched()
	}
}

func TestSuperviseStartsALostServerAgain(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	cluster, log := supervised(t, config(dir))
	execute(t, cluster.URL(), `create table kept as select 'still here' as word`)
	lost := serverPID(t, dir)
	if err := syscall.Kill(lost, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, cluster, "the server runs again", func() bool { return log.count("runs again") == 1 })
	if got := query(t, cluster.URL(), `select word from kept`); got != "still here" {
		t.Errorf("the data: %q", got)
	}
	if n := log.count("has ended"); n != 1 {
		t.Errorf("%d lines for one loss", n)
	}
}

func TestSuperviseRestartsAnUpgradedServerOnce(t *testing.T) {
	t.Parallel()
	dir, installed := newDir(t), install(t)
	cluster, log := supervised(t, local.OnlyIn(config(dir), installed.dir))
	before := serverPID(t, dir)
	installed.upgrade()
	until(t, cluster, "the server is restarted", func() bool { return log.count("was restarted") == 1 })
	if got := query(t, cluster.URL(), `show server_version`); got != installed.version {
		t.Errorf("version %s runs, want %s", got, installed.version)
	}
	after := serverPID(t, dir)
	other := start(t, local.OnlyIn(config(dir), installed.dir)) // which examines the server
	if pid := serverPID(t, dir); after == before || pid != after || other.URL() != cluster.URL() {
		t.Errorf("server %d became %d, then %d", before, after, pid)
	}
}

// A server whose libraries do not load even after a restart is left alone.
func TestSuperviseRestartsForALibraryOnce(t *testing.T) {
	t.Parallel()
	dir, installed := newDir(t), install(t)
	cluster, log := supervised(t, local.OnlyIn(config(dir), installed.dir))
	library := filepath.Join(filepath.Dir(installed.dir), "lib", "plpgsql.so")
	if err := os.Rename(library, library+".away"); err != nil {
		t.Fatal(err)
	}
	loads := func() bool {
		ctx := testContext(t)
		conn, err := pgx.Connect(ctx, cluster.URL())
		if err != nil {
			return false // it restarts
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, `do $$ begin end $$`)
		return err == nil
	}
	until(t, cluster, "the server is restarted", func() bool { return log.count("was restarted") == 1 })
	if loads() {
		t.Error("the library loads, although it is away")
	}
	pid := serverPID(t, dir)
	for range 5 {
		start(t, local.OnlyIn(config(dir), installed.dir))
	}
	if again, n := serverPID(t, dir), log.count("was restarted"); again != pid || n != 1 {
		t.Errorf("server %d became %d after %d restarts", pid, again, n)
	}
	if err := os.Rename(library+".away", library); err != nil {
		t.Fatal(err)
	}
	if !loads() {
		t.Error("the library does not load")
	}
}

func TestStartRestartsAnUpgradedServer(t *testing.T) {
	t.Parallel()
	dir, installed := newDir(t), install(t)
	first := start(t, local.OnlyIn(config(dir), installed.dir))
	installed.upgrade()
	second := start(t, local.OnlyIn(config(dir), installed.dir))
	if got := query(t, second.URL(), `show server_version`); got != installed.version || first.URL() != second.URL() {
		t.Errorf("version %s runs, want %s", got, installed.version)
	}
}
