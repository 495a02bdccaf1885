package main_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestIndexedFolderAnswersWithLinksToTheSection(t *testing.T) {
	t.Parallel()
	p := emptyProgram(t)
	docs := handbook(t)
	for name, text := range map[string]string{
		"copy-a.md": "---\nurl: /handbook/copy\n---\nThe office is open on Mondays.", "copy-b.md": "---\nurl: /handbook/copy\n---\nThe office is open on Tuesdays.",
		"deploy.key": "secret", "release.md": "# Releases\n\n" + strings.Repeat("A release is made from its branch. ", 50) + "\n\nghp_" + (rand.Text() + rand.Text())[:36] + "\n",
	} {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := p.run(t, "index", docs, "--base-url", "https://docs.example/handbook"); !strings.Contains(r.stderr, "6 indexed") || !strings.Contains(r.stderr, "2 with keys or passwords: ") ||
		!strings.Contains(r.stderr, "deploy.key") || !strings.Contains(r.stderr, "release.md; a page is read without the paragraph that holds them, a file of keys not at all") {
		t.Errorf("the run says:\n%s", r.stderr)
	} else if !strings.Contains(r.stderr, "1 with the address of another document: ") || !strings.Contains(r.stderr, "copy-b.md; footnote sources --failures says which") {
		t.Errorf("the run does not name the second document of an address:\n%s", r.stderr)
	}
	if r := p.run(t, "sources", "--failures"); !strings.Contains(r.stderr+r.stdout, "copy-a.md has: https://docs.example/handbook/copy.") {
		t.Errorf("the sources say:\n%s%s", r.stderr, r.stdout)
	}
	got := jsonOf[answered](t, p.run(t, "ask", "How many vacation days does an employee have?", "--json"))
	if got.Outcome != "answered" || !strings.Contains(got.Answer, "thirty vacation days") {
		t.Fatalf("answer = %+v", got)
	}
	if got.SessionID == "" || got.TurnID == "" || got.TimingsMS["total"] <= 0 {
		t.Errorf("ids or timings are missing: %+v", got)
	}
	if len(got.Citations) == 0 {
		t.Fatal("the answer has no citation")
	}
	c := got.Citations[0]
	if c.Number != 1 || c.Title != "Vacation policy" || c.URL != "https://docs.example/handbook/vacation.md#days-per-year" || c.Source != "file" {
		t.Errorf("citation = %+v", c)
	}
	if !strings.Contains(got.Answer, "[[1]]("+c.URL+")") {
		t.Errorf("the answer does not link its citation:\n%s", got.Answer)
	}
}

func TestIndexingAgainTakesInChangesAndForgetsWhatIsGone(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := handbook(t)
	p.run(t, "index", docs)
	if r := p.run(t, "index", docs); !strings.Contains(r.stderr, "0 indexed, 3 unchanged") {
		t.Errorf("the second run says:\n%s", r.stderr)
	}
	if err := os.Remove(filepath.Join(docs, "oncall.html")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(docs, "vacation.md"), []byte("# Vacation\n\nEverybody has forty vacation days.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "index", docs); !strings.Contains(r.stderr, "1 indexed, 1 unchanged, 1 removed") {
		t.Errorf("the third run says:\n%s", r.stderr)
	}
	got := jsonOf[answered](t, p.run(t, "ask", "how many vacation days are there", "--json"))
	if !strings.Contains(got.Answer, "forty") || strings.Contains(got.Answer, "thirty") {
		t.Errorf("the answer is not the new one:\n%s", got.Answer)
	}
	empty := t.TempDir()
	if r := p.try(t, "", "index", empty); r.code != 1 || strings.Contains(r.stderr, "sources remove") {
		t.Errorf("an empty folder: exit code %d\n%s", r.code, r.stderr)
	}
	if got := jsonOf[answered](t, p.run(t, "ask", "when do I escalate an unanswered page?", "--json")); got.Outcome != "no_evidence" {
		t.Errorf("a removed document still answers: %+v", got)
	}
}

type found struct {
	Evidence bool
	Hits     []struct {
		Title, URL, Text string
		Score            float64
		Scores           map[string]float64
	}
}

func TestSearchPrintsEveryScoreComponent(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	got := jsonOf[found](t, p.run(t, "search", "roll back a failed deployment", "--json"))
	if !got.Evidence || len(got.Hits) == 0 || got.Hits[0].Title != "Deploying the service" {
		t.Fatalf("found = %+v", got)
	}
	for _, name := range []string{"score", "flat", "title", "cosine", "keyword", "semantic", "recency", "boost", "rrf"} {
		if _, ok := got.Hits[0].Scores[name]; !ok {
			t.Errorf("the score component %q is missing", name)
		}
	}
	if r := p.run(t, "search", "roll back a failed deployment"); !strings.Contains(r.stdout, "Deploying the service") {
		t.Errorf("the plain form says:\n%s", r.stdout)
	}
}

// Nobody is shown what they could not open: not in answers, not in searches, not among the closest
// documents.
func TestAccessListsHold(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := handbook(t)
	p.run(t, "index", docs, "--acl", "group:leads")
	if got := jsonOf[found](t, p.run(t, "search", "vacation days", "--json")); len(got.Hits) != 0 {
		t.Errorf("a member found %d passages that are for group:leads", len(got.Hits))
	}
	r := p.run(t, "ask", "How many vacation days does an employee have?", "--json")
	if got := jsonOf[answered](t, r); got.Outcome != "no_evidence" || strings.Contains(r.stdout, "thirty") || strings.Contains(r.stdout, "Vacation") {
		t.Errorf("a member was told about documents for group:leads:\n%s", r.stdout)
	}
	lead := p.with("CONSOLE_PRINCIPALS=members,group:leads")
	if got := jsonOf[answered](t, lead.run(t, "ask", "How many vacation days does an employee have?", "--json")); got.Outcome != "answered" {
		t.Errorf("a lead got %+v", got)
	}
	// Another access list alone is no reason to read and embed everything anew.
	for _, change := range []struct {
		acl  string
		hits bool
	}{{"members", true}, {"group:leads", false}} {
		if r := p.run(t, "index", docs, "--acl", change.acl); !strings.Contains(r.stderr, "0 indexed, 3 with another access list;") {
			t.Errorf("indexing with --acl %s says:\n%s", change.acl, r.stderr)
		}
		if got := jsonOf[found](t, p.run(t, "search", "vacation days", "--json")); (len(got.Hits) > 0) != change.hits {
			t.Errorf("with --acl %s a member finds %d passages", change.acl, len(got.Hits))
		}
	}
}

func TestSourcesAreListedAndRemoved(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	if r := p.run(t, "sources"); !strings.Contains(r.stdout, "footnote index PATH") {
		t.Errorf("an empty list does not say what to do:\n%s", r.stdout)
	}
	docs := handbook(t)
	p.run(t, "index", docs)
	sources := jsonOf[[]struct {
		ID        string
		Name      string
		Documents int
	}](t, p.run(t, "sources", "--json"))
	if len(sources) != 1 || sources[0].Documents != 3 || sources[0].Name != docs {
		t.Fatalf("sources = %+v", sources)
	}
	if r := p.try(t, "", "sources", "remove", "nonsense"); r.code != 2 || !strings.Contains(r.stderr, sources[0].ID) {
		t.Errorf("removing an unknown source: code %d\n%s", r.code, r.stderr)
	}
	p.run(t, "sources", "remove", sources[0].ID)
	if got := jsonOf[found](t, p.run(t, "search", "vacation days", "--json")); len(got.Hits) != 0 {
		t.Error("a removed source is still found")
	}
}

func TestWrongFoldersAreRefusedWithAdvice(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{name: "missing folder", args: []string{"index", filepath.Join(t.TempDir(), "nowhere")}, code: 1, want: "nowhere"},
		{name: "empty folder", args: []string{"index", t.TempDir()}, code: 1, want: "no document"},
		{name: "wrong access list", args: []string{"index", t.TempDir(), "--acl", "everybody"}, code: 2, want: "--acl"},
		{name: "wrong base address", args: []string{"index", handbook(t), "--base-url", "docs"}, code: 1, want: "docs"},
		{name: "no path", args: []string{"index"}, code: 2, want: "nothing to index"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := p.try(t, "", tt.args...)
			if r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("exit code %d, want %d, with %q in:\n%s", r.code, tt.code, tt.want, r.stderr)
			}
		})
	}
}

