package pgindex

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/jackc/pgx/v5"
)

// ErrDimensions means that vectors have the wrong number of dimensions for their model. It is
// wrapped in a message that says what to do.
var ErrDimensions = retrieve.ErrDimensions

// maxDimensions is the maximum number of dimensions of a vector in pgvector, in both precisions.
// The limits of pgvector's indexes (4,000 and 2,000) do not apply, because searches use no such
// index.
const maxDimensions = 16_000

type model struct {
	number     int32
	name       string
	dimensions int32
	precision  string
	// version is the version of the row. It changes when existing chunks get vectors. Only searches
	// use it.
	version int64
}

func (m model) check(dimensions int) error {
	if int(m.dimensions) != dimensions {
		return fmt.Errorf("%w: model %q was indexed with %d and now gives %d; set EMBEDDING_DIMENSIONS to %d, or EMBEDDING_MODEL "+
			"to a model of another name and index again", ErrDimensions, m.name, m.dimensions, dimensions, m.dimensions)
	}
	return nil
}

// RegisterModel registers an embedding model with its number of dimensions. If the model is already
// registered with another number, it returns ErrDimensions. Several models may have vectors at the
// same time.
func (x *Index) RegisterModel(ctx context.Context, tenant access.TenantID, name string, dimensions int) error {
	_, err := x.registerModel(ctx, tenant, name, dimensions)
	return err
}

func (x *Index) registerModel(ctx context.Context, tenant access.TenantID, name string, dimensions int) (model, error) {
	m, found, err := loadModel(ctx, x.db.Pool, tenant, name)
	if err != nil {
		return model{}, err
	}
	if !found {
		if err := checkDimensions(dimensions); err != nil {
			return model{}, fmt.Errorf("embedding model %q: %w", name, err)
		}
		_, err := x.db.Pool.Exec(ctx, `
			insert into embedding_model (tenant_id, name, dimensions, precision) values ($1, $2, $3, $4)
			on conflict (tenant_id, name) do nothing`, string(tenant), name, dimensions, x.cfg.Precision)
		if err != nil {
			return model{}, fmt.Errorf("register embedding model %q: %w", name, err)
		}
		if m, _, err = loadModel(ctx, x.db.Pool, tenant, name); err != nil {
			return model{}, err
		}
	}
	return m, m.check(dimensions)
}

func checkDimensions(dimensions int) error {
	switch {
	case dimensions < 1:
		return fmt.Errorf("%w: there is none; check the embedding model", ErrDimensions)
	case dimensions > maxDimensions:
		return fmt.Errorf("%w: %d are more than the %d that pgvector can hold; lower EMBEDDING_DIMENSIONS", ErrDimensions, dimensions, maxDimensions)
	}
	return nil
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func loadModel(ctx context.Context, q querier, tenant access.TenantID, name string) (model, bool, error) {
	rows, err := q.Query(ctx, `select number, name, dimensions, precision from embedding_model where tenant_id = $1 and name = $2`,
		string(tenant), name)
	if err != nil {
		return model{}, false, fmt.Errorf("look up embedding model %q: %w", name, err)
	}
	m, err := pgx.CollectExactlyOneRow(rows, scanModel)
	if errors.Is(err, pgx.ErrNoRows) {
		return model{}, false, nil
	}
	if err != nil {
		return model{}, false, fmt.Errorf("look up embedding model %q: %w", name, err)
	}
	return m, true, nil
}

func scanModel(row pgx.CollectableRow) (model, error) {
	var m model
	err := row.Scan(&m.number, &m.name, &m.dimensions, &m.precision)
	return m, err
}

func (x *Index) modelsOf(ctx context.Context, tenant access.TenantID, entries []index.Entry) (map[string]model, error) {
	models := make(map[string]model)
	for i := range entries {
		e := &entries[i]
		for _, v := range e.Vectors {
			if len(v) == 0 {
				continue
			}
			m, known := models[e.Model]
			if !known {
				if e.Model == "" {
					return nil, fmt.Errorf("index %s: it has vectors and names no model", e.Document.ID)
				}
				var err error
				if m, err = x.registerModel(ctx, tenant, e.Model, len(v)); err != nil {
					return nil, fmt.Errorf("index %s: %w", e.Document.ID, err)
				}
				models[e.Model] = m
			}
			if err := m.check(len(v)); err != nil {
				return nil, fmt.Errorf("index %s: %w", e.Document.ID, err)
			}
		}
	}
	return models, nil
}

// DropModel deletes an embedding model with all its vectors. Searches with that model then use
// keywords only. DropModel returns nil if the model does not exist.
func (x *Index) DropModel(ctx context.Context, tenant access.TenantID, name string) error {
	m, found, err := loadModel(ctx, x.db.Pool, tenant, name)
	if err != nil || !found {
		return err
	}
	err = x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		for _, sql := range []string{
			fmt.Sprintf(`delete from embedding where tenant_id = $1 and model = %d`, m.number),
			fmt.Sprintf(`delete from embedding_model where tenant_id = $1 and number = %d`, m.number),
		} {
			if _, err := tx.Exec(ctx, sql, string(tenant)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("drop embedding model %q: %w", name, err)
	}
	return nil
}
