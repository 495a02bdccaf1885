// Package pgaccesstest opens stores in PostgreSQL for the test suite of source connectors
// (sourcetest.Suite).
package pgaccesstest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"github.com/footnotehq/footnote/core/retrieve"
	"pgregory.net/rapid"
)

// Open opens a database for a test. It returns a function that creates a tenant and returns the
// tenant's stores.
func Open(t *testing.T) func(*rapid.T) sourcetest.Stores {
	t.Helper()
	db := postgrestest.Connect(t, postgres.Config{URL: postgrestest.URL(t), MaxConns: 6})
	x, err := pgindex.New(db, pgindex.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return Stores(t, db, x)
}

var tenants atomic.Int32

// Stores returns a function that creates a tenant in db and returns the tenant's stores. The stores
// write through a separate index and search through searched, like two processes.
func Stores(t *testing.T, db *postgres.DB, searched *pgindex.Index) func(*rapid.T) sourcetest.Stores {
	t.Helper()
	written, err := pgindex.New(db, pgindex.Config{FreshLimit: 4})
	if err != nil {
		t.Fatal(err)
	}
	store := pgaccess.New(db)
	return func(rt *rapid.T) sourcetest.Stores {
		tenant := access.TenantID(fmt.Sprint("t", tenants.Add(1)))
		if _, err := db.Pool.Exec(t.Context(), `insert into tenant (id) values ($1)`, string(tenant)); err != nil {
			rt.Fatal(err)
		}
		return sourcetest.Stores{Tenant: tenant, Index: written, Access: store, Grants: store, Readable: searched.Readable,
			Search: func(ctx context.Context, a access.Audience) ([]document.ID, error) {
				return SearchAll(ctx, searched, a)
			}}
	}
}

// SearchAll searches for the word "common", which every test document must contain. The error is
// not nil if a result's access list does not permit the audience.
func SearchAll(ctx context.Context, x *pgindex.Index, a access.Audience) ([]document.ID, error) {
	r := retrieve.Request{Audience: a, Probes: []retrieve.Probe{{Text: "common"}}, TitleRatio: 0.1, PerSide: 1000}
	_, passages, err := x.Find(ctx, r, func(c retrieve.Candidates) []document.ChunkID {
		var chunks []document.ChunkID
		for _, e := range c.Lists[0].Entries {
			chunks = append(chunks, e.Chunk)
		}
		return chunks
	})
	if err != nil {
		return nil, err
	}
	var found []document.ID
	for _, p := range passages {
		if !a.MayRead(p.ACL) {
			return nil, fmt.Errorf("%s is found, and its access list %v is none of %v", p.Document.ID, p.ACL, a.Principals())
		}
		found = append(found, p.Document.ID)
	}
	return found, nil
}
