package memory_test

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/footnotehq/footnote/bots/internal/memory"
)

func TestLimit(t *testing.T) {
	kept := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(kept) })
	const machine = "MemTotal:       16777216 kB\nMemFree: 1 kB\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  int64 // 0: none
		says  string
	}{
		{"version 2", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "2147483648\n", "proc/meminfo": machine,
		}, (2 << 30) / 100 * 90, "90 % of the 2.0 GiB that the container may use"},
		{"version 2 of a service, which is within another's", map[string]string{
			"proc/self/cgroup": "0::/system.slice/footnote.service\n", "sys/fs/cgroup/system.slice/footnote.service/memory.max": "max\n",
			"sys/fs/cgroup/system.slice/footnote.service/memory.high": "1073741824\n", "sys/fs/cgroup/system.slice/memory.max": "536870912\n", "proc/meminfo": machine,
		}, 512 << 20 / 100 * 90, "512 MiB"},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:cpu:/docker/a\n4:memory:/docker/a\n0::/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n", "proc/meminfo": machine,
		}, 1 << 30 / 100 * 90, "90 % of the 1.0 GiB"},
		{"version 1 without a limit", map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "proc/meminfo": machine,
		}, 16 << 30 / 100 * 75, "75 % of the machine's 16.0 GiB"},
		{"version 2 without a limit", map[string]string{
			"proc/self/cgroup": "0::/user.slice\n", "sys/fs/cgroup/user.slice/memory.max": "max\n", "proc/meminfo": machine,
		}, 16 << 30 / 100 * 75, "75 % of the machine's 16.0 GiB"},
		{"odd files", map[string]string{"proc/self/cgroup": "::\nx\n0::/../..\n", "sys/fs/cgroup/memory.max": "-1\n", "proc/meminfo": "MemTotal: many\n"}, 0, "no limit"},
		{"no such files", nil, 0, "set GOMEMLIMIT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			debug.SetMemoryLimit(math.MaxInt64)
			host := fstest.MapFS{}
			for name, text := range tt.files {
				host[name] = &fstest.MapFile{Data: []byte(text)}
			}
			l := memory.Set(host, func(string) string { return "" })
			if l.Bytes != tt.want || !strings.Contains(l.String(), tt.says) {
				t.Errorf("the limit is %d (%s), want %d (%s)", l.Bytes, l, tt.want, tt.says)
			}
			set := debug.SetMemoryLimit(-1)
			if tt.want > 0 && set != tt.want || tt.want == 0 && set != math.MaxInt64 {
				t.Errorf("the runtime's limit is %d", set)
			}
			debug.SetMemoryLimit(123 << 20)
			if l = memory.Set(host, func(string) string { return "123MiB" }); l.Bytes != 123<<20 || debug.SetMemoryLimit(-1) != 123<<20 {
				t.Errorf("what the operator has set became %s", l)
			}
		})
	}
}
