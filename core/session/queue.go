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

// Errors of writes for a turn.
var (
	// ErrFenced reports that another worker took the turn over, or that the turn was handed back.
	// The caller must not write to the turn or its thread again.
	ErrFenced = errors.New("another worker holds the turn")
	// ErrFinished reports that the turn already has an outcome. If the result of an earlier Finish
	// is unknown, this error means that the earlier Finish succeeded.
	ErrFinished = errors.New("the turn has an outcome already")
	// ErrUnknownTurn reports that there is no such turn.
	ErrUnknownTurn = errors.New("there is no such turn")
)

// ReplicaID identifies one run of one process. A restarted process gets a new one.
type ReplicaID string

// LeaseRequest describes the replica that asks for turns.
type LeaseRequest struct {
	Replica ReplicaID
	// MaxAge is REDELIVERY_MAX_AGE. An older turn is marked Abandoned, unless there is a replica
	// that started before the turn reached MaxAge and was alive within the last MaxAge.
	MaxAge time.Duration
	// Holding lists the turns that the replica knows it holds. Other turns under the replica's name
	// are leased again. Set Holding after a failed Lease, because the failed call may have leased
	// turns. nil disables this check.
	Holding []TurnID
	// Platforms and Workspaces restrict the lease to turns that the replica can deliver. nil means
	// no restriction.
	Platforms  []thread.Platform
	Workspaces []string
	Most       int // turns at once; 0 means one
}

// Saved is the stored result of a finished turn.
type Saved struct {
	Outcome   Outcome
	Sentence  string // sentence that the person read in addition to, or instead of, an answer
	Reference string // code that finds the cause of a failure in the log
	// one run for each model that ran, in the order of ModelIndex
	Runs    []Run
	Timings map[string]time.Duration
	// Plan lists the sub-questions of a deep search and their findings, in the order of arrival. It
	// is empty for other turns. It is stored during the search, and Finish ignores it.
	Plan []PlanRow
	// Progress is the progress of the deep search at its end. It is zero if unknown. Finish ignores
	// it.
	Progress packet.Progress

	// Later actions of people on the answer. Finish ignores these fields. If an answer was removed,
	// only the outcome and these fields remain.
	Removed    *Removal
	Correction *Correction
}

// PlanRow is one sub-question of a deep search.
type PlanRow struct {
	Number    int // number of the sub-question, from 1
	Round     int // 0: the plan
	Question  string
	State     string // state of packet.Finding; empty without a finding
	Shown     string // text of packet.Finding; empty without a finding
	Citations []message.Citation
	Searches  int
}

// Best returns the run that the conversation continues from. That is the first run with an answer,
// or the first run if none has an answer. It returns false if no model ran.
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
	Messages  []message.Message // messages after the question: tool calls, tool results, the answer
	Usage     llm.Usage
	Reasoning int    // length in characters; the text is not stored
	Shown     string // Markdown as the reader saw it, including narration between tool calls
	Ending    Ending
	Searches  []retrieve.Account // accounts of the searches, in order, for explanations
	// footnote numbers that the model invented and that were removed; only the count is stored
	Invented int
}

// Ending is how one model's run ended, as shown to a reader.
type Ending struct {
	Outcome   Outcome
	Grounding packet.Grounding
	Sentence  string // empty if the answer needs no explanation
	Reference string // code that finds the cause of a failure, here and in the log
	Cause     Cause
	Retryable bool
	// the nearest documents that the audience may read; set if nothing was found
	Closest []document.Ref
	Notices []string // notices next to the answer: files left out, an answer cut short
}

// Answer returns the run's final answer, or false if there is none.
func (r Run) Answer() (message.Message, bool) {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == message.Assistant {
			return r.Messages[i], true
		}
	}
	return message.Message{}, false
}

// RestsOn lists every document whose content the shown answers may repeat.
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
