package pgaccess

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/jackc/pgx/v5"
)

// Match says which chat accounts belong to a person in a document source.
type Match struct {
	Source       document.SourceID
	Person, Name string // native id, and the name in the source
	State        sources.Match
	// Accounts are the person's accounts. If State is sources.Conflicting, they are all accounts
	// that claim the person.
	Accounts []access.Account
	Why      string    // the reason for the match or for its absence
	At       time.Time // time of the match
}

type sourcePerson struct {
	source document.SourceID
	id     string
	name   string
	emails []string
	readAt time.Time
}

// Matches returns the matching accounts of each person in each document source, ordered by source
// and person. [Store.Common] uses the same rules.
func (s *Store) Matches(ctx context.Context, tenant access.TenantID, domains []string) ([]Match, error) {
	w, err := s.everybody(ctx, tenant, domains)
	if err != nil {
		return nil, fmt.Errorf("list who is who in sources: %w", err)
	}
	var all []Match
	for _, p := range w.people {
		all = append(all, w.match(p, domains))
	}
	return all, nil
}

type peopleAndAccounts struct {
	people   []sourcePerson
	accounts []access.Account
	seen     map[access.Account]time.Time
	byEmail  map[string][]access.Account
	holders  map[[2]string]int              // number of people by source and address
	linked   map[[2]string][]access.Account // by source and person
	stated   map[[2]string][]Identity       // by source and person
	denied   map[string]map[accountKey]Identity
}

type accountKey struct {
	workspace access.Workspace
	id        string
}

func keyOf(a access.Account) accountKey { return accountKey{a.Workspace, a.ID} }

func (s *Store) everybody(ctx context.Context, tenant access.TenantID, domains []string) (*peopleAndAccounts, error) {
	w := &peopleAndAccounts{
		seen: make(map[access.Account]time.Time), byEmail: make(map[string][]access.Account), holders: make(map[[2]string]int),
		linked: make(map[[2]string][]access.Account), stated: make(map[[2]string][]Identity), denied: make(map[string]map[accountKey]Identity),
	}
	rows, err := s.db.Pool.Query(ctx, `select source_id, id, name, emails, read_at from source_person where tenant_id = $1 order by source_id, name, id`, tenant)
	if err != nil {
		return nil, err
	}
	w.people, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p sourcePerson, err error) {
		err = row.Scan(&p.source, &p.id, &p.name, &p.emails, &p.readAt)
		return p, err
	})
	if err != nil {
		return nil, err
	}
	for _, p := range w.people {
		for _, e := range p.emails {
			w.holders[[2]string{string(p.source), e}]++
		}
	}
	if err := s.accounts(ctx, w); err != nil {
		return nil, err
	}
	said, err := s.Said(ctx, tenant)
	if err != nil {
		return nil, err
	}
	for _, i := range said {
		w.stated[[2]string{string(i.Source), i.Person}] = append(w.stated[[2]string{string(i.Source), i.Person}], i)
		if w.denied[string(i.Source)] == nil {
			w.denied[string(i.Source)] = make(map[accountKey]Identity)
		}
		w.denied[string(i.Source)][keyOf(i.Account)] = i
	}
	listeners := make([]access.Listener, len(w.accounts))
	for i, a := range w.accounts {
		listeners[i].Account = a
	}
	links, err := s.links(ctx, tenant, listeners, domains, true)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		key := [2]string{l.source, l.person}
		w.linked[key] = append(w.linked[key], w.accounts[l.listener])
	}
	return w, nil
}

