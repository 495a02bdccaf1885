package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// interviewed is the form of eval --questions --json.
type interviewed struct {
	Model     string
	Notes     []string
	Summaries []struct {
		Group string
		Cited struct{ Count, Of int }
		False struct{ Count, Of int }
	}
	Results []struct {
		ID      string
		Cited   []string
		Right   bool
		Rank    int
		Answer  string
		Outcome string
	}
	Compared *struct {
		Changes []struct {
			ID     string
			Better bool
			Before string
			Now    string
		}
	} `json:"compared_with"`
}

const questionsOfAHandbook = "id\tkind\tquestion\tpages_regex\tafter\tanswer\n" +
	"v1\thowto\tWhat is the address of the VPN?\t^(network/)?vpn\\.md$\t\tThe address of the VPN is vpn.example.org.\n" +
	"v2\tfollowup\tDoes it need a token?\t^network/vpn\\.md$\tv1\n" +
	"x1\thowto\tWho repairs the printer?\t^printer\\.md$\n" +
	"n1\tnone\tWhich wine goes with asparagus?\t-\n"

func TestEvalAsksQuestionsOfPeople(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", folder(t, map[string]string{
		"network/vpn.md": "# VPN\n\nThe address of the VPN is vpn.example.org.\n\nIt needs a token, which the help desk hands out.",
		"lunch.md":       "# Lunch\n\nThe canteen opens at noon.",
	}))
	file := filepath.Join(folder(t, map[string]string{"q.tsv": questionsOfAHandbook}), "q.tsv")
	saved := filepath.Join(t.TempDir(), "runs", "first.json")
	first := jsonOf[interviewed](t, p.run(t, "eval", "--questions", file, "--json", "--save", saved))
	if first.Model != "extractive" || len(first.Results) != 4 || len(first.Summaries) != 4 || len(first.Notes) != 1 || !strings.Contains(first.Notes[0], "answers x1:") {
		t.Fatalf("the report is %+v", first)
	}
	if r := first.Results[0]; !r.Right || r.Rank != 1 || r.Cited[0] != "network/vpn.md" || !strings.Contains(r.Answer, "vpn.example.org") || r.Outcome != "answered" {
		t.Errorf("the first question: %+v", r)
	}
	if r := first.Results[3]; len(r.Cited) != 0 || first.Summaries[2].False.Count != 0 || first.Summaries[2].False.Of != 1 {
		t.Errorf("the question without an answer: %+v", r)
	}

	// Compared with a run that knew less.
	raw, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	worse := strings.Replace(strings.Replace(string(raw), `"first": true`, `"first": false`, 1), `"right": true`, `"right": false`, 1)
	earlier := filepath.Join(t.TempDir(), "worse.json")
	if err := os.WriteFile(earlier, []byte(worse), 0o600); err != nil {
		t.Fatal(err)
	}
	got := p.run(t, "eval", "--questions", file, "--compare", earlier, "--answers").stdout
	for _, want := range []string{"right page cited", "+ v1  wrong pages only → right page first", "vpn.example.org", "without an answer in the documents: 0/1"} {
		if !strings.Contains(got, want) {
			t.Errorf("the report does not say %q:\n%s", want, got)
		}
	}
}

func TestEvalSaysWhatIsWrongWithQuestions(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", folder(t, map[string]string{"lunch.md": "# Lunch\n\nThe canteen opens at noon."}))
	dir := folder(t, map[string]string{
		"colour.tsv": "id\tquestion\tpages_regex\tcolour\n", "strange.tsv": "id\tquestion\tpages_regex\na\tWhere?\t^nowhere$\n", "good.tsv": questionsOfAHandbook,
		"lunch.tsv": "id\tquestion\tpages_regex\na\tWhen does the canteen open?\t^lunch\n", "run.json": "{}",
	})
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--questions", dir + "/colour.tsv"}, 2, `the column "colour" is unknown`},
		{[]string{"--questions", dir + "/none.tsv"}, 2, "no such file"},
		{[]string{"--questions", dir + "/strange.tsv"}, 1, "no document that is indexed has any of the pages"},
		{[]string{"--questions", dir + "/lunch.tsv", "--source", "x"}, 1, `there is no source "x"`},
		{[]string{"--questions", dir + "/lunch.tsv", "--compare", dir + "/run.json"}, 2, "not a saved run"},
		{[]string{"--questions", dir + "/lunch.tsv", "--mode", "keyword"}, 2, "--mode"},
		{[]string{labelled, "--source", "x"}, 2, "--questions"},
		{[]string{labelled, "--questions", dir + "/lunch.tsv"}, 2, "either"},
		{nil, 2, "either"},
	} {
		if r := p.try(t, "", append([]string{"eval"}, tt.args...)...); r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("eval %v: exit code %d\n%s", tt.args, r.code, r.stderr)
		}
	}
}
