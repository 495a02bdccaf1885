package pgaccess_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

const tenant = access.DefaultTenant

// fixture is a source "wiki" as the store has it.
type fixture struct {
	*testing.T
	db    *postgres.DB
	store *pgaccess.Store
	index *pgindex.Index
}

func open(t *testing.T) fixture {
	t.Helper()
	db := postgrestest.Open(t)
	x, err := pgindex.New(db, pgindex.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return fixture{t, db, pgaccess.New(db), x}
}

var wiki = document.Source{ID: "wiki", Kind: "wiki", Name: "https://wiki.example"}

func (f fixture) begin(loop index.Loop) index.AccessRun {
	f.Helper()
	run, err := f.store.BeginAccess(f.Context(), tenant, wiki, loop, false)
	if err != nil {
		f.Fatal(err)
	}
	return run
}

func (f fixture) end(run index.AccessRun, why error) {
	f.Helper()
	if err := f.store.EndAccess(f.Context(), tenant, run, why); err != nil {
		f.Fatal(err)
	}
}

// nodes is a whole pass.
func (f fixture) nodes(nodes ...index.Node) {
	f.Helper()
	run := f.begin(index.LoopNodes)
	f.put(run, index.NodeBatch{Nodes: nodes, Complete: true})
	f.end(run, nil)
}

func (f fixture) put(run index.AccessRun, b index.NodeBatch) {
	f.Helper()
	if err := f.store.PutNodes(f.Context(), tenant, run, b); err != nil {
		f.Fatal(err)
	}
}

// groups is a whole pass.
func (f fixture) groups(b index.GroupBatch) {
	f.Helper()
	run := f.begin(index.LoopGroups)
	b.Complete = true
	if err := f.store.PutGroups(f.Context(), tenant, run, b); err != nil {
		f.Fatal(err)
	}
	f.end(run, nil)
}

func (f fixture) exec(sql string, args ...any) {
	f.Helper()
	if _, err := f.db.Pool.Exec(f.Context(), sql, args...); err != nil {
		f.Fatal(err)
	}
}

// touch has searches ask again, as each of them does within a minute.
func (f fixture) touch() error {
	return f.db.InTx(f.Context(), pgx.TxOptions{}, func(tx pgx.Tx) error { return pgaccess.TouchIndex(f.Context(), tx, tenant) })
}

// documents are put below nodes of the same names.
func (f fixture) documents(nodes ...string) {
	f.Helper()
	var entries []index.Entry
	for _, n := range nodes {
		d := indextest.Document(document.ID("wiki:"+n), "common")
		d.Source, d.Kind, d.ACL = wiki.ID, wiki.Kind, access.ACL{access.Node("wiki", n)}
		d.URL = "https://wiki.example/" + n
		entries = append(entries, index.Entry{Document: d, Chunks: []document.Chunk{{Text: "common", End: 6, Tokens: 1}}, SearchText: []string{"common"}})
	}
	if err := f.index.Put(f.Context(), tenant, entries); err != nil {
		f.Fatal(err)
	}
}

// reads checks, in every way in which the index is asked, which documents somebody is shown.
func (f fixture) reads(what string, held []access.Principal, want ...string) {
	f.Helper()
	audience := access.NewAudience(tenant, held...)
	var ids []document.ID
	var addresses []string
	for _, n := range []string{"a", "b", "c", "d"} {
		ids, addresses = append(ids, document.ID("wiki:"+n)), append(addresses, "https://wiki.example/"+n)
	}
	readable, err := f.index.Readable(f.Context(), audience, ids)
	if err != nil {
		f.Fatal(err)
	}
	found, err := pgaccesstest.SearchAll(f.Context(), f.index, audience)
	if err != nil {
		f.Fatal(err)
	}
	addressed, err := f.index.Addressed(f.Context(), audience, nil, addresses)
	if err != nil {
		f.Fatal(err)
	}
	if len(readable) != len(want) || len(found) != len(want) || len(addressed) != len(want) {
		f.Errorf("%s: may read %v, finds %v, knows the addresses %v; want %v", what, readable, found, addressed, want)
	}
	for _, n := range want {
		withheld, err := f.index.Withheld(f.Context(), audience, "https://wiki.example/"+n)
		if !readable[document.ID("wiki:"+n)] || withheld || err != nil {
			f.Errorf("%s: %s is not shown (its address is withheld: %v, %v)", what, n, withheld, err)
		}
	}
	beyond, err := f.index.Beyond(f.Context(), audience, access.NewAudience(tenant))
	if err != nil || beyond != (len(want) > 0) {
		f.Errorf("%s: more than the public may read: %v, %v, want %v", what, beyond, err, len(want) > 0)
	}
}

// common is what somebody holds of sources, as principals with words.
func (f fixture) common(domains string, listeners ...access.Listener) map[access.Principal]string {
	f.Helper()
	held, err := f.store.Common(f.Context(), tenant, listeners, strings.Fields(domains))
	if err != nil {
		f.Fatal(err)
	}
	out := make(map[access.Principal]string)
	for _, h := range held {
		out[h.Principal] = h.From
	}
	return out
}

func team(id string) access.Principal { return access.SourceGroup("wiki", "team", id) }

func person(id string) access.Principal { return access.SourceGroup("wiki", access.SourcePerson, id) }

// A run that another one has followed stores nothing any more, however late its last batch is.
func TestOnlyTheNewestRunStores(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.documents("a", "b")
	older, newer := f.begin(index.LoopNodes), f.begin(index.LoopNodes)
	f.put(newer, index.NodeBatch{Nodes: []index.Node{{ID: "a", Clauses: []access.ACL{{team("few")}}}}, Complete: true})
	late := index.NodeBatch{Nodes: []index.Node{{ID: "a", Clauses: []access.ACL{{access.Members}}}, {ID: "b", Clauses: []access.ACL{{access.Members}}}}, Complete: true}
	if err := f.store.PutNodes(t.Context(), tenant, older, late); !errors.Is(err, index.ErrSuperseded) {
		t.Errorf("an older run stores: %v", err)
	}
	f.end(older, nil)
	f.reads("before the newer run ended", []access.Principal{access.Members, team("few")})
	f.end(newer, nil)
	f.reads("members", []access.Principal{access.Members})
	f.reads("few", []access.Principal{team("few")}, "a")
	if err := f.store.PutGroups(t.Context(), tenant, index.AccessRun{Source: "gone", Loop: index.LoopGroups, Number: 1}, index.GroupBatch{}); !errors.Is(err, index.ErrSuperseded) {
		t.Errorf("a run over a source that was removed stores: %v", err)
	}
}

// A pass that goes on over several runs keeps what its first runs told of, and removes what none
// did.
func TestAPassGoesOn(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.documents("a", "b", "c")
	open := func(id string) index.Node { return index.Node{ID: id, Clauses: []access.ACL{{access.Members}}} }
	f.nodes(open("a"), open("b"), open("c"))
	members := []access.Principal{access.Members}
	f.reads("at first", members, "a", "b", "c")
	first := f.begin(index.LoopNodes)
	f.put(first, index.NodeBatch{Nodes: []index.Node{open("a")}, Next: index.Checkpoint("after a")})
	f.end(first, errors.New("the wiki is down"))
	f.reads("after a failure", members, "a", "b", "c")
	second := f.begin(index.LoopNodes)
	if string(second.Since) != "after a" || !second.PassStartedAt.Equal(first.PassStartedAt) || !second.StartedAt.After(first.StartedAt) {
		t.Errorf("after %+v the next run is %+v", first, second)
	}
	f.put(second, index.NodeBatch{Nodes: []index.Node{open("b")}, Next: index.Checkpoint{}, Complete: true})
	f.end(second, nil)
	f.reads("after the pass", members, "a", "b")
	third := f.begin(index.LoopNodes)
	if third.Since != nil || !third.PassStartedAt.Equal(third.StartedAt) {
		t.Errorf("the pass after a whole one begins as %+v", third)
	}
	f.put(third, index.NodeBatch{Nodes: []index.Node{open("a")}, Next: index.Checkpoint("after a")})
	if err := f.index.ResyncSource(t.Context(), tenant, "wiki", session.Actor{}); err != nil {
		t.Fatal(err)
	}
	f.put(third, index.NodeBatch{Nodes: []index.Node{open("b")}, Next: index.Checkpoint("after b")})
	if fourth := f.begin(index.LoopNodes); fourth.Since != nil || !fourth.PassStartedAt.Equal(fourth.StartedAt) {
		t.Errorf("the pass that was asked for from the beginning begins as %+v", fourth)
	}
}

// What could not be read for too long, and what depends on it, is read by nobody; so is all of a
// source that nobody has read for too long.
func TestGrace(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.documents("a", "b", "c", "d")
	members := []access.Principal{access.Members}
	f.nodes(index.Node{ID: "a", Clauses: []access.ACL{{access.Members}}}, index.Node{ID: "b", Parent: "a", Inherit: index.Wider},
		index.Node{ID: "c", Parent: "b", Inherit: index.Narrower, Clauses: []access.ACL{{access.Members}}}, index.Node{ID: "d", Parent: "a", Clauses: []access.ACL{{access.Members}}})
	run := f.begin(index.LoopNodes)
	f.put(run, index.NodeBatch{Unread: []string{"a"}})
	f.end(run, nil)
	f.reads("within the grace of a node", members, "a", "b", "c", "d")
	f.exec(`update access_node set read_at = read_at - interval '4 hours', until = until - interval '4 hours'`)
	if err := f.touch(); err != nil {
		t.Fatal(err)
	}
	f.reads("after the grace of a node", members, "d")
	run = f.begin(index.LoopNodes)
	f.put(run, index.NodeBatch{Unread: []string{"a"}})
	f.reads("when it still cannot be read", members, "d")
	f.put(run, index.NodeBatch{Nodes: []index.Node{{ID: "a", Clauses: []access.ACL{{access.Members}}}}})
	f.end(run, nil)
	f.reads("when it was read again", members, "a", "b", "c", "d")

	f.exec(`update source_access set until = until - interval '4 hours' where loop = 'nodes'`)
	if err := f.touch(); err != nil {
		t.Fatal(err)
	}
	f.reads("after the grace of the source", members)
	f.end(f.begin(index.LoopNodes), errors.New("the wiki is down"))
	f.reads("after a run that failed", members)
	f.end(f.begin(index.LoopNodes), nil)
	f.reads("after one that did not", members, "a", "b", "c", "d")
	if err := f.index.PauseSource(t.Context(), tenant, "wiki", session.Actor{}); err != nil {
		t.Fatal(err)
	}
	f.reads("while it is paused", members)
	if err := f.index.ResumeSource(t.Context(), tenant, "wiki", session.Actor{}); err != nil {
		t.Fatal(err)
	}
	f.reads("when it is not any more", members, "a", "b", "c", "d")
}

// A source that was never read whole, or whose credential is refused, lets nobody read.
func TestHidden(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.documents("a")
	members := []access.Principal{access.Members}
	node := index.Node{ID: "a", Clauses: []access.ACL{{access.Members}}}
	run := f.begin(index.LoopNodes)
	f.put(run, index.NodeBatch{Nodes: []index.Node{node}})
	f.end(run, nil)
	f.reads("before it was read whole", members)
	f.nodes(node)
	f.groups(index.GroupBatch{People: []index.Person{{ID: "ada", Emails: []string{"ada@example.com"}}}})
	ada := listener("ada@example.com")
	f.reads("when it was", members, "a")
	if len(f.common("example.com", ada)) == 0 {
		t.Error("somebody holds nothing of it")
	}
	f.end(f.begin(index.LoopGroups), fmt.Errorf("the token is refused; make another: %w", index.ErrRevoked))
	f.reads("after its credential was refused", members)
	if held := f.common("example.com", ada); len(held) > 0 {
		t.Errorf("after its credential was refused somebody holds %v", held)
	}
	f.nodes(node)
	f.reads("when it is accepted again", members, "a")
	if held := f.common("example.com", ada); len(held) > 0 {
		t.Errorf("before the groups were read again somebody holds %v", held)
	}
}

// Nothing is left of a source that is removed.
func TestRemoveSource(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.documents("a")
	f.nodes(index.Node{ID: "a", Clauses: []access.ACL{{team("x")}, {team("y")}}})
	f.groups(index.GroupBatch{People: []index.Person{{ID: "ada"}}, Groups: []index.Group{{Principal: team("x"), Members: []string{"ada"}}}})
	f.exec(`insert into identity (tenant_id, source_id, person, platform, workspace, account, said_by) values ('default', 'wiki', 'ada', 'slack', 'T', 'U', 'me')`)
	if _, err := f.index.RemoveSource(t.Context(), tenant, "wiki", session.Actor{}); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"access_node", "access_set", "access_set_clause", "source_person", "source_group", "source_member", "source_access", "identity"} {
		var left int
		if err := f.db.Pool.QueryRow(t.Context(), `select count(*) from `+table).Scan(&left); err != nil || left > 0 {
			t.Errorf("%s has %d rows, %v", table, left, err)
		}
	}
}

