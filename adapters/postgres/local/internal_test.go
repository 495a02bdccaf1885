package local

import (
	"strings"
	"syscall"
	"testing"

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