// accounts reads the chat accounts of all platforms into w, without bots. They include accounts
// that are known only from an [Identity].
func (s *Store) accounts(ctx context.Context, w *peopleAndAccounts) error {
	rows, err := s.db.Pool.Query(ctx, `
		select platform, workspace, id, name, email, full_member, seen_at from account where not bot
		union all
		select distinct i.platform, i.workspace, i.account, '', '', false, i.created_at from identity i
		where not exists (select from account a where a.platform = i.platform and a.workspace = i.workspace and a.id = i.account)
		order by 1, 2, 3`)
	if err != nil {
		return err
	}
	var a access.Account
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&a.Platform, &a.Workspace.ID, &a.ID, &a.Name, &a.Email, &a.Full, &at}, func() error {
		w.accounts = append(w.accounts, a)
		w.seen[a] = at
		if a.Email != "" && a.Full {
			w.byEmail[a.Email] = append(w.byEmail[a.Email], a)
		}
		return nil
	})
	return err
}

// Known lists the accounts of all platforms and the people of all sources, for matching.
type Known struct {
	Accounts []access.Account                     // without apps
	People   map[document.SourceID][]index.Person // in sources that have reported any
}

// Known returns all chat accounts, and the people of all sources of a tenant.
func (s *Store) Known(ctx context.Context, tenant access.TenantID) (Known, error) {
	w, err := s.everybody(ctx, tenant, nil)
	if err != nil {
		return Known{}, fmt.Errorf("list everybody: %w", err)
	}
	k := Known{Accounts: w.accounts, People: make(map[document.SourceID][]index.Person)}
	for _, p := range w.people {
		k.People[p.source] = append(k.People[p.source], index.Person{ID: p.id, Name: p.name, Emails: p.emails})
	}
	return k, nil
}

func (w *peopleAndAccounts) match(p sourcePerson, domains []string) Match {
	key := [2]string{string(p.source), p.id}
	m := Match{Source: p.source, Person: p.id, Name: p.name, State: sources.Matched, Accounts: w.linked[key], At: p.readAt}
	if len(m.Accounts) > 0 {
		if said := w.stated[key]; len(said) > 0 {
			m.Why, m.At = "said by "+said[0].By, said[0].At
			return m
		}
		m.Why = "the address " + m.Accounts[0].Email
		if at := w.seen[m.Accounts[0]]; at.After(m.At) {
			m.At = at
		}
		return m
	}
	m.State = sources.Unmatched
	var listed []string
	for _, e := range p.emails {
		if _, domain, _ := strings.Cut(e, "@"); slices.Contains(domains, domain) {
			listed = append(listed, e)
		}
	}
	switch {
	case len(p.emails) == 0:
		m.Why = "the source vouches for no address of theirs"
	case len(listed) == 0:
		m.Why = "the domain of " + strings.Join(p.emails, ", ") + " is not listed under identity.domains"
	default:
		w.claims(&m, listed)
	}
	return m
}

// claims explains in m.Why why a person of a source is matched with no account. It also sets
// m.State and the accounts that have one of the addresses in emails.
func (w *peopleAndAccounts) claims(m *Match, emails []string) {
	m.Why = "no account of a chat platform has " + strings.Join(emails, ", ")
	for _, e := range emails {
		claim := w.byEmail[e]
		if len(claim) == 0 {
			continue
		}
		m.State, m.Accounts = sources.Conflicting, claim
		workspaces := make(map[access.Workspace]int)
		for _, a := range claim {
			workspaces[a.Workspace]++
		}
		said, spoken := w.denied[string(m.Source)][keyOf(claim[0])]
		switch {
		case w.holders[[2]string{string(m.Source), e}] > 1:
			m.Why = "several people of the source have " + e
		case slices.Max(slices.Collect(maps.Values(workspaces))) > 1:
			m.Why = "several accounts of a workspace have " + e
		case spoken && said.Person == "":
			m.State, m.Why, m.At = sources.Unmatched, "whoever has "+e+" is no one here, as said by "+said.By, said.At
		case spoken:
			m.State, m.Why, m.At = sources.Unmatched, "whoever has "+e+" is "+said.Person+", as said by "+said.By, said.At
		case len(w.stated[[2]string{string(m.Source), m.Person}]) > 0:
			m.State, m.Why = sources.Unmatched, "the operator says that the person is another account"
		default:
			m.State, m.Accounts, m.Why = sources.Unmatched, nil, "whoever has "+e+" was forgotten at their own wish"
		}
		return
	}
}

