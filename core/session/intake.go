package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// ErrInvalid says that an intake lacks what identifies it. It is a fault of the caller.
var ErrInvalid = errors.New("the intake is incomplete")

// Intake is a question as it is stored.
type Intake struct {
	Tenant access.TenantID
	Ref    thread.Ref
	// platform id of the person whose private session this is; empty for the thread's own
	Owner string
	// platform id of the person who began the thread, who may stop its turns; empty when not known
	Starter  string
	EventKey string // the platform's id of the delivery; required
	Message  thread.MessageID
	Asker    thread.Person
	Bot      bool // the asker is another bot
	Text     string
	Files    []message.File
	Tokens   int       // of Text; 0 = not counted
	At       time.Time // when the message was written, by the platform's clock; zero when not known
	Direct   bool
	Audience access.Audience
	Reply    *ReplyToken
	Agent    string   // name of the agent that the asker chose; empty: the channel's
	Models   []string // names of the models that the asker chose; none: the agent's

	Reason string // why it is answered: a code of whoever decided
	// the bot was not asked: the thread becomes known only when there is an answer
	Ambient bool
	After   time.Duration // the turn starts no sooner than this, so that people can answer first
	// a question that has no room in one of them counts in none: its turn is born Limited
	Quotas  []Quota
	Pending *Pending // what a worker is to find out; nil: everything is known
	// CaughtUp says that the thread is known up to this question once it is answered
	// (Thread.CaughtUp).
	CaughtUp bool
}

// Validate reports what is missing.
func (in Intake) Validate() error {
	var faults []error
	for _, f := range []struct{ name, value string }{
		{"tenant", string(in.Tenant)}, {"platform", string(in.Ref.Platform)}, {"channel", in.Ref.Channel},
		{"thread", in.Ref.Thread}, {"event key", in.EventKey}, {"asker", in.Asker.ID},
	} {
		if f.value == "" {
			faults = append(faults, errors.New("it has no "+f.name))
		}
	}
	if in.Audience.Tenant() != in.Tenant {
		faults = append(faults, errors.New("its audience belongs to another tenant"))
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.Join(append([]error{ErrInvalid}, faults...)...)
}

// ReplyToken lets a platform answer an interaction, such as a slash command, until it expires.
// Sealed is encrypted by the adapter.
type ReplyToken struct {
	Sealed  []byte
	Expires time.Time
}

// Accepted is what became of an intake.
type Accepted struct {
	Turn Turn
	// the event, or the message, had been taken in before; Turn is the one it became then
	Duplicate bool
	Ahead     int // unfinished turns of the session before this one; 0 for duplicates
}
