package sources

import (
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// ErrPaused reports that an operator paused the source, so that it is not read.
var ErrPaused = errors.New("the source is paused: footnote sources resume lets it be read again")

// ErrPausedInRun is the cancellation cause of a run whose source was paused. The run continues when
// the source is resumed.
var ErrPausedInRun error = pausedInRun{}

type pausedInRun struct{}

// Error implements error.
func (pausedInRun) Error() string { return ErrPaused.Error() }

// Is reports whether target is [ErrPaused] or [index.ErrPaused], for errors.Is.
func (pausedInRun) Is(target error) bool { return target == index.ErrPaused || target == ErrPaused }

// Quarantine is the error for a source that is no longer read, because processes died while they
// read it. Its text tells an operator what to do.
type Quarantine struct {
	Source string    // id of the source
	At     time.Time // time of the last death
	Deaths int
}

// Error implements error.
func (q *Quarantine) Error() string {
	return fmt.Sprintf("reading it ended the process %d times, last at %s, so it is paused. What was indexed of it stays. Look into the log for what ended the process, then run: footnote sources resume %s",
		q.Deaths, q.At.UTC().Format("2006-01-02 15:04 UTC"), q.Source)
}

// Act is an operator's action on a source.
type Act string

// Values of [Act].
const (
	Run    Act = "run" // read it before it is due
	Pause  Act = "pause"
	Resume Act = "resume"
	Resync Act = "resync" // read it from the beginning
)

// Acts returns all actions, in the order in which people see them.
func Acts() []Act { return []Act{Run, Pause, Resume, Resync} }

// Subject is a stored source on which an operator acts.
type Subject struct {
	ID       document.SourceID
	Place    string // a folder, an address, or the name in footnote.yaml
	Declared string // the name in footnote.yaml; empty if it is not there
	Schedule Schedule
	// Quarantined reports whether the source is in quarantine because processes died while reading
	// it.
	Quarantined bool
	Paused      string // which documents are still shown during a pause (Kind.Paused)
	Unpaused    string // why the source cannot be paused; empty if it can
}

// Refuses returns a sentence that says why an action is impossible. It returns an empty string if
// the action is possible.
func (s Subject) Refuses(do Act) string {
	switch {
	case do == Pause && s.Unpaused != "":
		return fmt.Sprintf("%s cannot be paused: %s. Take it out with footnote sources remove %s", s.ID, s.Unpaused, s.ID)
	case do != Pause && s.Schedule.Refused != "":
		return fmt.Sprintf("%s: %s", s.ID, s.Schedule.Refused)
	case do == Run && s.Schedule.Paused():
		return fmt.Sprintf("%s is paused: resume it", s.ID)
	case do == Run && s.Schedule.Every == 0:
		return fmt.Sprintf("%s has no schedule, so it is read %s", s.ID, s.readBy())
	}
	return ""
}

// Offers returns the possible actions that make sense in the source's state, in the order of Acts.
// For example, it contains Resume only for a paused source.
func (s Subject) Offers() []Act {
	var offers []Act
	for _, do := range Acts() {
		sensible := do == Run || do == Resync || (do == Pause) != s.Schedule.Paused()
		if sensible && s.Refuses(do) == "" {
			offers = append(offers, do)
		}
	}
	return offers
}

// Result describes the effect of an action, in words that follow a colon or comma, such as "it was
// not paused". change is false if the action has no effect.
func (s Subject) Result(do Act) (sentence string, change bool) {
	switch do {
	case Run:
		return "it is read " + s.readBy(), true
	case Pause:
		return "it is not read any more; " + s.Paused, true
	case Resume:
		if !s.Schedule.Paused() && !s.Quarantined {
			return "it was not paused", false
		}
		return "it is read again, " + s.readBy(), true
	case Resync:
		if s.Schedule.Paused() {
			return "it is read from the beginning, once it is resumed", true
		}
		return "it is read from the beginning, " + s.readBy(), true
	}
	return "", false
}

func (s Subject) readBy() string {
	switch {
	case s.Schedule.Every > 0:
		return "by footnote serve at once"
	case s.Declared != "":
		return "by the next footnote index"
	}
	return "by the next footnote index " + s.Place
}
