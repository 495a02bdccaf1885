package hostiletest

import (
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"
)

const (
	// allowed is the maximum factor by which the time may grow if a text is ten times as long.
	// Measurements vary, so it is far above 10.
	allowed = 40
	// allowedMemory is the maximum factor by which memory may grow if a text is ten times as long.
	// Correct code may need more than 10. Quadratic code needs 100.
	allowedMemory = 70
	// raced multiplies the allowed factors under the race detector, which makes sync.Pool drop
	// values at random.
	raced      = 4
	free       = 4 * time.Microsecond // per byte; it is too short to measure
	perByte    = 32 << 10             // bytes of memory, including garbage, for each byte of text
	freeMemory = 32 << 20
)

// Cost is the time and memory that it took to read one text.
type Cost struct {
	Name   string
	Time   time.Duration // processor time
	Memory uint64        // allocated bytes, garbage included
}

// Linear calls read with short hostile texts, and with texts of the same kinds that are ten times
// as long. It fails if a long text costs far more than ten times the time or memory.
//
// The environment variable HOSTILE selects the texts. By default there are a few, of 4 and 40 kB.
// "one" selects a hundred, of 10 and 100 kB. "all" selects tens of thousands.
//
// read must not leave goroutines running. The test must not be parallel, because Linear measures
// the whole process.
func Linear(t *testing.T, read func(text string)) {
	t.Helper()
	texts, size := Few, 4<<10
	switch os.Getenv("HOSTILE") {
	case "one":
		texts, size = One, 10<<10
	case "all":
		texts, size = All, 10<<10
	}
	short, stop := iter.Pull(texts(size))
	defer stop()
	var worst []Cost
	for text := range texts(10 * size) {
		before, ok := short()
		if !ok {
			t.Fatalf("there is no short text for %s", text.Name)
		}
		least, cost := measure(before, read), measure(text, read)
		// other work of the process may have slowed the first attempt
		for try := 0; try < 2 && tooSlow(cost, least, len(text.Text)); try++ {
			cost.Time = min(cost.Time, measure(text, read).Time)
		}
		if tooSlow(cost, least, len(text.Text)) {
			t.Errorf("%s: %d kB take %s, %d kB %s", text.Name, size>>10, least.Time, 10*size>>10, cost.Time)
		}
		if cost.Memory > freeMemory && (cost.Memory > limitFactor()*allowedMemory*least.Memory || cost.Memory > limitFactor()*perByte*uint64(len(text.Text))) {
			t.Errorf("%s: %d kB take %d kB of memory, %d kB %d kB", text.Name, size>>10, least.Memory>>10, 10*size>>10, cost.Memory>>10)
		}
		worst = append(worst, cost)
	}
	slices.SortFunc(worst, func(a, b Cost) int { return int(b.Time - a.Time) })
	for _, c := range worst[:10] {
		t.Logf("%-60s %8s %8d kB", c.Name, c.Time.Round(time.Millisecond), c.Memory>>10)
	}
}

func tooSlow(cost, of Cost, size int) bool {
	return cost.Time > time.Duration(size)*free && cost.Time > time.Duration(limitFactor())*allowed*of.Time
}

func limitFactor() uint64 {
	if info, ok := debug.ReadBuildInfo(); ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-race" && s.Value == "true" }) {
		return raced
	}
	return 1
}

func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // it can only be a wrong argument
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func measure(text Text, read func(string)) Cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processor()
	read(text.Text)
	took := processor() - start
	runtime.ReadMemStats(&after)
	return Cost{Name: text.Name, Time: took, Memory: after.TotalAlloc - before.TotalAlloc}
}

// Bounded fails if read takes more time or memory than the length of text justifies. Use it in fuzz
// tests. It measures the whole process, including other tests, so its limits are wide.
func Bounded(t *testing.T, text string, read func()) {
	t.Helper()
	defer Bound(t, len(text), 0)()
	read()
}

// Bound fails the test if the code between the calls of Bound and of end takes too much time or
// memory. The limits are those of [Bounded] for a text of size bytes. The memory limit is higher by
// the number of bytes in fixed.
func Bound(t *testing.T, size int, fixed uint64) (end func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processor()
	return func() {
		t.Helper()
		took := processor() - start
		runtime.ReadMemStats(&after)
		if most := 10*time.Second + time.Duration(size)*100*time.Microsecond; took > most {
			t.Errorf("%d bytes take %s", size, took)
		}
		if memory := after.TotalAlloc - before.TotalAlloc; memory > limitFactor()*(fixed+freeMemory+uint64(size)*perByte) {
			t.Errorf("%d bytes take %d kB of memory", size, memory>>10)
		}
	}
}
