package sources

import (
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
)

// overdue is the delay after which a late scheduled read is a fault.
const overdue = 15 * time.Minute

// Loop is the progress of a background task that reads permissions of a source. There is one task
// for nodes, such as folders, and one for groups. Unknown times are zero.
type Loop struct {
	Source      document.SourceID
	Loop        index.Loop
	BeganAt     time.Time // start of the newest run
	TouchedAt   time.Time // when that run last stored something; zero once it has ended
	CompleteAt  time.Time // start of the last pass that read everything
	SucceededAt time.Time // start of the last pass that came to its end
	Until       time.Time // expiry of the last results
	Failing     int       // consecutive runs that failed
	Error       string    // sentence about the error of the last run; empty after success
	Revoked     bool      // the source refuses the credential
	Paused      bool      // the source is paused
}

// Next returns when the loop is due again.
func (l Loop) Next() time.Time { return index.NextAccess(l.BeganAt, l.TouchedAt, l.Failing) }

// Left returns how long the last results remain valid at now. It returns 0 if there are no results.
// If Left is not positive, the source is hidden.
func (l Loop) Left(now time.Time) time.Duration {
	if l.Until.IsZero() {
		return 0
	}
	return l.Until.Sub(now)
}

func (l Loop) fault(now time.Time) string {
	why := l.Error
	if why == "" { // no run ended, so no error was stored
		why = "is footnote serve running?"
	}
	switch {
	case l.Until.IsZero() && !l.TouchedAt.IsZero(): // the first run is still going
	case l.Until.Before(now):
		return fmt.Sprintf("it is hidden from everyone, because its %s could not be read for too long: %s", l.Loop, why)
	case l.Error != "":
		return fmt.Sprintf("its %s cannot be read; what was read before counts for %s more: %s", l.Loop, l.Until.Sub(now).Round(time.Minute), why)
	}
	return ""
}

// Access says how much of a source's permissions has been read. It exists only for sources that
// report who may read their documents.
type Access struct {
	Nodes, Groups *Loop  // nil: the loop has not run
	People        People // nil: the source has not listed its people
}

// Loops returns the loops that have run. Groups come first.
func (a Access) Loops() []Loop {
	var loops []Loop
	for _, l := range []*Loop{a.Groups, a.Nodes} {
		if l != nil {
			loops = append(loops, *l)
		}
	}
	return loops
}

// Faults returns the faults of the permissions at now, one sentence each. If the source rejects the
// credential, that is the only fault.
func (a Access) Faults(now time.Time) []string {
	var faults []string
	for _, l := range a.Loops() {
		if l.Revoked {
			return []string{"it is hidden from everyone: " + l.Error}
		}
		if fault := l.fault(now); fault != "" {
			faults = append(faults, fault)
		}
	}
	return faults
}

// AccessOf groups loops by their sources.
func AccessOf(loops []Loop) map[document.SourceID]Access {
	all := make(map[document.SourceID]Access)
	for _, l := range loops {
		a := all[l.Source]
		if l.Loop == index.LoopNodes {
			a.Nodes = &l
		} else {
			a.Groups = &l
		}
		all[l.Source] = a
	}
	return all
}

// Match says whether a person in a source is matched with an account of the chat.
type Match string

// Values of [Match].
const (
	Matched     Match = "matched"
	Unmatched   Match = "unmatched"
	Conflicting Match = "conflicting" // several accounts claim the person
)

// People holds the number of people in a source for each Match.
type People map[Match]int

// Known returns how many people are matched, such as "12 of 30". It returns "-" if the people are
// not known.
func (p People) Known() string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%d of %d", p[Matched], p[Matched]+p[Unmatched]+p[Conflicting])
}

// Fault returns a sentence if a source lists people, but none of them is matched. Otherwise it
// returns an empty string.
func (p People) Fault() string {
	if len(p) == 0 || p[Matched] > 0 {
		return ""
	}
	return "none of its people is matched with an account of the chat, so nothing is shown to them by their rights: " +
		"list the domains of their addresses under identity.domains, or say who is who with footnote people import"
}

// Health is what is known about the state of a source. [Health.Faults] derives the faults from
// it.
type Health struct {
	Schedule
	Access      Access
	Quarantine  *Quarantine // nil: no process died while reading it
	Unreachable []string    // sentences on what a check could not read
}

// Untried returns the reason why the source is not contacted at all, or an empty string if it is.
func (h Health) Untried() string {
	switch {
	case h.Refused != "":
		return h.Refused
	case h.Quarantine != nil:
		return h.Quarantine.Error()
	}
	return ""
}

// Faults returns what is wrong with the source at now, one sentence each. For a paused source, it
// returns only what a check could not read (Unreachable).
func (h Health) Faults(now time.Time) []string {
	if why := h.Untried(); why != "" {
		return []string{why}
	}
	faults := h.Unreachable
	if h.Paused() {
		return faults
	}
	faults = append(faults[:len(faults):len(faults)], h.Access.Faults(now)...)
	if h.Last.Error != "" && len(faults) == 0 { // otherwise another fault already explains it
		return []string{"the last run failed: " + h.Last.Error}
	}
	if last := h.Last.LastSuccess; h.Every > 0 && !last.IsZero() && !h.Last.FinishedAt.IsZero() && now.Sub(last) > 2*h.Every+overdue {
		faults = append(faults, fmt.Sprintf("it was last read %s ago, although it is to be read every %s: is footnote serve running?",
			now.Sub(last).Truncate(time.Minute), h.Every))
	}
	return faults
}

// Failure returns a sentence that says how many runs failed and why. It returns an empty string if
// the last run did not fail.
func (s State) Failure() string {
	switch {
	case s.Last.Error == "":
		return ""
	case s.Failing > 1:
		return fmt.Sprintf("the last %d runs failed: %s", s.Failing, s.Last.Error)
	}
	return "the last run failed: " + s.Last.Error
}

// Healthy reports whether the source is read on a schedule and its last run did not fail. It is
// then enough to read the changes that the source reports.
func (s Schedule) Healthy() bool { return s.Planned() && s.Failing == 0 }

// Late returns the delay of the next full read of the source at now. It returns 0 if the read is
// not late, or if the source is paused or has no schedule.
func (s Schedule) Late(now time.Time) time.Duration {
	last := s.Last.LastSuccess
	if s.Every == 0 || s.Paused() || last.IsZero() {
		return 0
	}
	return max(0, now.Sub(last.Add(s.Every)))
}

// NeverRead reports whether a source has no documents because reading failed: either every run
// failed, or the last run failed for some documents.
func (s State) NeverRead(documents int64) bool {
	r := s.Last
	ended := !r.FinishedAt.IsZero()
	return documents == 0 && (r.LastSuccess.IsZero() && (ended || r.Error != "") || ended && r.Counts.Failed > 0)
}

// StillIndexed returns a sentence to append to the report of a failed run. It says that earlier
// documents can still be found, and how to remove them. It is empty if there are no such documents,
// or if the failure hides them.
func StillIndexed(id document.SourceID, documents int64, failure error) string {
	if documents == 0 || errors.Is(failure, index.ErrRevoked) {
		return ""
	}
	return fmt.Sprintf(" (%s from earlier can still be found; footnote sources remove %s takes them out)", plural.Count(documents, "document"), id)
}
