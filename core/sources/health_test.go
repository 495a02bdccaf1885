package sources_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFaultsOfASource(t *testing.T) {
	t.Parallel()
	read := sources.Schedule{State: done(), Every: time.Hour}
	failed, paused, running := read, read, read
	failed.Last.Error, failed.Last.Succeeded, failed.Failing = "the site is away", false, 2
	paused.PausedAt, paused.Last.Error = noon, "the site is away"
	running.Last.FinishedAt = time.Time{}
	away := sources.Access{Nodes: &sources.Loop{Loop: index.LoopNodes, Until: noon.Add(time.Hour), Error: "the wiki is away"}}
	for name, c := range map[string]struct {
		h     sources.Health
		after time.Duration
		want  []string
	}{
		"read in time":        {sources.Health{Schedule: read}, time.Hour, nil},
		"a little late":       {sources.Health{Schedule: read}, 2*time.Hour + 15*time.Minute, nil},
		"late":                {sources.Health{Schedule: read}, 2*time.Hour + 16*time.Minute, []string{"it was last read 2h16m0s ago, although it is to be read every 1h0m0s: is footnote serve running?"}},
		"late, and running":   {sources.Health{Schedule: running}, 5 * time.Hour, nil},
		"by hand":             {sources.Health{Schedule: sources.Schedule{State: done()}}, 500 * time.Hour, nil},
		"failed":              {sources.Health{Schedule: failed}, time.Minute, []string{"the last run failed: the site is away"}},
		"failed, seen again":  {sources.Health{Schedule: failed, Unreachable: []string{"the site does not answer"}}, time.Minute, []string{"the site does not answer"}},
		"paused":              {sources.Health{Schedule: paused, Access: away}, 500 * time.Hour, nil},
		"paused, unreachable": {sources.Health{Schedule: paused, Unreachable: []string{"the site does not answer"}}, 0, []string{"the site does not answer"}},
		"permissions away":    {sources.Health{Schedule: read, Access: away}, 10 * time.Minute, []string{"its nodes cannot be read; what was read before counts for 50m0s more: the wiki is away"}},
		"not approved":        {sources.Health{Schedule: sources.Schedule{State: failed.State, Refused: "it is not approved"}, Access: away}, 0, []string{"it is not approved"}},
	} {
		if diff := cmp.Diff(c.want, c.h.Faults(noon.Add(c.after))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFaultsOfPermissions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		loop sources.Loop
		want string
	}{
		"read":               {sources.Loop{Until: noon.Add(time.Hour)}, ""},
		"first run going":    {sources.Loop{TouchedAt: noon}, ""},
		"never read":         {sources.Loop{}, "it is hidden from everyone, because its groups could not be read for too long: is footnote serve running?"},
		"expired":            {sources.Loop{Until: noon.Add(-time.Second), Error: "it is away"}, "it is hidden from everyone, because its groups could not be read for too long: it is away"},
		"failing":            {sources.Loop{Until: noon.Add(time.Hour), Error: "it is away"}, "its groups cannot be read; what was read before counts for 1h0m0s more: it is away"},
		"credential revoked": {sources.Loop{Until: noon.Add(time.Hour), Error: "make another token", Revoked: true}, "it is hidden from everyone: make another token"},
	} {
		c.loop.Loop = index.LoopGroups
		if got := strings.Join(sources.Access{Groups: &c.loop}.Faults(noon), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	both := sources.Access{Groups: &sources.Loop{Until: noon.Add(-time.Hour)}, Nodes: &sources.Loop{Revoked: true, Error: "make another token"}}
	if got := both.Faults(noon); len(got) != 1 || !strings.HasSuffix(got[0], "make another token") {
		t.Errorf("a revoked credential is not the only fault: %q", got)
	}
}

// Whatever is known about a source, it has no fault of freshness while it is paused, metrics agree
// with that, and a source that nothing may be sent to is not asked.
func TestHealthOfAnySource(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h, documents := sources.Health{Schedule: schedules(t)}, int64(rapid.IntRange(0, 2).Draw(t, "documents"))
		faults := h.Faults(noon)
		if h.Refused != "" && !cmp.Equal(faults, []string{h.Refused}) {
			t.Fatalf("not approved: %q", faults)
		}
		if h.Refused == "" && h.Paused() && len(faults) > 0 {
			t.Fatalf("paused: %q", faults)
		}
		late := h.Late(noon)
		if late < 0 || h.Paused() && late > 0 || h.Every == 0 && late > 0 {
			t.Fatalf("late by %s", late)
		}
		for _, f := range faults {
			if strings.Contains(f, "last read") && late == 0 {
				t.Fatalf("the check says %q, and metrics say that it is not late", f)
			}
		}
		if h.NeverRead(documents) && (documents > 0 || !h.Running() && h.Last.StartedAt.IsZero() && h.Last.FinishedAt.IsZero() && h.Last.Error == "") {
			t.Fatal("a source counts as never read although it has documents, or was not tried")
		}
		if h.Healthy() && (h.Failing > 0 || h.Paused() || h.Every == 0) {
			t.Fatal("a source is read before it is due although it fails, is paused, or has no schedule")
		}
	})
}

// A revocation is late by one run and one sweep at most, and a change that only runs of documents
// notice is as late as these.
func TestRevocationIsLateByItsLooksAtMost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		every := time.Duration(rapid.IntRange(0, 2880).Draw(t, "every")) * time.Minute
		looks := make(index.Looks)
		for _, change := range index.Changes() {
			if rapid.Bool().Draw(t, string(change)) {
				looks[change] = index.Look{
					Documents: rapid.Bool().Draw(t, "documents"), Sweep: time.Duration(rapid.IntRange(0, 2880).Draw(t, "sweep")) * time.Minute, Hook: rapid.Bool().Draw(t, "hook"),
				}
			}
		}
		for change, look := range looks {
			late := look.Late(every)
			if late < index.AccessEvery || late > look.Sweep+max(index.AccessEvery, every) || look.Documents && late < every {
				t.Fatalf("%s: %+v is noticed after %s, with runs every %s", change, look, late, every)
			}
			if change == index.ChangeDeletion {
				if looks.Deleted(every) != late {
					t.Fatalf("a deletion is noticed after %s, and said to be after %s", late, looks.Deleted(every))
				}
			} else if looks.Late(every) < late {
				t.Fatalf("%s is noticed after %s, and the bound is %s", change, late, looks.Late(every))
			}
		}
	})
}