// Cover is a group in a document source, with the number of full members of chat platforms who are
// not in the group.
type Cover struct {
	Source    document.SourceID
	Principal access.Principal
	Name      string
	Misses    int // full members of chat platforms who are not known to be in it
	Of        int // number of full members
}

// CoversOf returns the groups in document sources that have the most full members of chat platforms
// as members, ordered by source. For each source it returns the groups in listed and a limited
// number of others (most).
func (s *Store) CoversOf(ctx context.Context, tenant access.TenantID, domains []string, listed []access.Principal, most int) ([]Cover, error) {
	w, err := s.everybody(ctx, tenant, domains)
	if err != nil {
		return nil, fmt.Errorf("find groups that cover everybody: %w", err)
	}
	full := 0
	for _, a := range w.accounts {
		if a.Full {
			full++
		}
	}
	members := make(map[[2]string]int) // full members who are a person of a source
	var sources, people []string
	var counts []int32
	inSource := make(map[document.SourceID]int)
	for _, p := range w.people {
		key := [2]string{string(p.source), p.id}
		for _, a := range w.linked[key] {
			if a.Full {
				members[key]++
				inSource[p.source]++
			}
		}
		if members[key] > 0 {
			sources, people, counts = append(sources, key[0]), append(people, key[1]), append(counts, int32(members[key]))
		} else if _, ok := inSource[p.source]; !ok {
			inSource[p.source] = 0
		}
	}
	var all []Cover
	for source, n := range inSource {
		all = append(all, Cover{Source: source, Principal: access.SourceAll(string(source)), Name: "everybody", Misses: full - n, Of: full})
	}
	rows, err := s.db.Pool.Query(ctx, `
		select g.source_id, g.principal, g.name, coalesce(sum(p.n), 0)::int
		from source_group g
		left join (source_member m join unnest($2::text[], $3::text[], $4::int[]) as p (source, person, n) on m.source_id = p.source and m.person = p.person)
			on m.tenant_id = g.tenant_id and m.principal = g.principal
		where g.tenant_id = $1 group by 1, 2, 3`, tenant, sources, people, counts)
	if err != nil {
		return nil, fmt.Errorf("find groups that cover everybody: %w", err)
	}
	var c Cover
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&c.Source, &c.Principal, &c.Name, &n}, func() error {
		c.Misses, c.Of = full-n, full
		all = append(all, c)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("find groups that cover everybody: %w", err)
	}
	slices.SortFunc(all, func(a, b Cover) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Misses, b.Misses), cmp.Compare(a.Principal, b.Principal))
	})
	kept := make(map[document.SourceID]int)
	return slices.DeleteFunc(all, func(c Cover) bool {
		if slices.Contains(listed, c.Principal) {
			return false
		}
		kept[c.Source]++
		return kept[c.Source] > most || c.Misses == c.Of
	}), nil
}

// Proposed returns e-mail domains by which chat accounts could be matched with people in document
// sources. The values of the map are numbers of addresses that occur both in a chat and in a
// source. The given domains are omitted.
func (s *Store) Proposed(ctx context.Context, tenant access.TenantID, domains []string) (map[string]int, error) {
	rows, err := s.db.Pool.Query(ctx, `
		select split_part(a.email, '@', 2), count(distinct a.email)
		from account a
		where a.email <> '' and a.full_member and exists (select from source_address p where p.tenant_id = $1 and p.email = a.email)
		group by 1`, tenant)
	if err != nil {
		return nil, fmt.Errorf("propose domains: %w", err)
	}
	found := make(map[string]int)
	var domain string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&domain, &n}, func() error {
		if !slices.Contains(domains, domain) {
			found[domain] = n
		}
		return nil
	})
	return found, err
}
