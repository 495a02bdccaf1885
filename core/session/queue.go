package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/thread"
)

// Sentinels of writes on behalf of a turn.
var (
	// ErrFenced says that the turn was taken over, or handed back: this worker must write nothing
	// more about it, nor to its thread.
	ErrFenced = errors.New("another worker holds the turn")
	// ErrFinished says that the turn has its outcome already. After a Finish whose fate is unknown
	// it means that it succeeded.
	ErrFinished = errors.New("the turn has an outcome already")
	// ErrUnknownTurn says that there is no such turn.
	ErrUnknownTurn = errors.New("there is no such turn")
)

// ReplicaID names one run of one process. A restarted process takes a new one.
type ReplicaID string

// LeaseRequest says who wants work.
type LeaseRequest struct {
	Replica ReplicaID
	// MaxAge is REDELIVERY_MAX_AGE: an older turn is Abandoned when no replica that was there in
	// time is alive or was a MaxAge ago.
	MaxAge time.Duration
	// Holding, when it is not nil, lists the turns that the replica knows it holds: others in its
	// name are leased again. It is set after a Lease that failed, since that may have happened all
	// the same.
	Holding []TurnID
	// Platforms and Workspaces, when they are not nil, are all that the replica can deliver to.
	Platforms  []thread.Platform
	Workspaces []string
	Most       int // turns at once; 0 means one
}

// Saved is everything that is kept of a finished turn.
type Saved struct {
	Outcome   Outcome
	Sentence  string // what the person read in addition to, or instead of, an answer
	Reference string // finds the cause of a failure in the log
	// one for each model that ran, in the order of their ModelIndex; none when none did
	Runs    []Run
	Timings map[string]time.Duration
	// Plan is what a deep search asked, and what it found, in the order in which that came; none of
	// other turns. It is kept as it comes: Finish does not look at it.
	Plan []PlanRow
	// Progress is how far the search was at its end, kept likewise; zero where that is not known.
	Progress packet.Progress

	// What people did to the answer since; Finish does not look at them. Of a removed answer
	// nothing else but the outcome is left.
	Removed    *Removal
	Correction *Correction
}

// PlanRow is one sub-question of a deep search.
type PlanRow struct {
	Number    int // from 1, in the order in which they were asked
	Round     int // 0: of the plan
	Question  string
	State     string // of packet.Finding; empty where it was not looked into
	Shown     string // likewise
	Citations []message.Citation
	Searches  int
}

// Best is the run that the conversation goes on from: the first that was answered, else the first;
// false when no model ran.
func (s Saved) Best() (Run, bool) {
	for _, r := range s.Runs {
		if r.Ending.Outcome == Answered {
			return r, true
		}
	}
	if len(s.Runs) == 0 {
		return Run{}, false
	}
	return s.Runs[0], true
}

// Run is what one model did in a turn.
type Run struct {
	Model     string
	Messages  []message.Message // what followed the question: tool calls, tool results, the answer
	Usage     llm.Usage
	Reasoning int    // length in characters; the text itself is not kept
	Shown     string // Markdown as the reader saw it, narration between tool calls included
	Ending    Ending
	Searches  []retrieve.Account // what was looked for, in order, for explanations
	// numbers that the model made up and that were left out; counted, not kept
	Invented int
}

// Ending is how one model's run ended, as far as a reader learns.
type Ending struct {
	Outcome   Outcome
	Grounding packet.Grounding
	Sentence  string // empty when the answer speaks for itself
	Reference string // finds the cause of a failure, here and in the log
	Cause     Cause
	Retryable bool
	// when nothing was found: the nearest documents that the audience may read
	Closest []document.Ref
	Notices []string // notices next to the answer: files left out, an answer cut short
}

// Answer returns the run's final answer, and whether there is one.
func (r Run) Answer() (message.Message, bool) {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == message.Assistant {
			return r.Messages[i], true
		}
	}
	return message.Message{}, false
}

// RestsOn lists every document that anything shown of an answer may repeat.
func (s Saved) RestsOn() []document.ID {
	var ids []document.ID
	seen := make(map[document.ID]bool)
	note := func(id document.ID) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for _, run := range s.Runs {
		for _, m := range run.Messages {
			for _, d := range m.Documents {
				note(d.Document.ID)
			}
			for _, c := range m.Citations {
				note(c.Document.ID)
			}
		}
		for _, c := range run.Ending.Closest {
			note(c.ID)
		}
	}
	return ids
}
