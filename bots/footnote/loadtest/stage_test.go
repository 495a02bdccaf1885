package loadtest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
)

// report prints the stages: until the event was acknowledged, until a worker took the turn, until the search was answered, until words
// were visible, until the answer was complete.
func report(ctx context.Context, b *testing.B, all []*workspace, first, last []time.Duration) {
	var acks, queued, engine []time.Duration
	limited := 0
	for _, w := range all {
		queued = append(queued, stored(ctx, b, w.db, `select extract(epoch from started_at - intake_at)::float8 from turn`)...)
		engine = append(engine, stored(ctx, b, w.db, `select extract(epoch from finished_at - started_at)::float8 from turn`)...)
		limited += w.slack.Limited()
		for _, d := range w.slack.Deliveries() {
			if d.Event == "app_mention" && !d.Acked.IsZero() {
				acks = append(acks, d.Acked.Sub(d.Sent))
			}
		}
	}
	quantiles(b, "ack", acks)
	quantiles(b, "queued", queued)
	quantiles(b, "engine", engine)
	quantiles(b, "first", first)
	quantiles(b, "final", last)
	b.ReportMetric(float64(limited), "429s")
	b.ReportMetric(0, "ns/op") // it says nothing here
}

func quantiles(b *testing.B, stage string, d []time.Duration) {
	if len(d) == 0 {
		b.Errorf("nothing was measured of the stage %q", stage)
		return
	}
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2].Microseconds())/1000, stage+"-ms-p50")
	b.ReportMetric(float64(d[len(d)*99/100].Microseconds())/1000, stage+"-ms-p99")
}

// stored reads durations in seconds.
func stored(ctx context.Context, b *testing.B, db *postgres.DB, query string) []time.Duration {
	rows, err := db.Pool.Query(ctx, query)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var all []time.Duration
	for rows.Next() {
		var seconds float64
		if err := rows.Scan(&seconds); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Duration(seconds*float64(time.Second)))
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return all
}

// watchConnections counts connections to the database server until the function that it returns is called, which says the most.
func watchConnections(ctx context.Context, db *postgres.DB) func() int {
	ctx, cancel := context.WithCancel(ctx)
	most := make(chan int)
	go func() {
		peak := 0
		for ctx.Err() == nil {
			var n int
			if err := db.Pool.QueryRow(ctx, `select count(*) from pg_stat_activity where backend_type = 'client backend'`).Scan(&n); err == nil {
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

// processor is the processor time of all replicas so far. Linux counts it in hundredths of a second (proc(5)).
func processor(b *testing.B, all []*workspace) time.Duration {
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

// peakMemory is the largest resident size of all replicas together, in KiB.
func peakMemory(b *testing.B, all []*workspace) int64 {
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
