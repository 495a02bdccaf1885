//go:build opensearch

package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// admin calls the server as its operator does.
func admin(t *testing.T, method, path, body string) []byte {
	t.Helper()
	address, err := opensearch.ParseAddress(os.Getenv("OPENSEARCH_URL"))
	must(t, err)
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+address.Hosts[0]+path, strings.NewReader(body))
	must(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	text, err := io.ReadAll(response.Body)
	must(t, errors.Join(err, response.Body.Close()))
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, text)
	}
	return text
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

func serving(t *testing.T, x *pgindex.Index) string {
	t.Helper()
	state, err := x.EngineState(t.Context())
	must(t, err)
	return state.Serving
}

// A disk that is nearly full: OpenSearch takes no changes. Questions go on, what is written is
// kept, and is found once there is room again.
func TestDiskNearlyFull(t *testing.T) {
	c := client(t)
	x, _ := open(t, c)
	must(t, put(t, x, retrievetest.One("a", "", "alpha"), retrievetest.One("b", "", "alpha")))
	block := `/` + serving(t, x) + `/_settings`
	admin(t, http.MethodPut, block, `{"index.blocks.read_only_allow_delete": true}`) // what the flood-stage watermark sets
	err := put(t, x, retrievetest.One("c", "", "alpha"))
	if !errors.Is(err, engine.ErrDown) || !strings.Contains(err.Error(), "disk is nearly full") {
		t.Errorf("a document that finds no room: %v", err)
	}
	found(t, x, "alpha", "a", "b")
	if err := x.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"a"}); !errors.Is(err, engine.ErrDown) {
		t.Errorf("taking a document out: %v", err)
	} // and nobody finds it all the same
	found(t, x, "alpha", "b")
	admin(t, http.MethodPut, block, `{"index.blocks.read_only_allow_delete": null}`)
	if _, _, err := x.Drive(t.Context(), 0, time.Time{}); err != nil {
		t.Fatal(err)
	}
	must(t, c.Refresh(t.Context(), serving(t, x))) // which else happens every second
	found(t, x, "alpha", "b", "c")
}

// An index that is gone is said so, and made anew from the database.
func TestIndexLost(t *testing.T) {
	x, _ := open(t, client(t))
	must(t, put(t, x, retrievetest.One("a", "", "alpha"), retrievetest.One("b", "", "alpha")))
	name := serving(t, x)
	admin(t, http.MethodDelete, "/"+name, "")
	if err := x.CheckEngine(t.Context()); !errors.Is(err, engine.ErrMissing) || !strings.Contains(err.Error(), "footnote engine rebuild") {
		t.Errorf("an index that is gone: %v", err)
	}
	if err := put(t, x, retrievetest.One("c", "", "alpha")); !errors.Is(err, engine.ErrMissing) { // and is not made by writing to it
		t.Errorf("writing to an index that is gone: %v", err)
	}
	must(t, x.Rebuild(t.Context(), true, nil))
	found(t, x, "alpha", "a", "b", "c")
}

// An index that has lost its shards (red) neither answers nor takes anything, which is said in
// time, and is made anew from the database.
func TestIndexRed(t *testing.T) {
	x, db := open(t, client(t))
	must(t, put(t, x, retrievetest.One("a", "", "alpha")))
	name := serving(t, x)
	var settings map[string]struct {
		Settings struct{ Index struct{ UUID string } }
	}
	must(t, json.Unmarshal(admin(t, http.MethodGet, "/"+name+"/_settings", ""), &settings))
	shards, err := filepath.Glob(filepath.Join(os.Getenv("OPENSEARCH_NODES"), "*", "data", "nodes", "0", "indices", settings[name].Settings.Index.UUID, "0"))
	must(t, err)
	if len(shards) != 1 {
		t.Fatalf("the shard is in %v", shards)
	}
	admin(t, http.MethodPost, "/"+name+"/_close", "")
	if err := x.CheckEngine(t.Context()); err == nil {
		t.Error("an index that is closed is taken for one that serves")
	}
	// In one step: a closed index is still looked after, and a file written while they are deleted
	// one by one would keep the folder.
	must(t, os.Rename(shards[0], filepath.Join(os.Getenv("OPENSEARCH_NODES"), "lost-"+settings[name].Settings.Index.UUID)))
	admin(t, http.MethodPost, "/"+name+"/_open?wait_for_active_shards=0", "")
	impatient, err := pgindex.New(db, pgindex.Config{Engine: clientWith(t, opensearch.Config{Timeout: 3 * time.Second})})
	must(t, err)
	_, _, searched := x.Find(t.Context(), retrievetest.Ask("alpha"), nil)
	for what, err := range map[string]error{"check": x.CheckEngine(t.Context()), "search": searched, "write": put(t, impatient, retrievetest.One("b", "", "alpha"))} {
		if !errors.Is(err, engine.ErrDown) || !strings.Contains(err.Error(), "shards") {
			t.Errorf("%s of a red index: %v", what, err)
		}
	}
	must(t, x.Rebuild(t.Context(), true, func(int64) { found(t, x, "alpha", "a", "b") })) // PostgreSQL searches meanwhile
	found(t, x, "alpha", "a", "b")
	must(t, x.CheckEngine(t.Context()))
}

