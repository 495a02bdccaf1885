package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// ada is whose token secret is.
var ada = access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "UADA", Full: true}

const secret = "footnote_secret"

// world is a service with all that it asks.
type world struct {
	*mcp.Service
	index *retrievetest.Memory

	mu      sync.Mutex
	tokens  map[access.TenantID]map[mcp.Hash]mcp.Token
	alone   func(access.Account) (access.Presence, error)
	rules   policy.Effective
	counted []session.Quota
	until   time.Time
	calls   []mcp.Called
	unsaved error
	sources []document.SourceID
	filter  *filter.Filter
	logged  lockedBuffer
	spans   []retrieve.Span // that were read

	rights   map[string]access.ACL
	degraded string // a search says it; empty: nothing
	waits    bool   // a search waits until its context ends
}

// searching is a retriever that is not as it should be.
type searching struct {
	retrieve.Retriever
	*world
}

func (s searching) Search(ctx context.Context, of retrieve.Search) (retrieve.Result, error) {
	if s.waits {
		<-ctx.Done()
		return retrieve.Result{}, ctx.Err()
	}
	result, err := s.Retriever.Search(ctx, of)
	if s.degraded != "" {
		result.Trace.Notices = append(result.Trace.Notices, s.degraded)
	}
	return result, err
}

// lockedBuffer keeps what is logged.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func newWorld(t testing.TB, documents ...retrievetest.Document) *world {
	t.Helper()
	w := &world{index: retrievetest.NewMemory(), rules: policy.Resolve()}
	w.tokens = map[access.TenantID]map[mcp.Hash]mcp.Token{access.DefaultTenant: {mcp.HashOf(secret): {ID: "t1", Person: ada, Expires: now.Add(time.Hour)}}}
	w.alone = func(a access.Account) (access.Presence, error) { return present(a, access.Members), nil }
	if err := w.index.Put(t.Context(), access.DefaultTenant, documents...); err != nil {
		t.Fatal(err)
	}
	hybrid, err := retrieve.NewHybrid(w.index, nil, retrieve.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	counter := budgettest.NewWords()
	w.Service = mcp.New(mcp.Deps{
		Tenant: access.DefaultTenant, Tokens: w, People: w, Resolver: nil, Policies: w, Quotas: w, Journal: w, Catalogue: w,
		Search: search.New(searching{hybrid, w}, nil, counter, search.Config{}), Index: index{w}, Counter: counter, Logger: slog.New(slog.NewTextHandler(&w.logged, nil)),
		Rights:  func() map[string]access.ACL { return w.rights },
		Sources: func(context.Context, session.Place) ([]document.SourceID, error) { return w.sources, nil },
		Render:  func(answer string, _ []message.Citation) string { return images.ReplaceAllString(answer, "`$1`") },
		Now:     func() time.Time { return now }, Filter: func() (*filter.Filter, error) { return w.filter, nil },
	})
	return w
}

// images stands for the rule that an assistant gets no images.
var images = regexp.MustCompile(`!\[[^\]]*\]\(([^)]*)\)`)

// present is a person alone, who holds the account and more.
func present(a access.Account, held ...access.Principal) access.Presence {
	p := access.Presence{Tenant: access.DefaultTenant, People: []access.Account{a}, Held: []access.Held{{Principal: access.User(a.Platform, a.ID)}}}
	for _, principal := range held {
		p.Held = append(p.Held, access.Held{Principal: principal})
	}
	return p
}

// ask calls a tool with ada's token.
func (w *world) ask(t testing.TB, name string, arguments map[string]any) (string, error) {
	t.Helper()
	caller, _, err := w.Caller(t.Context(), secret)
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return w.Call(t.Context(), caller, name, raw)
}

// changes edits ada's token.
func (w *world) changes(edit func(*mcp.Token)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	tokens := w.tokens[access.DefaultTenant]
	token := tokens[mcp.HashOf(secret)]
	edit(&token)
	tokens[mcp.HashOf(secret)] = token
}

func (w *world) Find(_ context.Context, tenant access.TenantID, hash mcp.Hash) (mcp.Token, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	token, ok := w.tokens[tenant][hash]
	if !ok {
		return mcp.Token{}, mcp.ErrUnknownToken
	}
	return token, nil
}

func (w *world) Alone(_ context.Context, a access.Account) (access.Presence, error) {
	return w.alone(a)
}

func (w *world) Policy(context.Context, access.TenantID, session.Place) (policy.Effective, error) {
	return w.rules, nil
}

func (w *world) Count(_ context.Context, _ access.TenantID, quotas []session.Quota) (time.Time, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted = append(w.counted, quotas...)
	return w.until, nil
}

func (w *world) Exhausted(_ context.Context, _ access.TenantID, quotas []session.Quota, _ time.Time) ([]session.Quota, error) {
	return quotas, nil
}

func (w *world) Called(ctx context.Context, _ access.TenantID, c mcp.Called) error {
	if err := errors.Join(ctx.Err(), w.unsaved); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
	return nil
}

func (w *world) Searchable(context.Context, access.Audience) []tool.Source { return nil }

// index adds addresses and sources to an index in memory, whose documents all are "Doc ID" at
// https://docs.example/ID.
type index struct{ *world }

func (x index) Excerpts(ctx context.Context, audience access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error) {
	x.spans = append(x.spans, spans...)
	return x.index.Excerpts(ctx, audience, spans)
}

func (x index) Addressed(_ context.Context, _ access.Audience, _ []document.SourceID, addresses []string) (map[string]document.ID, error) {
	found := make(map[string]document.ID)
	for _, a := range addresses {
		if len(a) > len(site) && a[:len(site)] == site {
			found[a] = document.ID(a[len(site):]) // Excerpts decides who may read it
		}
	}
	return found, nil
}

func (x index) Searchable(context.Context, access.Audience) ([]tool.Source, error) {
	return []tool.Source{{ID: "docs", Name: "Docs", Kind: "file", Documents: 2, Newest: now}}, nil
}

const site = "https://docs.example/"

// page is a document of one chunk for each text.
func page(id string, acl access.ACL, texts ...string) retrievetest.Document {
	d := retrievetest.One(id, "Doc "+id, texts...)
	d.ACL, d.URL, d.UpdatedAt = acl, site+id, now.AddDate(0, -1, 0)
	return d
}

func members() access.ACL { return access.ACL{access.Members} }

func (w *world) outcomes() []mcp.Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []mcp.Outcome
	for _, c := range w.calls {
		all = append(all, c.Outcome)
	}
	return slices.Clone(all)
}
