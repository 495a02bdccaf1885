package wire

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/owner"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/thread"
)

// Answering is the service that answers chat questions. Call Close after the service has stopped.
type Answering struct {
	conversation.Services
	shared
}

// Place says which platforms and workspaces a process answers in.
type Place struct {
	Surfaces   chat.Platform
	Platforms  []thread.Platform
	Workspaces []string
	Choice     Choice
	Grace      time.Duration // time for running answers when the process ends; 0 is SHUTDOWN_GRACE
}

// Answering builds the service that answers questions from the platforms and workspaces of place.
func (b *Base) Answering(ctx context.Context, place Place) (*Answering, error) {
	a := &Answering{}
	signal, err := b.signal(ctx, &a.shared)
	if err != nil {
		return nil, err
	}
	a.Services, err = b.services(ctx, place, signal)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (b *Base) services(ctx context.Context, place Place, signal session.Signal) (of conversation.Services, err error) {
	fast, err := b.FastModel(spend.Rewriting)
	if err != nil {
		return of, err
	}
	retriever, err := b.Retriever()
	if err != nil {
		return of, err
	}
	chooser := &setups{base: b, choice: place.Choice}
	if err := chooser.indexProjects(ctx); err != nil {
		return of, err
	}
	tools, err := b.tools(retriever, fast)
	if err != nil {
		return of, err
	}
	plain, deep, err := b.engines(tools)
	if err != nil {
		return of, err
	}
	sessions, settings, policies, metrics := b.Sessions(), b.Settings(), b.Policies(), b.metrics()
	desk := b.owners(place.Surfaces)
	of.Service, err = answer.New(answer.Deps{
		Store:   sessions,
		Prompts: settings,
		Signal:  signal,
		Engine:  plain,
		Deep:    deep,
		Setups:  chooser,
		Library: library{b.checked()},
		Quotes:  library{b.checked()},

		Catalogue: &catalogue{list: b.Index.Searchable, logger: b.Logger},

		Surfaces: place.Surfaces,
		Resolver: b.Resolver(),
		Logger:   b.Logger,

		Policies:  policies,
		Retriever: retriever,
		Owners:    desk,
		Steering:  pgsession.NewDeepSearches(b.DB),
		Metrics:   metrics,
		Tracer:    b.Tracer,
		Full:      b.refuses,
	}, answer.Config{
		Platforms: place.Platforms, Workspaces: place.Workspaces, Grace: cmp.Or(place.Grace, b.Config.Grace), MaxAge: b.Config.RedeliveryMaxAge,
	})
	if err != nil {
		return of, err
	}
	of.Actions, err = action.New(action.Deps{
		Store: sessions, Answerer: of.Service, Signal: signal, Library: library{b.checked()}, Quotes: library{b.checked()}, Policies: policies, Owners: desk, Metrics: metrics, Logger: b.Logger,
	})
	if err != nil {
		return of, err
	}
	of.Uploads = b.Uploads()
	of.Commands, err = command.New(command.Deps{
		Store: sessions, Settings: settings, Answerer: of.Service, Signal: signal, Library: library{b.checked()}, Policies: policies, Logger: b.Logger, Spent: b.Spent,
		People: people{pgaccess.New(b.DB), pgknowledge.New(b.DB)}, Documents: b.Index, Owners: desk, Uploads: of.Uploads,
		Tokens: admin.NewTokens(b.DB), AssistantsAt: b.Config.MCPURL,
	})
	return of, err
}

// owners returns the service that names the owner of a document, or asks that owner in a thread.
func (b *Base) owners(surfaces chat.Platform) *owner.Desk {
	return &owner.Desk{
		Finder: owner.Finder{Graph: checkedGraph{b.Knowledge(), b.checked().Readable}, Library: library{b.checked()}},
		Owners: b.Sessions(), Accounts: pgaccess.New(b.DB), Platform: surfaces, Domains: func() []string { return b.File().Rules().Domains },
	}
}

type people struct {
	access    *pgaccess.Store
	knowledge *pgknowledge.Graph
}

// Forget implements command.People.
func (p people) Forget(ctx context.Context, tenant access.TenantID, account access.Account) (was bool, err error) {
	if was, err = p.access.Forget(ctx, tenant, account); err != nil || account.Email == "" {
		return was, err
	}
	stated, err := p.knowledge.Forget(ctx, tenant, account.Email)
	return was || stated, err
}

// Console returns the person at the terminal. That person has no account, only the principals of
// CONSOLE_PRINCIPALS.
func (b *Base) Console() access.Presence {
	p := access.Presence{Tenant: b.Tenant}
	for _, principal := range b.Config.ConsoleAudience {
		p.Held = append(p.Held, access.Held{Principal: principal, From: "CONSOLE_PRINCIPALS names it"})
	}
	return p
}

// ConsoleAudience returns what the person at the terminal may read.
func (b *Base) ConsoleAudience() access.Audience {
	return access.AudienceOf(b.Tenant, b.Console().Held)
}

// Sessions returns the store of conversations, turns and posted messages.
func (b *Base) Sessions() *pgsession.Store { return pgsession.New(b.DB) }

// Settings returns the store of settings that people change in chat, and of the system prompt.
func (b *Base) Settings() *admin.Settings { return admin.NewSettings(b.DB) }
