package main_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// sentenceVectors counts the sentence vectors of a program's index.
func sentenceVectors(t *testing.T, p *program) (n int) {
	t.Helper()
	err := database(t, p).Pool.QueryRow(t.Context(),
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
	if n := sentenceVectors(t, p); n != 0 {
		t.Errorf("%d sentence vectors after indexing", n)
	}
	if r := p.run(t, "sources"); !strings.Contains(r.stdout, "Sentence vectors: 0 of 30 chunks (0 %); until they are complete, searches use the word table.") {
		t.Errorf("sources says:\n%s", r.stdout)
	}
	killed := p.command(context.WithoutCancel(t.Context()), "sources", "embed")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(limit); sentenceVectors(t, p) == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no vectors are made")
		}
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	before := sentenceVectors(t, p)
	if before == 30 {
		t.Fatal("it was done before it was killed")
	}
	db := database(t, p)
	if _, err := db.Pool.Exec(t.Context(), `update embedding_fill set until = clock_timestamp()`); err != nil { // the claim expires
		t.Fatal(err)
	}
	if r := p.run(t, "sources", "embed"); r.stdout != "Sentence vectors: 30 of 30 chunks.\n" {
		t.Errorf("sources embed says %q", r.stdout)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "sentence vectors: 30 of 30 chunks") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	if r := p.run(t, "sources"); strings.Contains(r.stdout, "Sentence vectors") {
		t.Errorf("sources says:\n%s", r.stdout)
	}
}