// Broken files are named with the reason, and the rest is indexed.
func TestOneBadFileDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := handbook(t)
	for name, data := range map[string]string{
		"program.bin": "\x7fELF\x00\x00\x01\x02", "broken.html": "<html><body><p>Unclosed <b>paragraph <table><tr><td>cell", "latin.txt": "Caf\xe9 opening hours: nine to five.\n",
	} {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(docs, filepath.Join(docs, "loop")); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(filepath.Join(docs, "huge.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(100 << 20); err != nil {
		t.Fatal(err)
	}
	if err := big.Close(); err != nil {
		t.Fatal(err)
	}
	r := p.try(t, "", "index", docs)
	if r.code != 3 || !regexp.MustCompile(`\b5 indexed\b`).MatchString(r.stderr) || !strings.Contains(r.stderr, "huge.txt") {
		t.Errorf("the run says:\n%s", r.stderr)
	}
	got := jsonOf[found](t, p.run(t, "search", "café opening hours", "--json"))
	if len(got.Hits) == 0 || !strings.Contains(got.Hits[0].Text, "Café") {
		t.Errorf("the Latin-1 file was not decoded: %+v", got)
	}
}

// A forgotten flag shows nobody more: what was said of a source holds until something else is said.
func TestIndexingAgainKeepsWhoMayRead(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := handbook(t)
	p.run(t, "index", docs, "--acl", "group:leads", "--base-url", "https://docs.example", "--exclude", "oncall.html")
	if err := os.WriteFile(filepath.Join(docs, "new.md"), []byte("# Vacation news\n\nThe vacation calendar has moved.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "index", docs); !strings.Contains(r.stderr, "--acl group:leads") || !strings.Contains(r.stderr, "1 indexed, 2 unchanged") {
		t.Errorf("the second run says:\n%s", r.stderr)
	}
	if got := jsonOf[found](t, p.run(t, "search", "vacation", "--json")); len(got.Hits) != 0 {
		t.Errorf("a member finds %d passages that are for group:leads", len(got.Hits))
	}
	lead := p.with("CONSOLE_PRINCIPALS=group:leads")
	got := jsonOf[found](t, lead.run(t, "search", "vacation calendar", "--json"))
	if len(got.Hits) == 0 || !strings.HasPrefix(got.Hits[0].URL, "https://docs.example/new.md") {
		t.Errorf("a lead found %+v", got.Hits)
	}
	p.run(t, "index", docs, "--acl", "members")
	if got := jsonOf[found](t, p.run(t, "search", "vacation", "--json")); len(got.Hits) == 0 {
		t.Error("said anew, members still find nothing")
	}
	if r := p.try(t, "", "index", docs, "--acl", ""); r.code != 2 || !strings.Contains(r.stderr, "--acl") {
		t.Errorf("an empty list: exit code %d\n%s", r.code, r.stderr)
	}
}

// A folder that has become empty may be a disk that is not mounted: nothing is forgotten, and it is
// said what is still found.
func TestEmptiedFolderSaysWhatIsStillFound(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := folder(t, map[string]string{"only.md": "# Parking\n\nThe garage opens at six.\n"})
	p.run(t, "index", docs)
	if err := os.Remove(filepath.Join(docs, "only.md")); err != nil {
		t.Fatal(err)
	}
	r := p.try(t, "", "index", docs)
	if r.code != 1 || !strings.Contains(r.stderr, "1 document from earlier") || !strings.Contains(r.stderr, "footnote sources remove ") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}

func TestOtherAddressesThanThoseOfSitesAreRefused(t *testing.T) {
	t.Parallel()
	p := &program{env: []string{"DATABASE_URL=postgres://nobody@127.0.0.1:1/none"}} // which is not looked for
	if r := p.try(t, "", "index", "ftp://files.example.org/handbook"); r.code != 2 || !strings.Contains(r.stderr, "https:// and http://, not by ftp://") {
		t.Errorf("exit code %d:\n%s", r.code, r.stderr)
	}
}

func TestIndexEndsWithThreeWhenSomeDocumentsFail(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := folder(t, map[string]string{"boat.md": "# Boat\n\nThe boat is moored.\n", "broken.pdf": "%PDF-1.7\nno more than that"})
	for range 2 { // the second time one document is unchanged
		if r := p.try(t, "", "index", docs); r.code != 3 || !strings.Contains(r.stderr, "footnote: 1 document failed") {
			t.Errorf("exit code %d:\n%s", r.code, r.stderr)
		}
	}
}

// Where nothing of a source could be read, the verb fails, and the doctor names the source and what
// to do.
func TestASourceOfWhichNothingCanBeRead(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	path := filepath.Join(t.TempDir(), "broken.pdf")
	if err := os.WriteFile(path, []byte("%PDF-1.7\nno more than that"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.try(t, "", "index", path); r.code != 1 || !strings.Contains(r.stderr, "1 failed") {
		t.Errorf("index ends with %d:\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "doctor"); r.code != 1 || !strings.Contains(r.stdout, "✗ index: ") || !strings.Contains(r.stdout, "broken.pdf") || !strings.Contains(r.stdout, "footnote sources --failures") {
		t.Errorf("the doctor ends with %d:\n%s", r.code, r.stdout)
	}
}
