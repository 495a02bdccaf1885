// Package session holds the durable conversation. A session is a conversation in a thread of a
// platform. A turn is a question with its final answer. Every accepted turn ends in exactly one
// outcome.
package session

import (
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// ID identifies a session. It is a UUID, version 7.
type ID string

// TurnID identifies a turn. It is a UUID, version 7.
type TurnID string

// Session is a conversation. A thread has one public session. It also has one private session for
// each person who asked privately in the thread.
type Session struct {
	ID     ID
	Tenant access.TenantID
	Ref    thread.Ref
	// platform id of the owner of a private session; empty for the thread's public session
	Owner string
}

// Turn is a question and the progress of its answer, as a worker sees it.
type Turn struct {
	ID       TurnID
	Session  Session
	Number   int             // within the session, from 1, in the order of answering
	Attempt  int             // fences writes: each lease increases it
	Question message.Message // message with the role User
	Asker    thread.Person
	Message  thread.MessageID // id of the question on the platform; empty where messages have no ids
	Audience access.Audience  // as reported by the platform; grants from sources are not stored
	Direct   bool
	Intake   time.Time // time of acceptance, by the store's clock
	Reply    *ReplyToken
	Agent    string   // name of the agent that the asker chose (Intake.Agent); empty: the channel's
	Models   []string // names of the models that the asker chose (Intake.Models); none: the agent's
	Reason   string   // code for why the question is answered (Intake.Reason)
	Ambient  bool     // the bot was not asked
	// LimitedUntil is when the exceeded quota has room again. It is zero if no quota was exceeded.
	// A limited turn does not run and ends as Limited.
	LimitedUntil time.Time

	Pending *Pending // facts that are still unknown; nil: everything is known

	Origin Origin // turn from which this turn was derived; zero if none

	State   State
	Outcome Outcome // set once State is Delivering or Done
	// Undelivered is a sentence that says why the thread does not show the whole answer
	// (Store.Delivered). It is empty if the thread shows the whole answer.
	Undelivered string
	Takeovers   int // number of replicas that died or stalled while they held it
	// LoneDeaths counts takeovers from replicas that ran only this turn. In these cases the turn is
	// to blame. Failures counts attempts that ended without an outcome although the replica was
	// alive.
	LoneDeaths, Failures int
	// StopRequested says that a stop was requested before this lease. If the turn has not started,
	// it then ends as Stopped.
	StopRequested bool
	// Abandoned says that no replica was available for longer than LeaseRequest.MaxAge. Causes are,
	// for example, a restored backup or an outage of all replicas. The turn is closed silently,
	// since it may have been answered before the restore.
	Abandoned bool
}

// Fence returns the fence that every write for the turn must carry.
func (t Turn) Fence() Fence {
	return Fence{Tenant: t.Session.Tenant, Turn: t.ID, Attempt: t.Attempt}
}

// Public reports whether people other than the asker see the answer.
func (t Turn) Public() bool { return t.Session.Owner == "" && !t.Direct }

// ForAsker returns a copy of the turn whose answer only the asker sees.
func (t Turn) ForAsker() Turn {
	t.Session.Owner = t.Asker.ID
	return t
}

// ForChannel returns a copy of the turn whose answer the whole channel sees.
func (t Turn) ForChannel() Turn {
	t.Session.Owner, t.Direct = "", false
	return t
}

// Fence identifies one attempt at a turn. Writes of an earlier attempt fail with ErrFenced.
type Fence struct {
	Tenant  access.TenantID
	Turn    TurnID
	Attempt int
}

// State is the stage of a turn. [Life] lists the allowed changes.
type State string

const (
	Queued  State = "queued"
	Running State = "running"
	// Delivering means that the outcome is saved and that the final messages are still being
	// written.
	Delivering State = "delivering"
	Done       State = "done"
)

// Outcome says how a turn ended.
type Outcome string

const (
	Answered     Outcome = "answered"
	NoEvidence   Outcome = "no_evidence"   // nothing found; the closest permitted documents are listed
	Refused      Outcome = "refused"       // the model or its provider declined
	NotPermitted Outcome = "not_permitted" // the asker may not ask here
	Stopped      Outcome = "stopped"       // a person stopped it; the written text is kept
	Limited      Outcome = "limited"       // by a quota or rate limit; says until when
	Failed       Outcome = "failed"        // shows a reference and Retry

	Declined   Outcome = "declined"   // silent: an ambient mode stayed below its threshold
	Superseded Outcome = "superseded" // silent: the question was edited or deleted
)

// Silent reports whether a turn with this outcome shows nothing in the thread.
func (o Outcome) Silent() bool { return o == Declined || o == Superseded }
