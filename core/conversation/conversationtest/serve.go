package conversationtest

import (
	"testing"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
)

// Serve builds the services of a replica whose whole store is one; an Inbox and a Queue of deps, where there are any, stand before it. Policies are those
// of the commands as well, where they take changes.
func Serve(t testing.TB, store sessiontest.Store, deps answer.Deps, config answer.Config) conversation.Services {
	t.Helper()
	inbox, queue := deps.Store.Inbox, deps.Store.Queue
	if inbox == nil {
		inbox = store
	}
	if queue == nil {
		queue = store
	}
	deps.Store = answer.Store{
		Inbox: inbox, Queue: queue, Replicas: store, Janitor: store, History: store, Stops: store, Prompts: store, Threads: store, Verdicts: store,
		Turns: store, Offers: store, Refusals: store, Completions: store,
	}
	if deps.Signal == nil {
		deps.Signal = &session.LocalSignal{}
	}
	answers, err := answer.New(deps, config)
	if err != nil {
		t.Fatal(err)
	}
	act, err := action.New(action.Deps{
		Revisions: store, Votes: store, Threads: store, Turns: store, Changes: store, History: store,
		Answerer: answers, Signal: deps.Signal, Listeners: deps.Surfaces, Library: deps.Library, Policies: deps.Policies, Logger: deps.Logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	policies, _ := deps.Policies.(command.Policies)
	typed, err := command.New(command.Deps{
		Turns: store, Verdicts: store, History: store, Settings: store, Votes: store, Forgetter: store,
		Answerer: answers, Signal: deps.Signal, Library: deps.Library, Policies: policies, Logger: deps.Logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	return conversation.Services{Service: answers, Actions: act, Commands: typed}
}
