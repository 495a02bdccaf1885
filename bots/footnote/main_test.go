package main_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// binary is the real program, built once for all tests of the package.
var binary string

func TestMain(m *testing.M) {
	os.Exit(footnotetest.Build(m, func(built string) { binary = built }))
}

// limit bounds one run of the program. It is far above what any takes, also on a machine with ten
// times as much to do as it has processors.
const limit = 8 * time.Minute

// program is footnote with a database of its own.
type program struct {
	env  []string
	path string // of another build or wrapper than binary
}

func newProgram(t testing.TB, env ...string) *program {
	t.Helper()
	return &program{env: append([]string{"DATABASE_URL=" + localtest.Migrated(t, postgres.Migrate)}, env...)}
}

// emptyProgram is newProgram with a database in which there is nothing yet.
func emptyProgram(t testing.TB, env ...string) *program {
	t.Helper()
	return &program{env: append([]string{"DATABASE_URL=" + localtest.URL(t)}, env...)}
}

// with returns the program with more settings.
func (p *program) with(env ...string) *program {
	return &program{env: append(append([]string(nil), p.env...), env...), path: p.path}
}

// result is what a run printed and how it ended.
type result struct {
	stdout, stderr string
	code           int
}

func (p *program) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, cmp.Or(p.path, binary), args...)
	// Nothing of the machine's own settings may reach the program.
	cmd.Env = footnotetest.Environment(p.env...)
	return cmd
}

// try runs the program with input.
func (p *program) try(t testing.TB, input string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("footnote %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return result{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode()}
}

// run is try for runs that succeed.
func (p *program) run(t testing.TB, args ...string) result {
	t.Helper()
	r := p.try(t, "", args...)
	if r.code != 0 {
		t.Fatalf("footnote %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

// jsonOf reads what a run printed.
func jsonOf[T any](t testing.TB, r result) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil {
		t.Fatalf("the output is not one JSON value: %v\n%s\n%s", err, r.stdout, r.stderr)
	}
	return v
}

// answered is the form of ask --json.
type answered struct {
	Answer    string `json:"answer"`
	Citations []struct {
		Number     int    `json:"number"`
		DocumentID string `json:"document_id"`
		Title      string `json:"title"`
		URL        string `json:"url"`
		Source     string `json:"source"`
	} `json:"citations"`
	Outcome   string             `json:"outcome"`
	Message   string             `json:"message"`
	SessionID string             `json:"session_id"`
	TurnID    string             `json:"turn_id"`
	TimingsMS map[string]float64 `json:"timings_ms"`
}

// folder writes files and returns their folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// handbook is a small set of documents about different things.
func handbook(t testing.TB) string {
	t.Helper()
	return folder(t, map[string]string{
		"vacation.md": "---\ntitle: Vacation policy\nupdated: 2026-01-15\n---\n# Vacation policy\n\n## Days per year\n\nEvery employee has thirty vacation days per year. " +
			"Unused vacation days expire at the end of March.\n\n## Requests\n\nVacation requests go to the team lead at least two weeks ahead.\n",
		"deploy/rollback.md": "# Deploying the service\n\n## Rollback\n\nTo roll back a failed deployment, run `make rollback` on the release host. " +
			"The rollback restores the previous container image within one minute.\n",
		"oncall.html": "<html><head><title>On-call handbook</title></head><body><h1>On-call handbook</h1><h2 id=\"escalation\">Escalation</h2>" +
			"<p>Escalate an unanswered page to the engineering manager after fifteen minutes.</p></body></html>",
	})
}
