// Package recur decides when recurring work that people see is due: each due time is worked on
// once, in whichever process, and late work is done late or dropped.
package recur

import "time"

// Weekly is a time of each week.
type Weekly struct {
	Day  time.Weekday
	Hour int // 0 to 23
	Zone *time.Location
}

// Last returns the newest due time that is not after now. In a night in which clocks skip the hour,
// the due time is an hour off; where an hour comes twice, one of the two counts.
func (w Weekly) Last(now time.Time) time.Time {
	for back := 0; ; back++ {
		if at := w.on(now, back); !at.After(now) {
			return at
		}
	}
}

// Next returns the first due time after now.
func (w Weekly) Next(now time.Time) time.Time {
	for back := 0; ; back-- {
		if at := w.on(now, back); at.After(now) {
			return at
		}
	}
}

// on is the due time of a week, counted back from that of now.
func (w Weekly) on(now time.Time, back int) time.Time {
	local := now.In(w.Zone)
	ahead := int(w.Day - local.Weekday())
	return time.Date(local.Year(), local.Month(), local.Day()+ahead-7*back, w.Hour, 0, 0, 0, w.Zone)
}

// State says what became of a due time.
type State string

// The states.
const (
	Idle   State = ""       // nothing was due yet
	Begun  State = "begun"  // it is worked on, or tried again
	Done   State = "done"   // it came to its end
	Off    State = "off"    // people in the channel do not want it
	Missed State = "missed" // it was too late for it
	Failed State = "failed" // it cannot be done there
	Unsure State = "unsure" // it may have been done, and is not tried again
)

// Progress is how far a schedule is.
type Progress struct {
	Name     string
	Known    time.Time // since when there is the schedule: earlier due times do not count
	Due      time.Time // the due time that State is about; zero: none
	State    State
	Begun    time.Time // when work on Due began
	Attempts int
	Again    time.Time // Begun: no process tries before
	// Posted says that an attempt may have posted, as far as the store knows.
	Posted bool
	Note   string // for an operator
}

// Step is what a process does about a schedule.
type Step int

// The steps.
const (
	Wait Step = iota
	Run       // work on the due time
	Drop      // note that it was missed
)

const (
	// Late is how long after its due time work may still begin or be tried again.
	Late = 24 * time.Hour
	// apart is how far two due times are from one another at least: who moves a schedule by some
	// hours does not get its work twice.
	apart = 24 * time.Hour
)

// Decide returns what to do now, and for which due time.
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
	case !due.After(p.Known), !p.Due.IsZero() && due.Sub(p.Due) < apart:
		return due, Wait
	case now.Sub(due) > Late:
		return due, Drop
	}
	return due, Run
}

// Pauses between attempts. The first is longer than one attempt may take, so that two processes
// never work on the same due time.
const (
	firstPause = 2 * time.Minute
	lastPause  = 30 * time.Minute
)

// Pause returns how long other attempts wait after the beginning of one, the first being 1.
func Pause(attempt int) time.Duration {
	return min(firstPause<<min(attempt-1, 10), lastPause)
}