// Sets that no node has any more are forgotten.
func TestSetsAreSwept(t *testing.T) {
	t.Parallel()
	f := open(t)
	count := func() (sets, clauses int) {
		if err := f.db.Pool.QueryRow(t.Context(), `select (select count(*) from access_set), (select count(*) from access_set_clause)`).Scan(&sets, &clauses); err != nil {
			t.Fatal(err)
		}
		return sets, clauses
	}
	f.nodes(index.Node{ID: "a", Clauses: []access.ACL{{team("x")}, {team("y"), access.Members}}}, index.Node{ID: "b", Clauses: []access.ACL{{team("x")}, {team("z")}}})
	if sets, clauses := count(); sets != 2 || clauses != 5 {
		t.Errorf("%d sets of %d rows", sets, clauses)
	}
	f.nodes(index.Node{ID: "a", Clauses: []access.ACL{{team("x")}, {team("y"), access.Members}}}, index.Node{ID: "b", Clauses: []access.ACL{{team("x")}}})
	if sets, clauses := count(); sets != 1 || clauses != 3 {
		t.Errorf("%d sets of %d rows are left", sets, clauses)
	}
}

// What a source may not say is refused, and nothing of it is stored.
func TestRefusedBatches(t *testing.T) {
	t.Parallel()
	f := open(t)
	run := f.begin(index.LoopGroups)
	for name, b := range map[string]index.GroupBatch{
		"a group of another source": {Groups: []index.Group{{Principal: access.SourceGroup("other", "team", "1")}}},
		"a group of a platform":     {Groups: []index.Group{{Principal: access.Group("finance")}}},
		"members":                   {Groups: []index.Group{{Principal: access.Members}}},
		"a person as a group":       {Groups: []index.Group{{Principal: person("ada")}}},
		"a set":                     {Groups: []index.Group{{Principal: access.SourceGroup("wiki", access.SourceSet, "00")}}},
		"everybody":                 {Groups: []index.Group{{Principal: access.SourceAll("wiki")}}},
		"one group twice":           {Groups: []index.Group{{Principal: team("1")}, {Principal: team("1")}}},
		"a person without an id":    {People: []index.Person{{}}},
		"a person who is no text":   {People: []index.Person{{ID: "a\x00"}}},
	} {
		if err := f.store.PutGroups(t.Context(), tenant, run, b); err == nil {
			t.Errorf("%s is stored", name)
		}
	}
	nodes := f.begin(index.LoopNodes)
	if err := f.store.PutNodes(t.Context(), tenant, nodes, index.NodeBatch{Nodes: []index.Node{{ID: "a\x00"}}}); err == nil {
		t.Error("a node whose id is no text is stored")
	}
	odd := "a\x00\xff,b\n"
	f.put(nodes, index.NodeBatch{Nodes: []index.Node{{ID: "a", Name: odd, Parent: odd, Clauses: []access.ACL{{access.Principal(odd)}}}}, Unread: []string{"unknown"}, Denied: []string{"unknown"}})
}

