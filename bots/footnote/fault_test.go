package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/google/go-cmp/cmp"
)

// embedding returns the program with an endpoint that embeds.
func embedding(t *testing.T) (*program, *openaitest.Server) {
	t.Helper()
	server := openaitest.New(t)
	server.SetDimensions(8)
	return newProgram(t, "EMBEDDING_BASE_URL="+server.URL(), "EMBEDDING_API_KEY=key", "EMBEDDING_MODEL=tiny", "EMBEDDING_DIMENSIONS=8"), server
}

// stored counts what is in the index: documents, different ones, chunks, and vectors.
func stored(t *testing.T, db *postgres.DB) [4]int {
	t.Helper()
	var n [4]int
	err := db.Pool.QueryRow(t.Context(), `select count(*), count(distinct external_id), (select count(*) from chunk), (select count(*) from embedding) from document`).
		Scan(&n[0], &n[1], &n[2], &n[3])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// untilStored waits for so many documents in the index, or for the end of the program.
func untilStored(t *testing.T, db *postgres.DB, n int, ended <-chan struct{}) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for stored(t, db)[0] < n && time.Now().Before(deadline) {
		select {
		case <-ended:
			return
		default:
		}
	}
}

// Killed anywhere, indexing goes on with the next run: nothing is lost, nothing is there twice, and
// what was stored is not read again. A document that shrinks afterwards leaves nothing of its
// longer version.
func TestKilledIndexingGoesOn(t *testing.T) {
	t.Parallel()
	p, _ := embedding(t)
	db := database(t, p)
	docs := t.TempDir()
	const pages = 600
	corpus(t, docs, 0, pages)
	for _, at := range []int{1, 150, 300} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		cmd := p.command(ctx, "index", docs)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait() // it is killed
		}()
		untilStored(t, db, at, ended)
		_ = cmd.Process.Kill() // it may have ended just now
		<-ended
		cancel()
	}
	before := stored(t, db)[0]
	r := p.run(t, "index", docs)
	if got := stored(t, db); got != [4]int{pages, pages, pages, pages} {
		t.Errorf("in the index are %v, want %d of each", got, pages)
	}
	if want := fmt.Sprintf("%d indexed", pages-before); !strings.Contains(r.stderr, want) {
		t.Errorf("after %d documents were stored the last run says:\n%s", before, r.stderr)
	}

	long := filepath.Join(docs, "page-0000.md")
	for _, c := range []struct {
		text   string
		chunks int
	}{{strings.Repeat("Ouagadougou is far away from here. ", 400), pages + 5}, {"Short again.", pages}} {
		if err := os.WriteFile(long, []byte("# Page 0\n\n"+c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.run(t, "index", docs)
		got := stored(t, db)
		if got[0] != pages || got[2] != got[3] || c.chunks == pages && got[2] != pages || c.chunks > pages && got[2] <= pages {
			t.Errorf("with a page of %d bytes there are %v", len(c.text), got)
		}
	}
	if got := jsonOf[found](t, p.run(t, "search", "Ouagadougou", "--json")); got.Evidence {
		t.Error("what a page no longer says is found")
	}
}

// An endpoint that is busy or broken for a moment is asked again; one that changes the length of
// its vectors ends the run with what to do, and what was there before stays as it is.
func TestEmbeddingFaultsInTheMiddle(t *testing.T) {
	t.Parallel()
	p, server := embedding(t)
	docs := t.TempDir()
	corpus(t, docs, 0, 300)
	server.PushEmbeddings(openaitest.Reply{}, openaitest.Reply{Fault: openaitest.RateLimited, RetryAfter: "0"}, openaitest.Reply{Fault: openaitest.ServerError},
		openaitest.Reply{}, openaitest.Reply{Fault: openaitest.RateLimited, RetryAfter: "1"}, openaitest.Reply{Fault: openaitest.ServerError})
	if r := p.run(t, "index", docs); !strings.Contains(r.stderr, "300 indexed") {
		t.Errorf("with an endpoint that stumbles it says:\n%s", r.stderr)
	}
	db := database(t, p)
	if got := stored(t, db); got != [4]int{300, 300, 300, 300} {
		t.Fatalf("in the index are %v", got)
	}
	corpus(t, docs, 300, 100)
	server.SetDimensions(5)
	if r := p.try(t, "", "index", docs); r.code != 1 || !strings.Contains(r.stderr, "EMBEDDING_DIMENSIONS") {
		t.Errorf("with vectors of another length: exit code %d\n%s", r.code, r.stderr)
	}
	if got := stored(t, db); got[0] < 300 || got[2] != got[3] {
		t.Errorf("then in the index are %v", got)
	}
	server.SetDimensions(8)
	p.run(t, "index", docs)
	if got := stored(t, db); got != [4]int{400, 400, 400, 400} {
		t.Errorf("in the end there are %v", got)
	}
}

// A full disk, and queries that somebody cancels, stop a run or some of its documents with what to
// do; the next run completes the index.
func TestDatabaseFaultsInTheMiddle(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	db := database(t, p)
	execute := func(sql string) {
		t.Helper()
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	docs := t.TempDir()
	corpus(t, docs, 0, 150)
	execute(`create function full_disk() returns trigger language plpgsql as $$ begin
		if (select count(*) from chunk) > 60 then raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end if;
		return null; end $$`)
	execute(`create trigger full_disk after insert on chunk for each statement execute function full_disk()`)
	r := p.try(t, "", "index", docs)
	if r.code != 1 || !strings.Contains(r.stderr, "No space left on device") || !strings.Contains(r.stderr, "make room there") {
		t.Errorf("with a full disk: exit code %d\n%s", r.code, r.stderr)
	}
	half := stored(t, db)
	if half[0] == 0 || half[0] > 60 || half[0] != half[2] {
		t.Errorf("then in the index are %v", half)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); list[0].FailedRuns != 1 || !strings.Contains(list[0].Error, "No space left") {
		t.Errorf("the source is listed as %+v", list)
	}
	execute(`drop trigger full_disk on chunk`)

	// Every query of the program is cancelled now and then, as by an impatient administrator.
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			_, err := db.Pool.Exec(ctx, `select pg_cancel_backend(pid) from pg_stat_activity
				where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query ilike 'copy%'`)
			if err != nil && ctx.Err() == nil {
				cancelled <- err
				return
			}
		}
		cancelled <- nil
	}()
	p.try(t, "", "index", docs)
	cancel()
	if err := <-cancelled; err != nil {
		t.Fatal(err)
	}
	p.run(t, "index", docs)
	if diff := cmp.Diff([4]int{150, 150, 150, 150}, stored(t, db)); diff != "" {
		t.Errorf("documents, different ones, chunks and vectors (-want +got):\n%s", diff)
	}
}
