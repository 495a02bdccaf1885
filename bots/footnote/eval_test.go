package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/google/go-cmp/cmp"
)

const labelled = "testdata/handbook"

// evaluated is the form of eval --json.
type evaluated struct {
	Collection string
	Documents  int
	Queries    int
	Embedder   string
	Indexing   struct{ Chunks int }
	Results    []struct {
		Mode      string
		Queries   int
		NDCG10    float64 `json:"ndcg_at_10"`
		Recall100 float64 `json:"recall_at_100"`
		MRR10     float64 `json:"mrr_at_10"`
		Latency   []struct {
			Stage string
			P50   float64 `json:"p50_ms"`
			P95   float64 `json:"p95_ms"`
		}
	}
	Notes    []string
	Compared *struct {
		File        string
		Differences []struct {
			Mode   string
			NDCG10 float64 `json:"ndcg_at_10"`
		}
	} `json:"compared_with"`
}

// modes are those that were measured, in order.
func (e evaluated) modes() string {
	var names []string
	for _, r := range e.Results {
		names = append(names, r.Mode)
	}
	return strings.Join(names, " ")
}

// schemas are those of the program's database that hold anything of footnote.
func schemas(t *testing.T, db *postgres.DB) []string {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), `select nspname from pg_namespace where nspname like 'footnote%' or nspname = 'public' order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return names
}

// database connects to the database of a program, which the program must have set up.
func database(t testing.TB, p *program) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Config{URL: strings.TrimPrefix(p.env[0], "DATABASE_URL=")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func TestEvalMeasuresBesideTheIndex(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := newProgram(t).with("FOOTNOTE_DATA=" + data)
	p.run(t, "index", handbook(t))
	age := regexp.MustCompile(`"age_seconds":\d+`)
	listed := func() string { return age.ReplaceAllString(p.run(t, "sources", "--json").stdout, "") }
	sources := listed()
	first := jsonOf[evaluated](t, p.run(t, "eval", labelled, "--json"))
	if first.Collection != "handbook" || first.Documents != 16 || first.Queries != 11 || first.Indexing.Chunks != 16 || first.Compared != nil {
		t.Errorf("the report is %+v", first)
	}
	if first.modes() != "keyword semantic hybrid" || len(first.Notes) != 0 {
		t.Errorf("modes %q, notes %q", first.modes(), first.Notes)
	}
	for _, r := range first.Results {
		if r.NDCG10 < 0.8 || r.NDCG10 > 1 || r.Recall100 < 0.9 || r.MRR10 < 0.8 || r.Queries != 11 {
			t.Errorf("%s: %+v", r.Mode, r)
		}
		last := r.Latency[len(r.Latency)-1]
		if last.Stage != "total" || last.P50 <= 0 || last.P95 < last.P50 {
			t.Errorf("%s takes %+v", r.Mode, r.Latency)
		}
	}
	if again := listed(); again != sources {
		t.Errorf("the index was %s and is %s", sources, again)
	}
	if left := schemas(t, database(t, p)); !cmp.Equal(left, []string{"public"}) {
		t.Errorf("the schemas are %v", left)
	}

	// One mode is compared with the last run, and the other one's result is kept.
	second := jsonOf[evaluated](t, p.run(t, "eval", labelled, "--mode", "keyword", "--json"))
	if second.modes() != "keyword" || second.Compared == nil || len(second.Compared.Differences) != 1 || second.Compared.Differences[0].NDCG10 != 0 {
		t.Errorf("the second report is %+v", second)
	}
	r := p.run(t, "eval", labelled)
	if !strings.Contains(r.stdout, "difference to the run of") || strings.Count(r.stdout, "+0.0000") != 9 {
		t.Errorf("the third run prints:\n%s", r.stdout)
	}
}

func TestEvalComparesWithAFile(t *testing.T) {
	t.Parallel()
	p := newProgram(t).with("FOOTNOTE_DATA=" + t.TempDir())
	saved := filepath.Join(t.TempDir(), "report.json")
	run := filepath.Join(t.TempDir(), "new", "keyword.run")
	p.run(t, "eval", labelled, "--mode", "keyword", "--save", saved, "--run", run)
	if written, err := os.ReadFile(run); err != nil || !regexp.MustCompile(`^\S+\tQ0\t\S+\t1\t100\tfootnote-keyword\n`).Match(written) {
		t.Errorf("the run is %.200q (%v)", written, err)
	}
	raw, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	var report map[string]any
	if err := json.Unmarshal(raw, &report); err != nil {
		t.Fatal(err)
	}
	result := report["results"].([]any)[0].(map[string]any)
	result["ndcg_at_10"] = result["ndcg_at_10"].(float64) - 0.25
	write := func(name string) string {
		changed, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	got := jsonOf[evaluated](t, p.run(t, "eval", labelled, "--mode", "keyword", "--json", "--compare", write("worse.json")))
	if got.Compared == nil || len(got.Compared.Differences) != 1 || got.Compared.Differences[0].NDCG10 != 0.25 {
		t.Errorf("compared: %+v", got.Compared)
	}
	report["fingerprint"] = "another"
	for name, want := range map[string]string{
		write("other.json"): "another collection", saved + ".none": "no such file", labelled + "/corpus.jsonl": "not a saved evaluation",
	} {
		if r := p.try(t, "", "eval", labelled, "--compare", name); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("--compare %s: exit code %d\n%s", name, r.code, r.stderr)
		}
	}
}

func TestEvalSaysWhatIsWrongWithACollection(t *testing.T) {
	t.Parallel()
	p := newProgram(t).with("FOOTNOTE_DATA=" + t.TempDir())
	broken := folder(t, map[string]string{"corpus.jsonl": "{\"_id\": \"a\", \"text\": \"x\"}\n{\"_id\": \"b\"}\n"})
	for name, want := range map[string]string{
		t.TempDir(): "there is no corpus.jsonl", broken: `read line 2 of corpus.jsonl: it has neither "text" nor "title"`, broken + "/none": "there is no corpus.jsonl",
	} {
		if r := p.try(t, "", "eval", name); r.code != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("eval %s: exit code %d\n%s", name, r.code, r.stderr)
		}
	}
	if r := p.try(t, "", "eval", labelled, "--run", "x.run"); r.code != 2 || !strings.Contains(r.stderr, "--mode") {
		t.Errorf("--run without --mode: exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "eval", labelled, "--mode", "magic"); r.code != 2 {
		t.Errorf("an unknown mode: exit code %d\n%s", r.code, r.stderr)
	}
}

// large writes a collection of n documents with a query for every tenth.
func large(t *testing.T, n int) string {
	t.Helper()
	subjects := []string{"standby servers stream the log of the primary", "archived snapshots restore a broken cluster",
		"btree indexes speed up the look-up of rows", "roles and privileges decide who reads a table"}
	var documents, queries, qrels bytes.Buffer
	for i := range n {
		fmt.Fprintf(&documents, "{\"id\": %d, \"title\": \"Note %d\", \"text\": \"Topic%d: %s.\"}\n", i, i, i, subjects[i%len(subjects)])
		if i%10 == 0 {
			fmt.Fprintf(&queries, "{\"id\": \"q%d\", \"text\": \"topic%d %s\"}\n", i, i, subjects[i%len(subjects)])
			fmt.Fprintf(&qrels, "q%d\t%d\t1\n", i, i)
		}
	}
	return folder(t, map[string]string{"corpus.jsonl": documents.String(), "queries.jsonl": queries.String(), "qrels/test.tsv": qrels.String()})
}

func TestEvalMeasuresTheEmbedderOfTheProgram(t *testing.T) {
	t.Parallel()
	p := newProgram(t).with("FOOTNOTE_DATA=" + t.TempDir())
	got := jsonOf[evaluated](t, p.run(t, "eval", large(t, 240), "--json"))
	if got.modes() != "keyword semantic hybrid" || got.Embedder != "footnote-words-2" || len(got.Notes) != 0 {
		t.Errorf("the report is %+v", got)
	}
	for _, r := range got.Results {
		if r.Recall100 < 0.5 || r.Mode == "keyword" && r.NDCG10 < 0.99 {
			t.Errorf("%s: %+v", r.Mode, r)
		}
	}
}

func TestEvalLeavesNothingWhenItIsInterrupted(t *testing.T) {
	t.Parallel()
	p := newProgram(t).with("FOOTNOTE_DATA=" + t.TempDir())
	db := database(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, "eval", large(t, 20_000))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(schemas(t, db)) < 2 && ctx.Err() == nil { // until it is at work
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says how it ended
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
	if left := schemas(t, db); !cmp.Equal(left, []string{"public"}) {
		t.Errorf("the schemas are %v", left)
	}
}
