package pgindex

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/jackc/pgx/v5"
)

// ErrNoEngine means that no search engine is configured (Config.Engine).
var ErrNoEngine = errors.New("no search engine is configured; set INDEX_URL")

// EngineState is the progress of copying the index to the search engine.
type EngineState struct {
	Serving string        // the index that answers searches; empty: PostgreSQL answers them
	Filling string        // the index that is being filled; empty: none
	Left    int64         // chunks still to be copied to Filling
	Queued  int64         // documents with pending changes for the engine
	Waited  time.Duration // age of the oldest pending change, by the database's clock
}

// EngineState returns the progress of copying the index to the search engine. It reads only the
// database.
func (x *Index) EngineState(ctx context.Context) (EngineState, error) {
	var s EngineState
	var waited float64
	err := x.db.Pool.QueryRow(ctx, `
		select coalesce((select name from search_generation where serving), ''), coalesce((select max(name) from search_generation where not serving and not leaving), ''),
		       (select coalesce(sum(chunk_count), 0) from search_entry e join search_generation g on not g.serving and not g.leaving and e.applied < g.since where not e.gone),
		       (select count(*) from search_entry where applied < version),
		       (select coalesce(extract(epoch from greatest(clock_timestamp() - min(queued_at), interval '0')), 0)::float8 from search_entry where applied < version)`).
		Scan(&s.Serving, &s.Filling, &s.Left, &s.Queued, &waited)
	if err != nil {
		return s, fmt.Errorf("ask how far the search engine is: %w", err)
	}
	s.Waited = time.Duration(waited * float64(time.Second))
	return s, nil
}

// Rebuild creates an index in the search engine and fills it from the database. The new index then
// answers searches, and the previous index is dropped. Searches and changes continue meanwhile.
//
// Rebuild resumes an unfinished rebuild unless fromScratch is set. It calls progress with the
// number of remaining chunks.
func (x *Index) Rebuild(ctx context.Context, fromScratch bool, progress func(left int64)) error {
	if x.cfg.Engine == nil {
		return ErrNoEngine
	}
	state, err := x.EngineState(ctx)
	if err != nil {
		return err
	}
	if state.Serving != "" && state.Filling == "" && !fromScratch {
		return x.dropLeaving(ctx)
	}
	if err := x.abandonLost(ctx, state.Serving, fromScratch); err != nil {
		return err
	}
	if state.Filling == "" || fromScratch {
		if err := x.beginGeneration(ctx); err != nil {
			return err
		}
	}
	tell := x.reporting(progress)
	if err := tell(ctx); err != nil {
		return err
	}
	for {
		if err := x.fill(ctx, tell); err != nil {
			return err
		}
		if _, err := x.db.Pool.Exec(ctx, noteMissingSQL, false); err != nil {
			return fmt.Errorf("note documents for the search engine: %w", err)
		}
		for more := true; more; {
			if _, more, err = x.Drive(ctx, 0, time.Now().Add(progressInterval)); err != nil {
				return err
			}
			if err := tell(ctx); err != nil {
				return err
			}
		}
		if state, err = x.EngineState(ctx); err != nil {
			return err
		}
		if state.Filling != "" {
			if err := x.cfg.Engine.Serve(ctx, state.Filling); err != nil {
				return err
			}
		}
		if done, err := x.serve(ctx); done || err != nil {
			return err
		}
	}
}

// progressInterval is the minimum interval between two progress reports of Rebuild, because each
// report counts all entries.
const progressInterval = 2 * time.Second

// reporting returns a function that calls progress at most once per progressInterval. progress may
// be nil.
func (x *Index) reporting(progress func(left int64)) func(context.Context) error {
	var last time.Time
	return func(ctx context.Context) error {
		if progress == nil || time.Since(last) < progressInterval {
			return nil
		}
		state, err := x.EngineState(ctx)
		if err != nil {
			return err
		}
		progress(state.Left)
		last = time.Now()
		return nil
	}
}

// abandonLost makes PostgreSQL answer searches again if the search engine no longer has the index
// serving. If fromScratch is set, it does so after any error of that index. It returns other
// errors.
func (x *Index) abandonLost(ctx context.Context, serving string, fromScratch bool) error {
	if err := x.cfg.Engine.Check(ctx); err != nil {
		return err
	}
	err := x.CheckEngine(ctx)
	if err == nil || !fromScratch && !errors.Is(err, engine.ErrMissing) {
		return err
	}
	_, err = x.db.Pool.Exec(ctx, `update search_generation set serving = false, leaving = true where name = $1`, serving)
	if err != nil {
		return fmt.Errorf("give index %s of the search engine up: %w", serving, err)
	}
	return nil
}

