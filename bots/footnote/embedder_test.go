package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// corpus writes n pages on a few subjects, each with words of its own.
func corpus(t *testing.T, dir string, from, n int) {
	t.Helper()
	subjects := [][3]string{
		{"replication", "standby servers follow the primary by streaming its log", "primary standby streaming slot"},
		{"backup", "a base backup and archived log segments restore the cluster", "archive restore snapshot recovery"},
		{"indexing", "b-tree and hash indexes speed up the look-up of rows", "index btree lookup rows"},
		{"security", "roles and privileges decide who may read a table", "role privilege grant login"},
	}
	for i := from; i < from+n; i++ {
		s := subjects[i%len(subjects)]
		text := fmt.Sprintf("# Page %d about %s\n\nNote %d: %s. Keywords of note %d: %s.\n", i, s[0], i, s[1], i, s[2])
		text += strings.Repeat(s[1]+". ", 15)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%04d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The embedder in the program needs no setting and no number of documents: the first few have
// vectors, and are found by what they mean.
func TestTheFirstDocumentsAreFoundByMeaning(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := t.TempDir()
	corpus(t, docs, 0, 4)
	p.run(t, "index", docs)
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "embedder: footnote-words-2, 256 dimensions, alpha 0.5\n") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	got := jsonOf[found](t, p.run(t, "search", "saving a copy of my data", "--json"))
	if len(got.Hits) == 0 || !strings.Contains(got.Hits[0].Title, "backup") {
		t.Errorf("without a word in common the first is %+v", got.Hits)
	}
	if r := jsonOf[traced](t, p.with("HYBRID_ALPHA=0.1").run(t, "search", "how do standby servers follow?", "--json")); r.Trace.Alpha != 0.1 {
		t.Errorf("HYBRID_ALPHA=0.1 gives alpha %v", r.Trace.Alpha)
	}
	if r := jsonOf[traced](t, p.run(t, "search", "как сделать резервную копию standby", "--json")); r.Trace.Alpha != 0 || r.Trace.Notice != "" || len(r.Hits) == 0 {
		t.Errorf("a question of which the embedder knows nothing: %+v", r)
	}
}

// An index whose vectors an older release made answers by its words, the doctor says what to do,
// and indexing again does it. The old vectors stay for processes of the old release that are still
// running.
func TestVectorsOfAnOlderReleaseAreReplaced(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := t.TempDir()
	corpus(t, docs, 0, 20)
	p.run(t, "index", docs)
	db := database(t, p)
	for _, statement := range []string{
		`update embedding_model set name = 'local-lsa-0123456789ab'`,
		`insert into local_model (tenant_id, version, chunks, data, ready) select tenant_id, '0123456789ab', 20, 'model', true from embedding_model`,
	} {
		if _, err := db.Pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	vectors := func() (old, now int) {
		t.Helper()
		err := db.Pool.QueryRow(t.Context(), `select count(*) filter (where m.name like 'local-lsa-%'), count(*) filter (where m.name = 'footnote-words-2')
			from embedding e join embedding_model m on m.number = e.model`).Scan(&old, &now)
		if err != nil {
			t.Fatal(err)
		}
		return old, now
	}
	ask := func() traced { return jsonOf[traced](t, p.run(t, "search", "standby servers", "--json")) }
	if r := ask(); len(r.Hits) == 0 || r.Trace.Alpha != 0 || !strings.Contains(r.Hits[0].Title, "replication") {
		t.Errorf("before: %+v", r)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "20 chunks have no vector of it yet") || !strings.Contains(r.stdout, "run footnote index once") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	p.run(t, "index", docs)
	if r := ask(); len(r.Hits) == 0 || r.Trace.Alpha != 0.5 {
		t.Errorf("after: %+v", r)
	}
	if old, now := vectors(); old != 20 || now != 20 {
		t.Errorf("%d vectors of the older release and %d of this one", old, now)
	}
	if r := p.run(t, "doctor"); strings.Contains(r.stdout, "no vector of it yet") {
		t.Errorf("afterwards the doctor says:\n%s", r.stdout)
	}
}

// The embedder is changed, back and forth, while questions come, from processes of either setting:
// each finds what it should, and nothing that only others may read.
func TestTheEmbedderIsChangedWhileQuestionsCome(t *testing.T) {
	t.Parallel()
	own := newProgram(t)
	server := openaitest.New(t)
	endpoint := own.with("OPENAI_BASE_URL="+server.URL(), "EMBEDDING_MODEL=hashed", fmt.Sprintf("EMBEDDING_DIMENSIONS=%d", openaitest.DefaultDimensions))
	docs, secret := t.TempDir(), t.TempDir()
	corpus(t, docs, 0, 10)
	corpus(t, secret, 100, 12)
	own.run(t, "index", docs, "--acl", "public")
	own.run(t, "index", secret, "--acl", "group:finance")
	var asking sync.WaitGroup
	for _, p := range []*program{own, endpoint} {
		asking.Go(func() {
			for range 6 {
				r := p.try(t, "", "search", "how do standby servers follow?", "--json")
				if r.code != 0 || !strings.Contains(r.stdout, "about replication") || strings.Contains(r.stdout, "Page 10") {
					t.Errorf("exit code %d\n%s\n%s", r.code, r.stdout, r.stderr)
				}
			}
		})
	}
	for range 2 {
		endpoint.run(t, "index", docs)
		own.run(t, "index", docs)
	}
	asking.Wait()
	for _, p := range []*program{own, endpoint} {
		if r := jsonOf[traced](t, p.run(t, "search", "standby servers", "--json")); r.Trace.Alpha != 0.5 {
			t.Errorf("in the end alpha is %v", r.Trace.Alpha)
		}
	}
}
