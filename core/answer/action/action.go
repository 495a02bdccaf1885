// Package action does to an answer what people ask for: it is voted on, tried again, stopped,
// answered privately, shared, kept, removed, corrected, and redone or withdrawn with its question.
// Who may do what stands at [Service.Perform]. An action changes the store, and leaves it to the
// worker (answer.Service) to show what came of it; nothing here writes to a platform.
package action

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Deps is what a Service works with. All but Quotes, Policies, Owners, Metrics, Logger and
// MaxQuestion are required.
type Deps struct {
	Store    Store
	Answerer Answerer
	Signal   session.Signal
	Library  Library
	Quotes   session.Quotes // nil: documents count as a whole
	Policies policy.Source  // nil: the defaults everywhere
	Owners   Owners         // nil: no owner of a page is asked
	Metrics  Metrics        // nil: nothing is counted
	Logger   *slog.Logger   // nil: silent
	// MaxQuestion is how many characters an edited question may have: 100,000.
	MaxQuestion int
}

// Store is what actions need of a session.Store, which says what each method does.
type Store interface {
	Find(ctx context.Context, t session.Target) (session.Record, error)
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
	Saved(ctx context.Context, of session.Turn) (session.Saved, error)
	Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (session.Thread, error)

	// What is done to an answer.
	Derive(ctx context.Context, d session.Derive) (session.Accepted, error)
	Remove(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, r session.Removal) ([]session.TurnID, error)
	Correct(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, c session.Correction) error
	Keep(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, resend bool) error
	Vote(ctx context.Context, v session.Vote) (changed bool, err error)

	// What becomes of a question, and of a thread.
	Exhausted(ctx context.Context, tenant access.TenantID, quotas []session.Quota, until time.Time) ([]session.Quota, error)
	Edit(ctx context.Context, e session.Edit) (session.Changed, error)
	Withdraw(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID, sentence string) (session.Changed, error)
	Erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (erased bool, running []session.TurnID, err error)
	Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
}

// Answerer answers what an action has queued. *answer.Service is one. Safe for concurrent use.
type Answerer interface {
	// Queued says that a turn was made, beginning at the time given; Wake, that there may be
	// something to do for a turn that there was.
	Queued(ctx context.Context, began time.Time, t session.Turn)
	Wake()
	// StopAs asks for a stop by a person; holds returns what that person alone may read; nil:
	// nothing.
	StopAs(ctx context.Context, r session.StopRequest, holds func(context.Context) (access.Audience, error)) (session.StopResult, error)
	// Steer answers whether a deep search that waits is to be begun, for a person; holds returns
	// what that person alone may read.
	Steer(ctx context.Context, at session.StopRequest, in deepsearch.Instruction, holds func(context.Context) (access.Audience, error)) (deepsearch.Steered, error)
	// Present returns who sees a turn's answer at this moment; its error says that it is not known.
	Present(ctx context.Context, t session.Turn) (access.Audience, error)
	// Refused notes in the audit trail that something was asked and not taken in.
	Refused(ctx context.Context, r session.Refusal)
}

// Library knows who may read what. Safe for concurrent use.
type Library interface {
	// Readable returns those of the documents that exist and that everybody in the audience may
	// read at this moment.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// ActMetrics counts what people did to answers; refused and repeated presses are not counted. Safe
// for concurrent use.
type Metrics interface{ Acted(a thread.Action) }

// ActService does things to answers. It is safe for concurrent use.
type Service struct{ Deps }

// NewAct returns a service.
func New(deps Deps) (*Service, error) {
	if deps.Answerer == nil || deps.Signal == nil || deps.Library == nil || deps.Store == nil {
		return nil, errors.New("set up what is done to answers: who answers, a signal, a library and a history are required")
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if deps.MaxQuestion <= 0 {
		deps.MaxQuestion = 100_000
	}
	return &Service{deps}, nil
}

// recovered makes an error of a panic, so that one bad event does not end the process.
func (s *Service) recovered(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		s.Logger.ErrorContext(ctx, "event handler panicked", "handler", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: the handler panicked", what)
	}
}

// derive makes a turn of another one.
func (s *Service) derive(ctx context.Context, d session.Derive) (session.Accepted, error) {
	began := time.Now()
	made, err := s.Store.Derive(ctx, d)
	if err == nil && !made.Duplicate {
		s.Answerer.Queued(ctx, began, made.Turn)
	}
	return made, err
}

// count notes an action that changed something.
func (s *Service) count(a Request, r Reply) {
	if s.Metrics != nil && !r.Refused && !r.Duplicate && (r.Form == nil || a.Do == thread.ActionDown) {
		s.Metrics.Acted(a.Do)
	}
}
