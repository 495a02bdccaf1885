package layout_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of packages")

// contributing holds the table of packages between these marks.
const (
	contributing = "deploy/docs/contributing.md"
	tableBegin   = "<!-- core: generated from bots/internal/layout by \"go test ./bots/internal/layout -update\" -->\n"
	tableEnd     = "<!-- /core -->\n"
)

// The README is what somebody reads before anything else. All else has a page of its own.
func TestREADMEIsShort(t *testing.T) {
	t.Parallel()
	info, err := os.Stat(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(9_000); info.Size() > most {
		t.Errorf("README.md has %d bytes, at most %d: a subject has its page in deploy/docs", info.Size(), most)
	}
}

// link finds what a document leads to, once code is taken out of it. Addresses and anchors within a page are not its business.
var (
	codeSpan = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	link     = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
)

func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	documents := []string{filepath.Join(root(t), "README.md")}
	if err := filepath.WalkDir(filepath.Join(root(t), "deploy"), func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") {
			documents = append(documents, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(string(text), ""), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), found[1])); err != nil {
				t.Errorf("%s leads to %s, which is not there", name, found[1])
			}
		}
	}
}

// The contributing page shows the packages of the core as they are.
func TestContributingShowsThePackages(t *testing.T) {
	t.Parallel()
	imports := make(map[string][]string)
	for _, f := range repository(t) {
		if dir, ok := strings.CutPrefix(f.dir, "core/"); ok && !f.test {
			from, _, _ := strings.Cut(dir, "/")
			for _, imported := range f.imports {
				if to, ok := strings.CutPrefix(imported, prefix+"core/"); ok {
					if to, _, _ = strings.Cut(to, "/"); to != from {
						imports[from] = append(imports[from], to)
					}
				}
			}
			imports[from] = append(imports[from], "") // that it is there
		}
	}
	table := "| package | holds | imports |\n|---|---|---|\n"
	for _, p := range coreOrder {
		if imports[p] == nil {
			continue
		}
		slices.SortFunc(imports[p], func(a, b string) int { return cmp.Compare(slices.Index(coreOrder, a), slices.Index(coreOrder, b)) })
		table += fmt.Sprintf("| `%s` | %s | %s |\n", p, synopsis(t, p), strings.Join(slices.Compact(imports[p])[1:], ", "))
	}
	name := filepath.Join(root(t), contributing)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", contributing)
	}
	want := before + tableBegin + table + tableEnd + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s shows other packages: run go test ./bots/internal/layout -update", contributing)
	}
}

// synopsis is what a package of the core says of itself, in a sentence.
func synopsis(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "core", name, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Doc != nil {
			said := new(doc.Package).Synopsis(parsed.Doc.Text())
			_, said, _ = strings.Cut(said, "Package "+name+" ")
			return strings.ReplaceAll(strings.TrimSuffix(said, "."), "|", `\|`)
		}
	}
	t.Errorf("core/%s does not say what it holds", name)
	return ""
}
