package loadtest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// databases are those of the workspaces.
func databases(all []*workspace) (names []string) {
	for _, w := range all {
		names = append(names, w.db.Pool.Config().ConnConfig.Database)
	}
	return names
}

// watchConnections counts the replicas' connections to the database server until the function that
// it returns is called, which says the most.
func watchConnections(ctx context.Context, all []*workspace) func() int {
	db, names := all[0].db, databases(all)
	const count = `
		select count(*) from pg_stat_activity where backend_type = 'client backend' and datname = any($1::text[]) and pid <> pg_backend_pid()`
	ctx, cancel := context.WithCancel(ctx)
	most := make(chan int)
	go func() {
		peak := 0
		for ctx.Err() == nil {
			var n int
			if err := db.Pool.QueryRow(ctx, count, names).Scan(&n); err == nil {
				peak = max(peak, n)
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
		most <- peak
	}()
	return func() int {
		cancel()
		return <-most
	}
}

// transactions counts those of all workspaces so far. What a connection did in the last second may
// not be in it (pg_stat_database).
func transactions(ctx context.Context, b *testing.B, all []*workspace) (n int64) {
	b.Helper()
	const count = `select sum(xact_commit + xact_rollback)::bigint from pg_stat_database where datname = any($1::text[])`
	if err := all[0].db.Pool.QueryRow(ctx, count, databases(all)).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// processor is the processor time of all replicas so far. Linux counts it in hundredths of a second
// (proc(5)).
func processor(b *testing.B, all []*workspace) time.Duration {
	b.Helper()
	var ticks int64
	for _, w := range all {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.replica.PID()))
		if err != nil {
			b.Fatal(err)
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		for _, field := range fields[11:13] { // utime and stime, counted from the state
			n, err := strconv.ParseInt(string(field), 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// machine is the processor time of the whole machine: used, and in all.
type machine struct{ used, all int64 }

// readMachine reads the first line of /proc/stat (proc(5)).
func readMachine(b *testing.B) machine {
	b.Helper()
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		b.Fatal(err)
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	var m machine
	for i, field := range bytes.Fields(line)[1:9] { // guests are counted in the first two already
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		m.all += n
		if i != 3 && i != 4 { // idle, and waiting for disks
			m.used += n
		}
	}
	return m
}

// since is how much of its processors the machine has used since, in per cent.
func (m machine) since(b *testing.B) float64 {
	b.Helper()
	now := readMachine(b)
	return 100 * float64(now.used-m.used) / float64(max(now.all-m.all, 1))
}

// peakMemory is the largest resident size of all replicas together, in KiB.
func peakMemory(b *testing.B, all []*workspace) int64 {
	b.Helper()
	var sum int64
	for _, w := range all {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.replica.PID()))
		if err != nil {
			b.Fatal(err)
		}
		_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
		var kib int64
		if _, err := fmt.Sscan(string(rest), &kib); err != nil {
			b.Fatal(err)
		}
		sum += kib
	}
	return sum
}
