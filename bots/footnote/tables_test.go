package main_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRowsOfTablesAnswer asks for cells of CSV files, Word documents and workbooks, and what they
// do not hold. The answer column of the questions has what the quoted row must hold.
func TestRowsOfTablesAnswer(t *testing.T) {
	t.Parallel()
	tables := filepath.Join("testdata", "tables")
	file, err := os.Open(filepath.Join(tables, "questions.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma = '\t'
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	holds := make(map[string][]string)
	for _, record := range records[1:] {
		if record[5] != "" {
			holds[record[0]] = strings.Split(record[5], " / ")
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(tables, "documents"))); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t)
	p.run(t, "index", dir)
	for _, embedder := range []string{"", "words"} {
		report := jsonOf[interviewed](t, p.with("EMBEDDER="+embedder).run(t, "eval", "--questions", filepath.Join(tables, "questions.tsv"),
			"--json", "--save", filepath.Join(t.TempDir(), "run.json")))
		if len(report.Results) != len(records)-1 {
			t.Fatalf("%d of %d questions were asked", len(report.Results), len(records)-1)
		}
		for _, r := range report.Results {
			var rows []string
			right := false
			for line := range strings.Lines(r.Answer) {
				if strings.HasPrefix(line, "- ") && strings.Contains(line, " | ") {
					rows = append(rows, line)
					right = right || holdsAll(line, holds[r.ID])
				}
			}
			if answerable := holds[r.ID] != nil; answerable && !right || !answerable && len(rows) > 0 {
				t.Errorf("EMBEDDER=%s, %s: the answer is\n%s\nit should quote a row with %q", embedder, r.ID, r.Answer, holds[r.ID])
			}
		}
	}
}

func holdsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
