package pgindex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/jackc/pgx/v5"
)

type sourceRow struct {
	ID, Kind, Name, Settings string
	Checkpoint               []byte
	LastSuccess              *time.Time
	LastRun                  []byte
	PausedAt, ResyncAt       *time.Time
}

const sourceColumns = `id, kind, name, settings, checkpoint, last_success, last_run, paused_at, resync_at`

func (r *sourceRow) fields(more ...any) []any {
	return append([]any{&r.ID, &r.Kind, &r.Name, &r.Settings, &r.Checkpoint, &r.LastSuccess, &r.LastRun, &r.PausedAt, &r.ResyncAt}, more...)
}

// Begin implements index.Store. It records the start of a run and returns the source's last state.
// It returns sources.ErrPaused if the source is paused.
func (x *Index) Begin(ctx context.Context, tenant access.TenantID, run index.Run) (index.Run, error) {
	src := run.Source
	var row sourceRow
	var now time.Time
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		const begin = `
			insert into source (tenant_id, id, kind, name, reading) values ($1, $2, $3, $4, true)
			on conflict (tenant_id, id) do update set kind = excluded.kind, name = excluded.name, reading = true
			returning ` + sourceColumns + `, clock_timestamp()`
		err := tx.QueryRow(ctx, begin, string(tenant), string(src.ID), string(src.Kind), clean(src.Name)).
			Scan(row.fields(&now)...)
		if err == nil && row.PausedAt != nil {
			err = sources.ErrPaused
		}
		if err != nil || run.By == "" { // a scheduled run needs no audit entry
			return err
		}
		deed := session.SourceIndexed
		if run.Again {
			deed = session.SourceReindexed
		}
		return audit.Write(ctx, tx, tenant, audit.Entry{
			Deed: deed, Who: session.Actor{Platform: session.Host, ID: run.By}, Details: map[string]string{"source": string(src.ID), "name": src.Name},
		})
	})
	if err != nil {
		return index.Run{}, fmt.Errorf("begin a run of source %s: %w", src.ID, err)
	}
	state := row.run()
	begun := index.Run{Source: src, Settings: state.Settings, Checkpoint: state.Checkpoint, LastSuccess: state.LastSuccess, StartedAt: now, PassStartedAt: now}
	var last index.Run // with its own settings; state has those of the last successful run
	if row.resyncs(state.PassStartedAt) {
		begun.Settings, begun.Checkpoint = "", nil
		return begun, nil
	}
	if json.Unmarshal(row.LastRun, &last) == nil && !last.Succeeded && !last.PassStartedAt.IsZero() && last.Settings == clean(run.Settings) && last.Again == run.Again {
		begun.Continues, begun.PassStartedAt = true, last.PassStartedAt
		begun.Counts, begun.Failures, begun.Skipped = last.Counts, last.Failures, last.Skipped
		begun.Worked, begun.Waited, begun.Slow = last.Worked, last.Waited, last.Slow
	}
	return begun, nil
}

