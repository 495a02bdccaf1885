package pgaccess

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

// PutGroups implements index.AccessStore. It writes only the differences in a group's members, in
// one transaction. Concurrent readers see the old members until the transaction commits.
func (s *Store) PutGroups(ctx context.Context, tenant access.TenantID, run index.AccessRun, b index.GroupBatch) error {
	return s.put(ctx, tenant, run, func(tx pgx.Tx) error {
		w := groupWriter{tx: tx, tenant: tenant, run: run}
		if err := w.people(ctx, b.People); err != nil {
			return err
		}
		if err := w.groups(ctx, b.Groups); err != nil {
			return err
		}
		if err := w.unread(ctx, b.Unread); err != nil {
			return err
		}
		if b.Complete {
			if err := w.sweep(ctx); err != nil {
				return err
			}
		}
		return advance(ctx, tx, tenant, run, b.Next, b.Complete)
	})
}

type groupWriter struct {
	tx     pgx.Tx
	tenant access.TenantID
	run    index.AccessRun
}

func (w *groupWriter) people(ctx context.Context, people []index.Person) error {
	if len(people) == 0 {
		return nil
	}
	byID := make(map[string]index.Person, len(people)) // of two with the same id, the last one counts
	for _, p := range people {
		if p.ID == "" || clean(p.ID) != p.ID {
			return fmt.Errorf("the source has a person whose id %q is no text", p.ID)
		}
		byID[p.ID] = p
	}
	var ids, names, emails []string
	for _, p := range byID {
		var addresses []string
		for _, e := range p.Emails {
			if e = strings.ToLower(strings.TrimSpace(clean(e))); e != "" && !strings.ContainsAny(e, " \n") {
				addresses = append(addresses, e)
			}
		}
		slices.Sort(addresses)
		ids, names, emails = append(ids, p.ID), append(names, clean(p.Name)), append(emails, strings.Join(slices.Compact(addresses), " "))
	}
	tenant, source := string(w.tenant), string(w.run.Source)
	batch := &pgx.Batch{}
	batch.Queue(`
		insert into source_person (tenant_id, source_id, id, name, emails, read_at)
		select $1, $2, p.id, p.name, string_to_array(p.emails, ' '), $6 from unnest($3::text[], $4::text[], $5::text[]) as p (id, name, emails)
		on conflict (tenant_id, source_id, id) do update set name = excluded.name, emails = excluded.emails, read_at = excluded.read_at`,
		tenant, source, ids, names, emails, w.run.PassStartedAt)
	// Served by source_address_person and the primary key.
	batch.Queue(`
		delete from source_address a using unnest($3::text[], $4::text[]) as p (id, emails)
		where a.tenant_id = $1 and a.source_id = $2 and a.person = p.id and a.email <> all(string_to_array(p.emails, ' '))`, tenant, source, ids, emails)
	batch.Queue(`
		insert into source_address (tenant_id, source_id, person, email)
		select $1, $2, p.id, e.email from unnest($3::text[], $4::text[]) as p (id, emails) cross join unnest(string_to_array(p.emails, ' ')) as e (email)
		on conflict do nothing`, tenant, source, ids, emails)
	return w.tx.SendBatch(ctx, batch).Close()
}

type membership struct{ principal, person string }

func (w *groupWriter) groups(ctx context.Context, groups []index.Group) error {
	if len(groups) == 0 {
		return nil
	}
	names := make(map[string]string, len(groups))
	members := make(map[membership]bool)
	for _, g := range groups {
		if err := w.check(g.Principal); err != nil {
			return err
		}
		principal := string(g.Principal)
		if _, twice := names[principal]; twice {
			return fmt.Errorf("the source has two groups %s in one batch", g.Principal)
		}
		names[principal] = clean(g.Name)
		for _, person := range g.Members {
			members[membership{principal, clean(person)}] = true
		}
	}
	var principals, titles []string
	for principal, name := range names {
		principals, titles = append(principals, principal), append(titles, name)
	}
	_, err := w.tx.Exec(ctx, `
		insert into source_group (tenant_id, source_id, principal, name, read_at, seen_at)
		select $1, $2, g.principal, g.name, $5, $6 from unnest($3::text[], $4::text[]) as g (principal, name)
		on conflict (tenant_id, principal) do update set name = excluded.name, read_at = excluded.read_at, seen_at = excluded.seen_at, until = null`,
		string(w.tenant), string(w.run.Source), principals, titles, w.run.StartedAt, w.run.PassStartedAt)
	if err != nil {
		return err
	}
	return w.members(ctx, principals, members)
}

