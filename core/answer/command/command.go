// Package command executes the commands that people type after /footnote or choose in a menu.
// Commands show and change the settings of a channel, explain answers, show a person's permissions,
// and delete a person's data. The reply is Markdown for that person only. Commands post nothing.
// Package action performs the actions of buttons under answers.
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

// Deps are the dependencies of a [Service]. Store, Answerer, Signal and Library are required.
type Deps struct {
	Store    Store
	Settings Settings // nil: commands cannot change settings

	Answerer Answerer
	Signal   session.Signal
	Library  Library
	Policies Policies // nil: the defaults everywhere
	People   People   // nil: no one is known in any source
	// Documents returns the readers of the document at an address. If it is nil, why does not
	// explain documents.
	Documents Documents
	Owners    Owners          // nil: no owner of a page is asked
	Tokens    Tokens          // nil: no tokens are made in chat
	Uploads   *upload.Service // nil: no files are kept
	// AssistantsAt is the address for assistants (MCP_URL). It is empty if assistants cannot be
	// connected.
	AssistantsAt string
	Logger       *slog.Logger // nil: silent
	// Spent returns the current cost of models and the caps, such as "0.42 of 5.00 USD today". Only
	// administrators see it. If Spent is nil or returns "", no cost is shown.
	Spent func(ctx context.Context, tenant access.TenantID) (string, error)
}

// Store is the part of session.Store that commands use. session.Store documents the methods.
type Store interface {
	Explained
	Latest(ctx context.Context, tenant access.TenantID, at thread.Ref, reader string) (session.Turn, error)
	Waiting(ctx context.Context, tenant access.TenantID, at session.Place) (int, error)
	Forget(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (session.Forgotten, error)
	ForgetVotes(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (int, error)
}

// Explained is the part of session.Store that [Inspector] uses.
type Explained interface {
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
	Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Verdict, error)
	Saved(ctx context.Context, of session.Turn) (session.Saved, error)
}

// Settings is the part of session.Settings that an [Editor] uses.
type Settings interface {
	Settings(ctx context.Context, tenant access.TenantID, at session.Place) ([]session.Setting, error)
	ChangeSettings(ctx context.Context, tenant access.TenantID, at session.Place, by session.Actor, changes ...session.SettingChange) error
}

// Answerer is the part of *answer.Service that commands use. It is safe for concurrent use.
type Answerer interface {
	// StopAs requests a stop for a person. holds returns what this person may read.
	StopAs(ctx context.Context, r session.StopRequest, holds func(context.Context) (access.Audience, error)) (session.StopResult, error)
	// Present returns the current audience of a turn's answer.
	Present(ctx context.Context, t session.Turn) (access.Audience, error)
	// Held returns the principals that everyone present holds, each with its origin.
	Held(ctx context.Context, p access.Presence) []access.Held
}

// Library checks permissions of documents. It is safe for concurrent use.
type Library interface {
	// Readable returns the existing documents among ids that everyone in the audience may currently
	// read.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Documents looks up who may read a document. It is safe for concurrent use.
type Documents interface {
	// Readers returns the current access list of each document with the given address.
	Readers(ctx context.Context, tenant access.TenantID, address string) ([]access.ACL, error)
}

// People deletes links between accounts of chat platforms and people in document sources. It is
// safe for concurrent use.
type People interface {
	// Forget deletes the stored identities of an account and prevents further lookups. It reports
	// whether there were any identities.
	Forget(ctx context.Context, tenant access.TenantID, account access.Account) (was bool, err error)
}

// Policies looks up the settings of channels, and checks new values. It is safe for concurrent use.
type Policies interface {
	policy.Source
	// Accept returns an error if a value cannot be set in a channel. The value may be invalid, or
	// name something that does not exist. The error is a sentence for the person.
	Accept(ctx context.Context, tenant access.TenantID, at session.Place, key, value string) error
	// Hash returns a hash of the configuration that this process uses. Replicas with the same hash
	// answer in the same way.
	Hash(ctx context.Context) (string, error)
}

// Service executes commands. It is safe for concurrent use.
type Service struct{ Deps }

// New returns a [Service]. It returns an error if a required dependency is nil.
func New(deps Deps) (*Service, error) {
	if deps.Answerer == nil || deps.Signal == nil || deps.Library == nil || deps.Store == nil {
		return nil, errors.New("set up commands: who answers, a signal, a library and a history are required")
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{deps}, nil
}

func (s *Service) policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	if s.Policies == nil {
		return policy.Resolve(), nil
	}
	return policy.In(ctx, s.Policies, tenant, at)
}

// recovered must be deferred. It turns a panic into an error, so that one event cannot end the
// process.
func (s *Service) recovered(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		s.Logger.ErrorContext(ctx, "event handler panicked", "handler", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: the handler panicked", what)
	}
}
