package pgindex

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/passages.sql
var passagesText string

//go:embed queries/excerpts.sql
var excerptsText string

var passagesSQL, excerptsSQL = withAccess(passagesText, "$1", "$4"), withAccess(excerptsText, "$1", "$5")

// Chunks implements retrieve.Index. It fetches chunks by id with the current state of their
// documents. It omits chunks that the audience may not read.
func (x *Index) Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	if audience.Tenant() == "" || len(ids) == 0 {
		return nil, nil
	}
	return x.fetch(ctx, passagesSQL, passageArgs(audience, ids)...)
}

func passageArgs(audience access.Audience, ids []document.ChunkID) []any {
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	shards := make([]int16, len(sorted))
	chunks := make([]int64, len(sorted))
	for i, id := range sorted {
		shards[i], chunks[i] = splitID(id)
	}
	return []any{string(audience.Tenant()), shards, chunks, strs(audience.Principals())}
}

// Excerpts implements openurl.Index. It fetches chunks by document and position. It omits chunks
// that the audience may not read.
func (x *Index) Excerpts(ctx context.Context, audience access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error) {
	if audience.Tenant() == "" || len(spans) == 0 {
		return nil, nil
	}
	ids := make([]string, len(spans))
	from := make([]int32, len(spans))
	to := make([]int32, len(spans))
	for i, s := range spans {
		ids[i], from[i], to[i] = postgres.Storable(string(s.Document)), int32(s.From), int32(s.To)
	}
	return x.fetch(ctx, excerptsSQL, string(audience.Tenant()), ids, from, to, strs(audience.Principals()))
}

func (x *Index) fetch(ctx context.Context, sql string, args ...any) ([]retrieve.Passage, error) {
	rows, err := x.db.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("fetch passages: %w", err)
	}
	passages, err := pgx.CollectRows(rows, scanPassage)
	if err != nil {
		return nil, fmt.Errorf("fetch passages: %w", err)
	}
	return passages, nil
}

func scanPassage(row pgx.CollectableRow) (retrieve.Passage, error) {
	var p retrieve.Passage
	var shard int16
	var id int64
	var acl []string
	var updated *time.Time
	var starts []int32
	var anchors []string
	err := row.Scan(&shard, &id, &p.Document.ID, &p.Document.Source, &p.Document.Kind, &p.Document.Title, &p.Document.URL, &updated, &acl,
		&p.Chunk.Ordinal, &p.Chunk.Heading, &p.Chunk.Anchor, &p.Chunk.Text, &p.Chunk.Lead, &p.Chunk.Start, &p.Chunk.End, &p.Chunk.Tokens,
		&starts, &anchors, &p.Metadata)
	if err != nil {
		return p, err
	}
	p.ID = chunkID(shard, id)
	for i := range min(len(starts), len(anchors)) {
		p.Chunk.Places = append(p.Chunk.Places, document.Place{Start: int(starts[i]), Anchor: anchors[i]})
	}
	if len(p.Metadata) == 0 {
		p.Metadata = nil
	}
	if updated != nil {
		p.Document.UpdatedAt = updated.UTC()
	}
	for _, a := range acl {
		p.ACL = append(p.ACL, access.Principal(a))
	}
	return p, nil
}
