package sources_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)

// done is a state whose last run succeeded, from noon on.
func done() sources.State {
	return sources.State{Last: index.Run{StartedAt: noon, FinishedAt: noon.Add(time.Minute), LastSuccess: noon, Succeeded: true}}
}

func TestScheduleSaysWhenASourceIsDue(t *testing.T) {
	t.Parallel()
	heard, resync, paused, failed := done(), done(), done(), done()
	heard.HeardAt = noon.Add(time.Second)
	resync.Resync = true
	paused.PausedAt = noon
	failed.Last.Succeeded, failed.Failing, failed.HeardAt = false, 3, noon.Add(time.Second)
	for name, c := range map[string]struct {
		s     sources.Schedule
		after time.Duration
		due   bool
		says  string
	}{
		"never read":                {sources.Schedule{Every: time.Hour}, 0, true, "due"},
		"read":                      {sources.Schedule{State: done(), Every: time.Hour}, 10 * time.Minute, false, "in 50m"},
		"nearly due":                {sources.Schedule{State: done(), Every: time.Hour}, time.Hour - time.Second, false, "in a moment"},
		"due":                       {sources.Schedule{State: done(), Every: time.Hour}, time.Hour, true, "due"},
		"read once a day":           {sources.Schedule{State: done(), Every: 24 * time.Hour}, 0, false, "in 24h"},
		"told of a change":          {sources.Schedule{State: heard, Every: time.Hour}, time.Minute, true, "due"},
		"told of a change, failing": {sources.Schedule{State: failed, Every: time.Hour}, time.Minute + 4*time.Minute - time.Second, false, "in a moment"},
		"failing, back-off is over": {sources.Schedule{State: failed, Every: time.Hour}, time.Minute + 4*time.Minute, true, "due"},
		"full read requested":       {sources.Schedule{State: resync, Every: time.Hour}, time.Minute, true, "due"},
		"paused":                    {sources.Schedule{State: paused, Every: time.Hour}, 2 * time.Hour, false, "paused"},
		"by hand":                   {sources.Schedule{State: done()}, 2 * time.Hour, false, "by hand"},
		"not approved":              {sources.Schedule{State: paused, Every: time.Hour, Refused: "no"}, 2 * time.Hour, false, "not approved"},
	} {
		now := noon.Add(c.after)
		if got := c.s.Due(now); got != c.due {
			t.Errorf("%s: due %v, want %v", name, got, c.due)
		}
		if got := c.s.NextRun(now); got != c.says {
			t.Errorf("%s: the next run is %q, want %q", name, got, c.says)
		}
	}
}

// schedules draws any schedule, with times around noon in either order, as after a change of the
// clock.
func schedules(t *rapid.T) sources.Schedule {
	at := func(name string) time.Time {
		if rapid.Bool().Draw(t, "no "+name) {
			return time.Time{}
		}
		return noon.Add(time.Duration(rapid.Int64Range(-int64(100*time.Hour), int64(100*time.Hour)).Draw(t, name)))
	}
	s := sources.Schedule{Every: time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "every"))}
	s.Last = index.Run{
		StartedAt: at("started"), FinishedAt: at("finished"), ResumesAt: at("resumes"), LastSuccess: at("success"), Succeeded: rapid.Bool().Draw(t, "succeeded"),
		Error: rapid.SampledFrom([]string{"", "it is away"}).Draw(t, "error"),
	}
	s.Failing, s.HeardAt, s.PausedAt = rapid.IntRange(0, 100).Draw(t, "failing"), at("heard"), at("paused")
	s.Resync, s.Refused = rapid.Bool().Draw(t, "resync"), rapid.SampledFrom([]string{"", "it is not approved"}).Draw(t, "refused")
	return s
}

// What lists show is what serve does: a source is due exactly if its next run is "due".
func TestScheduleAgreesWithItsWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, now := schedules(t), noon
		if due, says := s.Due(now), s.NextRun(now); due != (says == "due") {
			t.Fatalf("due: %v, and the list says %q", due, says)
		}
		next, planned := s.Upcoming(now)
		if planned != (s.Every > 0 && s.Refused == "" && s.PausedAt.IsZero()) || planned && next.Before(now) {
			t.Fatalf("the next run is at %v, %v", next, planned)
		}
		if s.Due(now) && !s.Due(now.Add(time.Hour)) {
			t.Fatal("a source that is due is not due later")
		}
	})
}

