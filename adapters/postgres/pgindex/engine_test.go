package pgindex_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/footnotehq/footnote/core/retrieve/engine/enginetest"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// openEngine returns an index that a search engine in memory serves. With a real one,
// bots/enginetest does the same.
func openEngine(t *testing.T) (*pgindex.Index, *enginetest.Memory) {
	t.Helper()
	e := enginetest.New()
	x, _ := openIndex(t, pgindex.Config{Engine: e})
	if err := x.Rebuild(t.Context(), false, nil); err != nil {
		t.Fatal(err)
	}
	return x, e
}

func put(t *testing.T, x *pgindex.Index, docs ...retrievetest.Document) error {
	t.Helper()
	entries := make([]index.Entry, len(docs))
	for i, d := range docs {
		entries[i] = entryOf(d)
	}
	return x.Put(t.Context(), access.DefaultTenant, entries)
}

func found(t *testing.T, x *pgindex.Index, question string, want ...document.ID) {
	t.Helper()
	if diff := cmp.Diff(append([]document.ID{}, want...), retrievetest.Found(t, x, retrievetest.Ask(question))); diff != "" {
		t.Errorf("%q finds (-want +got):\n%s", question, diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestEngineSuites(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{Engine: enginetest.New()})
	must(t, x.Rebuild(t.Context(), false, nil))
	var tenants atomic.Int32
	retrievetest.Suite(t, func(t *testing.T) retrievetest.Store {
		s := &indexStore{x, access.TenantID(fmt.Sprintf("t%d-", tenants.Add(1))), false, 1}
		createTenant(t, db, s.prefix+access.DefaultTenant)
		createTenant(t, db, s.prefix+retrievetest.OtherTenant)
		return s
	})
	t.Run("no search crosses an access list", func(t *testing.T) {
		t.Parallel()
		indextest.NeverCrosses(t, x, x, func(tenant access.TenantID) { createTenant(t, db, tenant) })
	})
}

// The step along names is a query in PostgreSQL whoever makes the scores: it starts from what the
// engine finds, and leads to what the readers may read.
func TestAStepFromWhatAnEngineFinds(t *testing.T) {
	t.Parallel()
	e := enginetest.New()
	x, db := openIndex(t, pgindex.Config{Engine: e})
	must(t, x.Rebuild(t.Context(), false, nil))
	hidden := retrievetest.One("hidden", "Harbour rules", "Founded in 1862.")
	hidden.ACL = access.ACL{"group:board"}
	must(t, put(t, x, retrievetest.One("lamp", "Lamp", "The keeper follows the Foghorn manual and the Harbour rules."), retrievetest.One("manual", "Foghorn manual", "Founded in 1862."), hidden))
	must(t, x.Maintain(t.Context(), access.DefaultTenant))
	hybrid, err := retrieve.NewHybrid(x, nil, retrieve.DefaultConfig())
	must(t, err)
	result, err := hybrid.WithNeighbours(pgknowledge.New(db)).Search(t.Context(), retrieve.Search{Audience: retrievetest.Members(), Queries: []retrieve.Query{{Text: "what does the keeper follow"}}})
	must(t, err)
	var got []document.ID
	for _, h := range result.Hits {
		got = append(got, h.Document.ID)
	}
	if diff := cmp.Diff([]document.ID{"lamp", "manual"}, got); diff != "" || result.Trace.Timings["engine"] == 0 || result.Hits[1].Scores.Knowledge == 0 {
		t.Errorf("(-want +got):\n%s\n%v", diff, result.Trace.Timings)
	}
}

// Whatever an engine that is late still has, nobody sees it.
func TestALateEngineHidesAndNeverReveals(t *testing.T) {
	t.Parallel()
	x, e := openEngine(t)
	must(t, put(t, x, retrievetest.One("a", "", "quarterly plan"), retrievetest.One("b", "", "quarterly plan"), retrievetest.One("c", "", "quarterly plan")))
	found(t, x, "plan", "a", "b", "c")
	e.Late(true)
	must(t, x.SetACL(t.Context(), access.DefaultTenant, "docs", accessOf(access.ACL{"group:board"}, "a")))
	must(t, x.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"b"}))
	must(t, put(t, x, retrievetest.One("c", "", "another subject"), retrievetest.One("d", "", "quarterly plan")))
	found(t, x, "plan")
	r := retrievetest.Ask("plan")
	r.Audience = access.NewAudience(access.DefaultTenant, "group:board")
	if got := retrievetest.Found(t, x, r); len(got) != 0 {
		t.Errorf("the board finds %v before the engine knows", got)
	}
	e.Late(false)
	found(t, x, "plan", "d")
	if got := retrievetest.Found(t, x, r); !cmp.Equal(got, []document.ID{"a"}) {
		t.Errorf("the board finds %v", got)
	}
}

