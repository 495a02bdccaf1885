package local

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		servers []Server
		want    string
	}{
		{"the newest", []Server{{Dir: "a", Major: 15}, {Dir: "b", Major: 17}, {Dir: "c", Major: 16}}, "b"},
		{"one with pgvector before a newer one without", []Server{{Dir: "a", Major: 17}, {Dir: "b", Major: 15, Vector: "0.8.0"}}, "b"},
		{"an old pgvector does not count", []Server{{Dir: "a", Major: 15, Vector: "0.7.4"}, {Dir: "b", Major: 16}}, "b"},
		{"an old server with pgvector does not count", []Server{{Dir: "a", Major: 14, Vector: "0.8.0"}, {Dir: "b", Major: 15}}, "b"},
		{"of equals the first", []Server{{Dir: "a", Major: 15}, {Dir: "b", Major: 15}}, "a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := best(test.servers, nil)
			if err != nil || got.Dir != test.want {
				t.Errorf("%q, %v; want %q", got.Dir, err, test.want)
			}
		})
	}
}

func TestNewEnough(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"": false, "vector": false, "0.7.4": false, "0.8": true, "0.8.0": true, "0.10.1": true, "1.0": true, "1": true,
	} {
		if got := newEnough(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestParsePostmaster(t *testing.T) {
	t.Parallel()
	const full = "4711\n/data\n1700000000\n5432\n/run/socket\n\n  1234 5\nready   \n"
	for _, test := range []struct {
		name, text string
		want       postmaster
	}{
		{"complete", full, postmaster{pid: 4711, socket: "/run/socket", ready: true}},
		{"starting", "4711\n/data\n1700000000\n5432\n", postmaster{pid: 4711}},
		{"empty", "", postmaster{}},
		{"no number", "x\n", postmaster{}},
		{"a negative number, as of a single-user server", "-4711\n", postmaster{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, *parsePostmaster(test.text), cmp.AllowUnexported(postmaster{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestActionForACondition(t *testing.T) {
	t.Parallel()
	began := time.Unix(1_700_000_000, 0)
	before, after := began.Add(-time.Hour), began.Add(time.Hour)
	healthy := condition{alive: true, answers: true, ready: true, socket: true, running: "15.18", began: began, replaced: before}
	for _, test := range []struct {
		name   string
		change func(*condition)
		want   action
		why    string
	}{
		{"a healthy server", func(*condition) {}, use, ""},
		{"its process is gone", func(c *condition) { c.alive, c.answers, c.running = false, false, "" }, start, ""},
		{"its process is gone after an upgrade", func(c *condition) {
			c.alive, c.answers, c.running, c.installed, c.replaced = false, false, "", "15.19", after
		}, start, ""},
		{"its socket was deleted", func(c *condition) { c.answers, c.socket, c.running = false, false, "" }, restart, "socket"},
		{"it has not opened its socket yet", func(c *condition) { c.answers, c.ready, c.socket, c.running = false, false, false, "" }, wait, ""},
		{"it recovers", func(c *condition) { c.answers, c.state, c.running = false, stillStarting, "" }, wait, ""},
		{"it refuses connections", func(c *condition) { c.answers, c.state, c.running = false, "53300", "" }, giveUp, ""},
		{"another version was installed", func(c *condition) { c.installed, c.replaced = "15.19", after }, restart, "version 15.19 is installed, and 15.18 ran"},
		{"the same version was installed again", func(c *condition) { c.installed, c.replaced = "15.18", after }, use, ""},
		{"its programs are being replaced", func(c *condition) { c.replaced = after }, use, ""},
		{"a library does not load after an upgrade", func(c *condition) { c.state, c.replaced = LibraryLost, after }, restart, "upgraded"},
		{"it takes no connection after an upgrade", func(c *condition) { c.answers, c.running, c.state, c.replaced = false, "", LibraryLost, after }, restart, "upgraded"},
		{"a library does not load after a restart either", func(c *condition) { c.state = LibraryLost }, use, ""},
		{"it was replaced at the time of its start", func(c *condition) { c.state, c.replaced = LibraryLost, began }, restart, "upgraded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := healthy
			test.change(&c)
			if do, why := c.action(); do != test.want || (why == "") != (test.why == "") || !strings.Contains(why, test.why) {
				t.Errorf("action %d, %q; want %d, %q", do, why, test.want, test.why)
			}
		})
	}
}

func TestBackoffDoublesUpToAMinute(t *testing.T) {
	t.Parallel()
	var got []time.Duration
	for failed := range 9 {
		got = append(got, backoff(failed)/time.Second)
	}
	if diff := cmp.Diff([]time.Duration{1, 1, 2, 4, 8, 16, 32, 60, 60}, got); diff != "" {
		t.Error(diff)
	}
	if got := backoff(1 << 40); got != time.Minute {
		t.Errorf("after many failures: %v", got)
	}
	logged := 0
	for failed := 1; failed <= 60; failed++ { // about an hour
		if reported(failed) {
			logged++
		}
	}
	if logged != 6 || !reported(1) {
		t.Errorf("%d of 60 failures are logged, the first: %v", logged, reported(1))
	}
}

func TestDiskIsShortLongBeforeItIsFull(t *testing.T) {
	t.Parallel()
	for free, want := range map[uint64]string{
		3 << 30:     "3.0 of 10.0 GiB free",
		3<<30 - 1:   "3.0 of 10.0 GiB free; make room before it is full: nothing can be stored or answered then",
		0:           "0.0 of 10.0 GiB free; make room before it is full: nothing can be stored or answered then",
		9<<30 + 123: "9.0 of 10.0 GiB free",
	} {
		d := Disk{Free: free, Total: 10 << 30}
		if got := d.String(); got != want || d.Short() == (free >= 3<<30) {
			t.Errorf("%d bytes: %q, short: %v", free, got, d.Short())
		}
	}
}

// FuzzParsePostmaster: a damaged file never names a process group or every process.
func FuzzParsePostmaster(f *testing.F) {
	f.Add("4711\n/data\n1700000000\n5432\n/run/socket\n\n1\nready\n")
	f.Add("-1\n")
	f.Add("0\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		if m := parsePostmaster(text); m.pid < 0 || strings.Contains(m.socket, "\n") {
			t.Errorf("%+v", m)
		}
	})
}

func TestExplain(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("noise\n", 50) + "FATAL:  could not write: No space left on device\n"
	got := explain(long)
	if !strings.Contains(got, "make room") || strings.Count(got, "noise") != 7 {
		t.Errorf("explain: %q", got)
	}
	if got := explain("\n \n"); got != "" {
		t.Errorf("explain of nothing: %q", got)
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	if got, want := quote("it's\\so\n"), `'it''s\\so\n'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRemedyKnowsGoErrorsToo(t *testing.T) {
	t.Parallel()
	if got := remedy(syscall.ENOSPC.Error()); !strings.Contains(got, "make room") {
		t.Errorf("remedy: %q", got)
	}
	if got := remedy("something else"); got != "" {
		t.Errorf("remedy: %q", got)
	}
}