func TestWordsOfFailures(t *testing.T) {
	t.Parallel()
	once := sources.State{Failing: 1, Last: index.Run{Error: "it is away"}}
	twice := sources.State{Failing: 2, Last: index.Run{Error: "it is away"}}
	for got, want := range map[string]string{
		done().Failure(): "", once.Failure(): "the last run failed: it is away", twice.Failure(): "the last 2 runs failed: it is away",
		sources.StillIndexed("wiki", 0, errors.New("no")):                       "",
		sources.StillIndexed("wiki", 1, fmt.Errorf("no: %w", index.ErrRevoked)): "",
		sources.StillIndexed("wiki", 1, errors.New("no")):                       " (1 document from earlier can still be found; footnote sources remove wiki takes them out)",
		sources.People(nil).Known():                                             "-",
		sources.People{sources.Matched: 2, sources.Conflicting: 1}.Known():      "2 of 3",
		sources.People{sources.Matched: 2}.Fault():                              "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if fault := (sources.People{sources.Unmatched: 1}).Fault(); !strings.Contains(fault, "identity.domains") {
		t.Errorf("no person is matched: %q", fault)
	}
	grouped := sources.AccessOf([]sources.Loop{{Source: "a", Loop: index.LoopNodes}, {Source: "a", Loop: index.LoopGroups}, {Source: "b", Loop: index.LoopNodes}})
	if len(grouped) != 2 || len(grouped["a"].Loops()) != 2 || grouped["a"].Nodes.Source != "a" || grouped["b"].Groups != nil || grouped["b"].Nodes.Source != document.SourceID("b") {
		t.Errorf("loops are grouped as %+v", grouped)
	}
}
