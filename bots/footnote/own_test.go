package main_test

import (
	"os"
	"path/filepath"
	"testing"
)

// leastFirst is how many of the thirty questions of a new operator are answered from a right page
// first. Words alone answer 24 of them so, the sentence model 27.
const leastFirst = 24

// TestOwnDocumentsAnswerOperators asks what a new operator asks about the README and the pages of
// deploy/docs.
func TestOwnDocumentsAnswerOperators(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "docs"), os.DirFS(filepath.Join(root, "deploy", "docs"))); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "README.md"), readme, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(t).with("EMBEDDER=")
	p.run(t, "index", dir)
	report := jsonOf[struct {
		Results []struct {
			ID, Question string
			First        bool
			Cited        []string
			Outcome      string
		}
	}](t, p.run(t, "eval", "--questions", filepath.Join("testdata", "own", "questions.tsv"), "--json", "--save", filepath.Join(t.TempDir(), "run.json")))
	if len(report.Results) != 30 {
		t.Fatalf("%d questions were asked", len(report.Results))
	}
	first := 0
	for _, r := range report.Results {
		if r.First {
			first++
		} else {
			t.Logf("%s %s: %s, cites %v", r.ID, r.Question, r.Outcome, r.Cited)
		}
	}
	if first < leastFirst {
		t.Errorf("a right page comes first for %d of 30 questions, at least %d expected", first, leastFirst)
	}
}
