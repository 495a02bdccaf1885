package main

import (
	"bytes"
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
