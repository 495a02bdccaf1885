package evaluate_test

import (
	"bytes"
	"compress/gzip"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

func TestMeasureByHand(t *testing.T) {
	t.Parallel()
	judgements := map[string]map[string]int{
		"q1": {"a": 2, "b": 1, "c": 0}, // found a at 2, b not
		"q2": {"d": 1},                 // found at 1
		"q3": {"e": 1},                 // no ranking
		"q4": {"f": 0},                 // nothing relevant: left out
	}
	got := evaluate.Measure(map[string][]string{"q1": {"c", "a"}, "q2": {"d", "x"}, "q4": {"f"}}, judgements)
	q1 := (2 / math.Log2(3)) / (2 + 1/math.Log2(3))
	want := evaluate.Metrics{Queries: 3, NDCG10: (q1 + 1) / 3, Recall100: (0.5 + 1) / 3, MRR10: (0.5 + 1) / 3}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	if got := evaluate.Measure(nil, nil); got != (evaluate.Metrics{}) {
		t.Errorf("metrics of nothing: %+v", got)
	}
}

// Measures stay between 0 and 1; the ideal ranking has 1; moving a relevant document up never costs
// anything.
func TestMeasuresProperties(t *testing.T) {
	t.Parallel()
	ids := []string{"a", "b", "c", "d", "e", "f"}
	rapid.Check(t, func(t *rapid.T) {
		ranking := rapid.Permutation(ids).Draw(t, "ranking")
		grades := map[string]int{"a": rapid.IntRange(1, 3).Draw(t, "a"), "b": rapid.IntRange(0, 3).Draw(t, "b"), "c": 0}
		k := rapid.IntRange(1, 8).Draw(t, "k")
		measure := func(r []string) [3]float64 {
			return [3]float64{evaluate.NDCG(r, grades, k), evaluate.Recall(r, grades, k), evaluate.ReciprocalRank(r, grades, k)}
		}
		before := measure(ranking)
		at := 0
		for i, id := range ranking {
			if id == "a" {
				at = i
			}
		}
		up := append([]string{"a"}, append(append([]string{}, ranking[:at]...), ranking[at+1:]...)...)
		after := measure(up)
		for i := range before {
			if before[i] < 0 || after[i] > 1+1e-12 || i != 0 && after[i] < before[i] {
				t.Fatalf("measure %d went from %v to %v", i, before[i], after[i])
			}
		}
		if best := []string{"a", "b"}; grades["a"] >= grades["b"] && math.Abs(evaluate.NDCG(best, grades, 10)-1) > 1e-12 {
			t.Fatalf("the ideal ranking has %v", evaluate.NDCG(best, grades, 10))
		}
	})
}

func files(qrels string) fstest.MapFS {
	return fstest.MapFS{
		"corpus.jsonl":  {Data: []byte("{\"_id\": \"d1\", \"title\": \"One\", \"text\": \"first\"}\n\n{\"id\": \"d2\", \"text\": \"second\"}")},
		"queries.jsonl": {Data: []byte("{\"_id\": \"q1\", \"text\": \"ask\"}\r\n{\"_id\": \"q2\", \"text\": \"not judged\"}\n")},
		"qrels.tsv":     {Data: []byte(qrels)},
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	want := evaluate.Collection{
		Documents:  []evaluate.Text{{ID: "d1", Title: "One", Text: "first"}, {ID: "d2", Text: "second"}},
		Queries:    []evaluate.Text{{ID: "q1", Text: "ask"}},
		Judgements: map[string]map[string]int{"q1": {"d1": 2, "d2": 0}},
	}
	with := files("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n")
	without := files("q1\td1\t2\nq1\td2\t0")
	original := files("")
	original["qrels/test.tsv"] = with["qrels.tsv"]
	delete(original, "qrels.tsv")
	for name, dir := range map[string]fstest.MapFS{"with a header": with, "without": without, "as BEIR lays it out": original} {
		got, err := evaluate.Read(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadNamesTheFault(t *testing.T) {
	t.Parallel()
	const good = "q1\td1\t1\n"
	with := func(name, content string) fstest.MapFS {
		dir := files(good)
		dir[name] = &fstest.MapFile{Data: []byte(content)}
		return dir
	}
	without := func(name string) fstest.MapFS {
		dir := files(good)
		delete(dir, name)
		return dir
	}
	for want, dir := range map[string]fstest.MapFS{
		"line 2 of corpus.jsonl: it is not a JSON object": with("corpus.jsonl", "{\"_id\": \"d1\", \"text\": \"\"}\nnot json\n"),
		"line 1 of corpus.jsonl: it has neither \"text\"": with("corpus.jsonl", "{\"_id\": \"d1\"}\n"),
		"ids, titles and texts are texts or numbers":      with("corpus.jsonl", "{\"_id\": [], \"text\": \"\"}\n"),
		"on a single line":                                 with("corpus.jsonl", "{\n\"_id\": \"d1\"\n}\n"),
		"line 1 of queries.jsonl: it has no \"_id\"":       with("queries.jsonl", "{\"text\": \"x\"}\n"),
		"0 judged queries: ":                               with("queries.jsonl", "{\"_id\": \"q1\", \"text\": \" \"}\n"),
		"the grade \"0.5\" is not a whole number: 0 is no": files("q1\td1\t0.5\n"),
		"line 1 of corpus.jsonl: it is not a JSON":         gone(with("corpus.jsonl.gz", "not JSON"), "corpus.jsonl"),
		"unpack corpus.jsonl of the collection":            with("corpus.jsonl", "\x1f\x8bnot compressed"),
		"read line 2 of corpus.jsonl: unexpected EOF":      gone(with("corpus.jsonl.gz", cut(t)), "corpus.jsonl"),
		"there is no corpus.jsonl":                         without("corpus.jsonl"),
		"there is no queries.jsonl":                        without("queries.jsonl"),
		"there is neither qrels.tsv nor qrels/test.tsv":    without("qrels.tsv"),
		"line 2 of qrels.tsv":                              files("q1\td1\t1\nq1\td2\tmany\n"),
		"it has 2 columns":                                 files("q1\td1\n"),
		"three are needed, parted by tabs":                 files("q1,d1,1\n"),
		"0 judged queries":                                 files("other\td1\t1\n"),
		"no document of corpus.jsonl is judged":            files("q1\tother\t1\n"),
	} {
		if _, err := evaluate.Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func gone(dir fstest.MapFS, name string) fstest.MapFS {
	delete(dir, name)
	return dir
}

// packed is a file as gzip writes it.
func packed(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

// cut is a compressed corpus that ends half-way.
func cut(t *testing.T) string {
	whole := packed(t, "{\"_id\": \"d1\", \"text\": \"x\"}\n").Data
	return string(whole[:len(whole)-6])
}

// wide is a file as Notepad and PowerShell write it.
func wide(t *testing.T, text string, order unicode.Endianness) *fstest.MapFile {
	t.Helper()
	data, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: data}
}

// Collections are laid out in many ways; none of these says anything else.
func TestReadAcceptsVariants(t *testing.T) {
	t.Parallel()
	want := evaluate.Collection{
		Documents:  []evaluate.Text{{ID: "d 1/ä\"?", Title: "7", Text: "first"}, {ID: "2", Title: "Second"}},
		Queries:    []evaluate.Text{{ID: "q1", Text: "ask"}},
		Judgements: map[string]map[string]int{"q1": {"d 1/ä\"?": 2, "2": -1}},
	}
	corpus := `{"_id": "d 1/ä\"?", "title": 7, "text": "first", "metadata": {"url": []}}` + "\n" + `{"_id": 2, "title": "Second", "text": null}` + "\n"
	queries := "\uFEFF" + `{"_id": "q1", "text": "ask", "metadata": {}}` + "\r\n" + `{"_id": "q2", "text": ""}` + "\n"
	rels := "query-id\tcorpus-id\tscore\r\nq1\td 1/ä\"?\t2\r\nq1\t2\t-1\r\nq2\t2\t0\r\n"
	plain := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, c := range map[string]struct {
		dir   fstest.MapFS
		notes []string
	}{
		"as BEIR":    {fstest.MapFS{"corpus.jsonl": plain(corpus), "queries.jsonl": plain(queries), "qrels/test.tsv": plain(rels)}, nil},
		"compressed": {fstest.MapFS{"corpus.jsonl.gz": packed(t, corpus), "queries.jsonl.gz": packed(t, queries), "qrels/test.tsv.gz": packed(t, rels)}, nil},
		"in UTF-16": {fstest.MapFS{"corpus.jsonl": wide(t, corpus, unicode.LittleEndian), "queries.jsonl": wide(t, strings.TrimPrefix(queries, "\uFEFF"), unicode.BigEndian),
			"qrels/test.tsv": wide(t, rels, unicode.LittleEndian)}, nil},
		"compressed, whatever it is called": {fstest.MapFS{"corpus.jsonl": packed(t, corpus), "queries.jsonl": plain(queries), "qrels": plain(rels)}, nil},
		"as TREC":                           {fstest.MapFS{"corpus.jsonl": plain(corpus), "queries.jsonl": plain(queries), "qrels.tsv": plain("q1\t0\td 1/ä\"?\t2.0\nq1\t0\t2\t-1\n")}, nil},
		"only those for development": {fstest.MapFS{"corpus.jsonl": plain(corpus), "queries.jsonl": plain(queries), "qrels/dev.tsv": plain(rels)},
			[]string{"There is no qrels/test.tsv; the judgements are those of qrels/dev.tsv."}},
		"only those for validation": {fstest.MapFS{"corpus.jsonl": plain(corpus), "queries.jsonl": plain(queries), "qrels/train.tsv": plain("x"), "qrels/validation.tsv": plain(rels)},
			[]string{"There is no qrels/test.tsv; the judgements are those of qrels/validation.tsv."}},
		"an id twice": {fstest.MapFS{"corpus.jsonl": plain(corpus + `{"_id": " 2", "text": "other"}`), "queries.jsonl": plain(queries), "qrels.tsv": plain(rels)},
			[]string{"1 line of corpus.jsonl with the id of an earlier one: left out."}},
		"a judged query without text": {fstest.MapFS{"corpus.jsonl": plain(corpus), "queries.jsonl": plain(queries), "qrels.tsv": plain(rels + "q2\t2\t1\n")},
			[]string{"1 judged query without a text: left out."}},
	} {
		got, err := evaluate.Read(c.dir)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want.Notes = c.notes
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// An empty document is part of the collection, however its emptiness is written.
func TestReadAcceptsEmptyDocuments(t *testing.T) {
	t.Parallel()
	dir := files("q1\td1\t1\n")
	dir["corpus.jsonl"] = &fstest.MapFile{Data: []byte(`{"_id": "d1", "title": null, "text": null}` + "\n" + `{"_id": "d2", "title": null}` + "\n" + `{"_id": "d3", "text": ""}`)}
	got, err := evaluate.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]evaluate.Text{{ID: "d1"}, {ID: "d2"}, {ID: "d3"}}, got.Documents); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

func TestReadNotesInvalidUTF8(t *testing.T) {
	t.Parallel()
	dir := files("q1\td1\t1\n")
	dir["corpus.jsonl"] = &fstest.MapFile{Data: []byte("{\"_id\": \"d1\", \"text\": \"caf\xe9\"}\n{\"_id\": \"d2\", \"text\": \"café\"}\n")}
	got, err := evaluate.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 line of corpus.jsonl not in UTF-8: what cannot be read there matches nothing."}
	if diff := cmp.Diff(want, got.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestReadNotesUnmatchedJudgements(t *testing.T) {
	t.Parallel()
	got, err := evaluate.Read(files("q1\td1\t1\nq1\tgone\t1\nother\td1\t1\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 judged query not in queries.jsonl: left out.", "1 relevant document not in corpus.jsonl: counted as not found."}
	if diff := cmp.Diff(want, got.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]map[string]int{"q1": {"d1": 1, "gone": 1}}, got.Judgements); diff != "" {
		t.Errorf("judgements (-want +got):\n%s", diff)
	}
}

func TestFingerprintDependsOnContent(t *testing.T) {
	t.Parallel()
	read := func(dir fstest.MapFS) string {
		c, err := evaluate.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		return c.Fingerprint()
	}
	first := read(files("q1\td1\t1\n"))
	if again := read(files("query-id\tcorpus-id\tscore\nq1\td1\t1\n")); again != first {
		t.Errorf("a header changes the fingerprint from %s to %s", first, again)
	}
	if other := read(files("q1\td1\t2\n")); other == first {
		t.Errorf("another grade leaves the fingerprint %s", first)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"_id\": \"d1\", \"text\": \"x\"}\n"), []byte("q\td\t1\n"))
	f.Add([]byte("{}\n"), []byte("\t\t\n"))
	f.Fuzz(func(t *testing.T, texts, qrels []byte) {
		c, err := evaluate.Read(fstest.MapFS{"corpus.jsonl": {Data: texts}, "queries.jsonl": {Data: texts}, "qrels.tsv": {Data: qrels}})
		if err == nil && (len(c.Documents) == 0 || len(c.Queries) == 0) {
			t.Error("an empty collection without an error")
		}
	})
}
