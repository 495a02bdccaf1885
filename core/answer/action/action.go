// Package action performs people's actions on answers. People can vote, retry, stop, get a private
// answer, share, keep, remove and correct. Package action also handles questions that are edited or
// deleted. [Service.Perform] lists the permissions.
//
// An action only changes the store. The worker (answer.Service) then shows the result. Nothing in
// this package writes to a platform.
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

// Deps are the dependencies of a [Service]. All but Quotes, Policies, Owners, Metrics, Logger and
// MaxQuestion are required.
type Deps struct {
	Store    Store
	Answerer Answerer
	Signal   session.Signal
	Library  Library
	Quotes   session.Quotes // nil: permissions apply to whole documents
	Policies policy.Source  // nil means the defaults
	Owners   Owners         // nil: owners of pages cannot be asked
	Metrics  Metrics        // nil counts nothing
	Logger   *slog.Logger   // nil: silent
	// MaxQuestion is the maximum number of characters in an edited question. The default is
	// 100,000.
	MaxQuestion int
}

// Store is the part of session.Store that actions use. session.Store documents the methods.
type Store interface {
	Find(ctx context.Context, t session.Target) (session.Record, error)
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
	Saved(ctx context.Context, of session.Turn) (session.Saved, error)
	Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (session.Thread, error)

	// Answers
	Derive(ctx context.Context, d session.Derive) (session.Accepted, error)
	Remove(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, r session.Removal) ([]session.TurnID, error)
	Correct(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, c session.Correction) error
	Keep(ctx context.Context, tenant access.TenantID, id session.TurnID, key string, resend bool) error
	Vote(ctx context.Context, v session.Vote) (changed bool, err error)

	// Questions and threads
	Exhausted(ctx context.Context, tenant access.TenantID, quotas []session.Quota, until time.Time) ([]session.Quota, error)
	Edit(ctx context.Context, e session.Edit) (session.Changed, error)
	Withdraw(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID, sentence string) (session.Changed, error)
	Erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (erased bool, running []session.TurnID, err error)
	Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
}

// Answerer controls the turns that actions change or create. *answer.Service implements it. It is
// safe for concurrent use.
type Answerer interface {
	// Queued reports a new turn and when its action began. Wake makes the workers look for work.
	Queued(ctx context.Context, began time.Time, t session.Turn)
	Wake()
	// StopAs requests a stop for a person. holds returns what this person may read. If holds is
	// nil, the person has no permissions.
	StopAs(ctx context.Context, r session.StopRequest, holds func(context.Context) (access.Audience, error)) (session.StopResult, error)
	// Steer starts or skips a deep search that waits for a person's choice. holds returns what this
	// person may read.
	Steer(ctx context.Context, at session.StopRequest, in deepsearch.Instruction, holds func(context.Context) (access.Audience, error)) (deepsearch.Steered, error)
	// Present returns the current audience of a turn. An error means that the audience is unknown.
	Present(ctx context.Context, t session.Turn) (access.Audience, error)
	// Refused records a refusal in the audit trail.
	Refused(ctx context.Context, r session.Refusal)
}

// Library checks permissions of documents. It is safe for concurrent use.
type Library interface {
	// Readable returns the existing documents among ids that everyone in the audience may currently
	// read.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Metrics counts actions on answers, but not refused or repeated ones. It is safe for concurrent
// use.
type Metrics interface{ Acted(a thread.Action) }

// Service performs actions on answers. It is safe for concurrent use.
type Service struct{ Deps }

// New returns a [Service]. It returns an error if a required dependency is nil.
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

// recoverPanic must be deferred. It turns a panic into an error, so that one event cannot end the
// process.
func (s *Service) recoverPanic(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		s.Logger.ErrorContext(ctx, "event handler panicked", "handler", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: the handler panicked", what)
	}
}

func (s *Service) deriveTurn(ctx context.Context, d session.Derive) (session.Accepted, error) {
	began := time.Now()
	made, err := s.Store.Derive(ctx, d)
	if err == nil && !made.Duplicate {
		s.Answerer.Queued(ctx, began, made.Turn)
	}
	return made, err
}

func (s *Service) countAction(a Request, r Reply) {
	if s.Metrics != nil && !r.Refused && !r.Duplicate && (r.Form == nil || a.Do == thread.ActionDown) {
		s.Metrics.Acted(a.Do)
	}
}
