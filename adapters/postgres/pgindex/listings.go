package pgindex

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

// listings implements index.Listings for one source.
type listings struct {
	index  *Index
	tenant access.TenantID
	source document.SourceID
}

// Listings implements index.Store. It returns the stored notes and lists of a source.
func (x *Index) Listings(tenant access.TenantID, source document.SourceID) index.Listings {
	return &listings{x, tenant, source}
}

// Notes implements index.Listings. It returns all notes of the source, by key.
func (l *listings) Notes(ctx context.Context) (map[string][]byte, error) {
	// Served by the primary key.
	rows, err := l.index.db.Pool.Query(ctx, `select key, value from source_note where tenant_id = $1 and source_id = $2`, string(l.tenant), string(l.source))
	if err != nil {
		return nil, l.failed("read the notes of", err)
	}
	notes := make(map[string][]byte)
	var key string
	var value []byte
	if _, err := pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		notes[key] = slices.Clone(value)
		return nil
	}); err != nil {
		return nil, l.failed("read the notes of", err)
	}
	return notes, nil
}

// Note implements index.Listings. It stores notes in one transaction and deletes those with a nil
// value.
func (l *listings) Note(ctx context.Context, notes map[string][]byte) error {
	var keys, gone []string
	var values [][]byte
	for _, key := range sortedKeys(notes) {
		if value := notes[key]; value == nil {
			gone = append(gone, key)
		} else {
			keys, values = append(keys, key), append(values, value)
		}
	}
	err := l.index.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		if len(keys) > 0 {
			b.Queue(`insert into source_note (tenant_id, source_id, key, value) select $1, $2, key, value from unnest($3::text[], $4::bytea[]) as note (key, value)
				on conflict (tenant_id, source_id, key) do update set value = excluded.value where source_note.value <> excluded.value`,
				string(l.tenant), string(l.source), keys, values)
		}
		if len(gone) > 0 {
			b.Queue(`delete from source_note where tenant_id = $1 and source_id = $2 and key = any($3)`, string(l.tenant), string(l.source), gone)
		}
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return l.failed("note what is known of", err)
	}
	return nil
}

// List implements index.Listings. It adds documents to a list, or marks them as found again. pass
// identifies the pass over the source that found them.
func (l *listings) List(ctx context.Context, list string, pass int64, met []index.Listed) error {
	met = slices.Clone(met)
	slices.SortFunc(met, func(a, b index.Listed) int { // so that two runs lock rows in the same order
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	met = slices.CompactFunc(met, func(a, b index.Listed) bool { return a.ID == b.ID })
	ids, made := make([]string, len(met)), make([]*time.Time, len(met))
	for i, m := range met {
		ids[i], made[i] = string(m.ID), nullTime(m.Made)
	}
	_, err := l.index.db.Pool.Exec(ctx, `
		insert into source_listing (tenant_id, source_id, list, id, pass, made_at)
		select $1, $2, $3, id, $4, made_at from unnest($5::text[], $6::timestamptz[]) as met (id, made_at)
		on conflict (tenant_id, source_id, list, id) do update set pass = excluded.pass, made_at = excluded.made_at where source_listing.pass < excluded.pass`,
		string(l.tenant), string(l.source), list, pass, ids, made)
	if err != nil {
		return l.failed("list documents of", err)
	}
	return nil
}

// Unlist implements index.Listings. It removes documents from a list.
func (l *listings) Unlist(ctx context.Context, list string, ids []document.ID) error {
	// Served by the primary key. A plan for "= any" would compare each row with each id.
	_, err := l.index.db.Pool.Exec(ctx, `
		delete from source_listing s using unnest($4::text[]) as gone (id) where s.tenant_id = $1 and s.source_id = $2 and s.list = $3 and s.id = gone.id`,
		string(l.tenant), string(l.source), list, strs(ids))
	if err != nil {
		return l.failed("take documents out of a list of", err)
	}
	return nil
}

// Lists implements index.Listings. It returns the names of the lists that hold each document,
// sorted.
func (l *listings) Lists(ctx context.Context, ids []document.ID) (map[document.ID][]string, error) {
	// Served by source_listing_id.
	rows, err := l.index.db.Pool.Query(ctx, `
		select s.id, s.list from unnest($3::text[]) as asked (id) join source_listing s on s.tenant_id = $1 and s.source_id = $2 and s.id = asked.id`,
		string(l.tenant), string(l.source), strs(ids))
	if err != nil {
		return nil, l.failed("ask for lists of", err)
	}
	found := make(map[document.ID][]string)
	var id, list string
	if _, err := pgx.ForEachRow(rows, []any{&id, &list}, func() error {
		found[document.ID(id)] = append(found[document.ID(id)], list)
		return nil
	}); err != nil {
		return nil, l.failed("ask for lists of", err)
	}
	for _, lists := range found {
		slices.Sort(lists)
	}
	return found, nil
}

// Missing implements index.Listings. It returns the documents of a list that were last found by a
// pass with a number below before, and the size of the whole list. If from is set, it returns only
// documents that were created between from and to.
func (l *listings) Missing(ctx context.Context, list string, before int64, from, to time.Time) ([]document.ID, int, error) {
	// Served by the primary key.
	rows, err := l.index.db.Pool.Query(ctx, `
		select id, pass < $4 and ($5::timestamptz is null or coalesce(made_at between $5 and $6, false)) from source_listing
		where tenant_id = $1 and source_id = $2 and list = $3`, string(l.tenant), string(l.source), list, before, nullTime(from), nullTime(to))
	if err != nil {
		return nil, 0, l.failed("compare a list of", err)
	}
	var missing []document.ID
	held := 0
	var id string
	var is bool
	if _, err := pgx.ForEachRow(rows, []any{&id, &is}, func() error {
		if held++; is {
			missing = append(missing, document.ID(id))
		}
		return nil
	}); err != nil {
		return nil, 0, l.failed("compare a list of", err)
	}
	slices.Sort(missing)
	return missing, held, nil
}

// Strays implements index.Listings. It returns the source's stored documents that are in no list,
// sorted.
func (l *listings) Strays(ctx context.Context) ([]document.ID, error) {
	// Served by document_source and source_listing_id.
	rows, err := l.index.db.Pool.Query(ctx, `
		select external_id from document d where tenant_id = $1 and source_id = $2
		  and not exists (select from source_listing s where s.tenant_id = $1 and s.source_id = $2 and s.id = d.external_id)`, string(l.tenant), string(l.source))
	if err != nil {
		return nil, l.failed("look for unlisted documents of", err)
	}
	strays, err := pgx.CollectRows(rows, pgx.RowTo[document.ID])
	if err != nil {
		return nil, l.failed("look for unlisted documents of", err)
	}
	slices.Sort(strays)
	return strays, nil
}

func (l *listings) failed(what string, err error) error {
	return fmt.Errorf("%s source %s: %w", what, l.source, err)
}
