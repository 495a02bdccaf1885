//go:build opensearch && chaos

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/sleep"
)

const (
	documents = 400
	secrets   = 40 // documents beside them that only the board may read
	writers   = 4
	searchers = 4
)

var (
	board   = access.NewAudience(access.DefaultTenant, access.Members, "group:board")
	members = retrievetest.Members()
)

// state is a document as its writer left it. While it is written, what a search may find of it is
// open.
type state struct {
	steps   int // odd while it is written
	version int
	gone    bool
	board   bool // only the board may read it
	told    bool // the last write has returned without an error: searches see it
}

// world is an index in a cluster, what should be in it, and what was seen.
type world struct {
	*testing.T
	x  *pgindex.Index
	mu sync.Mutex
	// docs is guarded by mu.
	docs  [documents]state
	took  []time.Duration // of searches; guarded by mu
	calm  atomic.Bool     // nothing is disturbed
	books struct{ asked, refused, late, lost, wrong, forbidden, wrote, delayed atomic.Int64 }
}

// Nodes are killed, stand still, and are restarted one after the other, while documents change and
// questions come: what was written is found, nothing is found that is not so, and nobody finds what
// he may not read. A search or a write may be refused with a sentence meanwhile.
func TestNodesComeAndGo(t *testing.T) {
	duration := 30 * time.Second
	if said := os.Getenv("CHAOS"); said != "" {
		var err error
		if duration, err = time.ParseDuration(said); err != nil {
			t.Fatalf("CHAOS is how long the nodes are disturbed, such as 10m: %v", err)
		}
	}
	c, address := openCluster(t)
	address.Prefix, address.Shards = fmt.Sprintf("chaos-%d", os.Getpid()), 3
	client, err := opensearch.New(opensearch.Config{Address: address})
	must(t, err)
	db, err := postgres.Open(t.Context(), postgres.Config{URL: postgrestest.URL(t), MaxConns: writers + searchers + 2})
	must(t, err)
	t.Cleanup(db.Close)
	w := &world{T: t}
	w.x, err = pgindex.New(db, pgindex.Config{Engine: client})
	must(t, err)
	must(t, w.x.Rebuild(t.Context(), false, nil))
	var first []retrievetest.Document
	for i := range w.docs {
		w.docs[i].told = true
		first = append(first, w.docs[i].document(i))
	}
	for i := range secrets {
		d := retrievetest.One(fmt.Sprintf("secret%d", i), "", "common secret words")
		d.ACL = access.ACL{"group:board"}
		first = append(first, d)
	}
	must(t, put(t, w.x, first...))

	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	var load sync.WaitGroup
	for n := range writers {
		load.Go(func() { w.writeOn(ctx, n) })
	}
	for range searchers {
		load.Go(func() { w.searchOn(ctx) })
	}
	load.Go(func() { // as every process does
		for sleep.For(ctx, time.Second) == nil {
			if _, _, err := w.x.Drive(t.Context(), 2*time.Second, time.Time{}); err != nil && !errors.Is(err, engine.ErrDown) {
				t.Errorf("tell the engine what waits: %v", err)
			}
		}
	})
	w.calm.Store(true)
	_ = sleep.For(ctx, duration/10)
	w.report("before anything is disturbed")
	w.calm.Store(false)
	w.disturb(ctx, c)
	load.Wait()
	w.report("while nodes come and go")
	w.settle(c)
}

// disturb does to nodes what happens to them, one at a time.
func (w *world) disturb(ctx context.Context, c *cluster) {
	counts := map[string]int{}
	for n := 0; ctx.Err() == nil; n++ {
		victim := rand.IntN(len(c.nodes))
		switch n % 4 { // so that each happens, however short the time
		case 0, 3:
			counts["killed"]++
			c.end(victim, syscall.SIGKILL)
			_ = sleep.For(ctx, time.Duration(rand.IntN(5))*time.Second)
			c.start(victim)
		case 1:
			counts["stood still"]++
			c.signal(victim, syscall.SIGSTOP)
			_ = sleep.For(ctx, time.Duration(1+rand.IntN(8))*time.Second)
			c.signal(victim, syscall.SIGCONT)
		default:
			counts["all restarted, one after the other"]++
			for i := range c.nodes {
				c.end(i, syscall.SIGTERM)
				c.start(i)
				c.whole()
			}
		}
		c.whole()
	}
	w.Logf("nodes: %v", counts)
}

// document is what a state says.
func (s *state) document(i int) retrievetest.Document {
	d := retrievetest.One(fmt.Sprintf("d%d", i), fmt.Sprintf("Part %d", i), fmt.Sprintf("common unique%dx words, version%dx.", i, s.version))
	d.ACL = s.acl()
	return d
}

func (s *state) acl() access.ACL {
	if s.board {
		return access.ACL{"group:board"}
	}
	return access.ACL{access.Members}
}

