package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// BenchmarkIdle measures what a replica costs while no one asks anything: transactions of its
// database and context switches of its process for each second.
func BenchmarkIdle(b *testing.B) {
	slack := slacktest.Start(slacktest.Config{})
	b.Cleanup(slack.Close)
	p := newProgram(b, socketSettings(slack)...)
	p.run(b, "index", handbook(b), "--acl", "members")
	r := footnotetest.Serve(b, footnotetest.Plain(b), footnotetest.Environment(p.env...))
	r.Ready()
	ctx := b.Context()
	db, err := postgres.Open(ctx, postgres.Config{URL: strings.TrimPrefix(p.env[0], "DATABASE_URL="), MaxConns: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	transactions := func() (n int64) {
		if err := db.Pool.QueryRow(ctx, `select xact_commit + xact_rollback from pg_stat_database where datname = current_database()`).Scan(&n); err != nil {
			b.Fatal(err)
		}
		return n
	}
	pause(ctx, 10*time.Second) // what a start does is over
	for b.Loop() {
		began, before, switches := time.Now(), transactions(), switchesOf(b, r.PID())
		pause(ctx, 20*time.Second)
		after, seconds := transactions(), time.Since(began).Seconds()
		b.ReportMetric(float64(after-before-1)/seconds, "transactions/s")
		b.ReportMetric(float64(switchesOf(b, r.PID())-switches)/seconds, "switches/s")
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// switchesOf counts the context switches of a process's threads so far (proc(5)).
func switchesOf(b *testing.B, pid int) (n int64) {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, task := range tasks {
		status, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		for line := range strings.Lines(string(status)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.HasSuffix(name, "ctxt_switches") {
				count, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				if err != nil {
					b.Fatal(err)
				}
				n += count
			}
		}
	}
	return n
}