// A clock that is set back or forward, by the process that planned or by the database, never keeps
// a source from being read: one interval after the latest time that is stored, it is due.
func TestClockChangesNeverEndASchedule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := schedules(t)
		s.PausedAt, s.Refused, s.Every = time.Time{}, "", max(s.Every, time.Minute)
		latest := noon
		for _, at := range []time.Time{s.Last.StartedAt, s.Last.FinishedAt, s.Last.ResumesAt} {
			if at.After(latest) {
				latest = at
			}
		}
		if !s.Due(latest.Add(max(s.Every, 5*time.Minute))) {
			t.Fatalf("not due one interval after %v; next at %v", latest, s.Next())
		}
	})
}

func TestBackOffGrowsUpToTheInterval(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		every := time.Duration(rapid.Int64Range(int64(time.Minute), int64(1000*time.Hour)).Draw(t, "every"))
		failing := rapid.IntRange(1, 10_000).Draw(t, "failing")
		after := func(failing int) time.Duration {
			s := sources.Schedule{State: sources.State{Last: index.Run{StartedAt: noon, FinishedAt: noon}, Failing: failing}, Every: every}
			return s.Next().Sub(noon)
		}
		wait, longer := after(failing), after(failing+1)
		if wait < time.Minute || wait > every || longer < wait || wait < every && longer != min(2*wait, every) {
			t.Fatalf("waits %s after %d failures and %s after the next one, for an interval of %s", wait, failing, longer, every)
		}
	})
}

func TestLoopsAreReadWhenDue(t *testing.T) {
	t.Parallel()
	fresh := sources.Loop{Source: "fresh", BeganAt: noon, CompleteAt: noon}
	due := sources.Loop{Source: "due", BeganAt: noon.Add(-time.Hour), CompleteAt: noon}
	paused := due
	paused.Source, paused.Paused = "paused", true
	if got := sources.LoopsDue([]sources.Loop{fresh, due, due, paused}, noon); !cmp.Equal(got, []document.SourceID{"due"}) {
		t.Errorf("due are %v", got)
	}
	for name, c := range map[string]struct {
		byPerson bool
		loops    []sources.Loop
		want     bool
	}{
		"the first run":            {false, nil, true},
		"a person asks":            {true, []sources.Loop{fresh}, true},
		"read a moment ago":        {false, []sources.Loop{fresh}, false},
		"one of them is due":       {false, []sources.Loop{fresh, due}, true},
		"one was never read whole": {false, []sources.Loop{fresh, {BeganAt: noon}}, true},
	} {
		if got := sources.LoopsFirst(c.byPerson, c.loops, noon); got != c.want {
			t.Errorf("%s: permissions first: %v", name, got)
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	t.Parallel()
	failure := errors.New("it is away")
	for _, c := range []struct {
		err      error
		stopping bool
		want     sources.Outcome
	}{
		{nil, false, sources.Finished},
		{failure, false, sources.Failed},
		{fmt.Errorf("no: %w", index.ErrRevoked), false, sources.Failed},
		{errors.Join(index.ErrRevoked, index.ErrSuperseded), false, sources.Failed},
		{index.ErrSuperseded, false, sources.Ended},
		{fmt.Errorf("begin: %w", sources.ErrPaused), false, sources.Ended},
		{sources.ErrPausedInRun, false, sources.Ended},
		{&index.Later{At: noon, Why: "it is busy"}, false, sources.Waiting},
		{index.ErrPaused, false, sources.Unfinished},
		{nil, true, sources.Stopped},
		{context.Canceled, true, sources.Stopped},
	} {
		if got := sources.OutcomeOf(c.err, c.stopping); got != c.want {
			t.Errorf("%v, stopping %v: %d, want %d", c.err, c.stopping, got, c.want)
		}
	}
	if !errors.Is(sources.ErrPausedInRun, index.ErrPaused) {
		t.Error("a run whose source is paused does not continue later")
	}
}

func TestParseEvery(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"30m": 30 * time.Minute, "6h": 6 * time.Hour, "1d": 24 * time.Hour, "1h30m": 90 * time.Minute, "59s": 0, "": 0, "1 day": 0, "-1d": 0, "10000d": 0, "d": 0} {
		if got, err := sources.ParseEvery(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		every := time.Duration(rapid.Int64Range(1, 10_000).Draw(t, "minutes")) * time.Minute
		if got, err := sources.ParseEvery(sources.Interval(every)); got != every || err != nil {
			t.Fatalf("%s is read as %s, %v", sources.Interval(every), got, err)
		}
	})
}
