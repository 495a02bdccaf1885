package pgaccess_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
)

func bench(b *testing.B) (*pgaccess.Store, *pgindex.Index, *postgres.DB) {
	b.Helper()
	db := postgrestest.Connect(b, postgres.Config{URL: postgrestest.URL(b)})
	x, err := pgindex.New(db, pgindex.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return pgaccess.New(db), x, db
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// pass stores what a whole pass of a loop brings, and returns how long that took.
func pass(b *testing.B, s *pgaccess.Store, loop index.Loop, put func(index.AccessRun) error) time.Duration {
	b.Helper()
	run, err := s.BeginAccess(b.Context(), tenant, wiki, loop, false)
	must(b, err)
	began := time.Now()
	must(b, put(run))
	took := time.Since(began)
	must(b, s.EndAccess(b.Context(), tenant, run, nil))
	return took
}

// BenchmarkReshare changes who may read a node with 100,000 documents below it, and searches
// before, at once after, and again.
func BenchmarkReshare(b *testing.B) {
	const documents = 100_000
	store, x, _ := bench(b)
	for at := 0; at < documents; at += 2000 {
		entries := make([]index.Entry, 2000)
		for i := range entries {
			id := document.ID(fmt.Sprintf("wiki:%d", at+i))
			entries[i] = index.Entry{
				Document:   document.Document{Ref: document.Ref{ID: id, Source: "wiki", Kind: "wiki"}, ACL: access.ACL{access.Node("wiki", "1")}},
				Chunks:     []document.Chunk{{Text: "common", End: 6, Tokens: 1}},
				SearchText: []string{fmt.Sprintf("common word%d", (at+i)%1000)},
			}
		}
		must(b, x.Put(b.Context(), tenant, entries))
		must(b, x.Maintain(b.Context(), tenant))
	}
	audiences := []access.Audience{access.NewAudience(tenant, team("a")), access.NewAudience(tenant, team("b"))}
	search := func(who int, found bool) time.Duration {
		b.Helper()
		began := time.Now()
		r := retrieve.Request{Audience: audiences[who], Probes: []retrieve.Probe{{Text: "word7"}}, TitleRatio: 0.1, PerSide: 100}
		got, _, err := x.Find(b.Context(), r, nil)
		if err != nil || got.Allowed > 0 != found || found && len(got.Lists[0].Entries) == 0 {
			b.Fatalf("the search found %+v, %v, want some: %v", got, err, found)
		}
		return time.Since(began)
	}
	share := func(with string) time.Duration {
		return pass(b, store, index.LoopNodes, func(run index.AccessRun) error {
			return store.PutNodes(b.Context(), tenant, run, index.NodeBatch{Nodes: []index.Node{{ID: "1", Clauses: []access.ACL{{team(with)}}}}, Complete: true})
		})
	}
	share("a")
	search(0, true)
	var change, first, lost, second time.Duration
	for b.Loop() {
		change += share("b")
		first += search(1, true)
		lost += search(0, false)
		second += search(1, true)
		share("a")
		search(0, true)
	}
	for name, took := range map[string]time.Duration{"change-ms": change, "first-search-ms": first, "refused-search-ms": lost, "second-search-ms": second} {
		b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), name)
	}
}

// analyze does what the server does by itself within a minute.
func analyze(b *testing.B, db *postgres.DB) {
	b.Helper()
	_, err := db.Pool.Exec(b.Context(), `vacuum analyze`)
	must(b, err)
	db.Pool.Reset()
}

