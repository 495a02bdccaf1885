package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/standbytest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// replicated is an index whose searches go to a replica.
func replicated(t *testing.T, pair *standbytest.Pair, config postgres.StandbyConfig) (*postgres.Index, *postgres.DB, *postgres.Standby) {
	t.Helper()
	if _, err := postgres.Migrate(t.Context(), pair.Primary()); err != nil {
		t.Fatal(err)
	}
	db := opened(t, postgres.Config{URL: pair.Primary(), MaxConns: 6})
	standby, err := postgres.OpenStandby(t.Context(), db, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standby.Close)
	x, err := postgres.NewIndex(db, postgres.IndexConfig{FreshLimit: 3, Standby: standby})
	if err != nil {
		t.Fatal(err)
	}
	return x, db, standby
}

// Searches on a replica see what was written a moment before, and no more than they may, as those on the primary do.
func TestIndexSuiteOnAReplica(t *testing.T) {
	t.Parallel()
	pair := standbytest.Start(t)
	// So much time that a busy machine sends none of them to the primary.
	x, db, standby := replicated(t, pair, postgres.StandbyConfig{URL: pair.Standby(), Lag: time.Minute})
	var tenants atomic.Int32
	retrievetest.Suite(t, func(t *testing.T) retrievetest.Store {
		s := &indexStore{x, access.TenantID(fmt.Sprintf("t%d-", tenants.Add(1))), false, 1}
		createTenant(t, db, s.prefix+access.DefaultTenant)
		createTenant(t, db, s.prefix+retrievetest.OtherTenant)
		return s
	})
	t.Cleanup(func() { // the suite's tests are parallel, and have ended
		if standby.Reads() == 0 {
			t.Error("the replica was not asked")
		}
	})
}

// journal is a log that a test may read.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// A replica that stays behind, dies or becomes another server costs no search and no revocation; it is used again once it can be.
func TestReplicaThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	pair := standbytest.Start(t)
	var log journal
	x, _, standby := replicated(t, pair, postgres.StandbyConfig{URL: pair.Standby(), Probe: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	put := func(d retrievetest.Document) {
		t.Helper()
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
			t.Fatal(err)
		}
	}
	everybody := access.NewAudience(access.DefaultTenant, access.Members)
	// found tells which documents a search for a word finds, and reads their passages.
	found := func(word string) string {
		t.Helper()
		candidates, _, err := x.Find(t.Context(), retrieve.Request{Audience: everybody, Probes: []retrieve.Probe{{Text: word}}, PerSide: 10}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var ids []document.ChunkID
		for _, c := range candidates.Lists[0].Entries {
			ids = append(ids, c.Chunk)
		}
		passages, err := x.Chunks(t.Context(), everybody, ids)
		if err != nil {
			t.Fatal(err)
		}
		if len(passages) != len(ids) {
			t.Errorf("%d chunks were found and %d may be read", len(ids), len(passages))
		}
		var names []string
		for _, p := range passages {
			names = append(names, string(p.Document.ID))
		}
		return strings.Join(names, " ")
	}
	used := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		for tick := time.Tick(10 * time.Millisecond); !standby.Usable(); {
			select {
			case <-tick:
			case <-ctx.Done():
				t.Fatalf("the replica is not used again:\n%s", log.String())
			}
		}
	}
	put(retrievetest.One("a", "", "alpha"))
	put(retrievetest.One("b", "", "alpha"))
	used()
	if got := found("alpha"); got != "a b" {
		t.Errorf("found %q", got)
	}

	pair.Pause(true)
	if err := x.SetACL(t.Context(), access.DefaultTenant, access.ACL{"group:few"}, []document.ID{"b"}); err != nil {
		t.Fatal(err)
	}
	before := standby.Reads()
	if got := found("alpha"); got != "a" {
		t.Errorf("after a revocation that the replica does not know, found %q", got)
	}
	if standby.Usable() || standby.Reads() != before || !strings.Contains(log.String(), "stays behind") {
		t.Errorf("a replica that stands still is used: %d readings, %d before\n%s", standby.Reads(), before, log.String())
	}
	pair.Pause(false)
	used()

	pair.Kill()
	put(retrievetest.One("c", "", "alpha"))
	if got := found("alpha"); got != "a c" {
		t.Errorf("without the replica, found %q", got)
	}
	pair.Restart()
	used()
	if got := found("alpha"); got != "a c" {
		t.Errorf("with the replica again, found %q", got)
	}

	pair.Promote()
	put(retrievetest.One("d", "", "alpha"))
	if got := found("alpha"); got != "a c d" || standby.Usable() {
		t.Errorf("with a replica that was promoted, found %q; it is used: %v", got, standby.Usable())
	}
}

// A server that replicates nothing, or nothing of this database, is not used, and the log says so.
func TestWrongReplica(t *testing.T) {
	t.Parallel()
	url := migratedURL(t)
	db := opened(t, postgres.Config{URL: url, MaxConns: 4})
	var log journal
	standby, err := postgres.OpenStandby(t.Context(), db, postgres.StandbyConfig{URL: url, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standby.Close)
	if standby.Usable() || !strings.Contains(log.String(), "is not used") {
		t.Errorf("the primary is used as its own replica:\n%s", log.String())
	}
	if _, err := postgres.OpenStandby(t.Context(), db, postgres.StandbyConfig{URL: "postgres://%"}); err == nil || !strings.Contains(err.Error(), "SEARCH_DATABASE_URL") {
		t.Errorf("a wrong address: %v", err)
	}
}
