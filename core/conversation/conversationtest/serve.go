package conversationtest

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// Serve returns the services of a replica with the given store. If deps.Store is set, it replaces
// the store for answers only. If deps.Policies implements [command.Policies], commands use it too.
// Deep searches find only one document.
func Serve(t testing.TB, store sessiontest.Store, deps answer.Deps, config answer.Config) conversation.Services {
	t.Helper()
	if deps.Store == nil {
		deps.Store = store
	}
	deps.Prompts = store
	if deps.Signal == nil {
		deps.Signal = &session.LocalSignal{}
	}
	kept := newPlans(store)
	deps.Deep, deps.Steering = deep(t, deps.Engine, kept), kept
	answers, err := answer.New(deps, config)
	if err != nil {
		t.Fatal(err)
	}
	owners, _ := deps.Owners.(action.Owners)
	act, err := action.New(action.Deps{
		Store: store, Owners: owners, Answerer: answers, Signal: deps.Signal, Library: deps.Library, Policies: deps.Policies, Logger: deps.Logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	policies, _ := deps.Policies.(command.Policies)
	typed, err := command.New(command.Deps{
		Store: store, Settings: store, Owners: store, Answerer: answers, Signal: deps.Signal, Library: deps.Library, Policies: policies, Logger: deps.Logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	return conversation.Services{Service: answers, Actions: act, Commands: typed}
}

// Models implements [answer.Setups]. A question uses its requested models, or all models if it
// requests none.
type Models []llm.Model

// Setup implements answer.Setups.
func (m Models) Setup(_ context.Context, t session.Turn) (answer.Setup, error) {
	return answer.Setup{Models: slices.DeleteFunc(slices.Clone(m), func(m llm.Model) bool { return len(t.Models) > 0 && !slices.Contains(t.Models, m.Info().Name) })}, nil
}

// List configures deps so that an answer is only a list of documents, without any text. Every
// search finds one document.
func List(t testing.TB, deps *answer.Deps) {
	t.Helper()
	deps.Setups, deps.Engine = lists{deps.Setups}, Engine(t, search.New(pages{}, nil, budgettest.NewWords(), search.Config{}))
}

type lists struct{ answer.Setups }

// Setup implements answer.Setups.
func (l lists) Setup(ctx context.Context, t session.Turn) (answer.Setup, error) {
	s, err := l.Setups.Setup(ctx, t)
	s.SearchOnly = true
	return s, err
}

// NoDocuments is an [answer.Library] for tests that store no documents. It knows only the test
// package's handbook, which everyone may read.
type NoDocuments struct{}

// Readable implements answer.Library.
func (NoDocuments) Readable(context.Context, access.Audience, []document.ID) (map[document.ID]bool, error) {
	return map[document.ID]bool{handbook.ID: true}, nil
}

// Beyond implements answer.Library.
func (NoDocuments) Beyond(context.Context, access.Audience, access.Audience) (bool, error) {
	return false, nil
}

// Until waits until holds returns true. If ctx ends first, it fails the test and reports what shown
// returns.
func Until(ctx context.Context, t testing.TB, what string, holds func() bool, shown func() any) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("it did not come about that %s; what is shown is %+v", what, shown())
		}
	}
}

// Engine returns an engine that makes one model call per turn and has the given tools.
func Engine(t testing.TB, tools ...tool.Tool) answer.Engine {
	t.Helper()
	set, err := tool.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return turn.NewRunner(set, budgettest.NewWords(), turn.Config{Policy: llm.Policy{Attempts: 1}}, slog.New(slog.DiscardHandler))
}
