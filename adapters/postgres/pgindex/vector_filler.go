package pgindex

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

// fillLease is how long a process keeps its claim on a model without storing a vector.
const fillLease = time.Minute

// FillState returns the progress of computing a model's vectors. It counts all vectors of a tenant.
func (x *Index) FillState(ctx context.Context, tenant access.TenantID, model string) (index.FillState, error) {
	var s index.FillState
	var err error
	if s.Missing, err = x.WithoutVector(ctx, tenant, model); err != nil {
		return s, err
	}
	err = x.db.Pool.QueryRow(ctx, `
		select coalesce((select sum(chunk_count) from document where tenant_id = $1), 0), coalesce(f.complete, false), coalesce(f.rate, 0), coalesce(f.until > clock_timestamp(), false)
		from (select) one left join embedding_fill f on f.tenant_id = $1 and f.model = $2`, string(tenant), model).Scan(&s.Chunks, &s.Complete, &s.Rate, &s.Running)
	if err != nil {
		return s, fmt.Errorf("ask how far vectors of model %q are: %w", model, err)
	}
	return s, nil
}

// IsComplete reports whether the vectors of a model are marked as complete (see
// [Index.SetComplete]). It returns false for an unknown model. The statement uses the primary key.
func (x *Index) IsComplete(ctx context.Context, tenant access.TenantID, model string) (bool, error) {
	var complete bool
	err := x.db.Pool.QueryRow(ctx, `select complete from embedding_fill where tenant_id = $1 and model = $2`, string(tenant), model).Scan(&complete)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, fmt.Errorf("ask whether vectors of model %q are complete: %w", model, err)
	}
	return complete, nil
}

// SetComplete records whether the vectors of a model are complete, so that searches use the model.
// It registers the model if it is new.
func (x *Index) SetComplete(ctx context.Context, tenant access.TenantID, model string, dimensions int, complete bool) error {
	if err := x.RegisterModel(ctx, tenant, model, dimensions); err != nil {
		return err
	}
	if _, err := x.db.Pool.Exec(ctx, `insert into embedding_fill (tenant_id, model, complete) values ($1, $2, $3)
		on conflict (tenant_id, model) do update set complete = $3`, string(tenant), model, complete); err != nil {
		return fmt.Errorf("note whether vectors of model %q are complete: %w", model, err)
	}
	return nil
}

// Filler stores the vectors of a model for the process that has claimed the model. No other process
// can claim the model meanwhile.
type Filler struct {
	*Index
	name    string
	process string
	began   time.Time
	stored  int
}

var _ index.VectorStore = (*Filler)(nil)

// ClaimFill claims a model for this process. The claim ends with Release, or fillLease after the
// last stored vector. ClaimFill returns nil if another process holds the claim.
func (x *Index) ClaimFill(ctx context.Context, tenant access.TenantID, model string, dimensions int) (*Filler, error) {
	if err := x.RegisterModel(ctx, tenant, model, dimensions); err != nil {
		return nil, err
	}
	f := &Filler{Index: x, name: model, process: rand.Text(), began: time.Now()}
	done, err := x.db.Pool.Exec(ctx, `insert into embedding_fill as f (tenant_id, model, filler, until) values ($1, $2, $3, clock_timestamp() + $4)
		on conflict (tenant_id, model) do update set filler = $3, until = clock_timestamp() + $4 where f.until < clock_timestamp()`,
		string(tenant), model, f.process, fillLease)
	if err != nil {
		return nil, fmt.Errorf("claim the vectors of model %q: %w", model, err)
	}
	if done.RowsAffected() == 0 {
		return nil, nil
	}
	return f, nil
}

// PutVectors implements index.VectorStore and renews the claim. It returns index.ErrClaimed if
// another process has taken over the claim.
func (f *Filler) PutVectors(ctx context.Context, tenant access.TenantID, name string, chunks []document.ChunkID, vectors [][]float32) error {
	if err := f.Index.PutVectors(ctx, tenant, name, chunks, vectors); err != nil {
		return err
	}
	f.stored += len(chunks)
	done, err := f.db.Pool.Exec(ctx, `update embedding_fill set until = clock_timestamp() + $4, rate = $5 where tenant_id = $1 and model = $2 and filler = $3`,
		string(tenant), f.name, f.process, fillLease, float64(f.stored)/max(time.Since(f.began).Seconds(), 1e-3))
	if err != nil {
		return fmt.Errorf("renew the claim on vectors of model %q: %w", f.name, err)
	}
	if done.RowsAffected() == 0 {
		return index.ErrClaimed
	}
	return nil
}

// Release ends the claim, so that another process can claim the model. It works even if ctx is
// done.
func (f *Filler) Release(ctx context.Context, tenant access.TenantID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if _, err := f.db.Pool.Exec(ctx, `update embedding_fill set until = '-infinity' where tenant_id = $1 and model = $2 and filler = $3`,
		string(tenant), f.name, f.process); err != nil {
		return fmt.Errorf("release the vectors of model %q: %w", f.name, err)
	}
	return nil
}

// releaseTimeout limits the duration of Release. If Release fails, the claim expires after
// fillLease.
const releaseTimeout = 5 * time.Second