// Checked implements index.Store. It records that documents were found unchanged.
func (x *Index) Checked(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error {
	// Served by document's unique constraint, through the shards.
	_, err := x.db.Pool.Exec(ctx, `
		update document d set indexed_at = clock_timestamp(), chunking = $4 from index_shard s
		where s.tenant_id = $1 and d.tenant_id = $1 and d.shard = s.shard and d.source_id = $2 and d.external_id = any($3::text[])`,
		string(tenant), string(source), strs(ids), index.Chunking)
	if err != nil {
		return fmt.Errorf("note that %d documents of source %s are unchanged: %w", len(ids), source, err)
	}
	return nil
}

// Save implements index.Store. It stores the state of a run.
func (x *Index) Save(ctx context.Context, tenant access.TenantID, run index.Run) error {
	last, err := json.Marshal(cleanRun(run))
	if err != nil {
		return fmt.Errorf("save the run of source %s: %w", run.Source.ID, err)
	}
	whole := !run.FinishedAt.IsZero() && run.Succeeded
	tag, err := x.db.Pool.Exec(ctx, `
		update source set reading = not $8, checkpoint = $3, last_run = $4::jsonb, last_success = coalesce($5, last_success),
		       settings = case when $6 then $7 else settings end,
		       last_error = case when $8 then $9 else last_error end,
		       failures = case when $6 then 0 when $8 then failures + 1 else failures end
		where tenant_id = $1 and id = $2`, string(tenant), string(run.Source.ID), nonNil(run.Checkpoint), last, nullTime(run.LastSuccess),
		whole, clean(run.Settings), !run.FinishedAt.IsZero(), clean(run.Error))
	if err != nil {
		return fmt.Errorf("save the run of source %s: %w", run.Source.ID, err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("save the run of source %s: the source was removed meanwhile; index it again if that was a mistake", run.Source.ID)
	}
	return nil
}

// cleanRun removes characters from a run's texts that PostgreSQL cannot store, such as NUL in the
// name of a broken file.
func cleanRun(run index.Run) index.Run {
	run.Source.Name, run.Settings, run.Error = clean(run.Source.Name), clean(run.Settings), clean(run.Error)
	run.Failures, run.Skipped = slices.Clone(run.Failures), slices.Clone(run.Skipped)
	for _, notices := range [][]index.Notice{run.Failures, run.Skipped} {
		for i, n := range notices {
			n.Name, n.Sentence = clean(n.Name), clean(n.Sentence)
			notices[i] = n
		}
	}
	return run
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// run returns the newest run of a source. Settings, Checkpoint and LastSuccess in it are those with
// which the next run begins.
func (r sourceRow) run() index.Run {
	var run index.Run
	if err := json.Unmarshal(r.LastRun, &run); err != nil {
		run = index.Run{} // written by another release; the columns hold the important data
	}
	run.Source = document.Source{ID: document.SourceID(r.ID), Kind: document.Kind(r.Kind), Name: r.Name}
	run.Settings, run.Checkpoint, run.LastSuccess = r.Settings, r.Checkpoint, time.Time{}
	if len(r.Checkpoint) == 0 {
		run.Checkpoint = nil
	}
	if r.LastSuccess != nil {
		run.LastSuccess = r.LastSuccess.UTC()
	}
	return run
}

// SourceState is what operators see of a source: its newest run, its failures and the number of its
// documents.
type SourceState struct {
	index.Run           // the newest run; its times are zero if none was saved yet
	Failing   int       // consecutive runs that did not succeed
	PausedAt  time.Time // zero: not paused
	Documents int64     // in the index
	Chunks    int64
}

// State returns the state of the source's runs without hints of changes and requests for a full
// read, which SourceState lacks.
func (s SourceState) State() sources.State {
	return sources.State{Last: s.Run, Failing: s.Failing, PausedAt: s.PausedAt}
}

// Sources lists the sources of a tenant with their state, ordered by id.
func (x *Index) Sources(ctx context.Context, tenant access.TenantID) ([]SourceState, error) {
	// Served by document_source.
	rows, err := x.db.Pool.Query(ctx, `
		select `+sourceColumns+`, failures, coalesce(d.documents, 0), coalesce(d.chunks, 0)
		from source s
		left join (select source_id, count(*) as documents, sum(chunk_count)::bigint as chunks from document where tenant_id = $1 group by source_id) d
		  on d.source_id = s.id
		where s.tenant_id = $1 order by s.id`, string(tenant))
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	states, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (SourceState, error) {
		var r sourceRow
		var s SourceState
		err := row.Scan(r.fields(&s.Failing, &s.Documents, &s.Chunks)...)
		s.Run, s.PausedAt = r.run(), timeOf(r.PausedAt)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	return states, nil
}

// ErrNoSource means that the index does not have the source.
var ErrNoSource = errors.New("there is no such source")

// RemoveSource deletes a source with all its documents, and returns the number of deleted
// documents. A failed call may have deleted some, and can be repeated. by is the account that
// requests the removal.
func (x *Index) RemoveSource(ctx context.Context, tenant access.TenantID, source document.SourceID, by session.Actor) (int, error) {
	const step = 1000
	removed := 0
	for {
		rows, err := x.db.Pool.Query(ctx, `select external_id from document where tenant_id = $1 and source_id = $2 limit $3`,
			string(tenant), string(source), step)
		if err != nil {
			return removed, fmt.Errorf("list the documents of source %s: %w", source, err)
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[document.ID])
		if err != nil {
			return removed, fmt.Errorf("list the documents of source %s: %w", source, err)
		}
		if len(ids) == 0 {
			break
		}
		if err := x.Remove(ctx, tenant, source, ids); err != nil {
			return removed, err
		}
		removed += len(ids)
	}
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from source where tenant_id = $1 and id = $2`, string(tenant), string(source))
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fmt.Errorf("%w; \"footnote sources\" lists them", ErrNoSource)
		}
		if err := pgaccess.Remove(ctx, tx, tenant, source); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `delete from source_hint where tenant_id = $1 and source_id = $2`, string(tenant), string(source)); err != nil {
			return err
		}
		return audit.Write(ctx, tx, tenant, audit.Entry{Deed: session.SourceRemoved, Who: by, Details: map[string]string{"source": string(source)}})
	})
	if err != nil {
		return removed, fmt.Errorf("remove source %s: %w", source, err)
	}
	return removed, nil
}

// Known implements index.Store. It returns the stamps of a source's documents, or of all its
// documents if ids is nil.
func (x *Index) Known(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) (map[document.ID]index.Stamp, error) {
	// Served by document_source.
	sql, args := `select external_id, modified_at, content_hash, indexed_at, acl, chunking from document where tenant_id = $1 and source_id = $2`, []any{string(tenant), string(source)}
	if ids != nil {
		// Served by document's unique constraint, through the shards.
		sql = `select d.external_id, d.modified_at, d.content_hash, d.indexed_at, d.acl, d.chunking from index_shard s join document d on d.tenant_id = s.tenant_id and d.shard = s.shard
			where s.tenant_id = $1 and d.source_id = $2 and d.external_id = any($3::text[])`
		args = append(args, strs(ids))
	}
	rows, err := x.db.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("look up known documents of source %s: %w", source, err)
	}
	known := make(map[document.ID]index.Stamp)
	var id string
	var modified *time.Time
	var hash []byte
	var checked time.Time
	var acl []access.Principal
	var chunking int
	if _, err := pgx.ForEachRow(rows, []any{&id, &modified, &hash, &checked, &acl, &chunking}, func() error {
		s := index.Stamp{CheckedAt: checked, ACL: acl, Chunking: chunking}
		copy(s.Hash[:], hash)
		if modified != nil {
			s.UpdatedAt = modified.UTC()
		}
		known[document.ID(id)] = s
		return nil
	}); err != nil {
		return nil, fmt.Errorf("look up known documents of source %s: %w", source, err)
	}
	return known, nil
}

// sourceNumbers returns the numbers of the entries' sources, and creates sources that do not exist
// yet.
func sourceNumbers(ctx context.Context, tx pgx.Tx, tenant access.TenantID, entries []*preparedEntry) (map[document.SourceID]int32, error) {
	kinds := make(map[string]document.Kind)
	for _, p := range entries {
		kinds[string(p.Document.Source)] = p.Document.Kind
	}
	names := sortedKeys(kinds)
	batch := &pgx.Batch{}
	for _, name := range names {
		batch.Queue(`insert into source (tenant_id, id, kind, name) values ($1, $2, $3, $2) on conflict do nothing`, string(tenant), name, string(kinds[name]))
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("create sources: %w", err)
	}
	rows, err := tx.Query(ctx, `select id, number from source where tenant_id = $1 and id = any($2::text[])`, string(tenant), names)
	if err != nil {
		return nil, fmt.Errorf("look up sources: %w", err)
	}
	numbers := make(map[document.SourceID]int32)
	var id string
	var number int32
	if _, err := pgx.ForEachRow(rows, []any{&id, &number}, func() error {
		numbers[document.SourceID(id)] = number
		return nil
	}); err != nil {
		return nil, fmt.Errorf("look up sources: %w", err)
	}
	return numbers, nil
}
