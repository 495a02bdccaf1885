// Package memory limits the Go runtime to the memory of the container or the machine.
package memory

import (
	"bufio"
	"fmt"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Limit is the soft memory limit of the Go runtime. The runtime collects garbage more often as its
// memory use comes closer to the limit.
type Limit struct {
	Bytes int64 // 0: none
	From  string
}

// Shares of the available memory for the Go runtime, in percent. The rest is for memory that the
// runtime does not count, such as child processes, and on a machine also for other programs.
const (
	ofContainer = 90
	ofMachine   = 75
)

// Set sets the Go runtime's memory limit to a share of what the container or machine has. host is
// the root of the file system. If GOMEMLIMIT is set, Set changes nothing and returns that limit.
func Set(host fs.FS, getenv func(string) string) Limit {
	if said := getenv("GOMEMLIMIT"); said != "" {
		l := Limit{Bytes: debug.SetMemoryLimit(-1), From: "as GOMEMLIMIT says"}
		if l.Bytes == math.MaxInt64 {
			l.Bytes = 0
		}
		return l
	}
	l := find(host)
	if l.Bytes > 0 {
		debug.SetMemoryLimit(l.Bytes)
	}
	return l
}

// find prefers the container's limit to the machine's memory. Without /proc, there is no limit.
func find(host fs.FS) Limit {
	total := machine(host)
	limit := int64(math.MaxInt64)
	for _, group := range groups(host) {
		limit = min(limit, group)
	}
	switch {
	case limit < math.MaxInt64 && (total == 0 || limit <= total):
		// An old kernel reports a huge number instead of no limit.
		return Limit{Bytes: limit / 100 * ofContainer, From: fmt.Sprintf("%d %% of the %s that the container may use", ofContainer, Amount(limit))}
	case total > 0:
		return Limit{Bytes: total / 100 * ofMachine, From: fmt.Sprintf("%d %% of the machine's %s", ofMachine, Amount(total))}
	default:
		return Limit{From: "it is not known how much there is; set GOMEMLIMIT"}
	}
}

// groups returns the memory limits, in bytes, of the process's control groups (version 1 and 2) and
// of their parents. In a container, the path in /proc is the host's, and the container's own group
// is at the root of the mount.
func groups(host fs.FS) (limits []int64) {
	for _, line := range lines(host, "proc/self/cgroup") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		root, files := "sys/fs/cgroup", []string{"memory.max", "memory.high"}
		switch {
		case parts[1] == "memory" || strings.HasPrefix(parts[1], "memory,") || strings.HasSuffix(parts[1], ",memory"):
			root, files = "sys/fs/cgroup/memory", []string{"memory.limit_in_bytes"}
		case parts[0] != "0" || parts[1] != "":
			continue
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			for _, name := range files {
				for _, text := range lines(host, path.Join(root, at, name)) {
					// "max" means no limit
					if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n > 0 {
						limits = append(limits, n)
					}
				}
			}
			if at == "/" {
				break
			}
		}
	}
	return limits
}

func machine(host fs.FS) int64 {
	for _, line := range lines(host, "proc/meminfo") {
		var kilobytes int64
		if n, err := fmt.Sscanf(line, "MemTotal: %d kB", &kilobytes); n == 1 && err == nil {
			return kilobytes << 10
		}
	}
	return 0
}

func lines(host fs.FS, name string) (all []string) {
	f, err := host.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // the file was only read
	for scan := bufio.NewScanner(f); scan.Scan(); {
		all = append(all, scan.Text())
	}
	return all
}

// String describes the limit, such as "1.8 GiB at most, 90 % of the 2.0 GiB that the container may
// use".
func (l Limit) String() string {
	if l.Bytes == 0 {
		return "no limit: " + l.From
	}
	return fmt.Sprintf("%s at most, %s", Amount(l.Bytes), l.From)
}

// Amount formats a number of bytes, such as "512 MiB" or "1.5 GiB".
func Amount(n int64) string {
	const mebi = 1 << 20
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n/mebi)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
