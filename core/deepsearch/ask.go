package deepsearch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// Choice is a person's decision whether a deep search starts or the question gets a plain answer.
type Choice string

// The values of [Choice].
const (
	Start   Choice = "start" // start the search
	Plainly Choice = "plain" // answer without a deep search
)

// Awaiting is the error of a deep search that waits for a person to accept its plan. The caller
// must show the plan and then call [Awaiting.Suspend]. The turn runs again after a [Choice], or
// after Config.Wait without one.
type Awaiting struct {
	journal Journal
	fence   session.Fence
	waiting Waiting
}

// Waiting says how long a deep search waits for a person to accept its plan.
type Waiting struct {
	Most, Again        time.Duration
	Questions, Dropped int // numbers of all and of dropped questions in the shown plan
}

// Error implements error.
func (*Awaiting) Error() string { return "the search waits to be started" }

// Suspend releases the turn, so that the worker can take other turns. shown says that the plan was
// shown. If not, the turn runs again after 20 seconds to show it.
func (a *Awaiting) Suspend(ctx context.Context, shown bool) error {
	w := a.waiting
	w.Again = w.Most
	if !shown {
		w.Again = min(w.Again, unshownRetry)
	}
	return a.journal.Await(ctx, a.fence, w)
}

const unshownRetry = 20 * time.Second

// awaitChoice decides whether a planned search starts. direct means that the question is answered
// without a deep search. The error may be an [Awaiting].
func (s *inquiry) awaitChoice(ctx context.Context, record Record) (direct bool, err error) {
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
	case open <= s.req.Depth.Ask: // people dropped enough questions that no confirmation is needed
		return false, nil
	case record.Waited >= s.config.Wait:
	default:
		s.restoreRows(ctx, record)
		p := s.progress()
		p.Asks = int((s.config.Wait - record.Waited + time.Minute - 1) / time.Minute)
		s.packets.emit(askBlock(s.latestRound()), p)
		return false, &Awaiting{s.Journal, s.fence(), Waiting{Most: s.config.Wait, Questions: len(record.Questions), Dropped: dropped}}
	}
	s.writeJournal(ctx, "choice", func(ctx context.Context) error {
		record.Direct, record.Questions = true, nil
		err := s.Journal.Plan(ctx, s.fence(), record)
		if errors.Is(err, ErrSteered) {
			return nil
		}
		return err
	})
	return true, nil
}

const sentenceNoSearch = "This agent has no search among its tools, so no deep search was made."

func (s *inquiry) plainReason(record Record) string {
	switch {
	case record.Choice == Plainly:
		return "Answered by one search, as was chosen."
	case record.Asked:
		return fmt.Sprintf("The deep search was not started within %s, so one search was made. Ask again, beginning with \"deep:\", to be asked again.", durationText(s.config.Wait))
	default:
		return "One search answers this, so no deep search was made."
	}
}
