package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// Options returns how the operator last asked for a source, as SetOptions stored it; nil when it never was.
func (x *Index) Options(ctx context.Context, tenant access.TenantID, id document.SourceID) (json.RawMessage, error) {
	var options json.RawMessage
	err := x.db.Pool.QueryRow(ctx, `select options from source where tenant_id = $1 and id = $2 and options <> '{}'`,
		string(tenant), string(id)).Scan(&options)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up the options of source %s: %w", id, err)
	}
	return options, nil
}

// SetOptions keeps how the operator asks for a source, a JSON object, creating the source where it is new. It is called before the
// source is read: a run that dies half-way must not leave documents behind whose options nobody remembers.
func (x *Index) SetOptions(ctx context.Context, tenant access.TenantID, src document.Source, options json.RawMessage) error {
	_, err := x.db.Pool.Exec(ctx, `
		insert into source (tenant_id, id, kind, name, options) values ($1, $2, $3, $4, $5)
		on conflict (tenant_id, id) do update set options = excluded.options`,
		string(tenant), string(src.ID), string(src.Kind), clean(src.Name), options)
	if err != nil {
		return fmt.Errorf("keep the options of source %s: %w", src.ID, err)
	}
	return nil
}