func (x *Index) beginGeneration(ctx context.Context) error {
	var number int64
	if err := x.db.Pool.QueryRow(ctx, `select nextval('search_version')`).Scan(&number); err != nil {
		return fmt.Errorf("number an index of the search engine: %w", err)
	}
	name := x.cfg.Engine.Name(number)
	if err := x.cfg.Engine.Create(ctx, name); err != nil {
		return err
	}
	// Documents stored before the commit get entries that are marked as applied. Their versions are
	// lower than the version at which this index begins, so fill copies them. After the commit,
	// writers queue their changes. Rebuild looks again for documents stored in between.
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update search_generation set leaving = true where not serving`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, noteMissingSQL, true); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `insert into search_generation (name, since) values ($1, nextval('search_version'))`, name)
		return err
	})
	if err != nil {
		return fmt.Errorf("begin index %s of the search engine: %w", name, err)
	}
	return x.dropLeaving(ctx)
}

func (x *Index) dropLeaving(ctx context.Context) error {
	rows, err := x.db.Pool.Query(ctx, `select name from search_generation where leaving`)
	if err != nil {
		return fmt.Errorf("look for indexes to be dropped: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for indexes to be dropped: %w", err)
	}
	if len(names) == 0 {
		return nil
	}
	if err := x.cfg.Engine.Drop(ctx, names...); err != nil {
		return err
	}
	if _, err := x.db.Pool.Exec(ctx, `delete from search_generation where leaving and name = any($1::text[])`, names); err != nil {
		return fmt.Errorf("note which indexes were dropped: %w", err)
	}
	return nil
}

// noteMissingSQL adds a row to search_entry for each document that has none. If $1 is true, the
// rows are marked as already written to the search engine.
const noteMissingSQL = `
	insert into search_entry (tenant_id, shard, first_chunk, chunk_count, external_id, version, applied)
	select tenant_id, shard, first_chunk, chunk_count, external_id, version, case when $1 then version else 0 end
	from (
		select d.*, nextval('search_version') as version from document d
		where chunk_count > 0 and not exists (
			select from search_entry e where e.tenant_id = d.tenant_id and e.shard = d.shard and e.first_chunk = d.first_chunk)
	) d
	on conflict do nothing`

// fill copies all chunks that are not queued to the search engine's new index, in order of their
// ids. [Index.Drive] writes the queued ones. fill calls tell after each batch.
func (x *Index) fill(ctx context.Context, tell func(context.Context) error) error {
	var after entry
	for {
		var last entry
		n := 0
		err := x.applyBatch(ctx, func(tx pgx.Tx, b *batch) error {
			if err := b.readGenerations(ctx, tx, false); err != nil || len(b.generations) == 0 {
				return err
			}
			rows, err := tx.Query(ctx, `select `+entryColumns+` from search_entry
				where (tenant_id, shard, first_chunk) > ($1, $2, $3) and applied >= version and applied < $4 and not gone
				order by tenant_id, shard, first_chunk limit $5`, string(after.tenant), after.shard, after.first, b.generations[0].since, driveChunks)
			if err != nil {
				return err
			}
			if b.entries, err = pgx.CollectRows(rows, scanEntry); err != nil || len(b.entries) == 0 {
				return err
			}
			b.limit()
			n, last = len(b.entries), b.entries[len(b.entries)-1]
			return b.read(ctx, tx)
		}, false)
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		after = last
		if err := tell(ctx); err != nil {
			return err
		}
	}
}

// serve makes the filled index answer searches and drops the previous index. If the filled index
// lacks chunks, serve changes nothing and returns done = false.
func (x *Index) serve(ctx context.Context) (done bool, err error) {
	var filled string
	err = x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		filled = ""
		err := tx.QueryRow(ctx, `
			select g.name from search_generation g
			where not g.serving and not g.leaving and not exists (select from search_entry e where e.applied < g.since and not e.gone) for update of g`).Scan(&filled)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update search_generation set serving = false, leaving = true where serving`); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update search_generation set serving = true where name = $1`, filled)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("have searches answered by the new index: %w", err)
	}
	if filled == "" { // documents arrived in the meantime, or another process has switched
		state, err := x.EngineState(ctx)
		return state.Filling == "", err
	}
	return true, x.dropLeaving(ctx)
}

// LeaveEngine makes PostgreSQL answer searches again, and drops the search engine's indexes. The
// index in PostgreSQL is always up to date.
func (x *Index) LeaveEngine(ctx context.Context) error {
	if x.cfg.Engine == nil {
		return ErrNoEngine
	}
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update search_generation set serving = false, leaving = true`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `delete from search_entry`)
		return err
	})
	if err != nil {
		return fmt.Errorf("leave the search engine: %w", err)
	}
	return x.dropLeaving(ctx)
}

// CheckEngine returns an error if the search engine does not answer or does not work with this
// program. It also returns an error if the serving index is not complete.
func (x *Index) CheckEngine(ctx context.Context) error {
	if x.cfg.Engine == nil {
		return ErrNoEngine
	}
	if err := x.cfg.Engine.Check(ctx); err != nil {
		return err
	}
	state, err := x.EngineState(ctx)
	if err != nil || state.Serving == "" {
		return err
	}
	// This query matches no chunk. It fails if a shard is missing.
	_, err = x.cfg.Engine.Search(ctx, engine.Query{Index: state.Serving})
	return err
}

// Empty reports whether no tenant has a document.
func (x *Index) Empty(ctx context.Context) (bool, error) {
	var empty bool
	if err := x.db.Pool.QueryRow(ctx, `select not exists (select from document)`).Scan(&empty); err != nil {
		return false, fmt.Errorf("ask whether anything is indexed: %w", err)
	}
	return empty, nil
}