// While the engine is away searches say so, what is written is kept, and all of it is found when
// the engine is back.
func TestTheEngineIsAway(t *testing.T) {
	t.Parallel()
	x, e := openEngine(t)
	must(t, put(t, x, retrievetest.One("a", "", "alpha one"), retrievetest.One("b", "", "alpha two")))
	e.Down(engine.ErrDown)
	if _, _, err := x.Find(t.Context(), retrievetest.Ask("alpha"), nil); !errors.Is(err, engine.ErrDown) {
		t.Errorf("a search says %v", err)
	}
	for what, err := range map[string]error{
		"put":    put(t, x, retrievetest.One("c", "", "alpha three")),
		"again":  put(t, x, retrievetest.One("c", "", "alpha four")),
		"remove": x.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"a"}),
		"acl":    x.SetACL(t.Context(), access.DefaultTenant, "docs", accessOf(access.ACL{"group:few"}, "b")),
	} {
		if !errors.Is(err, engine.ErrDown) {
			t.Errorf("%s: %v", what, err)
		}
	}
	state, err := x.EngineState(t.Context())
	if err != nil || state.Queued != 4 || state.Waited <= 0 { // a and b, and both versions of c
		t.Errorf("%+v, %v", state, err)
	}
	e.Down(nil)
	if n, _, err := x.Drive(t.Context(), time.Hour, time.Time{}); n != 0 || err != nil {
		t.Errorf("%d that wait for less than an hour were brought, %v", n, err)
	}
	if n, _, err := x.Drive(t.Context(), 0, time.Time{}); n != 4 || err != nil {
		t.Errorf("%d were brought, %v", n, err)
	}
	found(t, x, "alpha", "c")
	if state, err := x.EngineState(t.Context()); err != nil || state.Queued != 0 {
		t.Errorf("%+v, %v", state, err)
	}
}

// measured notes how much it was told at once.
type measured struct {
	*enginetest.Memory
	most int
}

func (m *measured) Apply(ctx context.Context, index string, changes []engine.Change, visible bool) error {
	m.most = max(m.most, len(changes))
	return m.Memory.Apply(ctx, index, changes, visible)
}

// However much waits, it is brought in portions, and said to wait; also what a server with another
// clock has queued.
func TestMuchWaitsForTheEngine(t *testing.T) {
	t.Parallel()
	const many = 9000
	e := &measured{Memory: enginetest.New()}
	x, db := openIndex(t, pgindex.Config{Engine: e})
	must(t, x.Rebuild(t.Context(), false, nil))
	_, err := db.Pool.Exec(t.Context(), `
		insert into search_entry (tenant_id, shard, first_chunk, chunk_count, external_id, gone, queued_at)
		select $1, 0, 2 * i, 2, 'd' || i, true, now() + case when i % 3 = 0 then 1 else -1 end * interval '1 hour' from generate_series(1, $2::int) i`,
		string(access.DefaultTenant), many)
	must(t, err)
	if state, err := x.EngineState(t.Context()); err != nil || state.Queued != many || state.Waited < time.Hour || state.Waited > 2*time.Hour {
		t.Errorf("%+v, %v", state, err)
	}
	if n, more, err := x.Drive(t.Context(), time.Minute, time.Now().Add(-time.Second)); n != 0 || !more || err != nil {
		t.Errorf("without time %d were brought, %v, %v", n, more, err)
	}
	if n, _, err := x.Drive(t.Context(), time.Minute, time.Time{}); n != many || e.Applied() != 2*many || err != nil {
		t.Errorf("%d were brought with %d changes, %v", n, e.Applied(), err)
	}
	if e.most > 2000 {
		t.Errorf("%d changes were brought at once", e.most)
	}
	if state, err := x.EngineState(t.Context()); err != nil || state.Queued != 0 || state.Waited != 0 {
		t.Errorf("afterwards: %+v, %v", state, err)
	}
}

