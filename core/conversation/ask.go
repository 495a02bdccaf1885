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
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// commandRetry is how long a failed attempt to store a question from a command or button is
// repeated. The person waits during this time.
const commandRetry = 10 * time.Second

// Ask is a question from a command, a form or a button.
type Ask struct {
	policy.Event
	Ref      thread.Ref // where it was asked
	EventKey string
	By       thread.Person
	// Models are the comma-separated names of the models to use. Empty means the agent's models.
	Models   string
	About    *chat.Target // the message that the question is about, or nil
	Attached bool         // About has files
	// Place returns the question's content and the thread for its answer. It is called once, and
	// only if the person may ask.
	Place func(ctx context.Context, a Admitted) (Placed, error)
}

// Admitted is a question whose author may ask. [Ask].Place receives it to choose the thread for the
// answer.
type Admitted struct {
	Private bool // only the asker sees the answer

	c *Conversation
	j answer.Judgement
	m thread.Mention
}

// Limited returns a refusal if a quota is exhausted for a question in the given thread. Otherwise
// it returns "". A platform must call it before it shows the question to others.
func (a Admitted) Limited(ctx context.Context, at thread.Ref) (refusal string) {
	a.m.Ref = at
	return policy.Refusal(a.c.service.Limited(ctx, a.m, a.j))
}

// Placed is a question and the thread for its answer, as [Ask].Place returns them. The embedded
// fields EventKey, Tenant and Models are ignored. If Asker has no ID, [Ask].By is the asker.
type Placed struct {
	thread.Mention

	Pending json.RawMessage     // a request to the platform for the worker, or nil
	Reply   *session.ReplyToken // nil if the answer is a message
	Refusal string              // shown instead of an answer, unless empty
}

// Asked says whether the question of an [Ask] was accepted.
type Asked struct {
	Refusal   string    // shown instead of an answer; empty if accepted
	At        time.Time // the time that Refusal names (thread.Clock), or zero
	Duplicate bool      // the message was accepted before
}

// Ask stores a question from a command, a form or a button, which is then answered in the
// background. After an error the question is not stored.
func (c *Conversation) Ask(ctx context.Context, a Ask) (Asked, error) {
	a.Command = true
	j, err := c.judge(ctx, answer.Occurrence{
		Event: a.Event, Tenant: c.tenant(a.Ref), Ref: a.Ref, EventKey: a.EventKey, Author: a.By.ID, Holds: c.audienceOf(a.Ref, a.By.ID),
	}, sleep.Backoff{First: eventRetries.First, Most: eventRetries.Most, Within: commandRetry})
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
	accepted, err := c.storeQuestion(ctx, m.Ref, answer.Question{Mention: m, Judgement: j, Pending: placed.Pending, Reply: placed.Reply, Patience: commandRetry})
	var rejected policy.Rejection
	if errors.As(err, &rejected) {
		return Asked{Refusal: rejected.Sentence, At: rejected.At}, nil
	}
	return Asked{Duplicate: accepted.Duplicate}, err
}

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
	case a.About.Own: // its text may come from documents, which must not become a question
		refusal = sayOwn
	case a.About.Text == "" && !a.Attached:
		refusal = sayNothing
	}
	return models, refusal
}

// storeQuestion stores a question. If the question has to wait, it schedules a notice in the given
// thread. A question from a command gets no notice, because the reply to the command mentions the
// wait.
func (c *Conversation) storeQuestion(ctx context.Context, at thread.Ref, q answer.Question) (answer.Accepted, error) {
	accepted, err := c.service.Take(ctx, q)
	if err == nil && !accepted.Duplicate && accepted.Notice != "" && q.Reply == nil {
		c.enqueue(at, accepted.Turn)
	}
	return accepted, err
}
