package cite_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

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

// BenchmarkLinearity prints one table: for texts of each kind, MB/s and allocations at 10 KB, 100
// KB and 1 MB, and how much longer ten times the text takes. Linear time shows as about 10 in every
// row; the worst is reported. Times are processor time, so that other work on the machine does not
// count.
//
//	go test -run '^$' -bench Linearity -benchtime 1x ./core/cite
func BenchmarkLinearity(b *testing.B) {
	sizes := []int{10_000, 100_000, 1_000_000}
	kinds := []struct {
		name, unit string
		judged     bool
	}{
		{"answer", answer, false}, {"prose", "Plain words that cite nothing at all, one after the other. ", false},
		{"cited", "A claim [1] and more [2, 3]. ", false}, {"brackets", "[", false}, {"numbers", "[1, 2, 3, ", false}, {"labels", "[a [1] ", false},
		{"targets", "[[1]](x(", false}, {"daggers", "【1†x", false}, {"backticks", "`a``b```c", false}, {"nested targets", "[[1]](([[1]]((", false},
		{"answer, judged", answer, true}, {"cited, judged", "A claim [1] and more [2, 3]. ", true}, {"labels, judged", "[a [1] ", true},
	}
	for b.Loop() {
		worst := 0.0
		fmt.Printf("\n%-16s", "")
		for _, size := range sizes {
			fmt.Printf("%24s", fmt.Sprintf("%d KB", size/1000))
		}
		fmt.Printf("   time for 10 times the text\n")
		for _, k := range kinds {
			fmt.Printf("%-16s", k.name)
			var took []float64
			for _, size := range sizes {
				text := strings.Repeat(k.unit, size/len(k.unit))
				seconds, allocs := fastest(b, text, k.judged)
				took = append(took, seconds)
				fmt.Printf("%24s", fmt.Sprintf("%.0f MB/s %d allocs", float64(len(text))/seconds/1e6, allocs))
			}
			fmt.Print("  ")
			for i := 1; i < len(took); i++ {
				ratio := took[i] / took[i-1]
				worst = max(worst, ratio)
				fmt.Printf(" %.1f", ratio)
			}
			fmt.Println()
		}
		b.ReportMetric(worst, "x-worst")
	}
}

// fastest is the processor time that a text in deltas of 24 bytes takes, by the best of a few
// rounds, and what it allocates.
func fastest(b *testing.B, text string, judged bool) (seconds float64, allocs uint64) {
	b.Helper()
	m, options := library(), cite.Options{}
	if judged {
		options.Keep = func(sentence string, n int) bool { return n != 2 && sentence != "" }
	}
	var events []cite.Event
	runs := max(1, 500_000/len(text)) // enough to be measured
	for range 5 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := used(b)
		for range runs {
			p := cite.NewProcessor(m, options)
			for rest := text; rest != ""; {
				n := min(24, len(rest))
				events = p.Push(rest[:n], events[:0])
				rest = rest[n:]
			}
			events = p.Flush(events[:0])
		}
		took := (used(b) - start).Seconds() / float64(runs)
		runtime.ReadMemStats(&after)
		if seconds == 0 || took < seconds {
			seconds, allocs = took, (after.Mallocs-before.Mallocs)/uint64(runs)
		}
	}
	return seconds, allocs
}

// used is the processor time that this process has taken.
func used(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
