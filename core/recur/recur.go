// Package recur decides when recurring work that people see is due. For each due time, one process
// does the work once. Late work is done late or dropped.
package recur

import "time"

// Weekly is a schedule with one due time a week: a day and an hour in a time zone.
type Weekly struct {
	Day  time.Weekday
	Hour int // 0 to 23
	Zone *time.Location
}

// Last returns the latest due time that is not after now. When clocks change, the due time may be
// an hour off.
func (w Weekly) Last(now time.Time) time.Time {
	for back := 0; ; back++ {
		if at := w.dueInWeek(now, back); !at.After(now) {
			return at
		}
	}
}

// Next returns the first due time after now.
func (w Weekly) Next(now time.Time) time.Time {
	for back := 0; ; back-- {
		if at := w.dueInWeek(now, back); at.After(now) {
			return at
		}
	}
}

func (w Weekly) dueInWeek(now time.Time, back int) time.Time {
	local := now.In(w.Zone)
	ahead := int(w.Day - local.Weekday())
	return time.Date(local.Year(), local.Month(), local.Day()+ahead-7*back, w.Hour, 0, 0, 0, w.Zone)
}

// State says how far the work for one due time has got.
type State string

// The values of [State].
const (
	Idle   State = ""       // nothing was due yet
	Begun  State = "begun"  // in progress, or to be retried
	Done   State = "done"   // finished
	Off    State = "off"    // people in the channel do not want it
	Missed State = "missed" // too late to begin
	Failed State = "failed" // cannot be done there
	Unsure State = "unsure" // may have been done; not retried
)

// Progress is the stored state of a schedule.
type Progress struct {
	Name     string
	Known    time.Time // creation of the schedule; earlier due times are ignored
	Due      time.Time // the due time that State is about; zero: none
	State    State
	Begun    time.Time // when work on Due began
	Attempts int
	Again    time.Time // if Begun: earliest time of the next attempt
	// Posted says that an attempt may have posted, according to the store.
	Posted bool
	Note   string // for an operator
}

// Step says what a process should do now for a schedule.
type Step int

// The values of [Step].
const (
	Wait Step = iota
	Run       // work on the due time
	Drop      // record it as missed
)

const (
	// Late is the maximum delay after a due time at which work may begin or be retried.
	Late = 24 * time.Hour
	// minInterval is the minimum time between two due times. It prevents duplicate work if a person
	// moves a schedule by a few hours.
	minInterval = 24 * time.Hour
)

// Decide returns what to do now for a schedule, and the due time that it concerns.
func Decide(w Weekly, p Progress, now time.Time) (due time.Time, step Step) {
	if p.State == Begun {
		switch {
		case now.Sub(p.Due) > Late:
			return p.Due, Drop
		case now.Before(p.Again):
			return p.Due, Wait
		}
		return p.Due, Run
	}
	switch due = w.Last(now); {
	case !due.After(p.Known), !p.Due.IsZero() && due.Sub(p.Due) < minInterval:
		return due, Wait
	case now.Sub(due) > Late:
		return due, Drop
	}
	return due, Run
}

// Pauses between attempts. firstPause is longer than the longest attempt, so that two processes
// never work on the same due time.
const (
	firstPause = 2 * time.Minute
	lastPause  = 30 * time.Minute
)

// Pause returns how long other processes must wait after an attempt has begun. It grows with the
// number of the attempt, from 1.
func Pause(attempt int) time.Duration {
	return min(firstPause<<min(attempt-1, 10), lastPause)
}
