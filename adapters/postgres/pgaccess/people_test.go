package pgaccess_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// society is a source named wiki, a Slack workspace, and Discord, as tables hold them.
type society struct {
	tenant   access.TenantID
	slack    access.Workspace
	domains  []string
	accounts []access.Account
	emails   map[string][]string // of people of the source
	groups   map[string][]string // their people
	said     map[access.Account]string
	gone     []access.Account // forgotten
}

var discord = access.Workspace{Platform: "discord"}

// store puts a society into the database, where it takes the place of nothing.
func (w *society) store(ctx context.Context, db *postgres.DB) error {
	s := pgaccess.New(db)
	exec := func(sql string, args ...any) error {
		_, err := db.Pool.Exec(ctx, sql, args...)
		return err
	}
	steps := []func() error{
		func() error { return exec(`insert into tenant (id) values ($1)`, w.tenant) },
		func() error {
			return exec(`insert into source (tenant_id, id, kind, name) values ($1, 'wiki', 'files', 'wiki')`, w.tenant)
		},
		func() error {
			return exec(`insert into source_access (tenant_id, source_id, loop, until) values ($1, 'wiki', 'groups', 'infinity')`, w.tenant)
		},
	}
	var ids, names, emails []string
	var full []bool
	for _, a := range w.accounts {
		if a.Workspace == w.slack {
			ids, names, emails, full = append(ids, a.ID), append(names, a.Name), append(emails, a.Email), append(full, a.Full)
		}
	}
	steps = append(steps, func() error {
		return exec(`insert into account (platform, workspace, id, name, email, full_member, seen_at)
			select $1, $2, u.id, u.name, u.email, u.full_member, now() from unnest($3::text[], $4::text[], $5::text[], $6::boolean[]) as u (id, name, email, full_member)`,
			w.slack.Platform, w.slack.ID, ids, names, emails, full)
	})
	var people, addresses []string
	for p, of := range w.emails {
		people, addresses = append(people, p), append(addresses, strings.Join(of, " "))
	}
	steps = append(steps, func() error {
		return exec(`insert into source_person (tenant_id, source_id, id, name, emails, read_at)
			select $1, 'wiki', p.id, 'N' || p.id, coalesce(string_to_array(nullif(p.emails, ''), ' '), '{}'), now()
			from unnest($2::text[], $3::text[]) as p (id, emails)`, w.tenant, people, addresses)
	}, func() error {
		return exec(`insert into source_address (tenant_id, source_id, person, email) select tenant_id, source_id, id, unnest(emails) from source_person where tenant_id = $1`, w.tenant)
	})
	var groups, members, of []string
	for g, all := range w.groups {
		groups = append(groups, string(access.SourceGroup("wiki", "grp", g)))
		for _, p := range all {
			members, of = append(members, p), append(of, string(access.SourceGroup("wiki", "grp", g)))
		}
	}
	steps = append(steps, func() error {
		return exec(`insert into source_group (tenant_id, source_id, principal, read_at, seen_at) select $1, 'wiki', unnest($2::text[]), now(), now()`, w.tenant, groups)
	}, func() error {
		return exec(`insert into source_member (tenant_id, source_id, person, principal) select distinct $1, 'wiki', m.person, m.principal
			from unnest($2::text[], $3::text[]) as m (person, principal)`, w.tenant, members, of)
	}, func() error {
		var said []pgaccess.Identity
		for a, p := range w.said {
			said = append(said, pgaccess.Identity{Source: "wiki", Person: p, Account: a})
		}
		return s.Say(ctx, w.tenant, said, true, "op")
	})
	for _, a := range w.gone {
		steps = append(steps, func() error { _, err := s.Forget(ctx, w.tenant, a); return err })
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// person is who somebody is in the source, decided by looking at this account alone; empty: nobody.
func (w *society) person(a access.Account) string {
	if slices.Contains(w.gone, a) {
		return ""
	}
	if said, spoken := w.said[a]; spoken {
		return said
	}
	_, domain, _ := strings.Cut(a.Email, "@")
	if !a.Full || a.Email == "" || !slices.Contains(w.domains, domain) {
		return ""
	}
	for _, other := range w.accounts {
		if other != a && other.Workspace == a.Workspace && other.Email == a.Email {
			return ""
		}
	}
	var claimed []string
	for p, emails := range w.emails {
		if slices.Contains(emails, a.Email) {
			claimed = append(claimed, p)
		}
	}
	if len(claimed) != 1 {
		return ""
	}
	for other, p := range w.said {
		if other != a && other.Workspace == a.Workspace && p == claimed[0] {
			return ""
		}
	}
	return claimed[0]
}

// mayRead reports whether somebody may read what is for a principal of the source, as the source
// itself would say.
func (w *society) mayRead(a access.Account, p access.Principal) bool {
	who := w.person(a)
	if who == "" {
		return false
	}
	if _, there := w.emails[who]; p == access.SourceAll("wiki") {
		return there
	}
	if p == access.SourceGroup("wiki", access.SourcePerson, who) {
		return true
	}
	for g, members := range w.groups {
		if p == access.SourceGroup("wiki", "grp", g) {
			return slices.Contains(members, who)
		}
	}
	return false
}

var societies atomic.Int32

func drawSociety(t *rapid.T) *society {
	n := fmt.Sprint("p", societies.Add(1))
	w := &society{
		tenant: access.TenantID(n), slack: access.Workspace{Platform: "slack", ID: "T" + n}, emails: map[string][]string{}, groups: map[string][]string{},
		said: map[access.Account]string{}, domains: rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a-" + n, "b-" + n}), func(s string) string { return s }).Draw(t, "domains"),
	}
	addresses := []string{"", "one@a-" + n, "two@a-" + n, "three@a-" + n, "one@b-" + n, "one@c-" + n} // of nobody else
	people := []string{"p1", "p2", "p3", "p4"}
	for i := range 5 {
		a := access.Account{Workspace: w.slack, ID: fmt.Sprint("U", i), Full: rapid.IntRange(0, 5).Draw(t, "guest") > 0}
		if a.Full {
			a.Email = rapid.SampledFrom(addresses).Draw(t, "email")
		}
		w.accounts = append(w.accounts, a)
	}
	w.accounts = append(w.accounts, access.Account{Workspace: discord, ID: "9" + n, Full: true})
	for _, p := range people[:rapid.IntRange(0, len(people)).Draw(t, "people")] {
		w.emails[p] = rapid.SliceOfNDistinct(rapid.SampledFrom(addresses[1:]), 0, 2, func(s string) string { return s }).Draw(t, "addresses")
	}
	for _, g := range []string{"g1", "g2"} {
		w.groups[g] = rapid.SliceOfNDistinct(rapid.SampledFrom(people), 0, 4, func(s string) string { return s }).Draw(t, "members")
	}
	for _, a := range w.accounts {
		switch rapid.IntRange(0, 9).Draw(t, "operator") {
		case 0:
			w.said[a] = ""
		case 1, 2:
			w.said[a] = rapid.SampledFrom(people).Draw(t, "is")
		case 3:
			w.gone = append(w.gone, a)
		}
	}
	return w
}

// What a channel is answered from, each of those who listen there may read alone, as decided for
// every person by itself; and of what all of them may read, nothing is missing. In open places it
// is what the operator lists, and nothing while outsiders take part.
func TestAudienceIsWhatEveryListenerMayRead(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	rapid.Check(t, func(t *rapid.T) {
		w := drawSociety(t)
		if err := w.store(context.Background(), db); err != nil {
			t.Fatal(err)
		}
		covering := rapid.SliceOfNDistinct(rapid.SampledFrom([]access.Principal{access.SourceAll("wiki"), access.SourceGroup("wiki", "grp", "g1"), access.SourceGroup("wiki", "grp", "no")}),
			0, 3, func(p access.Principal) access.Principal { return p }).Draw(t, "covering")
		resolver := &access.Resolver{Grants: pgaccess.New(db), Rules: func() access.Rules { return access.Rules{Domains: w.domains, Covering: covering} }}
		all := []access.Principal{access.SourceAll("wiki")}
		for _, g := range []string{"g1", "g2"} {
			all = append(all, access.SourceGroup("wiki", "grp", g))
		}
		for _, p := range []string{"p1", "p2", "p3", "p4"} {
			all = append(all, access.SourceGroup("wiki", access.SourcePerson, p))
		}
		for range 4 {
			p := access.Presence{Tenant: w.tenant, Open: rapid.IntRange(0, 3).Draw(t, "open") == 0, Outsiders: rapid.Bool().Draw(t, "outsiders")}
			p.People = rapid.SliceOfNDistinct(rapid.SampledFrom(w.accounts), 1, 4, func(a access.Account) string { return a.ID }).Draw(t, "listeners")
			audience, err := resolver.Audience(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			for _, principal := range all {
				want := !slices.ContainsFunc(p.People, func(a access.Account) bool { return !w.mayRead(a, principal) })
				if p.Open {
					want = !p.Outsiders && slices.Contains(covering, principal)
				}
				if got := audience.MayRead(access.ACL{principal}); got != want {
					t.Fatalf("%v (open %t, outsiders %t) read what is for %s: %t, want %t", p.People, p.Open, p.Outsiders, principal, got, want)
				}
			}
		}
	})
}

// What footnote people says of everybody is what holds for each.
func TestMatchesAreWhatHolds(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	rapid.Check(t, func(t *rapid.T) {
		w := drawSociety(t)
		if err := w.store(context.Background(), db); err != nil {
			t.Fatal(err)
		}
		got, err := pgaccess.New(db).Matches(context.Background(), w.tenant, w.domains)
		if err != nil || len(got) != len(w.emails) {
			t.Fatalf("%d of %d people: %v", len(got), len(w.emails), err)
		}
		for _, m := range got {
			var want []string
			for _, a := range w.accounts {
				if w.person(a) == m.Person {
					want = append(want, a.ID)
				}
			}
			var ids []string
			for _, a := range m.Accounts {
				if m.State == sources.Matched {
					ids = append(ids, a.ID)
				}
			}
			slices.Sort(ids)
			slices.Sort(want)
			if !slices.Equal(ids, want) || m.Why == "" || (m.State == sources.Matched) != (len(want) > 0) {
				t.Fatalf("%s is %s (%q), %v, want %v", m.Person, m.State, m.Why, ids, want)
			}
		}
	})
}

func TestPeopleAreExplained(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	n := fmt.Sprint("e", societies.Add(1))
	slack := access.Workspace{Platform: "slack", ID: "T" + n}
	account := func(id, email string) access.Account {
		return access.Account{Workspace: slack, ID: id, Email: email, Full: email != ""}
	}
	ada, bob, bob2, cyd, gil := account("U1", "ada@a.org"), account("U2", "bob@a.org"), account("U3", "bob@a.org"), account("U4", "cyd@a.org"), account("U5", "gil@a.org")
	dan := access.Account{Workspace: discord, ID: "4177198" + n[1:]}
	w := &society{
		tenant: access.TenantID(n), slack: slack, domains: []string{"a.org"}, accounts: []access.Account{ada, bob, bob2, cyd, gil},
		emails: map[string][]string{"ada": {"ada@a.org"}, "bob": {"bob@a.org"}, "cyd": {"cyd@a.org"}, "dan": nil, "eve": {"eve@b.org"}, "fay": {"fay@a.org"}, "gil": {"gil@a.org"}},
		groups: map[string][]string{"few": {"ada"}, "most": {"ada", "cyd", "dan"}}, said: map[access.Account]string{dan: "dan", cyd: ""}, gone: []access.Account{gil},
	}
	if err := w.store(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	s := pgaccess.New(db)
	matches, err := s.Matches(t.Context(), w.tenant, w.domains)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, m := range matches {
		got[m.Person] = string(m.State) + ": " + m.Why
		if time.Since(m.At) > time.Hour {
			t.Errorf("%s is known since %s", m.Person, m.At)
		}
	}
	want := map[string]string{
		"ada": "matched: the address ada@a.org", "bob": "conflicting: several accounts of a workspace have bob@a.org",
		"cyd": "unmatched: whoever has cyd@a.org is no one here, as said by op", "dan": "matched: said by op",
		"eve": "unmatched: the domain of eve@b.org is not listed under identity.domains", "fay": "unmatched: no account of a chat platform has fay@a.org",
		"gil": "unmatched: whoever has gil@a.org was forgotten at their own wish",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("people (-want +got):\n%s", diff)
	}
	covers, err := s.CoversOf(t.Context(), w.tenant, w.domains, []access.Principal{access.SourceGroup("wiki", "grp", "few")}, 1)
	var shown []string
	for _, c := range covers {
		shown = append(shown, fmt.Sprintf("%s misses %d of %d", c.Principal, c.Misses, c.Of))
	}
	if diff := cmp.Diff([]string{"group:wiki:all misses 4 of 5", "group:wiki:grp:few misses 4 of 5"}, shown); diff != "" || err != nil {
		t.Errorf("covering groups %v (-want +got):\n%s", err, diff)
	}
	proposed, err := s.Proposed(t.Context(), w.tenant, nil)
	if diff := cmp.Diff(map[string]int{"a.org": 4}, proposed); diff != "" || err != nil {
		t.Errorf("domains %v (-want +got):\n%s", err, diff)
	}
	held := func() bool {
		of, err := s.Common(t.Context(), w.tenant, []access.Listener{{Account: gil}}, w.domains)
		if err != nil {
			t.Fatal(err)
		}
		return len(of) > 0
	}
	if gone, err := s.Forgotten(t.Context(), w.tenant, gil); !gone || err != nil || held() {
		t.Errorf("forgotten %t, %v; holds something %t", gone, err, held())
	}
	if was, err := s.Relink(t.Context(), w.tenant, gil); !was || err != nil || !held() {
		t.Errorf("linked again %t, %v; holds something %t", was, err, held())
	}
	if was, err := s.Forget(t.Context(), w.tenant, dan); !was || err != nil {
		t.Errorf("forgotten %t, %v", was, err)
	}
	if said, err := s.Said(t.Context(), w.tenant); len(said) != 1 || said[0].Source != document.SourceID("wiki") || said[0].Account.ID != "U4" || err != nil {
		t.Errorf("said %+v, %v", said, err)
	}
}
