package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
)

// sentenceVectors counts the sentence vectors of an index.
func sentenceVectors(t *testing.T, db *postgres.DB) (n int) {
	t.Helper()
	err := db.Pool.QueryRow(t.Context(),
		`select count(*) from embedding e join embedding_model m on m.number = e.model where m.name like 'footnote-sentences-%'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The word table answers at once. Sentence vectors are made when they are asked for, by what is
// left after a kill, with one processor too.
func TestSentenceVectorsAreMadeAfterAKill(t *testing.T) {
	t.Parallel()
	p := newProgram(t).with("EMBEDDER=", "GOMAXPROCS=1")
	docs := t.TempDir()
	corpus(t, docs, 0, 30)
	if r := p.run(t, "index", docs); !strings.Contains(r.stderr, "make the sentence vectors of 30 chunks next to answering") {
		t.Errorf("index says:\n%s", r.stderr)
	}
	db := database(t, p)
	if n := sentenceVectors(t, db); n != 0 {
		t.Errorf("%d sentence vectors after indexing", n)
	}
	if r := p.run(t, "sources"); !strings.Contains(r.stdout, "Sentence vectors: 0 of 30 chunks (0 %); until they are complete, searches use the word table.") {
		t.Errorf("sources says:\n%s", r.stdout)
	}
	killed := p.command(context.WithoutCancel(t.Context()), "sources", "embed")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(limit); sentenceVectors(t, db) == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no vectors are made")
		}
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	before := sentenceVectors(t, db)
	if before == 30 {
		t.Fatal("it was done before it was killed")
	}
	if _, err := db.Pool.Exec(t.Context(), `update embedding_fill set until = clock_timestamp()`); err != nil { // the claim expires
		t.Fatal(err)
	}
	if r := p.run(t, "sources", "embed"); r.stdout != "Sentence vectors: 30 of 30 chunks.\n" {
		t.Errorf("sources embed says %q", r.stdout)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "sentence vectors, alpha 0.7: 30 of 30 chunks") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	if r := p.run(t, "sources"); strings.Contains(r.stdout, "Sentence vectors") {
		t.Errorf("sources says:\n%s", r.stdout)
	}
}

// Searches use the sentence vectors once they are complete, the endpoint's while one is configured,
// and the word table where there are too few, or EMBEDDER says so.
func TestSearchesUseSentenceVectorsOnceComplete(t *testing.T) {
	t.Parallel()
	words := newProgram(t)
	p := words.with("EMBEDDER=")
	docs := t.TempDir()
	corpus(t, docs, 0, 8)
	p.run(t, "index", docs)
	uses := func(when string, p *program, want string) {
		t.Helper()
		r := jsonOf[traced](t, p.run(t, "search", "how do standby servers follow?", "--json"))
		if r.Trace.Embedder != want || r.Trace.Alpha == 0 || r.Trace.Notice != "" || len(r.Hits) == 0 {
			t.Errorf("%s: %+v", when, r)
		}
	}
	const table, sentences = "footnote-words-2", "footnote-sentences-1"
	uses("at once", p, table)
	p.run(t, "sources", "embed")
	uses("complete", p, sentences)
	uses("by a setting", words, table)
	server := openaitest.New(t)
	endpoint := p.with("OPENAI_BASE_URL="+server.URL(), "EMBEDDING_MODEL=hashed", fmt.Sprintf("EMBEDDING_DIMENSIONS=%d", openaitest.DefaultDimensions))
	endpoint.run(t, "index", docs)
	if r := endpoint.run(t, "sources", "embed"); r.stdout != "Sentence vectors: not used here.\n" {
		t.Errorf("sources embed says %q", r.stdout)
	}
	r := jsonOf[traced](t, endpoint.run(t, "search", "how do standby servers follow?", "--json"))
	if !strings.HasPrefix(r.Trace.Embedder, "hashed") {
		t.Errorf("with an endpoint: %+v", r)
	}
	uses("back again", p, sentences)
	corpus(t, docs, 100, 1)
	p.run(t, "index", docs)
	uses("with a page more", p, sentences)
	if r := jsonOf[found](t, p.run(t, "search", "keywords of note 100", "--json")); len(r.Hits) == 0 || !strings.Contains(r.Hits[0].Title, "Page 100") {
		t.Errorf("the page without a sentence vector is not the first of %+v", r.Hits)
	}
	corpus(t, docs, 200, 8)
	p.run(t, "index", docs)
	uses("half of it", p, table)
	p.run(t, "sources", "embed")
	uses("complete again", p, sentences)
}

// A server makes the vectors next to answering, and continues what one that was killed has begun.
func TestServeMakesSentenceVectors(t *testing.T) {
	t.Parallel()
	p := newProgram(t).with("EMBEDDER=")
	docs := t.TempDir()
	corpus(t, docs, 0, 6)
	p.run(t, "index", docs)
	db := database(t, p)
	if _, err := db.Pool.Exec(t.Context(), `insert into job_attempt (tenant_id, kind, subject, process) values ('default', 'index_meaning', '', 'killed')`); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	defer s.stop(t)
	for deadline := time.Now().Add(limit); ; {
		var complete bool
		if err := db.Pool.QueryRow(t.Context(), `select coalesce(bool_or(complete), false) from embedding_fill`).Scan(&complete); err != nil {
			t.Fatal(err)
		}
		if complete {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("there are no vectors\n%s", s.log)
		}
	}
	if n := sentenceVectors(t, db); n != 6 {
		t.Errorf("%d vectors of 6 chunks", n)
	}
	if got := scrape(t.Context(), t, s); !strings.Contains(got, "footnote_vectors_missing_chunks ") {
		t.Errorf("metrics:\n%s", got)
	}
}

// A program whose sentence model is damaged answers by words, and says so.
func TestDamagedSentenceModelLeavesWords(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	model, err := os.ReadFile(filepath.Join("..", "..", "adapters", "sentence", "model.bin"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(program, model[:1024])
	if at < 0 {
		t.Fatal("the program does not hold the model")
	}
	program[at+len(model)/2]++
	p := newProgram(t).with("EMBEDDER=")
	p.path = filepath.Join(t.TempDir(), "footnote")
	if err := os.WriteFile(p.path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	p.run(t, "index", handbook(t))
	if r := p.run(t, "ask", "How do I move a server to another rack?"); r.stdout == "" {
		t.Error("there is no answer")
	}
	if r := p.run(t, "sources", "embed"); r.stdout != "Sentence vectors: not used here.\n" {
		t.Errorf("sources embed says %q", r.stdout)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "the sentence model is damaged") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
}
