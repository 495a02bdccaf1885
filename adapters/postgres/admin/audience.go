package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// Audiences stores which accounts and full members a chat workspace has, and when permissions in it
// last changed. All replicas share this data. Times come from the database's clock. It is safe for
// concurrent use by any number of processes.
type Audiences struct{ db *postgres.DB }

var (
	_ access.Changes = (*Audiences)(nil)
	_ access.People  = (*Audiences)(nil)
)

// NewAudiences returns the Audiences stored in db.
func NewAudiences(db *postgres.DB) *Audiences { return &Audiences{db} }

// Version implements access.Changes.
func (a *Audiences) Version(ctx context.Context, w access.Workspace, scopes ...string) (access.Version, error) {
	// Served by the primary keys of both tables.
	const version = `
		select case when heard_at > clock_timestamp() - $4::bigint * interval '1 microsecond' then
			extract(epoch from whole_since)::text || coalesce((
				select string_agg(' ' || c.version, '' order by c.scope) from audience_change c
				where c.platform = $1 and c.workspace = $2 and c.scope = any($3)), '')
			else '' end
		from audience_workspace where platform = $1 and workspace = $2`
	var v access.Version
	err := a.db.Pool.QueryRow(ctx, version, w.Platform, w.ID, storables(append(slices.Clip(scopes), access.Everything)), access.HearingGap.Microseconds()).Scan(&v)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("find out whether who listens has changed in %s %s: %w", w.Platform, w.ID, err)
	}
	return v, nil
}

// storables returns names or ids with only the characters that the database can store. The result
// is sorted and has no duplicates, so that rows are always locked in the same order.
func storables(scopes []string) []string {
	out := make([]string, len(scopes))
	for i, s := range scopes {
		out[i] = postgres.Storable(s)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Changed implements access.Changes.
func (a *Audiences) Changed(ctx context.Context, w access.Workspace, scopes ...string) error {
	if err := audienceChanged(ctx, a.db.Pool, w, scopes...); err != nil {
		return fmt.Errorf("note that who listens has changed in %s %s: %w", w.Platform, w.ID, err)
	}
	return nil
}

func audienceChanged(ctx context.Context, q postgres.Executor, w access.Workspace, scopes ...string) error {
	_, err := q.Exec(ctx, `
		insert into audience_change (platform, workspace, scope) select $1, $2, unnest($3::text[])
		on conflict (platform, workspace, scope) do update set version = nextval('audience_version'), changed_at = clock_timestamp()`,
		w.Platform, w.ID, storables(scopes))
	return err
}

// Heard implements access.Changes.
func (a *Audiences) Heard(ctx context.Context, workspaces ...access.Workspace) error {
	platforms, ids := make([]string, len(workspaces)), make([]string, len(workspaces))
	for i, w := range workspaces {
		platforms[i], ids[i] = w.Platform, w.ID
	}
	_, err := a.db.Pool.Exec(ctx, `
		insert into audience_workspace as w (platform, workspace)
		select distinct platform, workspace from unnest($1::text[], $2::text[]) as h(platform, workspace) order by 1, 2
		on conflict (platform, workspace) do update set heard_at = clock_timestamp(),
			whole_since = case when w.heard_at > clock_timestamp() - $3::bigint * interval '1 microsecond' then w.whole_since else clock_timestamp() end`,
		platforms, ids, access.HearingGap.Microseconds())
	if err != nil {
		return fmt.Errorf("note that changes in who listens are heard of: %w", err)
	}
	return nil
}

// Known implements access.People.
func (a *Audiences) Known(ctx context.Context, w access.Workspace, people []string) (access.Roll, error) {
	roll := access.Roll{Inside: make(map[string]bool)}
	batch := new(pgx.Batch)
	batch.Queue(`
		select clock_timestamp(), coalesce((
			select case when relist_at > clock_timestamp() then listing
				else listed_at < greatest(whole_since, clock_timestamp() - $3::bigint * interval '1 microsecond') end
			from audience_workspace where platform = $1 and workspace = $2), true)`,
		w.Platform, w.ID, access.ListAge.Microseconds()).QueryRow(func(row pgx.Row) error { return row.Scan(&roll.At, &roll.Pending) })
	// Served by the primary key. A record is certain if it was confirmed, or was in a list, since
	// events have been received without a gap.
	batch.Queue(`
		select p.person, p.inside from audience_person p join audience_workspace w using (platform, workspace)
		where platform = $1 and workspace = $2 and p.person = any($3) and p.inside is not null
		  and w.heard_at > clock_timestamp() - $4::bigint * interval '1 microsecond'
		  and greatest(p.confirmed_at, w.listed_at) >= greatest(w.whole_since, clock_timestamp() - $5::bigint * interval '1 microsecond')`,
		w.Platform, w.ID, people, access.HearingGap.Microseconds(), access.ListAge.Microseconds()).Query(func(rows pgx.Rows) error {
		var id string
		var inside bool
		_, err := pgx.ForEachRow(rows, []any{&id, &inside}, func() error {
			roll.Inside[id] = inside
			return nil
		})
		return err
	})
	if err := a.db.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return access.Roll{}, fmt.Errorf("find out who is a full member of %s %s: %w", w.Platform, w.ID, err)
	}
	return roll, nil
}

// Found implements access.People.
func (a *Audiences) Found(ctx context.Context, w access.Workspace, inside map[string]bool, at time.Time) error {
	ids := make([]string, 0, len(inside))
	for id := range inside {
		ids = append(ids, id)
	}
	slices.Sort(ids) // rows are locked in this order
	are := make([]bool, len(ids))
	for i, id := range ids {
		are[i] = inside[id]
	}
	err := a.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		// Served by the primary key. An unchanged row is written only if it would soon be too old.
		const find = `
			with found as (select * from unnest($3::text[], $4::boolean[]) as f(person, inside)),
			before as (
				select p.person, p.inside from audience_person p join found using (person)
				where platform = $1 and workspace = $2 and p.confirmed_at <= $5 order by p.person for update of p),
			renewed as (
				insert into audience_person as p (platform, workspace, person, inside, confirmed_at)
				select $1, $2, person, inside, $5 from found order by person
				on conflict (platform, workspace, person) do update set inside = excluded.inside, confirmed_at = excluded.confirmed_at
				where p.confirmed_at <= excluded.confirmed_at and (p.inside is distinct from excluded.inside or not exists (
					select from audience_workspace w where w.platform = $1 and w.workspace = $2
					  and greatest(p.confirmed_at, w.listed_at) >= greatest(w.whole_since, clock_timestamp() - $6::bigint * interval '1 microsecond')))
				returning 1),
			mine as (
				update audience_workspace set relist_at = clock_timestamp() + $7::bigint * interval '1 microsecond'
				where platform = $1 and workspace = $2 and listing and cardinality($3::text[]) > 1 returning 1)
			select exists (select from before b join found f using (person) where b.inside <> f.inside), (select count(*) from renewed), (select count(*) from mine)`
		var other bool
		var renewed, mine int
		err := tx.QueryRow(ctx, find, w.Platform, w.ID, ids, are, at, (access.ListAge/2).Microseconds(), access.ListStep.Microseconds()).Scan(&other, &renewed, &mine)
		if err == nil && other {
			err = audienceChanged(ctx, tx, w, access.Everything)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("note who is a full member of %s %s: %w", w.Platform, w.ID, err)
	}
	return nil
}

// Told implements access.People.
func (a *Audiences) Told(ctx context.Context, w access.Workspace, person string, is access.Standing) error {
	err := a.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		// Served by the primary key.
		tag, err := tx.Exec(ctx, `
			insert into audience_person as p (platform, workspace, person, inside) values ($1, $2, $3, case when $4 then false end)
			on conflict (platform, workspace, person) do update set inside = excluded.inside, confirmed_at = clock_timestamp()
			where case when $4 then p.inside is distinct from false when $5 then p.inside is not true else true end`,
			w.Platform, w.ID, postgres.Storable(person), is == access.Outside, is == access.Inside)
		if err != nil {
			return err
		}
		scopes := []string{person}
		if tag.RowsAffected() > 0 {
			scopes = append(scopes, access.Everything)
		}
		return audienceChanged(ctx, tx, w, scopes...)
	})
	if err != nil {
		return fmt.Errorf("record what has become of a person in %s %s: %w", w.Platform, w.ID, err)
	}
	return nil
}