func listener(email string, held ...access.Principal) access.Listener {
	id, _, _ := strings.Cut(email, "@")
	return access.Listener{Held: held, Account: access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T"}, ID: "U" + id, Email: email, Full: true}}
}

// What two groups take to read differs by person, and a channel is shown what each of its listeners
// may read.
func TestCommonOfAChannel(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.nodes(index.Node{ID: "a", Clauses: []access.ACL{{team("x"), team("y")}, {access.Members}}}, index.Node{ID: "b", Clauses: []access.ACL{{team("x")}, {team("y")}}})
	f.groups(index.GroupBatch{
		People: []index.Person{{ID: "ada", Emails: []string{"Ada@Example.com"}}, {ID: "bob", Emails: []string{"bob@example.com"}}, {ID: "cyd"}},
		Groups: []index.Group{{Principal: team("x"), Members: []string{"ada", "cyd"}}, {Principal: team("y"), Members: []string{"bob"}}, {Principal: team("z"), Members: []string{"ada", "bob"}}},
	})
	kinds := func(held map[access.Principal]string) map[access.Principal]bool {
		out := make(map[access.Principal]bool)
		for p := range held {
			if strings.HasPrefix(string(p), string(access.SourceGroup("wiki", access.SourceSet, ""))) {
				p = "a set"
			}
			out[p] = true
		}
		return out
	}
	ada, bob, stranger := listener("ada@example.com", access.Members), listener("bob@example.com", access.Members), listener("eve@example.com", access.Members)
	for name, c := range map[string]struct {
		listeners []access.Listener
		want      map[access.Principal]bool
	}{
		"one":                           {[]access.Listener{ada}, map[access.Principal]bool{access.SourceAll("wiki"): true, person("ada"): true, team("x"): true, team("z"): true, "a set": true}},
		"two":                           {[]access.Listener{ada, bob}, map[access.Principal]bool{access.SourceAll("wiki"): true, team("z"): true, "a set": true}},
		"two, one of whom is no member": {[]access.Listener{ada, listener("bob@example.com")}, map[access.Principal]bool{access.SourceAll("wiki"): true, team("z"): true}},
		"with a stranger":               {[]access.Listener{ada, stranger, bob}, map[access.Principal]bool{}},
		"nobody":                        {nil, map[access.Principal]bool{}},
	} {
		if diff := cmp.Diff(c.want, kinds(f.common("example.com", c.listeners...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	f.exec(`update source_group set until = now() - interval '1 second' where principal = $1`, string(team("x")))
	if got := kinds(f.common("example.com", ada)); got[team("x")] || got["a set"] {
		t.Errorf("of a group that could not be read for too long somebody holds %v", got)
	}
	covered, err := f.store.Covers(t.Context(), tenant, []access.Principal{team("y"), team("x"), team("none"), access.SourceAll("wiki"), access.SourceAll("other"), access.Members}, []access.Principal{access.Members})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[access.Principal]string)
	for _, h := range covered {
		got[h.Principal] = h.From
	}
	if diff := cmp.Diff(map[access.Principal]bool{access.SourceAll("wiki"): true, team("y"): true, "a set": true}, kinds(got)); diff != "" {
		t.Errorf("Covers (-want +got):\n%s", diff)
	}
	f.exec(`update source_access set until = now() - interval '1 second' where loop = 'groups'`)
	if got := f.common("example.com", ada, bob); len(got) > 0 {
		t.Errorf("of groups that nobody has read for too long they hold %v", got)
	}
}

// An account is the person of a source that the operator says, else the only one whose address is
// its own.
func TestWhoIsWho(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.groups(index.GroupBatch{People: []index.Person{
		{ID: "ada", Name: "Ada", Emails: []string{"ada@example.com", "lovelace@example.org"}}, {ID: "bob", Emails: []string{"bob@example.com", "shared@example.com"}},
		{ID: "cyd", Emails: []string{"shared@example.com"}},
	}})
	account := func(email string, change func(*access.Account)) access.Listener {
		l := listener(email)
		if change != nil {
			change(&l.Account)
		}
		return l
	}
	cases := map[string]struct {
		who  access.Listener
		want access.Principal // empty: nobody
		from string
	}{
		"by an address":                         {account("ada@example.com", nil), person("ada"), "yourself in wiki, where you are Ada, by your address"},
		"by another address":                    {account("lovelace@example.org", nil), person("ada"), "yourself in wiki, where you are Ada, by your address"},
		"of a domain that is not listed":        {account("ada@example.net", nil), "", ""},
		"a guest":                               {account("ada@example.com", func(a *access.Account) { a.Full = false }), "", ""},
		"an address that two people have":       {account("shared@example.com", nil), "", ""},
		"no address":                            {account("", nil), "", ""},
		"whom the operator names":               {account("eve@example.com", func(a *access.Account) { a.ID = "Usaid" }), person("bob"), "yourself in wiki, where you are bob, as the operator says"},
		"whom the operator names another":       {account("ada@example.com", func(a *access.Account) { a.ID = "Usaid" }), person("bob"), "yourself in wiki, where you are bob, as the operator says"},
		"whose person is somebody else's":       {account("bob@example.com", nil), "", ""},
		"the same person on another platform":   {account("bob@example.com", func(a *access.Account) { a.Platform = "discord" }), person("bob"), "yourself in wiki, where you are bob, by your address"},
		"of whom the operator says nobody":      {account("ada@example.com", func(a *access.Account) { a.ID = "Unone" }), "", ""},
		"who was forgotten":                     {account("ada@example.com", func(a *access.Account) { a.ID = "Ugone" }), "", ""},
		"whose address another account has too": {account("ada@example.com", func(a *access.Account) { a.Workspace.ID = "T2" }), "", ""},
	}
	f.exec(`insert into identity (tenant_id, source_id, person, platform, workspace, account, said_by)
		values ('default', 'wiki', 'bob', 'slack', 'T', 'Usaid', 'me'), ('default', 'wiki', '', 'slack', 'T', 'Unone', 'me')`)
	f.exec(`insert into account (platform, workspace, id, email, full_member, seen_at) values ('slack', 'T2', 'Uother', 'ada@example.com', true, now())`)
	if _, err := f.store.Forget(t.Context(), tenant, account("", func(a *access.Account) { a.ID = "Ugone" }).Account); err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		want := map[access.Principal]string{}
		if c.want != "" {
			want[c.want] = c.from
			want[access.SourceAll("wiki")] = "everybody" + strings.TrimPrefix(c.from, "yourself")
		}
		if diff := cmp.Diff(want, f.common("example.com example.org", c.who)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	two := []access.Listener{account("ada@example.com", nil), account("ada@example.com", func(a *access.Account) { a.ID = "Utwin" })}
	if got := f.common("example.com", two...); len(got) > 0 {
		t.Errorf("two accounts of one address hold %v", got)
	}
}

// The loops need little time to be seen as such: a run that has just begun is not taken for one
// that succeeded.
func TestFreshnessIsThatOfThePassBeginning(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.nodes(index.Node{ID: "a"})
	var until, began time.Time
	if err := f.db.Pool.QueryRow(t.Context(), `select until, succeeded_at from source_access where loop = 'nodes'`).Scan(&until, &began); err != nil {
		t.Fatal(err)
	}
	if until.Sub(began) != index.NodeGrace {
		t.Errorf("nodes count for %s after the pass began", until.Sub(began))
	}
}