// An index that another release of the program laid out is told apart and made anew; PostgreSQL
// searches meanwhile.
func TestIndexOfAnotherRelease(t *testing.T) {
	x, db := open(t, client(t))
	must(t, put(t, x, retrievetest.One("a", "", "alpha")))
	admin(t, http.MethodPut, "/"+serving(t, x)+"/_mapping", `{"_meta": {"footnote": 99}}`)
	later, err := pgindex.New(db, pgindex.Config{Engine: client(t)})
	must(t, err)
	if err := later.CheckEngine(t.Context()); !errors.Is(err, engine.ErrMissing) || !strings.Contains(err.Error(), "layout 99") {
		t.Errorf("the check says: %v", err)
	}
	if err := put(t, later, retrievetest.One("b", "", "alpha")); !errors.Is(err, engine.ErrMissing) {
		t.Errorf("writing says: %v", err)
	}
	must(t, later.Rebuild(t.Context(), true, func(int64) { found(t, later, "alpha", "a", "b") }))
	found(t, later, "alpha", "a", "b")
	must(t, later.CheckEngine(t.Context()))
}

// A sweep finds what the server lost or got from elsewhere.
func TestSweep(t *testing.T) {
	c := client(t)
	x, _ := open(t, c)
	var docs []retrievetest.Document
	for i := range 20 {
		docs = append(docs, retrievetest.One(fmt.Sprintf("d%02d", i), "", "alpha", "beta"))
	}
	must(t, put(t, x, docs...))
	sweep := func(want int) {
		t.Helper()
		if n, err := x.SweepEngine(t.Context(), access.DefaultTenant); n != want || err != nil {
			t.Fatalf("%d chunks are wrong, want %d, %v", n, want, err)
		}
	}
	sweep(0)
	name := serving(t, x)
	admin(t, http.MethodDelete, "/"+name+"/_doc/default%2F3?refresh=true", "")
	must(t, c.Apply(t.Context(), name, []engine.Change{{Tenant: access.DefaultTenant, Chunk: 9999, Version: 1, Flat: map[string]uint16{"alpha": 1}}}, true))
	sweep(2)
	if n, _, err := x.Drive(t.Context(), 0, time.Time{}); n != 1 || err != nil {
		t.Fatalf("%d documents were brought again, %v", n, err)
	}
	admin(t, http.MethodPost, "/"+name+"/_refresh", "")
	sweep(0)
}

// The index moves there, is made anew, and moves back while questions come and documents change;
// every question finds all that it may.
func TestMoveWhileQuestionsCome(t *testing.T) {
	x, db := open(t, client(t))
	must(t, x.LeaveEngine(t.Context()))
	var docs []retrievetest.Document
	for i := range 3000 {
		docs = append(docs, retrievetest.One(fmt.Sprintf("d%04d", i), fmt.Sprintf("Part %d", i), fmt.Sprintf("common unique%dx words", i)))
	}
	must(t, put(t, x, docs...))
	asker, err := pgindex.New(db, pgindex.Config{Engine: client(t)}) // another process, with the same cluster
	must(t, err)
	var wrong, asked atomic.Int64
	var engines atomic.Int64
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i = (i + 37) % 3000 {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			got, passages, err := asker.Find(t.Context(), retrievetest.Ask(fmt.Sprintf("unique%dx", i)), func(c retrieve.Candidates) []document.ChunkID {
				var ids []document.ChunkID
				for _, e := range c.Lists[0].Entries {
					ids = append(ids, e.Chunk)
				}
				return ids
			})
			if err != nil {
				ended <- err
				return
			}
			asked.Add(1)
			if got.Timings["engine"] > 0 {
				engines.Add(1)
			}
			if len(passages) != 1 || passages[0].Document.ID != document.ID(fmt.Sprintf("d%04d", i)) {
				wrong.Add(1)
			}
		}
	}()
	change := func(int64) { // what is found stays the same
		i := int(asked.Load()) % 3000
		must(t, put(t, x, docs[i]))
	}
	for range 2 {
		must(t, x.Rebuild(t.Context(), true, change))
		n, _, err := x.Drive(t.Context(), 0, time.Time{})
		t.Logf("%d questions, %d of them answered by OpenSearch; %d documents brought late, %v", asked.Load(), engines.Load(), n, err)
	}
	before := engines.Load()
	for engines.Load() == before {
		must(t, t.Context().Err())
		change(0)
	}
	must(t, x.LeaveEngine(t.Context()))
	close(stop)
	must(t, <-ended)
	if wrong.Load() > 0 || engines.Load() == 0 || engines.Load() == asked.Load() {
		t.Errorf("of %d questions, %d of which OpenSearch answered, %d found something else", asked.Load(), engines.Load(), wrong.Load())
	}
}
