package knowledge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/google/go-cmp/cmp"
)

// said writes facts as lines, in order.
func said(r knowledge.Reading) []string {
	var out []string
	side := func(e *knowledge.Entity) string {
		if e == nil {
			return "this"
		}
		return string(e.Kind) + " " + e.Key
	}
	for _, f := range r.Facts {
		out = append(out, fmt.Sprintf("%s %s %s @%d", side(f.Subject), f.Relation, side(f.Object), f.Chunk))
	}
	slices.Sort(out)
	return out
}

func read(id string, metadata map[string]string, texts ...string) knowledge.Reading {
	d := &document.Document{Ref: document.Ref{ID: document.ID(id), Title: "The title", URL: "https://docs.example/this"}, Metadata: metadata}
	var chunks []document.Chunk
	for _, text := range texts {
		chunks = append(chunks, document.Chunk{Text: text})
	}
	return knowledge.Read(d, chunks)
}

func TestReadMetadata(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		metadata map[string]string
		want     []string
	}{
		"people":   {map[string]string{"author": "Ann Lee <ann@acme.example>, Bo Chen", "assignees": "bo, cy"}, []string{"person ann@acme.example authored this @0", "person bo chen authored this @0", "person bo works on this @0", "person cy works on this @0"}},
		"bare":     {map[string]string{"owner": "Ann Lee ann@acme.example, Infra oncall @x y@acme.example"}, []string{"person ann@acme.example owns this @0", "person infra oncall x y acme example owns this @0"}},
		"accounts": {map[string]string{"owners": "@acme/infra @ann ops@acme.example"}, []string{"person @ann owns this @0", "person ops@acme.example owns this @0", "team @acme/infra owns this @0"}},
		"teams":    {map[string]string{"team": "Infrastructure", "owner": "Payments team"}, []string{"team infrastructure works on this @0", "team payments owns this @0"}},
		"places":   {map[string]string{"repository": "acme/Infra", "project": "Lighthouse"}, []string{"this part of project lighthouse @0", "this part of repository acme/infra @0"}},
		"replaced": {map[string]string{"supersedes": "Backup policy 2024", "replaced_by": "https://docs.example/new#top"}, []string{"document https://docs.example/new supersedes this @0", "this supersedes document backup policy 2024 @0"}},
		"needed":   {map[string]string{"depends_on": "Auth service, [Postgres](../db.md)"}, []string{"this depends on system auth service @0", "this depends on system postgres @0"}},
		"nothing":  {map[string]string{"state": "open", "author": " ", "supersedes": "it", "tags": "a"}, nil},
		"a list":   {map[string]string{"Authors": "[Ann, \"Bo\"]"}, []string{"person ann authored this @0", "person bo authored this @0"}},
	} {
		if diff := cmp.Diff(c.want, said(read("docs:a.md", c.metadata))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A link is stated by the passage that its text stands in, however many links there are with the
// same text, and texts that do not stand anywhere end the search.
func TestReadLinks(t *testing.T) {
	t.Parallel()
	d := &document.Document{Ref: document.Ref{ID: "docs:a.md", URL: "https://docs.example/a"}}
	for _, l := range [][2]string{{"here", "docs:b.md"}, {"here", "docs:c.md"}, {"Setup", "https://docs.example/setup#x"}, {"gone", "docs:d.md"}, {"here", "docs:e.md"}, {"here", "docs:a.md"},
		{"here", "https://docs.example/a"}, {"here", "ftp://docs.example/"}, {"here", "docs:" + strings.Repeat("x", 600)}} {
		d.Links = append(d.Links, document.Link{Text: l[0], To: l[1]})
	}
	chunks := []document.Chunk{{Text: "Look here."}, {Text: "And here, and at Setup (https://docs.example/setup)."}, {Text: "The end, here."}}
	want := []string{"this links to document docs:b.md @0", "this links to document docs:c.md @0", "this links to document docs:e.md @1", "this links to document https://docs.example/setup @1"}
	if diff := cmp.Diff(want, said(knowledge.Read(d, chunks))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range d.Links {
		d.Links[i].Text = "nowhere"
	}
	for len(d.Links) < document.MaxLinks {
		d.Links = append(d.Links, d.Links...)
	}
	if diff := cmp.Diff([]string{"this links to document https://docs.example/setup @1"}, said(knowledge.Read(d, chunks))); diff != "" {
		t.Errorf("links that stand nowhere (-want +got):\n%s", diff)
	}
}

func TestReadText(t *testing.T) {
	t.Parallel()
	got := said(read("docs:a.md", nil,
		"# Plan\n\n**Owner:** Ann Lee\n- Team: Infra\nNote: this is no label\nSee OPS-12, UTF-8, IL-6, ABC-123456789 and x-OPS-9; also (ENG2-7).",
		"Replaced by: [New plan](https://docs.example/new)\nhttps://docs.example/this and https://docs.example/other.\nOwner of it: nobody\nftp://x.example/y",
		"Supersedes: Old plan\nOPS-12 again"))
	want := []string{
		"document https://docs.example/new supersedes this @1", "person ann lee owns this @0", "team infra works on this @0", "this links to document https://docs.example/new @1",
		"this links to document https://docs.example/other @1", "this mentions ticket ENG2-7 @0", "this mentions ticket OPS-12 @0", "this supersedes document old plan @2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Lines of Markdown that no empty line parts come as one.
func TestReadKeysOfOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Owner: Ann Lee Author: Bo Chen Status: draft":        {"person ann lee owns this @0", "person bo chen authored this @0"},
		"**Owner:** Ann Lee **Last updated:** 2026-01-02":     {"person ann lee owns this @0"},
		"Owner: Ann Lee Cost center: 12":                      nil,
		"Owner: Author: Bo Chen":                              {"person bo chen authored this @0"},
		"Supersedes: Backup guide: the first":                 {"this supersedes document backup guide the first @0"},
		"Supersedes: Guide to service: part 2":                {"this supersedes document guide to service part 2 @0"},
		"Owner:" + strings.Repeat(" Owner:", 1000) + " Ann":   {"person ann owns this @0"},
		"Owner: " + strings.Repeat(": ", 1000) + "Ann: Lee :": nil,
	} {
		if diff := cmp.Diff(want, said(read("docs:a.md", nil, text))); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", text, diff)
		}
	}
}

func TestReadCodeowners(t *testing.T) {
	t.Parallel()
	got := said(read("git-x:.github/CODEOWNERS", nil, "# who\n*  @acme/all\n/docs/billing/ @acme/payments ann@acme.example # both\n[Section]\nnobody\n"))
	want := []string{"person ann@acme.example owns path git-x:/docs/billing/ @0", "team @acme/all owns path git-x:* @0", "team @acme/payments owns path git-x:/docs/billing/ @0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The examples of GitHub's own page on CODEOWNERS, and what its rules say of folders and wildcards.
func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		{"*", "a/b.go", true}, {"*.js", "web/app.js", true}, {"*.js", "web/app.ts", false}, {"/build/logs/", "build/logs/a/b.txt", true},
		{"/build/logs/", "x/build/logs/a", false}, {"docs/*", "docs/getting-started.md", true}, {"docs/*", "docs/build-app/troubleshooting.md", false},
		{"apps/", "x/apps/y/z", true}, {"apps/", "apps", false}, {"/docs/", "docs/a.md", true}, {"/apps/github", "apps/github/x.md", true}, {"**/logs", "build/logs/a", true},
		{"**/logs", "deeply/nested/logs/a", true}, {"/a/**/z.md", "a/b/c/z.md", true}, {"/a/**/z.md", "a/z.md", true}, {"/a/**/z.md", "b/z.md", false}, {"[", "[", false},
		{"README.md", "docs/README.md", true}, {strings.Repeat("**/", 60) + "x", strings.Repeat("a/", 60) + "y", false}, {"/**/a/**/b/**/c", strings.Repeat("a/b/", 12) + "d", false},
	} {
		if got := knowledge.Covers(c.pattern, c.file); got != c.want {
			t.Errorf("Covers(%q, %q) = %v", c.pattern, c.file, got)
		}
	}
}

// A page that names everything, one that says everything a thousand times, and one that holds
// nothing but marks: reading is bounded and ends.
func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "Owner: person %d\nOPS-%d https://x.example/%d\n", i, i, i)
	}
	if got := len(read("docs:a.md", map[string]string{"authors": strings.Repeat("somebody,", 9000)}, b.String()).Facts); got != knowledge.MaxFacts {
		t.Errorf("%d facts, want %d", got, knowledge.MaxFacts)
	}
	for _, text := range []string{strings.Repeat("://", 1<<16), strings.Repeat("A-", 1<<16), strings.Repeat(":\n", 1<<16), strings.Repeat("[", 1<<16)} {
		if facts := read("docs:a.md", nil, text).Facts; len(facts) > knowledge.MaxFacts {
			t.Errorf("%d facts of %q", len(facts), text[:6])
		}
	}
}

