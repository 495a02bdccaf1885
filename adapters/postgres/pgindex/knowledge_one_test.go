package pgindex_test

import (
	"fmt"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// What counts as one is found when somebody asks, by a session that cannot write: there is nothing
// that could be left half. A page of many people's names, an address that fifty have and a name of
// fifty ends the search for who is meant, and nothing is joined by it.
func TestWhoIsMeantIsFoundWithoutWriting(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	written := func(id, text, author string, acl access.Principal) index.Entry {
		d := retrievetest.One(id, "Page "+id, text)
		d.ACL, d.Metadata = access.ACL{acl}, map[string]string{"author": author}
		return entryOf(d)
	}
	entries := []index.Entry{
		written("sre", "We are Site Reliability Engineering (SRE).", "SRE team", access.Public),
		written("long", "-", "Site Reliability Engineering team", access.Public),
		written("hidden", "Sales Revenue Estimates (SRE)", "Eve Fox", "group:board"),
		written("cy", "-", "Cy Fox", access.Public), written("cy2", "-", "Cy Fox <bot@acme.example>", access.Public),
	}
	for i := range 60 {
		entries = append(entries, written(fmt.Sprintf("bot%d", i), "-", fmt.Sprintf("Person %c%c <bot@acme.example>", 'a'+i/26, 'a'+i%26), access.Public),
			written(fmt.Sprintf("many%d", i), "-", fmt.Sprintf("Sam Roe <sam%d@acme.example>", i), access.Public))
	}
	entries = append(entries, written("sam", "-", "Sam Roe", access.Public))
	if err := x.Put(t.Context(), access.DefaultTenant, entries); err != nil {
		t.Fatal(err)
	}
	only := db.Pool.Config().Copy()
	readonly, err := postgres.Open(t.Context(), postgres.Config{URL: only.ConnString(), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer readonly.Close()
	if _, err := readonly.Pool.Exec(t.Context(), `set default_transaction_read_only = on`); err != nil {
		t.Fatal(err)
	}
	g := pgknowledge.New(readonly)
	for _, c := range []struct {
		form   string
		more   access.Principal
		stated int
		one    int
	}{
		{"sre", access.Public, 2, 0}, {"site reliability engineering", access.Public, 2, 0}, // the long name and what is short for it
		{"sre", "group:board", 1, 0},               // whoever knows of two things called SRE is told of either only by its name
		{"cy fox", access.Public, 2, 0},            // of the shared address, what calls it so
		{"person ab", access.Public, 1, 0},         //
		{"bot acme example", access.Public, 61, 0}, //
		{"sam1 acme example", access.Public, 1, 0}, // and not what another Sam Roe wrote
		{"sam roe", access.Public, 61, 0},          // all of them, as two people of one name are asked for by it
		{"eve fox", access.Public, 0, 0}, {"eve fox", "group:board", 1, 0},
	} {
		q := knowledge.Question{Audience: access.NewAudience(access.DefaultTenant, access.Public, c.more), Names: []string{c.form}, Limit: 100, Relations: []knowledge.Relation{knowledge.Authored}}
		stated, err := g.Statements(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		one, err := g.One(t.Context(), q)
		if err != nil || len(stated) != c.stated || len(one) != c.one {
			t.Errorf("%s, for %s: %d statements, want %d; counts as one with %+v, error %v", c.form, c.more, len(stated), c.stated, one, err)
		}
	}
}