// BenchmarkManyNodes searches for the first time on behalf of people who may read 10,000 nodes by
// one group, with a document below each, and again.
func BenchmarkManyNodes(b *testing.B) {
	const nodes = 10_000
	store, x, db := bench(b)
	var batch index.NodeBatch
	for at := 0; at < nodes; at += 2000 {
		entries := make([]index.Entry, 2000)
		for i := range entries {
			id := fmt.Sprint(at + i)
			batch.Nodes = append(batch.Nodes, index.Node{ID: id, Clauses: []access.ACL{{team("all"), team(id)}}})
			entries[i] = index.Entry{
				Document:   document.Document{Ref: document.Ref{ID: document.ID("wiki:" + id), Source: "wiki", Kind: "wiki"}, ACL: access.ACL{access.Node("wiki", id)}},
				Chunks:     []document.Chunk{{Text: "common", End: 6, Tokens: 1}},
				SearchText: []string{fmt.Sprintf("common word%d", (at+i)%1000)},
			}
		}
		must(b, x.Put(b.Context(), tenant, entries))
		must(b, x.Maintain(b.Context(), tenant))
	}
	batch.Complete = true
	stored := pass(b, store, index.LoopNodes, func(run index.AccessRun) error { return store.PutNodes(b.Context(), tenant, run, batch) })
	analyze(b, db)
	var first, again time.Duration
	n := 0
	for b.Loop() {
		n++
		r := retrieve.Request{Audience: access.NewAudience(tenant, team("all"), access.Group(fmt.Sprint(n))), Probes: []retrieve.Probe{{Text: "word7"}}, TitleRatio: 0.1, PerSide: 100}
		for _, took := range []*time.Duration{&first, &again} {
			began := time.Now()
			got, _, err := x.Find(b.Context(), r, nil)
			if err != nil || got.Allowed != nodes {
				b.Fatalf("the search may find %d chunks, %v", got.Allowed, err)
			}
			*took += time.Since(began)
		}
	}
	for name, took := range map[string]time.Duration{"stored-ms": stored * time.Duration(b.N), "first-ms": first, "again-ms": again} {
		b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), name)
	}
}

// people are n people, each in so many of the groups: in half of these with everybody, in the
// others with some.
func people(n, groups, each int) (index.GroupBatch, []access.Listener) {
	var batch index.GroupBatch
	var listeners []access.Listener
	members := make([][]string, groups)
	for i := range n {
		id := fmt.Sprint(i)
		batch.People = append(batch.People, index.Person{ID: id, Emails: []string{id + "@example.com"}})
		listeners = append(listeners, listener(id+"@example.com", access.Members))
		for g := range each {
			at := g // those that everybody is in come first
			if g >= each/2 {
				at = each/2 + (i*31+g*7)%(groups-each/2)
			}
			members[at] = append(members[at], id)
		}
	}
	for g, of := range members {
		batch.Groups = append(batch.Groups, index.Group{Principal: team(fmt.Sprint(g)), Name: fmt.Sprint("Team ", g), Members: of})
	}
	return batch, listeners
}

// BenchmarkMemberships stores 100,000 memberships that are new, then the same again, then with a
// tenth changed.
func BenchmarkMemberships(b *testing.B) {
	var fresh, same, changed time.Duration
	for b.Loop() {
		store, _, _ := bench(b)
		batch, _ := people(1000, 500, 100)
		put := func() time.Duration {
			return pass(b, store, index.LoopGroups, func(run index.AccessRun) error { return store.PutGroups(b.Context(), tenant, run, withComplete(batch)) })
		}
		fresh += put()
		same += put()
		for i := range batch.Groups {
			if i%10 == 0 {
				batch.Groups[i].Members = nil
			}
		}
		changed += put()
	}
	for name, took := range map[string]time.Duration{"new-ms": fresh, "same-ms": same, "changed-ms": changed} {
		b.ReportMetric(float64(took.Milliseconds())/float64(b.N), name)
	}
}

func withComplete(b index.GroupBatch) index.GroupBatch {
	b.Complete = true
	return b
}

// BenchmarkCommon asks what one person of 300 groups holds, and what 200 people of 300 groups each
// hold together, among 100,000 memberships, where 2,000 nodes have two clauses. The first question
// of a connection is not among them.
func BenchmarkCommon(b *testing.B) {
	store, _, db := bench(b)
	batch, listeners := people(1000, 2000, 300)
	pass(b, store, index.LoopGroups, func(run index.AccessRun) error { return store.PutGroups(b.Context(), tenant, run, withComplete(batch)) })
	var nodes []index.Node
	for i := range 2000 {
		nodes = append(nodes, index.Node{ID: fmt.Sprint(i), Clauses: []access.ACL{{team(fmt.Sprint(i)), team(fmt.Sprint((i * 7) % 2000))}, {access.Members}, {team(fmt.Sprint((i * 3) % 2000)), team(fmt.Sprint((i * 5) % 150))}}})
	}
	pass(b, store, index.LoopNodes, func(run index.AccessRun) error {
		return store.PutNodes(b.Context(), tenant, run, index.NodeBatch{Nodes: nodes, Complete: true})
	})
	analyze(b, db)
	for _, n := range []int{1, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			held := 0
			for b.Loop() {
				got, err := store.Common(b.Context(), tenant, listeners[:n], []string{"example.com"})
				must(b, err)
				held = len(got)
			}
			b.ReportMetric(float64(held), "principals")
			if held < 150 {
				b.Fatalf("they hold %d principals", held)
			}
		})
	}
}
