package pgaccess

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// set is a set of clauses that somebody holds.
type set struct {
	principal, source string
	clauses           [][]string // what each needs one of
}

// heldBy returns the sets that somebody holds by what they hold otherwise, of sources that grant something at present.
func (s *Store) heldBy(ctx context.Context, tenant access.TenantID, held []string) ([]set, error) {
	// Served by the primary keys of access_set_clause and access_set, and by access_set_clause_set. Few clauses name what somebody holds.
	rows, err := s.db.Pool.Query(ctx, `
		select s.principal, s.source_id, c.clause, array_agg(c.needs)
		from (
			select principal, count(distinct clause) as met from access_set_clause
			where tenant_id = $1 and needs = any($2::text[]) group by principal
		) m
		join access_set s on s.tenant_id = $1 and s.principal = m.principal and s.clauses = m.met
		join access_set_clause c on c.tenant_id = $1 and c.principal = s.principal
		join source_access a on a.tenant_id = $1 and a.source_id = s.source_id and a.loop = 'nodes' and a.until > now()
		join source o on o.tenant_id = $1 and o.id = s.source_id and o.paused_at is null
		group by s.principal, s.source_id, c.clause
		order by s.principal, c.clause`, string(tenant), held)
	if err != nil {
		return nil, err
	}
	var sets []set
	var one set
	var clause int
	var needs []string
	_, err = pgx.ForEachRow(rows, []any{&one.principal, &one.source, &clause, &needs}, func() error {
		if n := len(sets); n == 0 || sets[n-1].principal != one.principal {
			sets = append(sets, set{principal: one.principal, source: one.source})
		}
		last := &sets[len(sets)-1]
		last.clauses = append(last.clauses, slices.Clone(needs))
		return nil
	})
	return sets, err
}

// setsOf returns the sets that each of the listeners holds, some maybe by other groups than others. held is what all of them hold of sources.
func (s *Store) setsOf(
	ctx context.Context, tenant access.TenantID, listeners []access.Listener, links []link, common []access.Held,
) ([]access.Held, error) {
	first, err := s.everything(ctx, tenant, listeners[0], links, common, len(listeners) == 1)
	if err != nil {
		return nil, err
	}
	sets, err := s.heldBy(ctx, tenant, first)
	if err != nil || len(sets) == 0 {
		return nil, err
	}
	if len(listeners) > 1 {
		if sets, err = s.met(ctx, tenant, listeners, links, sets); err != nil {
			return nil, err
		}
	}
	held := make([]access.Held, len(sets))
	for i, one := range sets {
		held[i] = access.Held{Principal: access.Principal(one.principal), From: one.from(len(listeners) == 1)}
	}
	return held, nil
}

// from says in few words what a set asks for.
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

// everything that the first listener holds, where common is what all of them hold of sources.
func (s *Store) everything(
	ctx context.Context, tenant access.TenantID, l access.Listener, links []link, common []access.Held, alone bool,
) ([]string, error) {
	held := append(strs(l.Held), string(access.Public))
	if !alone {
		var mine []link
		for _, k := range links {
			if k.listener == 0 {
				mine = append(mine, k)
			}
		}
		groups, err := s.groups(ctx, tenant, mine, 1)
		if err != nil {
			return nil, err
		}
		common = append(shared(mine, 1), groups...)
	}
	for _, h := range common {
		held = append(held, string(h.Principal))
	}
	return held, nil
}

// met returns those of the sets that all listeners hold.
func (s *Store) met(ctx context.Context, tenant access.TenantID, listeners []access.Listener, links []link, sets []set) ([]set, error) {
	var asked []string
	for _, one := range sets {
		asked = append(asked, slices.Concat(one.clauses...)...)
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	holds := make([]map[string]bool, len(listeners))
	for i, l := range listeners {
		holds[i] = map[string]bool{string(access.Public): true}
		for _, p := range l.Held {
			holds[i][string(p)] = true
		}
	}
	listening := make(map[[2]string][]int)
	var sources, persons []string
	for _, l := range links {
		holds[l.listener][string(access.SourceGroup(l.source, access.SourcePerson, l.person))] = true
		if l.known {
			holds[l.listener][string(access.SourceAll(l.source))] = true
		}
		at := [2]string{l.source, l.person}
		if listening[at] = append(listening[at], l.listener); len(listening[at]) == 1 {
			sources, persons = append(sources, l.source), append(persons, l.person)
		}
	}
	// Served by the primary keys.
	rows, err := s.db.Pool.Query(ctx, `
		select p.source, p.person, m.principal
		from unnest($2::text[], $3::text[]) as p (source, person)
		join source_member m on m.tenant_id = $1 and m.source_id = p.source and m.person = p.person and m.principal = any($4::text[])
		join source_group g on g.tenant_id = $1 and g.principal = m.principal and g.source_id = p.source and (g.until is null or g.until > now())`,
		string(tenant), sources, persons, asked)
	if err != nil {
		return nil, err
	}
	var source, person, principal string
	if _, err := pgx.ForEachRow(rows, []any{&source, &person, &principal}, func() error {
		for _, n := range listening[[2]string{source, person}] {
			holds[n][principal] = true
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(sets, func(one set) bool {
		return slices.ContainsFunc(holds, func(held map[string]bool) bool { return !one.metBy(held) })
	}), nil
}

// metBy reports whether somebody who holds something holds the set.
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
	sets, err := s.heldBy(ctx, tenant, everything)
	if err != nil {
		return nil, err
	}
	for _, one := range sets {
		granted = append(granted, access.Held{Principal: access.Principal(one.principal), From: one.from(false)})
	}
	return ordered(granted), nil
}
