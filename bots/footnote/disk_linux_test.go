package main_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// smallDisk mounts a small disk for a data folder. fill leaves no room on it, and room undoes that.
func smallDisk(t *testing.T) (data string, fill, room func()) {
	t.Helper()
	data = shortDir(t)
	if err := syscall.Mount("disk", data, "tmpfs", 0, "size=256m,mode=0755"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(data, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(data, "ballast")
	fill = func() {
		file, err := os.Create(ballast)
		for size := 1 << 20; err == nil && size > 0; {
			if _, full := file.Write(make([]byte, size)); full != nil {
				size /= 2
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close() // the disk is full
	}
	room = func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
	return data, fill, room
}

// While the disk of its database is full, a server refuses questions with a sentence. It goes on
// by itself after room was made: what had been taken in is answered, and the books are right.
func TestServeRefusesWhileTheDiskIsFull(t *testing.T) {
	t.Parallel()
	data, fill, room := smallDisk(t)
	gate := make(chan struct{})
	o := newOffice(t, gate)
	settings := []string{"FOOTNOTE_DATA=" + data, "FOOTNOTE_CONFIG=" + filepath.Join(folder(t, map[string]string{"footnote.yaml": prices}), "footnote.yaml"), "LLM_MODEL=test-model"}
	r := o.serve(settings...)
	r.Ready()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	running := o.ask("one?")
	o.begun(running)
	fill()
	refused := o.ask("two?")
	o.until("the refusal", func() bool {
		return slices.ContainsFunc(o.slack.Ephemeral(o.alice), func(m slacktest.Message) bool {
			return strings.Contains(m.Shown(), "the disk of my database is full")
		})
	})
	if got := scrapeAt(ctx, t, r.Admin); !strings.Contains(got, "\nfootnote_disk_free_bytes 0\n") {
		t.Errorf("metrics:\n%s", got)
	}
	p := &program{env: append(slices.Clone(o.env), settings...)}
	if a := p.try(t, "", "ask", "four?"); a.code != 1 || !strings.Contains(a.stderr, "the disk of ") {
		t.Errorf("ask ends with %d:\n%s%s", a.code, a.stdout, a.stderr)
	}
	close(gate)
	for tick := time.NewTicker(20 * time.Millisecond); !strings.Contains(r.Log(), "booking a call failed"); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("what the answer cost is booked on a full disk")
		}
	}
	room()
	o.answered(running)
	o.answered(o.ask("five?"))
	r.End(syscall.SIGTERM)
	var calls int
	for _, row := range jsonOf[used](t, p.run(t, "usage", "--json")).Rows {
		calls += row.Calls
	}
	if asked := len(o.model.ChatRequests()); calls != asked {
		t.Errorf("%d calls are booked, and %d were made", calls, asked)
	}
	if a := o.slack.Answers(o.room, refused); len(a) > 0 {
		t.Errorf("a refused question was answered: %+v", a)
	}
}

// An answer for which the disk becomes full while it is written ends with a sentence.
func TestAskEndsWhenTheDiskBecomesFull(t *testing.T) {
	t.Parallel()
	data, fill, room := smallDisk(t)
	gate := make(chan struct{})
	model := openaitest.New(t, openaitest.Reply{Text: beginning + ending, Gate: gate, GateAfter: 8})
	p := &program{env: []string{"FOOTNOTE_DATA=" + data, "OPENAI_BASE_URL=" + model.URL()}}
	p.run(t, "migrate")
	done := make(chan result, 1)
	go func() { done <- p.try(t, "", "ask", "one?") }()
	if _, err := model.Wait(t.Context(), func(r []openaitest.Record) bool { return len(r) > 0 }); err != nil {
		t.Fatal(err)
	}
	fill()
	r := <-done
	room()
	close(gate)
	if r.code != 1 || !strings.Contains(r.stderr, "the disk of ") {
		t.Errorf("ask ends with %d:\n%s%s", r.code, r.stdout, r.stderr)
	}
}
