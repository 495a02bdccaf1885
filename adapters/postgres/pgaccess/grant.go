package pgaccess

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/links.sql
var linksSQL string

// link connects a listener, who is a person in the chat channel, with a person in a document
// source.
type link struct {
	listener       int
	source, person string
	name           string // of the person, for display
	known          bool   // the source has reported the person
	stated         bool   // linked by the operator, not by an address
}

// Common implements access.Grants.
func (s *Store) Common(ctx context.Context, tenant access.TenantID, listeners []access.Listener, domains []string) ([]access.Held, error) {
	if len(listeners) == 0 {
		return nil, nil
	}
	held, err := s.common(ctx, tenant, listeners, domains)
	if err != nil {
		return nil, fmt.Errorf("ask what %d people hold of sources: %w", len(listeners), err)
	}
	return held, nil
}

func (s *Store) common(ctx context.Context, tenant access.TenantID, listeners []access.Listener, domains []string) ([]access.Held, error) {
	links, err := s.links(ctx, tenant, listeners, domains, false)
	if err != nil {
		return nil, err
	}
	alone := len(listeners) == 1
	mine, err := s.firstListenerGroups(ctx, tenant, links)
	if err != nil {
		return nil, err
	}
	held := commonPeople(links, len(listeners))
	for source, groups := range mine {
		groups, err := s.sharedGroups(ctx, tenant, source, groups, links, len(listeners))
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			held = append(held, access.Held{Principal: access.Principal(g.principal), From: g.from(alone)})
		}
	}
	sets, err := s.sets(ctx, tenant, listeners, links, mine, held)
	if err != nil {
		return nil, err
	}
	return ordered(append(held, sets...)), nil
}

// links returns which people in document sources the listeners are. It omits sources whose
// permissions are not valid now, unless all is set.
func (s *Store) links(ctx context.Context, tenant access.TenantID, listeners []access.Listener, domains []string, all bool) ([]link, error) {
	var numbers []int32
	var platforms, workspaces, accounts, emails []string
	for i, l := range listeners {
		numbers, platforms, workspaces = append(numbers, int32(i)), append(platforms, l.Account.Platform), append(workspaces, l.Account.Workspace.ID)
		accounts, emails = append(accounts, l.Account.ID), append(emails, l.Account.Address(domains))
	}
	rows, err := s.db.Pool.Query(ctx, linksSQL, string(tenant), numbers, platforms, workspaces, accounts, emails, all)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (link, error) {
		var l link
		err := row.Scan(&l.listener, &l.source, &l.person, &l.name, &l.known, &l.stated)
		return l, err
	})
}

// from returns an explanation of the link for a single listener, such as "in jira, where you are
// Ada, by your address".
func (l link) from() string {
	if l.stated {
		return fmt.Sprintf("in %s, where you are %s, as the operator says", l.source, cmp.Or(l.name, l.person))
	}
	return fmt.Sprintf("in %s, where you are %s, by your address", l.source, cmp.Or(l.name, l.person))
}

// commonPeople returns the principals that all listeners hold, except groups. Such a principal
// stands for one person in a source, or for everyone in the source. listeners is the number of
// listeners.
func commonPeople(links []link, listeners int) []access.Held {
	var held []access.Held
	all, same := make(map[string]int), make(map[[2]string]int)
	for _, l := range links {
		from := "everybody here is " + l.name + " in " + l.source
		if listeners == 1 {
			from = "yourself " + l.from()
		}
		if same[[2]string{l.source, l.person}]++; same[[2]string{l.source, l.person}] == listeners {
			held = append(held, access.Held{Principal: access.SourceGroup(l.source, access.SourcePerson, l.person), From: from})
		}
		if !l.known {
			continue
		}
		from = "everybody here is a known person in " + l.source
		if listeners == 1 {
			from = "everybody " + l.from()
		}
		if all[l.source]++; all[l.source] == listeners {
			held = append(held, access.Held{Principal: access.SourceAll(l.source), From: from})
		}
	}
	return held
}

type group struct {
	link
	principal, title string
}

func (g group) from(alone bool) string {
	title := cmp.Or(g.title, g.principal)
	if alone {
		return title + " " + g.link.from()
	}
	return "everybody here is in " + title + " in " + g.source
}

func (s *Store) firstListenerGroups(ctx context.Context, tenant access.TenantID, links []link) (map[string][]group, error) {
	mine := make(map[string][]group)
	for _, l := range links {
		if l.listener != 0 {
			continue
		}
		// The subqueries force one look-up for the person and one per group, whatever sizes the
		// planner expects.
		rows, err := s.db.Pool.Query(ctx, `
			select m.principal, g.name
			from (select principal from source_member where tenant_id = $1 and source_id = $2 and person = $3 offset 0) m
			cross join lateral (
				select name, source_id from source_group where tenant_id = $1 and principal = m.principal and (until is null or until > now()) offset 0
			) g
			where g.source_id = $2`, string(tenant), l.source, l.person)
		if err != nil {
			return nil, err
		}
		if mine[l.source], err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (group, error) {
			g := group{link: l}
			err := row.Scan(&g.principal, &g.title)
			return g, err
		}); err != nil {
			return nil, err
		}
	}
	return mine, nil
}

// sharedGroups returns the groups of a source in which all listeners are members. mine are the
// groups of the first listener.
func (s *Store) sharedGroups(ctx context.Context, tenant access.TenantID, source string, mine []group, links []link, listeners int) ([]group, error) {
	linked, first := 0, ""
	others := make(map[string]bool) // several listeners may be one person
	for _, l := range links {
		if l.source != source {
			continue
		}
		if linked++; l.listener == 0 {
			first = l.person
		}
		others[l.person] = true
	}
	if linked < listeners {
		return nil, nil
	}
	if delete(others, first); len(others) == 0 || len(mine) == 0 {
		return mine, nil
	}
	asked := make([]string, len(mine))
	for i, g := range mine {
		asked[i] = g.principal
	}
	// This does one look-up per person, by the primary key, and checks the results in a hash
	// table: "is true" keeps the planner from joining instead.
	rows, err := s.db.Pool.Query(ctx, `
		select m.principal
		from unnest($3::text[]) as p (person)
		cross join lateral (
			select principal collate "C" as principal from source_member where tenant_id = $1 and source_id = $2 and person = p.person offset 0
		) m
		where (m.principal in (select unnest($4::text[]))) is true
		group by m.principal having count(*) = cardinality($3::text[])`, string(tenant), source, slices.Collect(maps.Keys(others)), asked)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Clone(mine), func(g group) bool {
		_, found := slices.BinarySearch(all, g.principal)
		return !found
	}), nil
}

func ordered(held []access.Held) []access.Held {
	byPrincipal := make(map[access.Principal]access.Held, len(held))
	for _, h := range held {
		byPrincipal[h.Principal] = h
	}
	return slices.SortedFunc(maps.Values(byPrincipal), func(a, b access.Held) int { return cmp.Compare(a.Principal, b.Principal) })
}
