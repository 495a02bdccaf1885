package deepsearch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// Choice is what a person answers who is asked whether a deep search is to be begun.
type Choice string

// The answers.
const (
	Start   Choice = "start" // the search is begun
	Plainly Choice = "plain" // the question is answered without it
)

// Awaiting is the error with which a search ends that waits for a person. Whoever runs it sees to
// it that the plan is shown, and then lets go of the turn by Park. The turn runs again after a
// choice, or after Config.Wait without one.
type Awaiting struct {
	journal Journal
	fence   session.Fence
	waiting Waiting
}

// Waiting is how long a search waits for a person, and for which plan.
type Waiting struct {
	Most, Again        time.Duration
	Questions, Dropped int // of the plan that was shown
}

// Error implements error.
func (*Awaiting) Error() string { return "the search waits to be started" }

// Park lets go of the turn. Where the plan could not be shown, the turn is run again after a while,
// to show it.
func (a *Awaiting) Park(ctx context.Context, shown bool) error {
	w := a.waiting
	w.Again = w.Most
	if !shown {
		w.Again = min(w.Again, unshownAgain)
	}
	return a.journal.Await(ctx, a.fence, w)
}

// unshownAgain is how soon it is tried again to show a plan.
const unshownAgain = 20 * time.Second

// choose decides whether a search whose plan is known is begun. direct says that the question is
// answered without it, and the error may be an Awaiting.
func (s *inquiry) choose(ctx context.Context, record Record) (direct bool, err error) {
	open, dropped, begun := 0, 0, false
	for n := range record.Questions {
		switch record.Findings[n+1].State {
		case "":
			open++
		case Dropped:
			dropped++
		case Found, Missing, Failed:
			begun = true
		}
	}
	switch {
	case !record.Asked || begun || record.Choice == Start:
		return false, nil
	case record.Choice == Plainly:
	case open <= s.req.Depth.Ask: // people have made it as small as one that begins by itself
		return false, nil
	case record.Waited >= s.config.Wait:
	default:
		s.take(ctx, record)
		p := s.progress()
		p.Asks = int((s.config.Wait - record.Waited + time.Minute - 1) / time.Minute)
		s.out.emit(askBlock(s.latest()), p)
		return false, &Awaiting{s.Journal, s.fence(), Waiting{Most: s.config.Wait, Questions: len(record.Questions), Dropped: dropped}}
	}
	s.keep(ctx, "choice", func(ctx context.Context) error {
		record.Direct, record.Questions = true, nil
		err := s.Journal.Plan(ctx, s.fence(), record)
		if errors.Is(err, ErrSteered) {
			return nil
		}
		return err
	})
	return true, nil
}

// sentenceNoSearch says why an agent answers without a deep search.
const sentenceNoSearch = "This agent has no search among its tools, so no deep search was made."

// whyPlain says why a question is answered without a deep search.
func (s *inquiry) whyPlain(record Record) string {
	switch {
	case record.Choice == Plainly:
		return "Answered by one search, as was chosen."
	case record.Asked:
		return fmt.Sprintf("The deep search was not started within %s, so one search was made. Ask again, beginning with \"deep:\", to be asked again.", said(s.config.Wait))
	default:
		return "One search answers this, so no deep search was made."
	}
}