// What was indexed before the engine came is found by it afterwards, and the other way round;
// searches find the same all the time.
func TestMoveThereAndBack(t *testing.T) {
	t.Parallel()
	e := enginetest.New()
	x, db := openIndex(t, pgindex.Config{Engine: e})
	plain, err := pgindex.New(db, pgindex.Config{}) // a process that knows of no engine
	must(t, err)
	a := retrievetest.One("a", "", "alpha one")
	a.Vectors, a.Model = [][]float32{{1, 0}}, "m"
	must(t, put(t, plain, a, retrievetest.One("b", "", "alpha two"), retrievetest.One("empty", "")))
	if state, err := x.EngineState(t.Context()); err != nil || state != (pgindex.EngineState{}) {
		t.Errorf("before anything moved: %+v, %v", state, err)
	}
	found(t, x, "alpha", "a", "b")
	asked := false
	must(t, x.Rebuild(t.Context(), false, func(int64) {
		asked = true
		found(t, x, "alpha", "a", "b")
	}))
	if !asked {
		t.Error("nobody was told how far it is")
	}
	if diff := cmp.Diff([]int{2}, values(e.Indexes())); diff != "" {
		t.Errorf("the engine has %v", e.Indexes())
	}
	must(t, put(t, plain, retrievetest.One("c", "", "alpha three"))) // noted, and brought later
	found(t, x, "alpha", "a", "b")
	_, _, err = x.Drive(t.Context(), 0, time.Time{})
	must(t, err)
	found(t, x, "alpha", "a", "b", "c")
	r := retrieve.Request{Audience: retrievetest.Members(), Probes: []retrieve.Probe{{Vector: []float32{1, 0}}}, Model: "m", PerSide: 5}
	if got, _, err := x.Find(t.Context(), r, nil); err != nil || got.Route != retrieve.RouteGraph || len(got.Lists[0].Entries) != 1 {
		t.Errorf("by meaning: %+v, %v", got, err)
	}

	must(t, x.Rebuild(t.Context(), true, nil)) // another index takes over
	if diff := cmp.Diff([]int{3}, values(e.Indexes())); diff != "" {
		t.Errorf("the engine has %v", e.Indexes())
	}
	must(t, x.LeaveEngine(t.Context()))
	found(t, x, "alpha", "a", "b", "c")
	if len(e.Indexes()) != 0 {
		t.Errorf("the engine still has %v", e.Indexes())
	}
	if err := plain.LeaveEngine(t.Context()); !errors.Is(err, pgindex.ErrNoEngine) {
		t.Errorf("leaving no engine: %v", err)
	}
}

// unhurried is an engine that shows what nobody waits for when it is refreshed, and not before.
// once is called when a filled index has just begun to serve.
type unhurried struct {
	*enginetest.Memory
	unseen map[string][]engine.Change // by index
	once   func()
}

func (u *unhurried) Apply(ctx context.Context, index string, changes []engine.Change, visible bool) error {
	if visible {
		return u.Memory.Apply(ctx, index, changes, true)
	}
	u.unseen[index] = append(u.unseen[index], changes...)
	return nil
}

func (u *unhurried) Refresh(ctx context.Context, index string) error {
	seen := u.unseen[index]
	delete(u.unseen, index)
	return u.Memory.Apply(ctx, index, seen, true)
}

func (u *unhurried) Serve(ctx context.Context, index string) error {
	if err := u.Refresh(ctx, index); err != nil {
		return err
	}
	if f := u.once; f != nil {
		u.once = nil
		f()
	}
	return nil
}

// What is written in the last moment before an index takes over is found when the write has
// returned, in the index before it and in the new one.
func TestAWriteJustBeforeAnIndexServes(t *testing.T) {
	t.Parallel()
	e := &unhurried{Memory: enginetest.New(), unseen: make(map[string][]engine.Change)}
	x, _ := openIndex(t, pgindex.Config{Engine: e})
	must(t, x.Rebuild(t.Context(), false, nil))
	must(t, put(t, x, retrievetest.One("a", "", "alpha")))
	e.once = func() {
		must(t, put(t, x, retrievetest.One("b", "", "alpha")))
		found(t, x, "alpha", "a", "b")
	}
	must(t, x.Rebuild(t.Context(), true, nil))
	if e.once != nil {
		t.Error("no index took over")
	}
	found(t, x, "alpha", "a", "b")
}

func values(m map[string]int) []int {
	var out []int
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// A rebuild that was interrupted is gone on with, and what changes meanwhile is in both indexes.
func TestRebuildGoesOn(t *testing.T) {
	t.Parallel()
	x, e := openEngine(t)
	must(t, put(t, x, retrievetest.One("a", "", "alpha"), retrievetest.One("b", "", "alpha")))
	away := errors.New("cable pulled")
	err := x.Rebuild(t.Context(), true, func(int64) { e.Down(away) })
	if !errors.Is(err, away) {
		t.Fatalf("it went on: %v", err)
	}
	e.Down(nil)
	must(t, x.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"a"}))
	must(t, put(t, x, retrievetest.One("c", "", "alpha")))
	found(t, x, "alpha", "b", "c")
	if n := len(e.Indexes()); n != 2 {
		t.Errorf("%d indexes", n)
	}
	must(t, x.Rebuild(t.Context(), false, nil))
	found(t, x, "alpha", "b", "c")
	if diff := cmp.Diff([]int{2}, values(e.Indexes())); diff != "" {
		t.Errorf("the engine has %v", e.Indexes())
	}
}