// members makes now the members of the given groups. It reads the stored members, deletes those
// that are not in now and inserts the new ones. It modifies now.
func (w *groupWriter) members(ctx context.Context, groups []string, now map[membership]bool) error {
	// Served by source_member_group.
	rows, err := w.tx.Query(ctx, `select principal, person from source_member where tenant_id = $1 and principal = any($2::text[])`, string(w.tenant), groups)
	if err != nil {
		return err
	}
	var gone [2][]string
	var m membership
	if _, err := pgx.ForEachRow(rows, []any{&m.principal, &m.person}, func() error {
		if now[m] {
			delete(now, m)
			return nil
		}
		gone[0], gone[1] = append(gone[0], m.principal), append(gone[1], m.person)
		return nil
	}); err != nil {
		return err
	}
	if len(gone[0]) > 0 { // by the primary key
		if _, err := w.tx.Exec(ctx, `
			delete from source_member m using unnest($3::text[], $4::text[]) as gone (principal, person)
			where m.tenant_id = $1 and m.source_id = $2 and m.person = gone.person and m.principal = gone.principal`,
			string(w.tenant), string(w.run.Source), gone[0], gone[1]); err != nil {
			return err
		}
	}
	added := make([]membership, 0, len(now))
	for m := range now {
		added = append(added, m)
	}
	_, err = w.tx.CopyFrom(ctx, pgx.Identifier{"source_member"}, []string{"tenant_id", "source_id", "person", "principal"},
		pgx.CopyFromSlice(len(added), func(i int) ([]any, error) {
			return []any{string(w.tenant), string(w.run.Source), added[i].person, added[i].principal}, nil
		}))
	return err
}

// check returns an error if a group does not belong to the source.
func (w *groupWriter) check(group access.Principal) error {
	own := strings.TrimSuffix(string(access.SourceAll(string(w.run.Source))), "all")
	kind, id, found := strings.Cut(strings.TrimPrefix(string(group), own), ":")
	if !strings.HasPrefix(string(group), own) || !found || id == "" || kind == access.SourcePerson || kind == access.SourceSet || clean(string(group)) != string(group) {
		return fmt.Errorf("source %s has no group %s", w.run.Source, group)
	}
	return nil
}

// unread marks groups whose members could not be read. Their stored members stay valid until
// index.GroupGrace after the last pass that read them.
func (w *groupWriter) unread(ctx context.Context, groups []access.Principal) error {
	if len(groups) == 0 {
		return nil
	}
	_, err := w.tx.Exec(ctx, `
		update source_group g set seen_at = $4, until = coalesce(g.until, greatest(g.read_at, a.succeeded_at) + make_interval(secs => $5))
		from source_access a
		where a.tenant_id = $1 and a.source_id = $2 and a.loop = 'groups' and g.tenant_id = $1 and g.source_id = $2 and g.principal = any($3::text[])`,
		string(w.tenant), string(w.run.Source), strs(groups), w.run.PassStartedAt, index.GroupGrace.Seconds())
	return err
}

// sweep deletes people and groups that a complete pass did not report.
func (w *groupWriter) sweep(ctx context.Context) error {
	args := []any{string(w.tenant), string(w.run.Source), w.run.PassStartedAt}
	batch := &pgx.Batch{}
	batch.Queue(`delete from source_person where tenant_id = $1 and source_id = $2 and read_at < $3`, args...)
	batch.Queue(`
		with gone as (delete from source_group where tenant_id = $1 and source_id = $2 and seen_at < $3 returning principal)
		delete from source_member m using gone where m.tenant_id = $1 and m.principal = gone.principal`, args...)
	return w.tx.SendBatch(ctx, batch).Close()
}
