package recur_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/recur"
	"pgregory.net/rapid"
)

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	at, err := time.LoadLocation(name)
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

// The hour is that of the wall clock, before and after clocks change. A week with a change has one
// due time, also where its hour is skipped or comes twice.
func TestClockChangesMoveTheDueTime(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	nine := recur.Weekly{Day: time.Monday, Hour: 9, Zone: berlin}
	before := nine.Last(time.Date(2026, 10, 23, 0, 0, 0, 0, time.UTC))
	after := nine.Next(time.Date(2026, 10, 25, 12, 0, 0, 0, time.UTC))
	if before.UTC().Hour() != 7 || after.UTC().Hour() != 8 || after.In(berlin).Hour() != 9 {
		t.Errorf("before the change at %s, after it at %s", before.UTC(), after.UTC())
	}
	for name, change := range map[string]time.Time{
		"an hour is skipped":  time.Date(2027, 3, 28, 0, 0, 0, 0, time.UTC),
		"an hour comes twice": time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC),
	} {
		night := recur.Weekly{Day: time.Sunday, Hour: 2, Zone: berlin}
		seen := make(map[time.Time]bool)
		for now := change.Add(-12 * time.Hour); now.Before(change.Add(24 * time.Hour)); now = now.Add(10 * time.Minute) {
			if due := night.Last(now); due.After(change.Add(-12 * time.Hour)) {
				seen[due.UTC()] = true
			}
		}
		if len(seen) != 1 {
			t.Errorf("%s: due at %v", name, seen)
		}
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	w := recur.Weekly{Day: time.Monday, Hour: 9, Zone: time.UTC}
	monday := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	long := monday.AddDate(0, -1, 0)
	week := -7 * 24 * time.Hour
	for name, tt := range map[string]struct {
		p    recur.Progress
		now  time.Time
		want recur.Step
		due  time.Time
	}{
		"it was just made known":          {recur.Progress{Known: monday.Add(time.Hour)}, monday.Add(2 * time.Hour), recur.Wait, monday},
		"it is due":                       {recur.Progress{Known: long}, monday, recur.Run, monday},
		"it is not due yet":               {recur.Progress{Known: long, Due: monday.Add(week), State: recur.Done}, monday.Add(-time.Second), recur.Wait, monday.Add(week)},
		"it is due again":                 {recur.Progress{Known: long, Due: monday.Add(week), State: recur.Failed}, monday, recur.Run, monday},
		"nothing ran until the evening":   {recur.Progress{Known: long}, monday.Add(10 * time.Hour), recur.Run, monday},
		"nothing ran until Wednesday":     {recur.Progress{Known: long}, monday.Add(48 * time.Hour), recur.Drop, monday},
		"it was dropped":                  {recur.Progress{Known: long, Due: monday, State: recur.Missed}, monday.Add(48 * time.Hour), recur.Wait, monday},
		"it is done":                      {recur.Progress{Known: long, Due: monday, State: recur.Done}, monday.Add(time.Hour), recur.Wait, monday},
		"the hour was moved after that":   {recur.Progress{Known: long, Due: monday.Add(-time.Hour), State: recur.Done}, monday, recur.Wait, monday},
		"another process is at it":        {recur.Progress{Known: long, Due: monday, State: recur.Begun, Again: monday.Add(2 * time.Minute)}, monday.Add(time.Minute), recur.Wait, monday},
		"that process died":               {recur.Progress{Known: long, Due: monday, State: recur.Begun, Again: monday.Add(2 * time.Minute)}, monday.Add(2 * time.Minute), recur.Run, monday},
		"it failed for a day":             {recur.Progress{Known: long, Due: monday, State: recur.Begun, Again: monday}, monday.Add(25 * time.Hour), recur.Drop, monday},
		"it was begun in the week before": {recur.Progress{Known: long, Due: monday.Add(week), State: recur.Begun}, monday, recur.Drop, monday.Add(week)},
	} {
		if due, step := recur.Decide(w, tt.p, tt.now); step != tt.want || !due.Equal(tt.due) {
			t.Errorf("%s: step %d for %s, want %d for %s", name, step, due, tt.want, tt.due)
		}
	}
}

// However often processes look, and however long none does: each due time is worked on or dropped
// once, in order, and none is worked on late.
func TestEachDueTimeCountsOnce(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{time.UTC, zone(t, "Europe/Berlin"), zone(t, "America/New_York"), zone(t, "Australia/Lord_Howe")}
	rapid.Check(t, func(t *rapid.T) {
		w := recur.Weekly{Day: time.Weekday(rapid.IntRange(0, 6).Draw(t, "day")), Hour: rapid.IntRange(0, 23).Draw(t, "hour"), Zone: rapid.SampledFrom(zones).Draw(t, "zone")}
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 300*24*60).Draw(t, "start")) * time.Minute)
		p := recur.Progress{Known: now}
		for range rapid.IntRange(1, 60).Draw(t, "looks") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{1, 30, 60, 600, 1500, 5000, 20000}).Draw(t, "pause")) * time.Minute)
			due, step := recur.Decide(w, p, now)
			if step == recur.Wait {
				continue
			}
			if due.After(now) || !due.After(p.Due) || !due.After(p.Known) {
				t.Fatalf("at %s it is due for %s after %+v", now, due, p)
			}
			if late := now.Sub(due) > recur.Late; late != (step == recur.Drop) {
				t.Fatalf("at %s, step %d for %s", now, step, due)
			}
			p.Due, p.State = due, recur.Done
		}
		if last := w.Last(now); last.After(p.Known) && !p.Due.Equal(last) {
			if due, step := recur.Decide(w, p, now); step == recur.Wait {
				t.Fatalf("at %s nothing is done for %s, after %+v", now, due, p)
			}
		}
	})
}

func TestPause(t *testing.T) {
	t.Parallel()
	for attempt, want := range map[int]time.Duration{1: 2 * time.Minute, 2: 4 * time.Minute, 5: 30 * time.Minute, 1000: 30 * time.Minute} {
		if got := recur.Pause(attempt); got != want {
			t.Errorf("Pause(%d) = %s, want %s", attempt, got, want)
		}
	}
}