// Whatever an engine lost, kept or got from elsewhere is put right by a sweep.
func TestSweepEngine(t *testing.T) {
	t.Parallel()
	x, e := openEngine(t)
	must(t, put(t, x, retrievetest.One("a", "", "alpha", "alpha"), retrievetest.One("b", "", "alpha"), retrievetest.One("c", "", "alpha")))
	if n, err := x.SweepEngine(t.Context(), access.DefaultTenant); n != 0 || err != nil {
		t.Errorf("of an engine that is right, %d chunks are wrong, %v", n, err)
	}
	state, err := x.EngineState(t.Context())
	must(t, err)
	before := candidates(t, x, "alpha")
	e.Lose(state.Serving, access.DefaultTenant, before[0])
	e.Plant(state.Serving, engine.Change{Tenant: access.DefaultTenant, Chunk: before[2], Version: 1})                   // as an older version of it
	e.Plant(state.Serving, engine.Change{Tenant: access.DefaultTenant, Chunk: 4711, Version: 3})                        // from a backup, say
	e.Plant(state.Serving, engine.Change{Tenant: access.DefaultTenant, Chunk: 47 * engine.BlockSize, Version: 1 << 40}) // in a block of its own
	if n, err := x.SweepEngine(t.Context(), access.DefaultTenant); n != 4 || err != nil {
		t.Errorf("%d chunks are wrong, want 4, %v", n, err)
	}
	if n, _, err := x.Drive(t.Context(), 0, time.Time{}); n != 2 || err != nil {
		t.Errorf("%d documents are brought again, %v", n, err)
	}
	if n, err := x.SweepEngine(t.Context(), access.DefaultTenant); n != 0 || err != nil {
		t.Errorf("afterwards %d chunks are wrong, %v", n, err)
	}
	if diff := cmp.Diff(before, candidates(t, x, "alpha")); diff != "" {
		t.Errorf("found (-before +after):\n%s", diff)
	}
}

func candidates(t *testing.T, x *pgindex.Index, question string) []document.ChunkID {
	t.Helper()
	got, _, err := x.Find(t.Context(), retrievetest.Ask(question), nil)
	must(t, err)
	var out []document.ChunkID
	for _, c := range got.Lists[0].Entries {
		out = append(out, c.Chunk)
	}
	return out
}

// A database that was restored goes on with the engine that knows more than it: what is written is
// found at once, although the engine had the same chunks with other texts, and a sweep puts the
// rest right.
func TestTheEngineKnowsMoreThanARestoredDatabase(t *testing.T) {
	t.Parallel()
	e := enginetest.New()
	before, _ := openIndex(t, pgindex.Config{Engine: e})
	copied := enginetest.New() // told the same until the backup; ids and versions are given out alike
	after, db := openIndex(t, pgindex.Config{Engine: copied})
	for _, x := range []*pgindex.Index{before, after} {
		must(t, x.Rebuild(t.Context(), false, nil))
		must(t, put(t, x, retrievetest.One("a", "", "alpha"), retrievetest.One("b", "", "alpha"), retrievetest.One("c", "", "alpha")))
	}
	must(t, put(t, before, retrievetest.One("a", "", "omega"), retrievetest.One("d", "", "omega"), retrievetest.One("e", "", "omega")))
	must(t, before.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"b"}))
	must(t, before.SetACL(t.Context(), access.DefaultTenant, "docs", accessOf(access.ACL{"group:board"}, "c")))

	x, err := pgindex.New(db, pgindex.Config{Engine: e})
	must(t, err)
	for range 2 { // a second time does no harm
		must(t, pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
			_, err := pgindex.Restored(t.Context(), tx)
			return err
		}))
	}
	must(t, put(t, x, retrievetest.One("f", "", "alpha")))
	if got := retrievetest.Found(t, x, retrievetest.Ask("alpha")); !slices.Contains(got, "f") {
		t.Errorf("what was written is not found: %v", got)
	}
	if _, err := x.SweepEngine(t.Context(), access.DefaultTenant); err != nil {
		t.Error(err)
	}
	if _, _, err := x.Drive(t.Context(), 0, time.Time{}); err != nil {
		t.Error(err)
	}
	if n, err := x.SweepEngine(t.Context(), access.DefaultTenant); n != 0 || err != nil {
		t.Errorf("afterwards %d chunks are wrong, %v", n, err)
	}
	found(t, x, "alpha", "a", "b", "c", "f")
	found(t, x, "omega")
}
