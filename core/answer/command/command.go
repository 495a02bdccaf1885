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
	Settings Settings // nil: commands cannot change settings

	Answerer Answerer
	Signal   session.Signal
	Library  Library
	Policies Policies // nil: the defaults everywhere
	People   People   // nil: no one is known in any source
	// Documents returns the readers of the document at an address; nil: why explains no documents.
	Documents Documents
	Owners    Owners          // nil: no owner of a page is asked
	Tokens    Tokens          // nil: no tokens are made in chat
	Uploads   *upload.Service // nil: no files are kept
	// AssistantsAt is the address for assistants (MCP_URL); empty: there is none.
	AssistantsAt string
	Logger       *slog.Logger // nil: silent
	// Spent returns the current cost of models and the caps, for administrators: "0.42 of 5.00 USD
	// today". If it is nil or returns "", nothing is shown.
	Spent func(ctx context.Context, tenant access.TenantID) (string, error)
}

// Store is the part of session.Store that commands use. See there for the methods.
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

// Settings is what an Editor needs of a session.Settings.
type Settings interface {
	Settings(ctx context.Context, tenant access.TenantID, at session.Place) ([]session.Setting, error)
	ChangeSettings(ctx context.Context, tenant access.TenantID, at session.Place, by session.Actor, changes ...session.SettingChange) error
}

// Answerer is the part of *answer.Service that commands use. It is safe for concurrent use.
type Answerer interface {
	// StopAs requests a stop by a person; holds returns what that person alone may read.
	StopAs(ctx context.Context, r session.StopRequest, holds func(context.Context) (access.Audience, error)) (session.StopResult, error)
	// Present returns who sees a turn's answer at this moment.
	Present(ctx context.Context, t session.Turn) (access.Audience, error)
	// Held returns the principals that everyone present holds, with their origins.
	Held(ctx context.Context, p access.Presence) []access.Held
}

// Library checks permissions of documents. It is safe for concurrent use.
type Library interface {
	// Readable returns the existing documents among ids that everyone in the audience may currently
	// read.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Documents returns the readers of documents. It is safe for concurrent use.
type Documents interface {
	// Readers returns who may read each document with an address at this moment.
	Readers(ctx context.Context, tenant access.TenantID, address string) ([]access.ACL, error)
}

// People links accounts of chat platforms to people in sources. It is safe for concurrent use.
type People interface {
	// Forget deletes the stored identities of an account and prevents further lookups. It reports
	// whether there were any.
	Forget(ctx context.Context, tenant access.TenantID, account access.Account) (was bool, err error)
}

// Policies returns the settings of channels and changes them. It is safe for concurrent use.
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

// New returns a service.
func New(deps Deps) (*Service, error) {
	if deps.Answerer == nil || deps.Signal == nil || deps.Library == nil || deps.Store == nil {
		return nil, errors.New("set up commands: who answers, a signal, a library and a history are required")
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{deps}, nil
}

// policy returns the policy of a channel.
func (s *Service) policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	if s.Policies == nil {
		return policy.Resolve(), nil
	}
	return policy.In(ctx, s.Policies, tenant, at)
}

// recovered turns a panic into an error, so that one event cannot end the process.
func (s *Service) recovered(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		s.Logger.ErrorContext(ctx, "event handler panicked", "handler", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: the handler panicked", what)
	}
}
