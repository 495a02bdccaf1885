package pgaccess

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// set is a stored [index.Set], a principal that is derived from others. A person holds it by
// holding at least one principal of each clause.
type set struct {
	principal, source string
	clauses           [][]string // each requires one of its principals
}

// heldBy returns the sets that belong to a reader with the principals in held. It returns only sets
// with at least the given number of clauses, and only those of sources whose permissions are valid
// now.
func (s *Store) heldBy(ctx context.Context, tenant access.TenantID, held []string, clauses int) ([]set, error) {
	// Served by the primary keys of access_set_clause and access_set, and by
	// access_set_clause_set. It does one look-up for each set of which a person holds anything,
	// whatever sizes the planner expects.
	rows, err := s.db.Pool.Query(ctx, `
		with held as materialized (
			select principal, count(distinct clause) as met from access_set_clause
			where tenant_id = $1 and needs = any($2::text[]) group by principal
		)
		select s.principal, s.source_id, c.clause, c.needs
		from held h
		cross join lateral (
			select principal, source_id from access_set where tenant_id = $1 and principal = h.principal and clauses = h.met and clauses >= $3 offset 0
		) s
		cross join lateral (
			select clause, array_agg(needs) as needs from access_set_clause where tenant_id = $1 and principal = s.principal group by clause offset 0
		) c
		where s.source_id = any(array(
			select a.source_id from source_access a join source o on o.tenant_id = a.tenant_id and o.id = a.source_id and o.paused_at is null
			where a.tenant_id = $1 and a.loop = 'nodes' and a.until > now()))`, string(tenant), held, clauses)
	if err != nil {
		return nil, err
	}
	var sets []set
	at := make(map[string]int)
	var principal, source string
	var clause int
	var needs []string
	_, err = pgx.ForEachRow(rows, []any{&principal, &source, &clause, &needs}, func() error {
		i, found := at[principal]
		if !found {
			i = len(sets)
			at[principal], sets = i, append(sets, set{principal: principal, source: source})
		}
		sets[i].clauses = append(sets[i].clauses, slices.Clone(needs))
		return nil
	})
	return sets, err
}

func (s *Store) sets(
	ctx context.Context, tenant access.TenantID, listeners []access.Listener, links []link, mine map[string][]group, common []access.Held,
) ([]access.Held, error) {
	all := map[string]bool{string(access.Public): true}
	for _, h := range common {
		all[string(h.Principal)] = true
	}
	holds := make([]map[string]bool, len(listeners))
	for i, l := range listeners {
		holds[i] = maps.Clone(all)
		for _, p := range l.Held {
			holds[i][string(p)] = true
		}
	}
	for _, l := range links {
		holds[l.listener][string(access.SourceGroup(l.source, access.SourcePerson, l.person))] = true
		if l.known {
			holds[l.listener][string(access.SourceAll(l.source))] = true
		}
	}
	for _, groups := range mine {
		for _, g := range groups {
			holds[0][g.principal] = true
		}
	}
	clauses := 1
	if len(listeners) == 1 { // access lists contain the principals of a single clause themselves
		clauses = 2
	}
	sets, err := s.heldBy(ctx, tenant, slices.Collect(maps.Keys(holds[0])), clauses)
	if err != nil || len(sets) == 0 {
		return nil, err
	}
	unmet := slices.DeleteFunc(slices.Clone(sets), func(one set) bool {
		return !slices.ContainsFunc(holds[1:], func(held map[string]bool) bool { return !one.metBy(held) })
	})
	if len(unmet) > 0 {
		if err := s.addGroups(ctx, tenant, holds, links, unmet); err != nil {
			return nil, err
		}
	}
	var held []access.Held
	for _, one := range sets {
		if !slices.ContainsFunc(holds, func(held map[string]bool) bool { return !one.metBy(held) }) {
			held = append(held, access.Held{Principal: access.Principal(one.principal), From: one.from(len(listeners) == 1)})
		}
	}
	return held, nil
}

