// Package session holds the durable conversation: a thread on a platform is a session, a question
// and its final answer are a turn, and every accepted turn ends in exactly one outcome.
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

// Session is a conversation. A thread has one public session, and one private session for each
// person who asked privately there.
type Session struct {
	ID     ID
	Tenant access.TenantID
	Ref    thread.Ref
	// platform id of the person whose private session this is; empty for the thread's own
	Owner string
}

// Turn is a question on its way to its answer, as the worker that holds it sees it.
type Turn struct {
	ID       TurnID
	Session  Session
	Number   int             // within the session, from 1, in the order in which they are answered
	Attempt  int             // fences writes: each lease raises it
	Question message.Message // of role User
	Asker    thread.Person
	Message  thread.MessageID // of the question on the platform; empty where messages have no ids
	Audience access.Audience  // as far as the platform said it; what is held of sources is not kept
	Direct   bool
	Intake   time.Time // by the store's clock
	Reply    *ReplyToken
	Agent    string   // name of the agent that the asker chose (Intake.Agent); empty: the channel's
	Models   []string // names of the models that the asker chose (Intake.Models); none: the agent's
	Reason   string   // why it is answered (Intake.Reason)
	Ambient  bool     // the bot was not asked
	// LimitedUntil is when the quota that had no room for the question has room again; zero when
	// there was room. Such a turn is not run: it ends as Limited.
	LimitedUntil time.Time

	Pending *Pending // what is still to be found out; nil: everything is known

	Origin Origin // of a turn that no new question made; zero for all others

	State   State
	Outcome Outcome // set once State is Delivering or Done
	// Undelivered is why the answer does not stand in its thread as it was meant to, a sentence
	// (Store.Delivered); empty where it does.
	Undelivered string
	Takeovers   int // how many replicas died or stalled while they held it
	// LoneDeaths are those of them in which nothing else ran, so that the turn is to blame;
	// Failures are attempts that came to no end although their replica lived.
	LoneDeaths, Failures int
	// StopRequested says that a stop was asked for before this lease. A turn that has not started
	// then ends as Stopped.
	StopRequested bool
	// Abandoned says that no replica was there for the turn for longer than LeaseRequest.MaxAge: a
	// backup was restored, or everything was down. It is closed without a word, since its answer
	// may have been given in another life.
	Abandoned bool
}

// Fence returns what every write on behalf of the turn must carry.
func (t Turn) Fence() Fence {
	return Fence{Tenant: t.Session.Tenant, Turn: t.ID, Attempt: t.Attempt}
}

// Public reports whether others than the asker see the turn's answer.
func (t Turn) Public() bool { return t.Session.Owner == "" && !t.Direct }

// ForAsker is the turn as if its asker were the only one who sees its answer.
func (t Turn) ForAsker() Turn {
	t.Session.Owner = t.Asker.ID
	return t
}

// ForChannel is the turn as if all of its channel saw its answer.
func (t Turn) ForChannel() Turn {
	t.Session.Owner, t.Direct = "", false
	return t
}

// Fence names one attempt at one turn. Writes of an earlier attempt fail with ErrFenced.
type Fence struct {
	Tenant  access.TenantID
	Turn    TurnID
	Attempt int
}

// State is where a turn stands. It only moves forward, except that a running turn can be handed
// back to the queue.
type State string

const (
	Queued  State = "queued"
	Running State = "running"
	// saved with its outcome; the final messages are still being written
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
	Stopped      Outcome = "stopped"       // by a person; what was written is kept
	Limited      Outcome = "limited"       // by a quota or rate limit; says when to come back
	Failed       Outcome = "failed"        // shows a reference and Retry

	Declined   Outcome = "declined"   // silent: an ambient mode stayed below its threshold
	Superseded Outcome = "superseded" // silent: the question was edited or deleted
)

// Silent reports whether nothing is said about the turn in the thread.
func (o Outcome) Silent() bool { return o == Declined || o == Superseded }
