// Package command answers what people type after /footnote, or choose in a menu: what holds in a
// channel and its changes, who a person is, why a message was answered as it was, and what is to be
// forgotten. It tells one person, in Markdown, and posts nothing; what is done to an answer by a
// button belongs to the package action.
package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
)

// Deps is what a Service works with. Store, Answerer, Signal and Library are required.
type Deps struct {
	Store    Store
	Settings Settings // nil: commands change nothing

	Answerer Answerer
	Signal   session.Signal
	Library  Library
	Policies Policies // nil: the defaults everywhere
	People   People   // nil: no one is known in any source
	// Documents says who may read what has an address; nil: why explains no documents.
	Documents Documents
	Owners    Owners          // nil: no owner of a page is asked
	Tokens    Tokens          // nil: no tokens are made in chat
	Uploads   *upload.Service // nil: no files are kept
	// AssistantsAt is the address for assistants (MCP_URL); empty: there is none.
	AssistantsAt string
	Logger       *slog.Logger // nil: silent
	// Spent says for administrators what models cost by now, and the caps: "0.42 of 5.00 USD
	// today". Empty, or nil: nothing is said.
	Spent func(ctx context.Context, tenant access.TenantID) (string, error)
}

// Store is what commands need of a session.Store, which says what each method does.
type Store interface {
	Explained
	Latest(ctx context.Context, tenant access.TenantID, at thread.Ref, reader string) (session.Turn, error)
	Waiting(ctx context.Context, tenant access.TenantID, at session.Place) (int, error)
	Forget(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (session.Forgotten, error)
	ForgetVotes(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (int, error)
}

// Explained is what explaining needs of a session.Store.
type Explained interface {
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
	Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Verdict, error)
	Saved(ctx context.Context, of session.Turn) (session.Saved, error)
}

// Settings is what commands need of a session.Settings.
type Settings interface {
	SetSetting(ctx context.Context, tenant access.TenantID, s session.Setting) error
	ResetSetting(ctx context.Context, tenant access.TenantID, at session.Place, key, by string) (was bool, err error)
}

// Answerer is what commands need of the service that answers; *answer.Service is one. Safe for
// concurrent use.
type Answerer interface {
	// StopAs asks for a stop by a person; holds returns what that person alone may read.
	StopAs(ctx context.Context, r session.StopRequest, holds func(context.Context) (access.Audience, error)) (session.StopResult, error)
	// Present returns who sees a turn's answer at this moment.
	Present(ctx context.Context, t session.Turn) (access.Audience, error)
	// Held returns what everybody who is present holds, and where each comes from.
	Held(ctx context.Context, p access.Presence) []access.Held
}

// Library knows who may read what. Safe for concurrent use.
type Library interface {
	// Readable returns those of the documents that exist and that everybody in the audience may
	// read at this moment.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Documents knows who may read documents. Safe for concurrent use.
type Documents interface {
	// Readers returns who may read each document with an address at this moment.
	Readers(ctx context.Context, tenant access.TenantID, address string) ([]access.ACL, error)
}

// People knows whose accounts of chat platforms are whose in sources. Safe for concurrent use.
type People interface {
	// Forget deletes what is known of that about an account, and sees to it that it is found out no
	// more. It reports whether anything was known.
	Forget(ctx context.Context, tenant access.TenantID, account access.Account) (was bool, err error)
}

// Policies knows what holds where, and what can be changed. Safe for concurrent use.
type Policies interface {
	policy.Source
	// Accept reports, in a sentence, why a value cannot be set in a channel: it is not valid, or
	// names what does not exist.
	Accept(ctx context.Context, tenant access.TenantID, at session.Place, key, value string) error
	// Hash names the configuration that this process runs with. Replicas with the same hash answer
	// alike.
	Hash(ctx context.Context) (string, error)
}

// Service carries commands out. It is safe for concurrent use.
type Service struct{ Deps }

// NewCommand returns a service.
func New(deps Deps) (*Service, error) {
	if deps.Answerer == nil || deps.Signal == nil || deps.Library == nil || deps.Store == nil {
		return nil, errors.New("set up commands: who answers, a signal, a library and a history are required")
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{deps}, nil
}

// policy is what holds in a channel.
func (s *Service) policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	if s.Policies == nil {
		return policy.Resolve(), nil
	}
	return policy.In(ctx, s.Policies, tenant, at)
}

// recovered makes an error of a panic, so that one bad event does not end the process.
func (s *Service) recovered(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		s.Logger.ErrorContext(ctx, "event handler panicked", "handler", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: the handler panicked", what)
	}
}
