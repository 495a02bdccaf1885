package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// askPatience is how long storing a question of a command or a press is retried. Platforms deliver
// those only once, and the person is waiting.
const askPatience = 10 * time.Second

// Ask is a question that a command, a form or a button asks.
type Ask struct {
	policy.Event
	Ref      thread.Ref // where it is asked
	EventKey string
	By       thread.Person
	// names of the models that are to answer, separated by commas; empty: the agent's
	Models   string
	About    *chat.Target // the message that it is about; nil: none
	Attached bool         // that message has files
	// Place says where the question stands and what goes with it. It is called once, for a question
	// that may be asked.
	Place func(ctx context.Context, a Admitted) (Placed, error)
}

// Admitted is a question that may be asked.
type Admitted struct {
	Private bool // the answer is for the asker alone

	c *Conversation
	j answer.Judgement
	m thread.Mention
}

// Limited returns what the person reads if a quota has no room for the question at a place. A
// platform that shows the question to others asks before it does so.
func (a Admitted) Limited(ctx context.Context, at thread.Ref) (refusal string) {
	a.m.Ref = at
	return policy.Refusal(a.c.service.Limited(ctx, a.m, a.j))
}

// Placed is the question where it stands. Of the Mention, EventKey, Tenant and Models are those of
// the Ask, and so is the Asker where it is empty.
type Placed struct {
	thread.Mention

	Pending json.RawMessage     // what a worker asks the platform; nil for nothing
	Reply   *session.ReplyToken // nil: the answer is a message
	Refusal string              // what the person reads instead of an answer; empty: none
}

// Asked is what became of an Ask.
type Asked struct {
	Refusal   string    // what the person reads instead of an answer; empty: there will be one
	At        time.Time // whose thread.Clock Refusal holds; zero: none
	Duplicate bool      // the message was taken in before
}

// Ask takes in a question that does not come as a message. An error means that it was not taken in.
func (c *Conversation) Ask(ctx context.Context, a Ask) (Asked, error) {
	a.Command = true
	j, err := c.judge(ctx, answer.Occurrence{
		Event: a.Event, Tenant: c.tenant(a.Ref), Ref: a.Ref, EventKey: a.EventKey, Author: a.By.ID, Holds: c.holds(a.Ref, a.By.ID),
	})
	if err != nil {
		return Asked{}, err
	}
	models, refusal := c.admit(a, j)
	if refusal != "" {
		return Asked{Refusal: refusal}, nil
	}
	asked := thread.Mention{EventKey: a.EventKey, Asker: a.By, Tenant: c.tenant(a.Ref), Models: models}
	placed, err := a.Place(ctx, Admitted{Private: j.Private, c: c, j: j, m: asked})
	if err != nil || placed.Refusal != "" {
		return Asked{Refusal: placed.Refusal}, err
	}
	m := placed.Mention
	m.EventKey, m.Tenant, m.Models = asked.EventKey, asked.Tenant, asked.Models
	if m.Asker.ID == "" {
		m.Asker = a.By
	}
	accepted, err := c.take(ctx, m.Ref, answer.Question{Mention: m, Judgement: j, Pending: placed.Pending, Reply: placed.Reply, Patience: askPatience})
	var rejected policy.Rejection
	if errors.As(err, &rejected) {
		return Asked{Refusal: rejected.Sentence, At: rejected.At}, nil
	}
	return Asked{Duplicate: accepted.Duplicate}, err
}

// admit returns the models that are to answer, or what the person reads because none may.
func (c *Conversation) admit(a Ask, j answer.Judgement) (models []string, refusal string) {
	if j.Action != policy.Answer {
		return nil, j.Sentence()
	}
	var known []string
	if c.deps.Models != nil {
		known = c.deps.Models()
	}
	models, refusal = command.ChosenModels(a.Models, known)
	switch {
	case refusal != "" || a.About == nil:
	case a.About.Own: // its text may come from documents; a question must be a person's
		refusal = sayOwn
	case a.About.Text == "" && !a.Attached:
		refusal = sayNothing
	}
	return models, refusal
}

// take stores a question, and posts a notice at a place if it has to wait. The reply to a command
// shows by itself that it waits.
func (c *Conversation) take(ctx context.Context, at thread.Ref, q answer.Question) (answer.Accepted, error) {
	accepted, err := c.service.Take(ctx, q)
	if err == nil && !accepted.Duplicate && accepted.Notice != "" && q.Reply == nil {
		c.queued(at, accepted.Turn)
	}
	return accepted, err
}
