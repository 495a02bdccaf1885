package pgindex

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

// Hints implements index.Hints for the sources of one tenant. A hint says that something in a
// source has changed.
type Hints struct {
	index  *Index
	tenant access.TenantID
}

var _ index.Hints = (*Hints)(nil)

// Hints returns the stored hints of a tenant's sources.
func (x *Index) Hints(tenant access.TenantID) *Hints { return &Hints{x, tenant} }

// Limits of the stored hints per source. Later runs find the other changes without a hint.
const (
	mostHints   = 10_000
	longestHint = 500 // bytes of a subject
)

// Hear implements index.Hints. It stores hints that parts (subjects) of a source have changed. It
// drops hints for unknown sources, subjects that are too long, and hints above the limit mostHints.
func (h *Hints) Hear(ctx context.Context, source document.SourceID, subjects []string) error {
	var kept []string
	for _, s := range subjects {
		if s = clean(s); s != "" && len(s) <= longestHint {
			kept = append(kept, s)
		}
	}
	// Served by the primary keys.
	_, err := h.index.db.Pool.Exec(ctx, `
		insert into source_hint (tenant_id, source_id, subject, heard_at)
		select distinct $1::text, $2::text, subject, statement_timestamp() from unnest($3::text[]) subject
		where exists (select from source where tenant_id = $1 and id = $2)
		  and (select count(*) from (select from source_hint where tenant_id = $1 and source_id = $2 limit $4) kept) < $4
		on conflict (tenant_id, source_id, subject) do update set heard_at = excluded.heard_at`, string(h.tenant), string(source), kept, mostHints)
	if err != nil {
		return fmt.Errorf("keep what was heard of source %s: %w", source, err)
	}
	return nil
}

// Heard implements index.Hints. It returns the oldest hints of a source, up to the given number.
func (h *Hints) Heard(ctx context.Context, source document.SourceID, most int) ([]index.Hint, error) {
	rows, err := h.index.db.Pool.Query(ctx, `select subject, heard_at from source_hint where tenant_id = $1 and source_id = $2 order by heard_at, subject limit $3`,
		string(h.tenant), string(source), most)
	if err != nil {
		return nil, fmt.Errorf("look what was heard of source %s: %w", source, err)
	}
	hints, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (index.Hint, error) {
		var hint index.Hint
		err := row.Scan(&hint.Subject, &hint.At)
		hint.At = hint.At.UTC()
		return hint, err
	})
	if err != nil {
		return nil, fmt.Errorf("look what was heard of source %s: %w", source, err)
	}
	return hints, nil
}

// Followed implements index.Hints. It deletes hints, except those that were reported again in the
// meantime.
func (h *Hints) Followed(ctx context.Context, source document.SourceID, hints []index.Hint) error {
	subjects, times := make([]string, len(hints)), make([]time.Time, len(hints))
	for i, hint := range hints {
		subjects[i], times[i] = hint.Subject, hint.At
	}
	_, err := h.index.db.Pool.Exec(ctx, `
		delete from source_hint s using unnest($3::text[], $4::timestamptz[]) followed (subject, heard_at)
		where s.tenant_id = $1 and s.source_id = $2 and s.subject = followed.subject and s.heard_at <= followed.heard_at`,
		string(h.tenant), string(source), subjects, times)
	if err != nil {
		return fmt.Errorf("forget what was heard of source %s: %w", source, err)
	}
	return nil
}