// write changes documents, and notes whether searches see that.
func (w *world) write(docs []int, change func() error, becomes func(*state)) {
	w.mu.Lock()
	for _, i := range docs {
		becomes(&w.docs[i])
		w.docs[i].steps++
	}
	w.mu.Unlock()
	err := change()
	if w.books.wrote.Add(1); err != nil {
		if w.books.delayed.Add(1); !errors.Is(err, engine.ErrDown) {
			w.Errorf("write: %v", err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, i := range docs {
		w.docs[i].told = err == nil
		w.docs[i].steps++
	}
}

// writeOn changes the documents of a writer until ctx ends.
func (w *world) writeOn(ctx context.Context, n int) {
	for ctx.Err() == nil {
		i := rand.IntN(documents/writers)*writers + n
		id := document.ID(fmt.Sprintf("d%d", i))
		switch rand.IntN(10) {
		case 0, 1:
			w.write([]int{i}, func() error { return w.x.Remove(w.Context(), access.DefaultTenant, "docs", []document.ID{id}) }, func(s *state) { s.gone = true })
		case 2, 3, 4:
			w.write([]int{i}, func() error {
				return w.x.SetACL(w.Context(), access.DefaultTenant, "docs", []index.Access{{ID: id, ACL: w.docs[i].acl()}})
			}, func(s *state) { s.board = !s.board })
		default:
			docs := []int{i}
			for range rand.IntN(2) * 40 { // many at once are made visible in another way
				if j := rand.IntN(documents/writers)*writers + n; !slices.Contains(docs, j) {
					docs = append(docs, j)
				}
			}
			w.write(docs, func() error {
				var all []retrievetest.Document
				for _, i := range docs {
					all = append(all, w.docs[i].document(i)) // only this writer changes it
				}
				return put(w.T, w.x, all...)
			}, func(s *state) { s.version, s.gone = s.version+1, false })
		}
	}
}

func (w *world) state(i int) state {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.docs[i]
}

// searchOn asks for one document after the other until ctx ends.
func (w *world) searchOn(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		if n%5 == 0 {
			w.broad()
			continue
		}
		w.search(rand.IntN(documents), n%2 == 0)
	}
}

func (w *world) find(question string, a access.Audience) ([]retrieve.Passage, bool) {
	r := retrievetest.Ask(question)
	r.Audience = a
	began := time.Now()
	_, passages, err := w.x.Find(w.Context(), r, func(c retrieve.Candidates) []document.ChunkID {
		var ids []document.ChunkID
		for _, e := range c.Lists[0].Entries {
			ids = append(ids, e.Chunk)
		}
		return ids
	})
	w.mu.Lock()
	w.took = append(w.took, time.Since(began))
	w.mu.Unlock()
	if w.books.asked.Add(1); err != nil {
		if w.books.refused.Add(1); !errors.Is(err, engine.ErrDown) || w.calm.Load() {
			w.Errorf("search: %v", err)
		}
	}
	return passages, err == nil
}

// search asks for a document and judges what is found, unless it was being written meanwhile.
func (w *world) search(i int, asBoard bool) {
	a := members
	if asBoard {
		a = board
	}
	before := w.state(i)
	passages, answered := w.find(fmt.Sprintf("unique%dx", i), a)
	if after := w.state(i); !answered || before != after || before.steps%2 == 1 {
		return
	}
	may := asBoard || !before.board
	switch {
	case len(passages) == 0 && !before.gone && may && before.told:
		w.books.lost.Add(1)
		w.Errorf("document %d is not found: %+v", i, before)
	case len(passages) == 0 && !before.gone && may:
		w.books.late.Add(1)
	case len(passages) > 0 && !may:
		w.books.forbidden.Add(1)
		w.Errorf("document %d is shown to members: %+v", i, before)
	case len(passages) > 1, len(passages) == 1 && (before.gone || !strings.Contains(passages[0].Chunk.Text, fmt.Sprintf("version%dx", before.version))):
		w.books.wrong.Add(1)
		w.Errorf("of document %d is found %q: %+v", i, passages[0].Chunk.Text, before)
	}
}

// broad asks for what nearly all documents hold.
func (w *world) broad() {
	passages, _ := w.find("common words", members)
	for _, p := range passages {
		if strings.Contains(p.Chunk.Text, "secret") {
			w.books.forbidden.Add(1)
			w.Errorf("members are shown %s", p.Document.ID)
		}
	}
}

func (w *world) report(when string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.took)
	at := func(share float64) time.Duration {
		return w.took[int(share*float64(len(w.took)-1))].Round(time.Millisecond)
	}
	b := &w.books
	w.Logf("%s: %d searches (p50 %s, p95 %s, p99.9 %s), of which %d were refused with a sentence and %d did not find what was written late; %d writes, of which %d came late; "+
		"%d lost, %d wrong, %d forbidden", when, b.asked.Load(), at(.5), at(.95), at(.999), b.refused.Load(), b.late.Load(), b.wrote.Load(), b.delayed.Load(),
		b.lost.Load(), b.wrong.Load(), b.forbidden.Load())
	w.took = w.took[:0]
}

// settle tells the engine what still waits, and looks at every document.
func (w *world) settle(c *cluster) {
	c.whole()
	_, _, err := w.x.Drive(w.Context(), 0, time.Time{})
	must(w.T, err)
	state, err := w.x.EngineState(w.Context())
	must(w.T, err)
	admin(w.T, "POST", "/"+state.Serving+"/_refresh", "")
	if wrong, err := w.x.SweepEngine(w.Context(), access.DefaultTenant); wrong != 0 || err != nil || state.Queued != 0 {
		w.Errorf("at the end %d chunks are wrong and %d documents wait, %v", wrong, state.Queued, err)
	}
	w.calm.Store(true)
	for i := range w.docs {
		w.docs[i].told = true
		w.search(i, true)
		w.search(i, false)
	}
	w.report("at the end, of every document")
	must(w.T, w.x.LeaveEngine(w.Context()))
}
