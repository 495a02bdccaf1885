// Package memory keeps the process within the memory that it was given.
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

// Limit is how much memory the Go runtime tries to stay within: it collects garbage the harder, the
// nearer it comes.
type Limit struct {
	Bytes int64 // 0: none
	From  string
}

// Parts of what there is, in percent. The rest is for what the runtime does not count, such as
// programs that are started and pages of files, and on a machine for all that runs there.
const (
	ofContainer = 90
	ofMachine   = 75
)

// Set gives the runtime the limit that it has to find out itself, unless the operator has set
// GOMEMLIMIT, which the runtime has read before.
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

// find returns the limit for this process. host is the root of the file system; a machine that has
// no /proc has no limit.
func find(host fs.FS) Limit {
	total := machine(host)
	limit := int64(math.MaxInt64)
	for _, group := range groups(host) {
		limit = min(limit, group)
	}
	switch {
	case limit < math.MaxInt64 && (total == 0 || limit <= total):
		// an old kernel writes a huge number where there is none
		return Limit{Bytes: limit / 100 * ofContainer, From: fmt.Sprintf("%d %% of the %s that the container may use", ofContainer, Amount(limit))}
	case total > 0:
		return Limit{Bytes: total / 100 * ofMachine, From: fmt.Sprintf("%d %% of the machine's %s", ofMachine, Amount(total))}
	default:
		return Limit{From: "it is not known how much there is; set GOMEMLIMIT"}
	}
}

// groups returns the limits of the control groups that the process is in, of both versions, and of
// those above them. Within a container the path is the host's, and the group is at the root of what
// is mounted.
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
					// "max" is none
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

// machine is the memory of the machine; 0 when that is not known.
func machine(host fs.FS) int64 {
	for _, line := range lines(host, "proc/meminfo") {
		var kilobytes int64
		if n, err := fmt.Sscanf(line, "MemTotal: %d kB", &kilobytes); n == 1 && err == nil {
			return kilobytes << 10
		}
	}
	return 0
}

// lines are those of a file; none when it cannot be read, which only means that there is nothing to
// know.
func lines(host fs.FS, name string) (all []string) {
	f, err := host.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was read only
	for scan := bufio.NewScanner(f); scan.Scan(); {
		all = append(all, scan.Text())
	}
	return all
}

// String is the limit in words.
func (l Limit) String() string {
	if l.Bytes == 0 {
		return "no limit: " + l.From
	}
	return fmt.Sprintf("%s at most, %s", Amount(l.Bytes), l.From)
}

// Amount is a number of bytes as people read it.
func Amount(n int64) string {
	const mebi = 1 << 20
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n/mebi)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
