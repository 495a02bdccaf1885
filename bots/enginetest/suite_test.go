//go:build opensearch

package enginetest

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

var prefixes atomic.Int64

// client talks to the server that "make test-opensearch" has started, about indexes of the test's
// own.
func client(t testing.TB) *opensearch.Client {
	t.Helper()
	return clientWith(t, opensearch.Config{})
}

func clientWith(t testing.TB, cfg opensearch.Config) *opensearch.Client {
	t.Helper()
	address, err := opensearch.ParseAddress(os.Getenv("OPENSEARCH_URL"))
	if err != nil {
		t.Fatalf("OPENSEARCH_URL: %v", err)
	}
	address.Prefix = fmt.Sprintf("test-%d-%d", os.Getpid(), prefixes.Add(1))
	cfg.Address, cfg.Refresh = address, "true"
	c, err := opensearch.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open returns an index in a database of its own, which OpenSearch serves.
func open(t testing.TB, c *opensearch.Client) (*pgindex.Index, *postgres.DB) {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Config{URL: postgrestest.URL(t), MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	x, err := pgindex.New(db, pgindex.Config{Engine: c})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Rebuild(t.Context(), false, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.LeaveEngine(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return x, db
}

func createTenant(t testing.TB, db *postgres.DB, tenant access.TenantID) {
	t.Helper()
	if _, err := db.Pool.Exec(t.Context(), `insert into tenant (id) values ($1) on conflict do nothing`, string(tenant)); err != nil {
		t.Fatal(err)
	}
}

// store is the index as the conformance suite sees it. Several share a database: each has tenants
// of its own, named by a prefix.
type store struct {
	index  *pgindex.Index
	prefix access.TenantID
}

func (s *store) audience(a access.Audience) access.Audience {
	if a.Tenant() == "" {
		return a
	}
	return access.NewAudience(s.prefix+a.Tenant(), a.Principals()...)
}

func (s *store) Find(
	ctx context.Context, r retrieve.Request, choose func(retrieve.Candidates) []document.ChunkID,
) (retrieve.Candidates, []retrieve.Passage, error) {
	r.Audience = s.audience(r.Audience)
	return s.index.Find(ctx, r, choose)
}

func (s *store) Chunks(ctx context.Context, a access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	return s.index.Chunks(ctx, s.audience(a), ids)
}

func (s *store) Excerpts(ctx context.Context, a access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error) {
	return s.index.Excerpts(ctx, s.audience(a), spans)
}

func (s *store) Put(ctx context.Context, tenant access.TenantID, docs ...retrievetest.Document) error {
	entries := make([]index.Entry, len(docs))
	for i, d := range docs {
		entries[i] = entryOf(d)
	}
	return s.index.Put(ctx, s.prefix+tenant, entries)
}

func (s *store) Remove(ctx context.Context, tenant access.TenantID, ids ...document.ID) error {
	return s.index.Remove(ctx, s.prefix+tenant, "docs", ids)
}

func (s *store) SetACL(ctx context.Context, tenant access.TenantID, acl access.ACL, ids ...document.ID) error {
	changes := make([]index.Access, len(ids))
	for i, id := range ids {
		changes[i] = index.Access{ID: id, ACL: acl}
	}
	return s.index.SetACL(ctx, s.prefix+tenant, "docs", changes)
}

func entryOf(d retrievetest.Document) index.Entry {
	return index.Entry{Document: d.Document, Chunks: d.Chunks, SearchText: d.SearchText, Vectors: d.Vectors, Model: d.Model}
}

func TestIndexSuite(t *testing.T) {
	x, db := open(t, client(t))
	var tenants atomic.Int32
	retrievetest.Suite(t, func(t *testing.T) retrievetest.Store {
		s := &store{x, access.TenantID(fmt.Sprintf("t%d-", tenants.Add(1)))}
		createTenant(t, db, s.prefix+access.DefaultTenant)
		createTenant(t, db, s.prefix+retrievetest.OtherTenant)
		return s
	})
}

func TestIndexStoreSuite(t *testing.T) {
	indextest.Suite(t, func(t *testing.T) index.Store {
		x, db := open(t, client(t))
		for _, tenant := range []access.TenantID{"acme", "other"} {
			createTenant(t, db, tenant)
		}
		return x
	})
}

// The story is that of PostgreSQL's own index: one process writes, and another one searches.
func TestNoSearchCrossesAnACL(t *testing.T) {
	c := client(t)
	writer, db := open(t, c)
	searched, err := pgindex.New(db, pgindex.Config{Engine: c})
	if err != nil {
		t.Fatal(err)
	}
	indextest.NeverCrosses(t, writer, searched, func(tenant access.TenantID) { createTenant(t, db, tenant) })
}
