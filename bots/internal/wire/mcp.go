package wire

import (
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/assistant"
	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/thread"
	knowledgetool "github.com/footnotehq/footnote/core/tool/knowledge"
	"github.com/footnotehq/footnote/core/tool/search"
)

// Listeners finds out who would see the answer to a turn. Every chat.Platform implements it.
type Listeners interface {
	Listeners(ctx context.Context, t session.Turn) (access.Presence, error)
}

// MCP returns the service that answers tool calls of AI assistants (Model Context Protocol).
// platforms says who a person is.
func (b *Base) MCP(ctx context.Context, platforms Listeners) (*mcp.Service, error) {
	retriever, err := b.Retriever()
	if err != nil {
		return nil, err
	}
	graph := checkedGraph{b.Knowledge(), b.checked().Readable}
	loop, err := b.standaloneAnswerer(ctx, retriever)
	if err != nil {
		return nil, err
	}
	tokens := admin.NewTokens(b.DB)
	return mcp.New(mcp.Deps{
		Tenant: b.Tenant, Tokens: tokens, Journal: tokens, People: direct{b.Tenant, platforms}, Resolver: b.Resolver(), Policies: b.Policies(),
		Quotas: b.Sessions(),
		Sources: func(ctx context.Context, at session.Place) ([]document.SourceID, error) {
			there, err := b.Policies().Policy(ctx, b.Tenant, at)
			if err != nil {
				return nil, err
			}
			agent, err := (&setups{base: b}).agent(ctx, b.File(), there.Agent, there.DocumentSets)
			return agent.Sources, err
		},
		Search:    search.New(retriever, nil, b.Counter, search.Config{Graph: graph, List: b.Index.Searchable, Logger: b.Logger}),
		Catalogue: &catalogue{list: b.Index.Searchable, logger: b.Logger},
		Loop:      loop, Render: assistant.Markdown, Related: knowledgetool.New(graph, b.checked(), b.Counter, b.extractedRelations()...),
		Index: b.checked(), Counter: b.Counter, Filter: b.filter, Logger: b.Logger, Rights: func() map[string]access.ACL { return b.File().AssistantTools }, Now: time.Now,
	}), nil
}

func (b *Base) standaloneAnswerer(ctx context.Context, retriever retrieve.Retriever) (answer.Alone, error) {
	fast, err := b.FastModel(spend.Rewriting)
	if err != nil {
		return answer.Alone{}, err
	}
	tools, err := b.tools(retriever, fast)
	if err != nil {
		return answer.Alone{}, err
	}
	plain, _, err := b.engines(tools)
	if err != nil {
		return answer.Alone{}, err
	}
	chooser := &setups{base: b, choice: Choice{Unattended: true}}
	if err := chooser.indexProjects(ctx); err != nil {
		return answer.Alone{}, err
	}
	return answer.Alone{
		Engine: plain, Setups: chooser, Prompts: b.Settings(), Catalogue: &catalogue{list: b.Index.Searchable, logger: b.Logger}, Library: library{b.checked()},
	}, nil
}

// AtConsole returns the MCP caller for the person who runs the program. It needs no token. account
// names that person in the audit trail.
func (b *Base) AtConsole(account string) mcp.Caller {
	return mcp.Caller{
		Door: mcp.Console, Who: session.Actor{Platform: session.Host, ID: account}, At: session.Place{Platform: console.Platform, Channel: mcp.Channel},
		Present: func(context.Context) (access.Presence, error) { return b.Console(), nil },
	}
}

// direct looks up what a person may read as if that person had sent the bot a direct message.
type direct struct {
	tenant    access.TenantID
	platforms Listeners
}

// Alone implements mcp.People.
func (d direct) Alone(ctx context.Context, account access.Account) (access.Presence, error) {
	return d.platforms.Listeners(ctx, session.Turn{
		Session: session.Session{Tenant: d.tenant, Ref: thread.Ref{Platform: thread.Platform(account.Platform), Workspace: account.Workspace.ID}},
		Asker:   thread.Person{ID: account.ID}, Direct: true,
	})
}

// checkedGraph also asks sources whether the reader may still see the documents of a statement. The
// index learns of changed permissions only later, and statements show document titles.
type checkedGraph struct {
	knowledge.Graph
	readable func(context.Context, access.Audience, []document.ID) (map[document.ID]bool, error)
}

// Statements implements knowledge.Graph.
func (g checkedGraph) Statements(ctx context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	stated, err := g.Graph.Statements(ctx, q)
	if err != nil || len(stated) == 0 {
		return stated, err
	}
	var ids []document.ID
	for _, s := range stated {
		for _, side := range []*document.Ref{s.SubjectRef, s.ObjectRef} {
			if side != nil && !slices.Contains(ids, side.ID) {
				ids = append(ids, side.ID)
			}
		}
	}
	readable, err := g.readable(ctx, q.Audience, ids)
	if err != nil {
		return nil, err
	}
	hidden := func(side *document.Ref) bool { return side != nil && !readable[side.ID] }
	return slices.DeleteFunc(stated, func(s knowledge.Statement) bool { return hidden(s.SubjectRef) || hidden(s.ObjectRef) }), nil
}
