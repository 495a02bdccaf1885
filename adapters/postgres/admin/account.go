package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

var _ access.Accounts = (*Audiences)(nil)

// Accounts implements access.Accounts.
func (a *Audiences) Accounts(ctx context.Context, w access.Workspace, ids []string) (map[string]access.Account, error) {
	// Served by the primary key.
	rows, err := a.db.Pool.Query(ctx, `
		select id, name, email, full_member, bot from account
		where platform = $1 and workspace = $2 and id = any($3) and seen_at > clock_timestamp() - $4::bigint * interval '1 microsecond'`,
		w.Platform, w.ID, storables(ids), access.ListAge.Microseconds())
	found := make(map[string]access.Account)
	if err == nil {
		one := access.Account{Workspace: w}
		_, err = pgx.ForEachRow(rows, []any{&one.ID, &one.Name, &one.Email, &one.Full, &one.Bot}, func() error {
			found[one.ID] = one
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("look up people of %s %s: %w", w.Platform, w.ID, err)
	}
	return found, nil
}

// Saw implements access.Accounts.
func (a *Audiences) Saw(ctx context.Context, w access.Workspace, people []access.Account, at time.Time) error {
	people = slices.Clone(people)
	// Rows are locked in this order.
	slices.SortFunc(people, func(a, b access.Account) int { return strings.Compare(a.ID, b.ID) })
	people = slices.CompactFunc(people, func(a, b access.Account) bool { return a.ID == b.ID })
	ids, names, emails := make([]string, len(people)), make([]string, len(people)), make([]string, len(people))
	full, bots := make([]bool, len(people)), make([]bool, len(people))
	for i, p := range people {
		ids[i], names[i], emails[i], full[i], bots[i] = postgres.Storable(p.ID), postgres.Storable(p.Name), postgres.Storable(p.Email), p.Full, p.Bot
	}
	// Served by the primary key. An unchanged row is written only if it would soon be too old.
	_, err := a.db.Pool.Exec(ctx, `
		insert into account as a (platform, workspace, id, name, email, full_member, bot, seen_at)
		select $1, $2, s.id, s.name, s.email, s.full_member, s.bot, $8
		from unnest($3::text[], $4::text[], $5::text[], $6::boolean[], $7::boolean[]) as s(id, name, email, full_member, bot) order by s.id
		on conflict (platform, workspace, id) do update
			set name = excluded.name, email = excluded.email, full_member = excluded.full_member, bot = excluded.bot, seen_at = excluded.seen_at
			where a.seen_at <= excluded.seen_at and (
				(a.name, a.email, a.full_member, a.bot) <> (excluded.name, excluded.email, excluded.full_member, excluded.bot)
				or a.seen_at < excluded.seen_at - $9::bigint * interval '1 microsecond')`,
		w.Platform, w.ID, ids, names, emails, full, bots, at, (access.ListAge / 2).Microseconds())
	if err != nil {
		return fmt.Errorf("note people of %s %s: %w", w.Platform, w.ID, err)
	}
	return nil
}

// Listed implements access.Accounts.
func (a *Audiences) Listed(ctx context.Context, w access.Workspace, people []string, at time.Time) error {
	// This reads all rows of a workspace, every few minutes. "not in" uses a hash table, however
	// many rows the planner expects.
	_, err := a.db.Pool.Exec(ctx, `
		update account set email = '', full_member = false, seen_at = $3
		where platform = $1 and workspace = $2 and seen_at < $3 and (email <> '' or full_member)
		  and id not in (select unnest($4::text[]))`, w.Platform, w.ID, at, storables(people))
	if err != nil {
		return fmt.Errorf("note who has left %s %s: %w", w.Platform, w.ID, err)
	}
	return nil
}