// People of one name are one as long as documents say nothing else of them; an address of mail
// tells them apart.
func TestTwoPeopleOfOneName(t *testing.T) {
	t.Parallel()
	got := said(read("docs:a.md", map[string]string{"authors": "Ann Lee <ann@a.example>; Ann Lee <ann@b.example>; ann lee; ANN LÉE"}))
	want := []string{"person ann lee authored this @0", "person ann@a.example authored this @0", "person ann@b.example authored this @0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("CODEOWNERS", "* @a\n", "Owner: x <")
	f.Add("a", "https://[::1]:x OPS-1", "")
	f.Fuzz(func(t *testing.T, id, text, metadata string) {
		r := read("docs:"+id, map[string]string{"owner": metadata, "supersedes": text}, text)
		for _, fact := range r.Facts {
			if fact.Subject == nil && fact.Object == nil || fact.Chunk != 0 {
				t.Errorf("a fact about nothing, or in no chunk: %+v", fact)
			}
			for _, e := range []*knowledge.Entity{fact.Subject, fact.Object} {
				if e != nil && (e.Key == "" || e.Kind == "") {
					t.Errorf("an entity without a key: %+v", e)
				}
			}
		}
	})
}

// The authors of a commit worked on its files and on their folders; a page that only says that it
// changed files is none.
func TestReadChangedFiles(t *testing.T) {
	t.Parallel()
	got := said(read("git-x:commit:1", map[string]string{"author": "Ann Lee <ann@acme.example>", knowledge.ChangedFiles: "docs/billing/a.md\ndocs/b.md\nc"}))
	want := []string{"person ann@acme.example authored this @0"}
	for _, place := range []string{"c", "docs/", "docs/b.md", "docs/billing/", "docs/billing/a.md"} {
		want = append(want, "person ann@acme.example works on file git-x:"+place+" @0")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := said(read("git-x:a.md", nil, "Author: Ann\n\nChanged files: a.md")); len(got) != 1 {
		t.Errorf("of a page: %v", got)
	}
	many := read("git-x:commit:1", map[string]string{"author": strings.Repeat("a b, ", 40), knowledge.ChangedFiles: strings.Repeat("x/", 500) + "\n" + strings.Repeat("a/b\n", 5000)})
	if len(many.Facts) > knowledge.MaxFacts {
		t.Errorf("%d facts", len(many.Facts))
	}
}
