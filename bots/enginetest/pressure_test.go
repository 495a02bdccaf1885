//go:build opensearch

package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// A chunk is as its highest version says, in whatever order its changes arrive, and however often.
func TestTheHighestVersionWins(t *testing.T) {
	c := client(t)
	index := c.Name(1)
	must(t, c.Create(t.Context(), index))
	t.Cleanup(func() { must(t, c.Drop(context.WithoutCancel(t.Context()), index)) })
	var all []engine.Change
	orders := permutations(4)
	for i, order := range orders {
		for _, version := range order {
			for _, last := range []int{3, 4} { // of one chunk the third version takes it out, of another the last
				change := engine.Change{Tenant: access.DefaultTenant, Chunk: document.ChunkID(10*i + last), Version: int64(version)}
				if change.Gone = version == last; !change.Gone {
					change.Flat = map[string]uint16{fmt.Sprintf("word%d", version): 1000}
				}
				all = append(all, change)
			}
		}
	}
	for i := range 8 * len(orders) { // each by itself: a bulk request is carried out in its own order
		must(t, c.Apply(t.Context(), index, all[i:i+1], false))
	}
	must(t, c.Refresh(t.Context(), index))
	got, err := c.Versions(t.Context(), index, access.DefaultTenant, 0)
	must(t, err)
	for i, order := range orders {
		kept, gone := document.ChunkID(10*i+3), document.ChunkID(10*i+4)
		if got[kept] != 4 {
			t.Errorf("in the order %v: version %d", order, got[kept])
		}
		if version, there := got[gone]; there {
			t.Errorf("in the order %v: what was taken out is there with version %d", order, version)
		}
	}
	if len(got) != len(orders) {
		t.Errorf("%d chunks, want %d", len(got), len(orders))
	}
}

// permutations are all orders of the numbers from 1 to n.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			out = append(out, append(append(append([]int{}, p[:at]...), n), p[at:]...))
		}
	}
	return out
}

// A server that has no memory for a large request (a circuit breaker trips) gets smaller ones, and
// everything arrives.
func TestCircuitBreaker(t *testing.T) {
	c := client(t)
	x, _ := open(t, c)
	limit := func(value string) {
		admin(t, http.MethodPut, "/_cluster/settings", `{"transient": {"network.breaker.inflight_requests.limit": `+value+`}}`)
	}
	tripped := func() (sum int) {
		var nodes struct {
			Nodes map[string]struct {
				Breakers map[string]struct{ Tripped int }
			}
		}
		must(t, json.Unmarshal(admin(t, http.MethodGet, "/_nodes/stats/breaker", ""), &nodes))
		for _, n := range nodes.Nodes {
			sum += n.Breakers["in_flight_requests"].Tripped
		}
		return sum
	}
	before := tripped()
	limit(`"40kb"`)
	defer limit(`null`)
	var docs []retrievetest.Document
	for i := range 400 {
		docs = append(docs, retrievetest.One(fmt.Sprintf("d%03d", i), "", fmt.Sprintf("alpha unique%dx", i)))
	}
	must(t, put(t, x, docs...))
	if tripped() == before {
		t.Error("the server had memory for all of it")
	}
	if n, err := x.SweepEngine(t.Context(), access.DefaultTenant); n != 0 || err != nil {
		t.Errorf("%d chunks are wrong, %v", n, err)
	}
	found(t, x, "unique399x", "d399")
}

// However many changes wait after an outage (OUTBOX, such as 1000000): what is not among them is
// found all the time, what changed is found right or not at all until its turn comes, and
// everything is right in the end.
func TestOutbox(t *testing.T) {
	many := 10_000
	if said := os.Getenv("OUTBOX"); said != "" {
		var err error
		many, err = strconv.Atoi(said)
		must(t, err)
	}
	x, db := open(t, client(t))
	plain, err := pgindex.New(db, pgindex.Config{}) // a process that tells the engine nothing
	must(t, err)
	const documents, changed = 900, 300
	doc := func(i, version int) retrievetest.Document {
		return retrievetest.One(fmt.Sprintf("d%03d", i), "", fmt.Sprintf("unique%dx version%dx", i, version))
	}
	var first, then []retrievetest.Document
	for i := range documents {
		first = append(first, doc(i, 1))
		if i < changed {
			then = append(then, doc(i, 2))
		}
	}
	must(t, put(t, x, first...))
	// Most of what waits are chunks of documents that are gone, which need no texts: a million
	// documents take an hour.
	_, err = db.Pool.Exec(t.Context(), `
		insert into search_entry (tenant_id, shard, first_chunk, chunk_count, external_id, gone, queued_at)
		select $1, 1, i, 1, 'gone' || i, true, now() - interval '1 hour' from generate_series(1, $2::int) i`, string(access.DefaultTenant), many)
	must(t, err)
	must(t, put(t, plain, then...))

	drained := make(chan error, 1)
	var portions atomic.Int64
	began := time.Now()
	go func() {
		for more := true; more; portions.Add(1) {
			var err error
			if _, more, err = x.Drive(t.Context(), 0, time.Now().Add(2*time.Second)); err != nil {
				drained <- err
				return
			}
		}
		drained <- nil
	}()
	asker, err := pgindex.New(db, pgindex.Config{Engine: clientWith(t, opensearch.Config{})})
	must(t, err)
	asked, late, most := 0, 0, uint64(0)
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for ended := false; !ended; asked++ {
		select {
		case err := <-drained:
			must(t, err)
			ended = true
		default:
		}
		metrics.Read(sample)
		most = max(most, sample[0].Value.Uint64()-sample[1].Value.Uint64())
		i := asked * 7 % documents
		passages := read(t, asker, fmt.Sprintf("unique%dx", i))
		want := doc(i, 1)
		if i < changed {
			want = doc(i, 2)
		}
		switch {
		case len(passages) == 0 && i < changed:
			late++
		case len(passages) != 1 || passages[0].Chunk.Text != want.Chunks[0].Text:
			t.Errorf("of document %d is found %v", i, passages)
		}
	}
	took := time.Since(began)
	t.Logf("%d documents that waited were told in %s, %.0f a second, with %d MB in this process at most; of %d questions meanwhile %d found what they were for later", many+2*changed,
		took.Round(time.Second), float64(many+2*changed)/took.Seconds(), most>>20, asked, late)
	admin(t, http.MethodPost, "/"+serving(t, x)+"/_refresh", "")
	for i := range changed {
		if passages := read(t, asker, fmt.Sprintf("unique%dx", i)); len(passages) != 1 || passages[0].Chunk.Text != doc(i, 2).Chunks[0].Text {
			t.Errorf("in the end, of document %d is found %v", i, passages)
		}
	}
	if n, err := x.SweepEngine(t.Context(), access.DefaultTenant); n != 0 || err != nil {
		t.Errorf("%d chunks are wrong, %v", n, err)
	}
}

// read asks a question, and returns all passages that are found.
func read(t *testing.T, x *pgindex.Index, question string) []retrieve.Passage {
	t.Helper()
	_, passages, err := x.Find(t.Context(), retrievetest.Ask(question), func(c retrieve.Candidates) []document.ChunkID {
		var ids []document.ChunkID
		for _, e := range c.Lists[0].Entries {
			ids = append(ids, e.Chunk)
		}
		return ids
	})
	must(t, err)
	return passages
}
