package search

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	mcphttp "github.com/footnotehq/footnote/adapters/mcp"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

// searchThroughMCP measures searches over HTTP, from the request to the last byte of the result.
// Token, quota, access check and audit entry are included; calls to an embedder or a chat platform
// are not.
func (b *bench) searchThroughMCP(ctx context.Context) error {
	if err := b.settle(ctx); err != nil {
		return err
	}
	texts, err := b.questions(ctx, 700, warmUp+b.queries)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	service, err := b.assistants()
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mcphttp.Handler(service, mcphttp.HTTPConfig{Host: listener.Addr().String(), Version: "bench", Logger: b.logger}), ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }() // Close ends it
	defer func() { _ = server.Close() }()
	b.printf("%-16s | p50 ms   p95 ms   p99 ms\n", "may")
	for i, s := range shares {
		token, err := b.token(ctx, i)
		if err != nil {
			return err
		}
		warm := texts[:warmUpEach]
		if i == 0 {
			warm = texts[:warmUp]
		}
		measured := sample{}
		for n, text := range append(warm[:len(warm):len(warm)], texts[warmUp:]...) {
			took, err := callSearch(ctx, "http://"+listener.Addr().String()+mcphttp.Path, token, text)
			if err != nil {
				return err
			}
			if n >= len(warm) {
				measured.took = append(measured.took, took)
			}
		}
		b.printf("%-16s | %6.1f   %6.1f   %6.1f\n", s.name, measured.percentile(50), measured.percentile(95), measured.percentile(99))
	}
	return nil
}

func (b *bench) token(ctx context.Context, share int) (string, error) {
	secret, id := mcp.NewSecret()
	person := access.Account{Workspace: access.Workspace{Platform: "bench"}, ID: fmt.Sprint(share)}
	_, err := admin.NewTokens(b.db).Create(ctx, access.DefaultTenant, mcp.Token{ID: id, Name: "bench", Person: person}, mcp.HashOf(secret), time.Hour, session.Actor{Platform: session.Host, ID: "bench"})
	return secret, err
}

func (b *bench) assistants() (*mcp.Service, error) {
	hybrid, err := b.searcher(b.index, 0.5)
	if err != nil {
		return nil, err
	}
	counter, tokens := tiktoken.ForModel("gpt-4.1"), admin.NewTokens(b.db)
	return mcp.New(mcp.Deps{
		Tenant: access.DefaultTenant, Tokens: tokens, Journal: tokens, People: sharers{}, Resolver: &access.Resolver{Grants: pgaccess.New(b.db)}, Policies: hourly{}, Quotas: pgsession.New(b.db),
		Search: search.New(hybrid, nil, counter, search.Config{Logger: b.logger}), Catalogue: sharers{}, Index: b.index, Counter: counter,
		Sources: func(context.Context, session.Place) ([]document.SourceID, error) { return nil, nil },
		Filter:  func() (*filter.Filter, error) { return nil, nil }, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	}), nil
}

var _ mcp.Index = (*pgindex.Index)(nil)

// sharers are people whose account ID is an index into shares. Each may read that share.
type sharers struct{}

// Alone implements mcp.People.
func (sharers) Alone(_ context.Context, a access.Account) (access.Presence, error) {
	var share int
	if _, err := fmt.Sscan(a.ID, &share); err != nil {
		return access.Presence{}, err
	}
	return access.Presence{Tenant: access.DefaultTenant, People: []access.Account{a}, Held: []access.Held{{Principal: shares[share].group}}}, nil
}

// Searchable returns no tools. It makes sharers the Catalogue of [mcp.Deps].
func (sharers) Searchable(context.Context, access.Audience) []tool.Source { return nil }

// hourly sets a quota so high that searches count against it but never reach it.
type hourly struct{}

// Policy implements policy.Source.
func (hourly) Policy(context.Context, access.TenantID, session.Place) (policy.Effective, error) {
	return policy.Resolve(policy.SettingValue{Key: "user_quota", Value: "1000000/hour"}), nil
}

func callSearch(ctx context.Context, address, token, query string) (time.Duration, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "search", "arguments": map[string]any{"query": query}}})
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token, "Mcp-Protocol-Version": "2025-06-18"} {
		r.Header.Set(name, value)
	}
	began := time.Now()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	said, err := io.ReadAll(res.Body)
	took := time.Since(began)
	if err == nil && (res.StatusCode != http.StatusOK || strings.Contains(string(said), `"isError":true`)) {
		err = fmt.Errorf("the search failed: %d %.500s", res.StatusCode, said)
	}
	return took, err
}
