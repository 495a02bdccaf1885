package pgindex_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// openIndex returns an index in a database of its own.
func openIndex(t testing.TB, cfg pgindex.Config) (*pgindex.Index, *postgres.DB) {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Config{URL: postgrestest.URL(t), MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	x, err := pgindex.New(db, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return x, db
}

func createTenant(t testing.TB, db *postgres.DB, tenant access.TenantID) {
	t.Helper()
	if _, err := db.Pool.Exec(t.Context(), `insert into tenant (id) values ($1) on conflict do nothing`, string(tenant)); err != nil {
		t.Fatal(err)
	}
}

// indexStore is a real index as the conformance suite sees it. Several share a database: each has
// tenants of its own, named by a prefix.
type indexStore struct {
	index    *pgindex.Index
	prefix   access.TenantID
	maintain bool // after every write
	shards   int  // among which an earlier version divided new documents; 0 and 1: not at all
}

func (s *indexStore) audience(a access.Audience) access.Audience {
	if a.Tenant() == "" {
		return a
	}
	return access.NewAudience(s.prefix+a.Tenant(), a.Principals()...)
}

func (s *indexStore) Find(
	ctx context.Context, r retrieve.Request, choose func(retrieve.Candidates) []document.ChunkID,
) (retrieve.Candidates, []retrieve.Passage, error) {
	r.Audience = s.audience(r.Audience)
	return s.index.Find(ctx, r, choose)
}

func (s *indexStore) Chunks(ctx context.Context, a access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	return s.index.Chunks(ctx, s.audience(a), ids)
}

func (s *indexStore) Excerpts(ctx context.Context, a access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error) {
	return s.index.Excerpts(ctx, s.audience(a), spans)
}

func (s *indexStore) done(ctx context.Context, tenant access.TenantID, err error) error {
	if err == nil && s.maintain {
		return s.index.Maintain(ctx, s.prefix+tenant)
	}
	return err
}

func entryOf(d retrievetest.Document) index.Entry {
	return index.Entry{Document: d.Document, Chunks: d.Chunks, SearchText: d.SearchText, Vectors: d.Vectors, Model: d.Model}
}

func (s *indexStore) Put(ctx context.Context, tenant access.TenantID, docs ...retrievetest.Document) error {
	entries := make([]index.Entry, len(docs))
	for i, d := range docs {
		entries[i] = entryOf(d)
	}
	if s.shards > 1 {
		if err := s.index.PutDivided(ctx, s.prefix+tenant, entries, s.shards); err != nil {
			return err
		}
	}
	return s.done(ctx, tenant, s.index.Put(ctx, s.prefix+tenant, entries)) // each stays in its shard
}

func (s *indexStore) Remove(ctx context.Context, tenant access.TenantID, ids ...document.ID) error {
	return s.done(ctx, tenant, s.index.Remove(ctx, s.prefix+tenant, "docs", ids))
}

func (s *indexStore) SetACL(ctx context.Context, tenant access.TenantID, acl access.ACL, ids ...document.ID) error {
	return s.done(ctx, tenant, s.index.SetACL(ctx, s.prefix+tenant, "docs", accessOf(acl, ids...)))
}

// accessOf gives documents an access list.
func accessOf(acl access.ACL, ids ...document.ID) []index.Access {
	changes := make([]index.Access, len(ids))
	for i, id := range ids {
		changes[i] = index.Access{ID: id, ACL: acl}
	}
	return changes
}

func TestIndexSuite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		cfg      pgindex.Config
		maintain bool
		shards   int
	}{
		{"fresh", pgindex.Config{}, false, 1},
		{"packed after every write", pgindex.Config{FreshLimit: 1}, false, 1},
		{"maintained after every write, no room for sketches", pgindex.Config{FreshLimit: 1, ExactLimit: 1, CacheBytes: 100_000}, true, 1},
		{"vectors by sketches", pgindex.Config{FreshLimit: 3, ExactLimit: 1}, true, 1},
		{"divided by an earlier version, 32-bit vectors, no memory for segments", pgindex.Config{Precision: "vector", CacheBytes: 1}, false, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x, db := openIndex(t, c.cfg)
			var tenants atomic.Int32
			retrievetest.Suite(t, func(t *testing.T) retrievetest.Store {
				s := &indexStore{x, access.TenantID(fmt.Sprintf("t%d-", tenants.Add(1))), c.maintain, c.shards}
				createTenant(t, db, s.prefix+access.DefaultTenant)
				createTenant(t, db, s.prefix+retrievetest.OtherTenant)
				return s
			})
		})
	}
}