// Begin implements access.Lists.
func (a *Audiences) Begin(ctx context.Context, w access.Workspace) (at time.Time, due bool, err error) {
	// Served by the primary key. A list is due earlier after a gap, in which changes may have been
	// missed.
	err = a.db.Pool.QueryRow(ctx, `
		update audience_workspace set listing = true, relist_at = clock_timestamp() + $3::bigint * interval '1 microsecond'
		where platform = $1 and workspace = $2 and relist_at <= clock_timestamp()
		  and listed_at < greatest(whole_since, clock_timestamp() - $4::bigint * interval '1 microsecond')
		returning clock_timestamp()`, w.Platform, w.ID, access.ListStep.Microseconds(), access.ListEvery.Microseconds()).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return at, false, nil
	}
	if err != nil {
		return at, false, fmt.Errorf("begin a list of the people of %s %s: %w", w.Platform, w.ID, err)
	}
	return at, true, nil
}

// End implements access.Lists.
func (a *Audiences) End(ctx context.Context, w access.Workspace, people []string, at time.Time) error {
	err := a.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if people == nil {
			_, err := tx.Exec(ctx, `
				update audience_workspace set listing = false, relist_at = case when $3 then '-infinity' else relist_at end
				where platform = $1 and workspace = $2`, w.Platform, w.ID, at.IsZero())
			return err
		}
		if _, err := tx.Exec(ctx, `
			update audience_workspace set listing = false, relist_at = '-infinity', listed_at = greatest(listed_at, $3)
			where platform = $1 and workspace = $2`, w.Platform, w.ID, at); err != nil {
			return err
		}
		// People who were on no page become unknown, so that the platform is asked again. This
		// reads all rows of a workspace, every few minutes. "not in" uses a hash table, however
		// many rows the planner expects. (Without statistics, an anti-join would compare each
		// person with each other.)
		tag, err := tx.Exec(ctx, `
			update audience_person set inside = null, confirmed_at = clock_timestamp()
			where platform = $1 and workspace = $2 and inside and confirmed_at < $3
			  and person not in (select unnest($4::text[]))`, w.Platform, w.ID, at, people)
		if err == nil && tag.RowsAffected() > 0 {
			err = audienceChanged(ctx, tx, w, access.Everything)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("end a list of the people of %s %s: %w", w.Platform, w.ID, err)
	}
	return nil
}
