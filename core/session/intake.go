package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// ErrInvalid reports that an Intake lacks a required identifier. This is a bug in the caller.
var ErrInvalid = errors.New("the intake is incomplete")

// Intake is a new question. Adapters pass it to [Store.Accept].
type Intake struct {
	Tenant access.TenantID
	Ref    thread.Ref
	// platform id of the owner of this private session; empty for the thread's public session
	Owner string
	// platform id of the person who began the thread and may stop its turns; empty if unknown
	Starter  string
	EventKey string // the platform's id of the delivery; required
	Message  thread.MessageID
	Asker    thread.Person
	Bot      bool // the asker is another bot
	// the question
	Text     string
	Files    []message.File
	Tokens   int       // tokens of Text; 0 if not counted
	At       time.Time // when the message was written, by the platform's clock; zero if unknown
	Direct   bool
	Audience access.Audience
	Reply    *ReplyToken
	Agent    string   // name of the agent that the asker chose; empty: the channel's
	Models   []string // names of the models that the asker chose; none: the agent's

	Reason string // code for why the question is answered
	// the question did not address the bot; its thread is recorded only if the bot answers
	Ambient bool
	After   time.Duration // the turn starts no sooner than this, so that people can answer first
	// the quotas that the question counts against; if one is exceeded, the question counts against
	// none and its turn starts as Limited
	Quotas  []Quota
	Pending *Pending // facts that a worker must look up; nil: everything is known
	// CaughtUp is the new value of Thread.CaughtUp. If it is empty, the value does not change.
	CaughtUp thread.MessageID
}

// Validate returns an error that wraps ErrInvalid if a required field is missing.
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

// ReplyToken lets the bot reply to an interaction, such as a slash command. It is valid until it
// expires. The adapter encrypts Sealed.
type ReplyToken struct {
	Sealed  []byte
	Expires time.Time
}

// Accepted is the result of [Store.Accept].
type Accepted struct {
	Turn Turn
	// the event or the message was accepted before; Turn is the existing turn
	Duplicate bool
	Ahead     int // unfinished turns of the session before this one; 0 for duplicates
}