// from returns an explanation why the listeners hold a set, such as "you meet all that jira asks
// for: group:a or group:b". alone means that there is one listener.
func (s set) from(alone bool) string {
	who := "everybody here meets"
	if alone {
		who = "you meet"
	}
	parts := make([]string, len(s.clauses))
	for i, c := range s.clauses {
		parts[i] = strings.Join(c, " or ")
		if len(c) > 3 {
			parts[i] = fmt.Sprintf("%s or %d others", strings.Join(c[:2], " or "), len(c)-2)
		}
	}
	return fmt.Sprintf("%s all that %s asks for: %s", who, s.source, strings.Join(parts, "; and "))
}

// addGroups adds the source groups of each listener to holds, whose index is the listener's. It
// adds only groups that occur in a clause of the sets.
func (s *Store) addGroups(ctx context.Context, tenant access.TenantID, holds []map[string]bool, links []link, sets []set) error {
	var asked []string
	for _, one := range sets {
		asked = append(asked, slices.Concat(one.clauses...)...)
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	listening := make(map[[2]string][]int)
	var sources, persons []string
	for _, l := range links {
		at := [2]string{l.source, l.person}
		if listening[at] = append(listening[at], l.listener); len(listening[at]) == 1 {
			sources, persons = append(sources, l.source), append(persons, l.person)
		}
	}
	// This does one look-up per person, by the primary key, and checks the results in hash tables:
	// "is true" keeps the planner from joining instead.
	rows, err := s.db.Pool.Query(ctx, `
		select p.source, p.person, m.principals
		from unnest($2::text[], $3::text[]) as p (source, person)
		cross join lateral (
			select array_agg(principal) as principals
			from (select principal from source_member where tenant_id = $1 and source_id = p.source and person = p.person offset 0) g
			where (principal in (select unnest($4::text[]))) is true
			  and principal not in (select principal from source_group where tenant_id = $1 and until <= now())
		) m
		where m.principals is not null`, string(tenant), sources, persons, asked)
	if err != nil {
		return err
	}
	var source, person string
	var principals []string
	_, err = pgx.ForEachRow(rows, []any{&source, &person, &principals}, func() error {
		for _, n := range listening[[2]string{source, person}] {
			for _, p := range principals {
				holds[n][p] = true
			}
		}
		return nil
	})
	return err
}

func (s set) metBy(held map[string]bool) bool {
	return !slices.ContainsFunc(s.clauses, func(c []string) bool { return !slices.ContainsFunc(c, func(p string) bool { return held[p] }) })
}

// Covers implements access.Grants.
func (s *Store) Covers(ctx context.Context, tenant access.TenantID, covering, held []access.Principal) ([]access.Held, error) {
	if len(covering) == 0 && len(held) == 0 {
		return nil, nil
	}
	granted, err := s.covers(ctx, tenant, covering, held)
	if err != nil {
		return nil, fmt.Errorf("ask which of %d groups cover everybody: %w", len(covering), err)
	}
	return granted, nil
}

func (s *Store) covers(ctx context.Context, tenant access.TenantID, covering, held []access.Principal) ([]access.Held, error) {
	rows, err := s.db.Pool.Query(ctx, `
		select s.id, g.principal, g.name
		from source s
		join source_access a on a.tenant_id = $1 and a.source_id = s.id and a.loop = 'groups' and a.until > now()
		left join source_group g on g.tenant_id = $1 and g.source_id = s.id and g.principal = any($2::text[]) and (g.until is null or g.until > now())
		where s.tenant_id = $1 and s.paused_at is null`, string(tenant), strs(covering))
	if err != nil {
		return nil, err
	}
	var granted []access.Held
	var source string
	var principal, name *string
	if _, err := pgx.ForEachRow(rows, []any{&source, &principal, &name}, func() error {
		if principal != nil {
			granted = append(granted, access.Held{Principal: access.Principal(*principal), From: "the operator says that " + *name + " in " + source + " covers everybody here"})
		}
		if all := access.SourceAll(source); slices.Contains(covering, all) {
			granted = append(granted, access.Held{Principal: all, From: "the operator says that " + source + " covers everybody here"})
		}
		return nil
	}); err != nil {
		return nil, err
	}
	everything := append(strs(held), string(access.Public))
	for _, h := range granted {
		everything = append(everything, string(h.Principal))
	}
	sets, err := s.heldBy(ctx, tenant, everything, 2)
	if err != nil {
		return nil, err
	}
	for _, one := range sets {
		granted = append(granted, access.Held{Principal: access.Principal(one.principal), From: one.from(false)})
	}
	return ordered(granted), nil
}
