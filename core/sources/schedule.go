package sources

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

const minEvery = time.Minute

// State is the stored state of a source's runs.
type State struct {
	Last     index.Run // the newest run; the zero value if there was none
	Failing  int       // consecutive runs that did not finish
	HeardAt  time.Time // when the newest unprocessed hint arrived (index.Hints); zero: none
	Resync   bool      // a full read was requested and has not begun
	PausedAt time.Time // zero: not paused
}

// Paused reports whether an operator paused the source.
func (s State) Paused() bool { return !s.PausedAt.IsZero() }

// Running reports whether a run has begun and not ended. The process of the run may be dead.
func (s State) Running() bool { return !s.Last.StartedAt.IsZero() && s.Last.FinishedAt.IsZero() }

// HeardSince reports whether the source reported changes after t that have not been read.
func (s State) HeardSince(t time.Time) bool { return s.HeardAt.After(t) }

// Schedule is the state of a source and the interval between its reads.
type Schedule struct {
	State
	Every   time.Duration // 0: the source is read only by hand
	Refused string        // why the source is not read ([Judge]); empty if it is
}

// Next returns when the source is due. The time may be in the past. It is zero if the source is due
// at once. A pause does not change it.
func (s Schedule) Next() time.Time {
	if s.Resync || s.Failing == 0 && s.HeardSince(s.Last.StartedAt) {
		return time.Time{}
	}
	return index.Next(s.Every, s.Last, s.Failing)
}

// Planned reports whether footnote serve reads the source on a schedule. It does if the source has
// an interval, is not paused and is not refused.
func (s Schedule) Planned() bool { return s.Every > 0 && s.Refused == "" && !s.Paused() }

// Due reports whether footnote serve must read the source at now.
func (s Schedule) Due(now time.Time) bool { return s.Planned() && !now.Before(s.Next()) }

// Upcoming returns the time of the next run, which is never before now. It returns false if the
// source is not planned.
func (s Schedule) Upcoming(now time.Time) (time.Time, bool) {
	if !s.Planned() {
		return time.Time{}, false
	}
	next := s.Next()
	if next.Before(now) {
		next = now
	}
	return next.UTC().Truncate(time.Second), true
}

// NextRun returns a phrase that says when the source is read next, such as "in 5m" or "paused".
func (s Schedule) NextRun(now time.Time) string {
	switch {
	case s.Refused != "":
		return "not approved"
	case s.Paused():
		return "paused"
	case s.Every == 0:
		return "by hand"
	}
	switch wait := s.Next().Sub(now); {
	case wait <= 0:
		return "due"
	case wait < time.Minute:
		return "in a moment"
	default:
		return "in " + Interval(wait.Truncate(time.Minute))
	}
}

// LoopsDue returns the sources whose permissions must be read at now. loops are the background
// tasks of all sources. A source that was never read has none.
func LoopsDue(loops []Loop, now time.Time) []document.SourceID {
	var due []document.SourceID
	seen := make(map[document.SourceID]bool)
	for _, l := range loops {
		if !l.Paused && !now.Before(l.Next()) && !seen[l.Source] {
			seen[l.Source] = true
			due = append(due, l.Source)
		}
	}
	return due
}

// LoopsFirst reports whether a run must read the permissions of a source before its documents. It
// must if a person requested the run, or if the permissions are due or were never read completely.
// loops are the background tasks of the source.
func LoopsFirst(byPerson bool, loops []Loop, now time.Time) bool {
	if byPerson || len(loops) == 0 {
		return true
	}
	for _, l := range loops {
		if l.CompleteAt.IsZero() || !now.Before(l.Next()) {
			return true
		}
	}
	return false
}

// Outcome says how a run of footnote serve ended, or a part of a run.
type Outcome int

// Values of [Outcome].
const (
	Finished   Outcome = iota // the run came to its end
	Failed                    // the error is recorded, and the next run follows the back-off
	Stopped                   // the process stops, and another one continues the run
	Waiting                   // the source's rate limit is reached; the next run waits
	Ended                     // the source was paused, or another process reads it
	Unfinished                // the time of this part of the run is over, and another part follows
)

// OutcomeOf returns the outcome of a run that ended with err. stopping reports whether the process
// is stopping.
func OutcomeOf(err error, stopping bool) Outcome {
	var later *index.Later
	switch {
	case stopping:
		return Stopped
	case errors.As(err, &later):
		return Waiting
	case errors.Is(err, ErrPaused), errors.Is(err, index.ErrSuperseded) && !errors.Is(err, index.ErrRevoked):
		return Ended
	case errors.Is(err, index.ErrPaused):
		return Unfinished
	case err != nil:
		return Failed
	}
	return Finished
}

// ParseEvery parses the interval between two reads of a source, such as 30m, 6h or 1d. The minimum
// is one minute. The text of the error can follow the name of a setting, for example "is less than
// a minute: …".
func ParseEvery(text string) (time.Duration, error) {
	number, isDays := strings.CutSuffix(text, "d")
	every, err := time.ParseDuration(text)
	if days, daysErr := strconv.Atoi(number); isDays && daysErr == nil && days < 10_000 {
		every, err = time.Duration(days)*24*time.Hour, nil
	}
	switch {
	case err != nil:
		return 0, errors.New("is not a length of time: write one such as 30m, 6h or 1d")
	case every < minEvery:
		return 0, errors.New("is less than a minute: write a longer time, such as 30m, 6h or 1d")
	}
	return every, nil
}

// Interval formats a duration without trailing zero units. For example, it formats 6h0m0s as 6h.
func Interval(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
