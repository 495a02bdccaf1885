package pgindex

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

var _ index.Contexts = (*Index)(nil)

// contextAge is how long a text that a model wrote about a passage is stored after its last use.
const contextAge = 90 * 24 * time.Hour

// Contexts implements index.Contexts. It returns the texts that a model wrote about passages, by
// key, and marks them as used.
//
// The statement uses the primary key.
func (x *Index) Contexts(ctx context.Context, tenant access.TenantID, keys []index.Hash) (map[index.Hash]string, error) {
	digests := make([][]byte, len(keys))
	for i, k := range keys {
		digests[i] = k[:]
	}
	rows, err := x.db.Pool.Query(ctx, `
		update enrichment set used_at = now() where tenant_id = $1 and digest = any($2::bytea[]) returning digest, text`, string(tenant), digests)
	if err != nil {
		return nil, fmt.Errorf("look up what was written about %d passages: %w", len(keys), err)
	}
	found := make(map[index.Hash]string)
	var digest []byte
	var text string
	if _, err := pgx.ForEachRow(rows, []any{&digest, &text}, func() error {
		found[index.Hash(digest)] = text
		return nil
	}); err != nil {
		return nil, fmt.Errorf("look up what was written about %d passages: %w", len(keys), err)
	}
	return found, nil
}

// PutContexts implements index.Contexts. It stores the texts that a model wrote about passages. It
// does not overwrite a stored text.
func (x *Index) PutContexts(ctx context.Context, tenant access.TenantID, texts map[index.Hash]string) error {
	batch := &pgx.Batch{}
	for key, text := range texts {
		batch.Queue(`insert into enrichment (tenant_id, digest, text) values ($1, $2, $3) on conflict (tenant_id, digest) do update set used_at = now()`,
			string(tenant), key[:], clean(text))
	}
	if err := x.db.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("keep what was written about %d passages: %w", len(texts), err)
	}
	return nil
}

// ForgetContexts deletes texts about passages that have not been used for 90 days.
func (x *Index) ForgetContexts(ctx context.Context) error {
	_, err := x.db.Pool.Exec(ctx, `delete from enrichment where used_at < now() - $1::bigint * interval '1 second'`, int64(contextAge.Seconds()))
	if err != nil {
		return fmt.Errorf("forget what was written about passages: %w", err)
	}
	return nil
}
