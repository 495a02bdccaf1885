package search

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// computed is processor time, which other load on the machine distorts less than elapsed time. The
// server's part is 0 if PostgreSQL runs on another machine.
type computed struct{ here, server time.Duration }

func (b *bench) computed(ctx context.Context) (computed, error) {
	rows, err := b.db.Pool.Query(ctx, `select pid from pg_stat_activity where datname = current_database()`)
	if err != nil {
		return computed{}, fmt.Errorf("list the server's processes: %w", err)
	}
	defer rows.Close()
	c := computed{here: cpuTime()}
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			return c, err
		}
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid)); err == nil {
			first, _, _ := strings.Cut(string(data), " ")
			n, _ := strconv.ParseInt(first, 10, 64)
			c.server += time.Duration(n)
		}
	}
	return c, rows.Err()
}

func (c computed) each(before computed, n int) string {
	return fmt.Sprintf("%5.2f +%6.2f", ms(c.here-before.here)/float64(n), ms(c.server-before.server)/float64(n))
}
