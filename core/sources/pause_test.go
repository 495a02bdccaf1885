package sources_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/sources"
	"pgregory.net/rapid"
)

func subject(s sources.Schedule) sources.Subject {
	return sources.Subject{ID: "site:docs", Place: "https://docs.example.org", Schedule: s, Paused: "what was read before is still found"}
}

func TestActionsSayWhyTheyAreNotPossible(t *testing.T) {
	t.Parallel()
	read := sources.Schedule{State: done(), Every: time.Hour}
	paused, refused, byHand := read, read, read
	paused.PausedAt, refused.Refused, byHand.Every = noon, "it is not approved", 0
	unpaused := subject(read)
	unpaused.Unpaused = "its channels would stay open"
	declared := subject(byHand)
	declared.Declared = "docs"
	for _, c := range []struct {
		s    sources.Subject
		do   sources.Act
		want string
	}{
		{subject(read), sources.Run, ""},
		{subject(read), sources.Pause, ""},
		{subject(paused), sources.Run, "site:docs is paused: resume it"},
		{subject(paused), sources.Resync, ""},
		{subject(refused), sources.Run, "site:docs: it is not approved"},
		{subject(refused), sources.Resume, "site:docs: it is not approved"},
		{subject(refused), sources.Pause, ""},
		{subject(byHand), sources.Run, "site:docs has no schedule, so it is read by the next footnote index https://docs.example.org"},
		{declared, sources.Run, "site:docs has no schedule, so it is read by the next footnote index"},
		{unpaused, sources.Pause, "site:docs cannot be paused: its channels would stay open. Take it out with footnote sources remove site:docs"},
	} {
		if got := c.s.Refuses(c.do); got != c.want {
			t.Errorf("%s: %q, want %q", c.do, got, c.want)
		}
	}
}

func TestActionsSayWhatFollows(t *testing.T) {
	t.Parallel()
	read := sources.Schedule{State: done(), Every: time.Hour}
	paused, byHand := read, read
	paused.PausedAt, byHand.Every = noon, 0
	quarantined := subject(read)
	quarantined.Quarantined = true
	for _, c := range []struct {
		s       sources.Subject
		do      sources.Act
		want    string
		changes bool
	}{
		{subject(read), sources.Run, "it is read by footnote serve at once", true},
		{subject(read), sources.Pause, "it is not read any more; what was read before is still found", true},
		{subject(read), sources.Resume, "it was not paused", false},
		{quarantined, sources.Resume, "it is read again, by footnote serve at once", true},
		{subject(paused), sources.Resume, "it is read again, by footnote serve at once", true},
		{subject(paused), sources.Resync, "it is read from the beginning, once it is resumed", true},
		{subject(byHand), sources.Resync, "it is read from the beginning, by the next footnote index https://docs.example.org", true},
	} {
		if got, changes := c.s.Result(c.do); got != c.want || changes != c.changes {
			t.Errorf("%s: %q, %v, want %q", c.do, got, changes, c.want)
		}
	}
}

// What is offered can be done and changes something, and a pause can always be undone.
func TestOffersArePossible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := subject(schedules(t))
		s.Unpaused = rapid.SampledFrom([]string{"", "its channels would stay open"}).Draw(t, "unpaused")
		offers := s.Offers()
		for _, do := range offers {
			if _, changes := s.Result(do); !changes || s.Refuses(do) != "" {
				t.Fatalf("%s is offered, and refused with %q (changes: %v)", do, s.Refuses(do), changes)
			}
		}
		if s.Schedule.Paused() && s.Schedule.Refused == "" && !slices.Contains(offers, sources.Resume) {
			t.Fatalf("a paused source cannot be resumed: %v", offers)
		}
		if s.Schedule.Paused() == slices.Contains(offers, sources.Pause) && s.Unpaused == "" {
			t.Fatalf("paused: %v, and offered are %v", s.Schedule.Paused(), offers)
		}
	})
}

// Each cause for which a source is not read has a sentence, and the sentence says what to do.
func TestEachPauseSaysWhatToDo(t *testing.T) {
	t.Parallel()
	quarantine := &sources.Quarantine{Source: "site:docs", At: noon, Deaths: 3}
	_, unapproved := sources.Judge("site:docs", sources.Memory{ApprovedBy: sources.Unapproved}, nil)
	revoked := sources.Access{Groups: &sources.Loop{Loop: "groups", Revoked: true, Error: "the wiki refuses the token; make another"}}
	for cause, c := range map[string]struct{ got, does string }{
		"operator":   {sources.ErrPaused.Error(), "footnote sources resume"},
		"in a run":   {sources.ErrPausedInRun.Error(), "footnote sources resume"},
		"deaths":     {sources.Health{Quarantine: quarantine}.Untried(), "ended the process 3 times, last at 2026-03-29 12:00 UTC"},
		"resuming":   {quarantine.Error(), "footnote sources resume site:docs"},
		"unapproved": {sources.Health{Schedule: sources.Schedule{Refused: unapproved}, Quarantine: quarantine}.Untried(), "footnote sources approve site:docs"},
		"revoked":    {fmt.Sprint(sources.Health{Access: revoked}.Faults(noon)), "it is hidden from everyone: the wiki refuses the token; make another"},
	} {
		if !strings.Contains(c.got, c.does) {
			t.Errorf("%s: %q does not say %q", cause, c.got, c.does)
		}
	}
}
