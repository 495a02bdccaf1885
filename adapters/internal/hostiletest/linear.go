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
	// allowed is the maximum factor by which the time may grow if the text is ten times as long. It
	// is 10 for linear code. The rest allows for noise.
	allowed = 40
	// allowedMemory is the same factor for memory. Quadratic code would need 100 times as much. The
	// factor is above 10 because a long answer is laid out again if it does not fit its messages.
	// The parser's pools also keep nothing under the race detector.
	allowedMemory = 70
	// raced is an additional factor under the race detector. There the parser's pools keep nothing,
	// so linear code looks quadratic. A separate run of make test checks the real limits.
	raced = 4
	// free is a time per byte that is always allowed. It is too short to measure.
	free = 4 * time.Microsecond
	// perByte is the maximum number of bytes of memory, including garbage, that may be allocated
	// for each byte of text.
	perByte    = 32 << 10
	freeMemory = 32 << 20
)

// Cost is the cost of reading one text.
type Cost struct {
	Name   string
	Time   time.Duration // processor time
	Memory uint64        // allocated bytes, garbage included
}

// Linear reads hostile texts of two lengths. The long text is ten times the length of the short
// text. Linear fails if the long text costs far more than ten times the time or memory. By default
// it reads a few texts of 4 and 40 kB. With HOSTILE=one in the environment it reads a hundred of 10
// and 100 kB. With HOSTILE=all it reads tens of thousands and logs the worst ten.
//
// read must not leave goroutines running. The test must not be parallel, because the measurements
// cover the whole process.
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

// limitFactor returns the factor for all limits: raced under the race detector, and 1 otherwise.
func limitFactor() uint64 {
	if info, ok := debug.ReadBuildInfo(); ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-race" && s.Value == "true" }) {
		return raced
	}
	return 1
}

// processor returns the processor time that this process has used. Other processes on the machine
// affect it little.
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

// Bounded fails if read takes more time or memory than the text's length justifies. Use it for
// fuzzing. It measures the processor time of the whole process, including other tests, so the
// limits are wide.
func Bounded(t *testing.T, text string, read func()) {
	t.Helper()
	defer Bound(t, len(text), 0)()
	read()
}

// Bound is like Bounded, for the code that runs until the caller calls end. It allows memory for
// size bytes of text plus fixed bytes.
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
