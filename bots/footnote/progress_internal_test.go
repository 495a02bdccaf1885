package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// lines are what was written since take was called last.
type lines struct {
	mu      sync.Mutex
	written bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.Write(p)
}

func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.written.Reset()
	return l.written.String()
}

func TestProgressNamesStepUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out lines
		env := &environment{stderr: &out, errs: &out}
		wrote := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := out.take(); got != want {
				t.Errorf("it says %q, want %q", got, want)
			}
		}
		quick := newProgress(env, "")
		quick.doing("Starting")
		quick.end()
		eval := newProgress(env, "Indexing")
		eval.doing("Starting")
		eval.indexing(index.Progress{})
		bar := newProgress(env, "")
		bar.doing("Packing")
		bar.doing("Looking")
		time.Sleep(stepAfter)
		wrote("Looking\n")
		for range 3 {
			bar.doing("Counting")
		}
		time.Sleep(lineEvery - time.Millisecond)
		wrote("")
		time.Sleep(time.Millisecond)
		wrote("Counting\n")
		time.Sleep(time.Hour)
		bar.doing("Ending")
		wrote("Ending\n")
		bar.doing("Over")
		bar.end()
		time.Sleep(time.Hour)
		wrote("")
	})
}

func TestBarShowsShareAndFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{
		0.004: "░░░░░░░░░░░░░░░░░░░░   0 %", 0.5: "██████████░░░░░░░░░░  50 %", 0.999: "███████████████████░  99 %", 1: "████████████████████ 100 %",
	} {
		if got := bar(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
	line := bar(0.5) + " Indexing /a/very/long/path/of/documents: 50 of 100 documents, 300 chunks, 30/s, 10s left"
	for _, columns := range []int{0, 40, 80, 200} {
		got := []rune(fitted(line, columns))
		if columns > 0 && len(got) >= columns && len([]rune(line)) >= columns {
			t.Errorf("%d columns hold %q", columns, string(got))
		}
		if s := string(got); !strings.HasSuffix(s, "10s left") || !strings.HasPrefix(s, "██████") {
			t.Errorf("%d columns show %q", columns, s)
		}
	}
}

// Where there is no terminal, lines are plain and come every ten seconds.
func TestProgressOfIndexingWithoutATerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out lines
		p := newProgress(&environment{stderr: &out, errs: &out}, "Indexing docs")
		at := index.Progress{Counts: index.Counts{Total: 100, Indexed: 50, Chunks: 300}, ChunksPerSecond: 30, Remaining: 10 * time.Second}
		p.indexing(at)
		time.Sleep(lineEvery)
		p.indexing(at)
		p.indexing(at)
		if got, want := out.take(), "Indexing docs: 50 of 100 documents, 300 chunks, 30/s, 10s left\n"; got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
		p.end()
	})
}
