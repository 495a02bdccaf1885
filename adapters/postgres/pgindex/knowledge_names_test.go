package pgindex_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// named is a page of one passage that everybody may read.
func named(id, title, text string) index.Entry {
	d := retrievetest.One(id, title, text)
	d.ACL = access.ACL{access.Public}
	return entryOf(d)
}

// What cannot be told from other words leads nowhere: titles of one letter or of stop words, those
// of ten pages, and those that stand everywhere. A page that names everything names the first 64.
func TestNamesThatSayNothing(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	entries := []index.Entry{named("letter", "x", "-"), named("stop", "How to use it", "-"), named("rare", "Foghorn manual", "-"), named("everywhere", "Lighthouse", "-")}
	for i := range knowledge.HubOwners {
		entries = append(entries, named(fmt.Sprintf("ten%d", i), "Weekly report", "-"))
	}
	for i := range knowledge.HubUses {
		entries = append(entries, named(fmt.Sprintf("use%d", i), "", "The lighthouse stands there."))
	}
	var all strings.Builder
	for i := range 2 * knowledge.MaxNames {
		entries = append(entries, named(fmt.Sprintf("many%d", i), fmt.Sprintf("Island %d of the archipelago", i), "-"))
		fmt.Fprintf(&all, "Island %d of the archipelago. ", i)
	}
	entries = append(entries, named("seed", "", "x. How to use it. Weekly report. The lighthouse. The Foghorn manual."), named("index", "", all.String()))
	if err := x.Put(t.Context(), access.DefaultTenant, entries); err != nil {
		t.Fatal(err)
	}
	if err := x.Maintain(t.Context(), access.DefaultTenant); err != nil {
		t.Fatal(err)
	}
	near := func(id string) int {
		t.Helper()
		var chunk document.ChunkID
		if err := db.Pool.QueryRow(t.Context(), `select first_chunk from document where external_id = $1`, id).Scan(&chunk); err != nil {
			t.Fatal(err)
		}
		found, err := pgknowledge.New(db).Neighbours(t.Context(), knowledge.Question{Audience: access.NewAudience(access.DefaultTenant)}, []document.ChunkID{chunk})
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if got := near("seed"); got != 1 {
		t.Errorf("the page leads to %d others, want the foghorn alone", got)
	}
	if got := near("index"); got != knowledge.MaxNames {
		t.Errorf("the page that names everything leads to %d others", got)
	}
}

// Things that are said to be one in a circle, and pages that replace one another, end nothing.
func TestCirclesEnd(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	a, b := retrievetest.One("a", "Alpha plan", "-"), retrievetest.One("b", "Beta plan", "-")
	a.Metadata, b.Metadata = map[string]string{"supersedes": "Beta plan", "author": "Ann"}, map[string]string{"supersedes": "Alpha plan", "author": "Bo, Cy"}
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(a), entryOf(b)}); err != nil {
		t.Fatal(err)
	}
	g := pgknowledge.New(db)
	for _, pair := range [][2]string{{"ann", "bo"}, {"bo", "cy"}, {"cy", "ann"}} {
		if _, err := g.Merge(t.Context(), access.DefaultTenant, pgknowledge.Same{Kind: knowledge.Person, Key: pair[0], OtherKind: knowledge.Person, OtherKey: pair[1], Reason: "a circle"}); err != nil {
			t.Fatal(err)
		}
	}
	count := func(form string) int {
		t.Helper()
		stated, err := g.Statements(t.Context(), knowledge.Question{Audience: retrievetest.Members(), Names: []string{form}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return len(stated)
	}
	replacing, err := g.Statements(t.Context(), knowledge.Question{Audience: retrievetest.Members(), Names: []string{"alpha plan"}, Limit: 100, Object: true})
	if err != nil || len(replacing) != 2 || replacing[0].Object != "Alpha plan" || replacing[1].Object != "Alpha plan" {
		t.Errorf("what is stated of the page as an object, which is who wrote it and what replaces it: %+v, error %v", replacing, err)
	}
	if people, pages := count("ann"), count("alpha plan"); people != 3 || pages != 3 {
		t.Errorf("of the people %d statements, want 3; of the page %d, want that each replaces the other, and its author", people, pages)
	}
}

// Whoever asks to be forgotten is nobody in the graph any more, by their address, also where a
// document is stored later; what others wrote, and a name without the address, stay.
func TestWhoIsForgotten(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	g := pgknowledge.New(db)
	put := func(id, author string) {
		t.Helper()
		d := retrievetest.One(id, "Page "+id, "-")
		d.Metadata = map[string]string{"author": author}
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
			t.Fatal(err)
		}
	}
	put("a", "Ann Lee <Ann@acme.example>; Bo Chen <bo@acme.example>")
	put("b", "Ann Lee")
	if _, err := g.Merge(t.Context(), access.DefaultTenant, pgknowledge.Same{Kind: knowledge.Person, Key: "ann@acme.example", OtherKind: knowledge.Person, OtherKey: "bo@acme.example", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		if was, err := g.Forget(t.Context(), access.DefaultTenant, "ANN@acme.example"); err != nil || was != want {
			t.Errorf("forgotten %d times: %v, error %v", i+1, was, err)
		}
	}
	put("c", "Ann Lee <ann@acme.example>, Bo Chen <bo@acme.example>")
	for form, want := range map[string]int{"ann acme example": 0, "ann lee": 1, "bo acme example": 2} {
		stated, err := g.Statements(t.Context(), knowledge.Question{Audience: retrievetest.Members(), Names: []string{form}, Limit: 10, Relations: []knowledge.Relation{knowledge.Authored}})
		if err != nil || len(stated) != want {
			t.Errorf("%s: %+v, want %d, error %v", form, stated, want, err)
		}
	}
	if _, err := x.Purge(t.Context(), access.DefaultTenant, time.Time{}); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := db.Pool.QueryRow(t.Context(), `select (select count(*) from entity_name where form = 'ann acme example') + (select count(*) from entity where key like 'ann@%') + (select count(*) from entity_merge)`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows are left, error %v", left, err)
	}
}

// What a document does not say any more is gone with its new version, and what it said with itself;
// names that nothing uses go with the next purge.
func TestStatementsGoWithTheirDocument(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	d := retrievetest.One("a", "Alpha plan", "OPS-12")
	d.Metadata = map[string]string{"author": "Ann Lee"}
	put := func() {
		t.Helper()
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d), named("b", "", "About the Alpha plan, by Ann Lee.")}); err != nil {
			t.Fatal(err)
		}
	}
	rows := func() (n [4]int) {
		t.Helper()
		err := db.Pool.QueryRow(t.Context(), `select (select count(*) from alias), (select count(*) from edge), (select count(*) from mention), (select count(*) from entity_name)`).Scan(&n[0], &n[1], &n[2], &n[3])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	put()
	if got := rows(); got != [4]int{3, 2, 3, 3} {
		t.Errorf("aliases, statements, mentions and names: %v", got)
	}
	d.Metadata, d.Chunks[0].Text = nil, "nothing"
	put()
	if got := rows(); got[0] != 1 || got[1] != 0 {
		t.Errorf("after a new version: %v", got)
	}
	if err := x.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"a"}); err != nil {
		t.Fatal(err)
	}
	if got := rows(); got[0] != 0 {
		t.Errorf("after the removal: %v", got)
	}
	if more, err := x.Purge(t.Context(), access.DefaultTenant, time.Time{}); err != nil || more || rows() != [4]int{} {
		t.Errorf("after a purge: %v, more %v, error %v", rows(), more, err)
	}
}

// The graph says whether any document states one of some relations, so that models read of it only
// where it helps.
func TestGraphIsEmptyOfRelations(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	g := pgknowledge.New(db)
	check := func(all, people bool) {
		t.Helper()
		for relations, want := range map[*[]knowledge.Relation]bool{{}: all, {knowledge.Authored, knowledge.Owns}: people} {
			if empty, err := g.Empty(t.Context(), access.DefaultTenant, *relations...); err != nil || empty != want {
				t.Errorf("empty of %q: %v, error %v", *relations, empty, err)
			}
		}
	}
	check(true, true)
	d := retrievetest.One("a", "Alpha plan", "-")
	for _, step := range []struct {
		metadata    map[string]string
		all, people bool
	}{{map[string]string{"project": "Alpha"}, false, true}, {map[string]string{"author": "Ann Lee"}, false, false}} {
		d.Metadata = step.metadata
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
			t.Fatal(err)
		}
		check(step.all, step.people)
	}
}
