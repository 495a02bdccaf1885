package session

import (
	"context"
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
	// ErrFenced says that the turn was taken over, or handed back: this worker must write nothing more about it, nor to its thread.
	ErrFenced = errors.New("another worker holds the turn")
	// ErrFinished says that the turn has its outcome already. After a Finish whose fate is unknown it means that it succeeded.
	ErrFinished = errors.New("the turn has an outcome already")
	// ErrUnknownTurn says that there is no such turn.
	ErrUnknownTurn = errors.New("there is no such turn")
)

// ReplicaID names one run of one process. A restarted process takes a new one.
type ReplicaID string

// LeaseRequest says who wants work.
type LeaseRequest struct {
	Replica ReplicaID
	// MaxAge is REDELIVERY_MAX_AGE: an older turn is Abandoned when no replica that was there in time is alive or was a MaxAge ago.
	MaxAge time.Duration
	// Holding, when it is not nil, lists the turns that the replica knows it holds: others in its name are leased anew. It is set
	// after a Lease that failed, since that may have happened all the same.
	Holding []TurnID
	// Platforms and Workspaces, when they are not nil, are all that the replica can deliver to.
	Platforms  []thread.Platform
	Workspaces []string
	Most       int // turns at once; 0 means one
}

// Queue hands turns to workers. Implementations are safe for concurrent use by any number of processes.
type Queue interface {
	// Lease takes the oldest turns that can be worked on, as many as are asked for, and makes them Running, or leaves them Delivering: those that
	// nobody holds any more, else those that are Done but Disturbed (Repairs), else queued ones whose session has no unfinished turn before
	// them. It returns none when there is none. The lease lasts for as long as the replica beats.
	// The turns of a replica that has expired are suspects (Beside) and come first: they are leased one by one to one replica, which holds nothing else
	// meanwhile; of several live ones, one stays free for other turns. A replica that is to run suspects and holds others gets ErrDraining.
	Lease(ctx context.Context, r LeaseRequest) ([]Turn, error)
	// Finish saves what came of a running turn and its only outcome in one transaction, and makes it Delivering.
	// It fails with ErrFenced or ErrFinished and then has changed nothing; and with ErrRemoved when the answer was removed meanwhile: the outcome
	// is saved then, and the turn is to be handed back, so that it is delivered as what it is now.
	Finish(ctx context.Context, f Fence, s Saved) error
	// Delivered ends a Delivering turn, so that the session's next one may start, or the repair of a Done one. undelivered is a sentence that
	// says why its thread shows no whole answer; empty where it does. A second call is no error.
	Delivered(ctx context.Context, f Fence, undelivered string) error
	// Release hands a turn back, to be leased again by anybody once after has passed. It does not count as a take-over; unless after is zero,
	// it counts as a failure.
	Release(ctx context.Context, f Fence, after time.Duration) error
	// Depth counts the turns of all tenants that wait for a worker, those included that wait for an earlier one of their session.
	Depth(ctx context.Context) (int, error)
}

// Replicas are the processes that hold turns. Time is the store's; clocks of replicas need not agree.
type Replicas interface {
	// Beat says that a replica is alive for ttl from now on. A caller's own deadline is ttl after the moment before it called Beat.
	Beat(ctx context.Context, id ReplicaID, ttl time.Duration) error
	// Leave says that a replica has ended, and hands back what it still holds.
	Leave(ctx context.Context, id ReplicaID) error
	// Live counts the replicas that are alive.
	Live(ctx context.Context) (int, error)
}

// Janitor clears away what is no longer needed: tombstones, event keys, expired reply tokens, replicas that are gone, and turns that nobody
// worked on for a day, which are closed as Superseded. Any replica may call it at any time.
type Janitor interface {
	Sweep(ctx context.Context) error
}

// Saved is everything that is kept of a finished turn.
type Saved struct {
	Outcome   Outcome
	Sentence  string // what the person was told beside, or instead of, an answer
	Reference string // finds the cause of a failure in the log
	Runs      []Run  // one for each model that ran, in the order of their ModelIndex; none when none did
	Timings   map[string]time.Duration

	// What people did to the answer since; Finish does not look at them. Of a removed answer nothing else but the outcome is left.
	Removed    *Removal
	Correction *Correction
}

// Best is the run that the conversation goes on from: the first that was answered, else the first; false when no model ran.
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
}

// Ending is how one model's run ended, as far as a reader is told.
type Ending struct {
	Outcome   Outcome
	Grounding packet.Grounding
	Sentence  string // empty when the answer speaks for itself
	Reference string // finds the cause of a failure in the log
	Retryable bool
	Closest   []document.Ref // when nothing was found: the nearest documents that the audience may read
	Notices   []string       // sentences beside the answer: files left out, an answer cut short
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
