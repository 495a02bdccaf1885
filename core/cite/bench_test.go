package cite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
)

const answer = "Employees get 30 days of leave a year [1], and unused days expire in March [2, 3].\n" +
	"Use `days[1]` in the query, see [the manual](https://example.org/a(b)) and https://example.org/x?y[1]=2.\n\n" +
	"- Part-time staff get a share [4].\n- Others ask their manager [[5]](https://example.org/long/address).\n\n" +
	"```sql\nselect days[1] from leave where id = any(array[1, 2]);\n```\n\n事実は明らかです【1】。数字は合っています【2】。\n\n"

// BenchmarkProcessor feeds deltas of the size that models send. Linear time
// shows as the same MB/s for 1, 10 and 100 times the text.
//
//	go test -bench Processor -benchmem ./core/cite
func BenchmarkProcessor(b *testing.B) {
	for _, times := range []int{10, 100, 1000} {
		text := strings.Repeat(answer, times)
		b.Run(fmt.Sprintf("answer/%dKB", len(text)/1024), func(b *testing.B) { benchmark(b, text, 24) })
	}
	hard := map[string]string{
		"brackets":      "[",
		"numbers":       "[1, 2, 3, ",
		"labels":        "[a [1] ",
		"targets":       "[[1]](x(",
		"daggers":       "【1†x",
		"backticks":     "`a``b```c",
		"nested-target": "[[1]](([[1]]((",
	}
	for name, unit := range hard {
		for _, size := range []int{10_000, 100_000, 1_000_000} {
			text := strings.Repeat(unit, size/len(unit))
			b.Run(fmt.Sprintf("%s/%dKB", name, size/1000), func(b *testing.B) { benchmark(b, text, 24) })
		}
	}
}

func benchmark(b *testing.B, text string, delta int) {
	m := library()
	var deltas []string
	for rest := text; rest != ""; {
		n := min(delta, len(rest))
		deltas = append(deltas, rest[:n])
		rest = rest[n:]
	}
	var events []cite.Event
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		p := cite.NewProcessor(m, cite.Options{})
		for _, d := range deltas {
			events = p.Push(d, events[:0])
		}
		events = p.Flush(events[:0])
	}
}
