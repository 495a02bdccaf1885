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
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/session"
)

var update = flag.Bool("update", false, "rewrite what is generated in deploy/docs")

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

// link finds what a document leads to, once code is taken out of it. Addresses and anchors within a
// page are not its business.
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
		if below(f.dir, "core") && !f.test {
			from := corePackage(f.dir)
			for _, imported := range f.imports {
				if local, ok := strings.CutPrefix(imported, prefix); ok && below(local, "core") && corePackage(local) != from {
					imports[from] = append(imports[from], corePackage(local))
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
		table += fmt.Sprintf("| `%s` | %s | %s |\n", p, synopsis(t, "core/"+p), strings.Join(slices.Compact(imports[p])[1:], ", "))
	}
	generated(t, "contributing.md", "core", "bots/internal/layout", table)
}

// The contributing page shows the rooms of adapters as they are.
func TestContributingShowsTheRooms(t *testing.T) {
	t.Parallel()
	table := "| package | holds | may import |\n|---|---|---|\n"
	for _, h := range houses {
		for _, r := range h.rooms {
			imports := make([]string, len(r.imports))
			for i, name := range r.imports {
				imports[i] = cmp.Or(name, filepath.Base(h.dir))
			}
			dir := filepath.ToSlash(filepath.Join(h.dir, r.name))
			table += fmt.Sprintf("| `%s` | %s | %s |\n", dir, synopsis(t, dir), strings.Join(imports, ", "))
		}
	}
	generated(t, "contributing.md", "rooms", "bots/internal/layout", table)
}

// The page on turns shows the ways that the core knows.
func TestTurnPageShowsEveryWay(t *testing.T) {
	t.Parallel()
	var moves, rows strings.Builder
	named := func(s session.State) string {
		if s == "" {
			return "[*]"
		}
		return string(s)
	}
	events := make(map[[2]string][]string)
	var pairs [][2]string
	for _, w := range session.Life {
		pair := [2]string{named(w.From), named(w.To)}
		if w.From != w.To {
			if events[pair] == nil {
				pairs = append(pairs, pair)
			}
			events[pair] = append(events[pair], string(w.Event))
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", w.Event, strings.Trim(pair[0], "[*]"), pair[1], w.By, w.Writes)
	}
	for _, pair := range pairs {
		fmt.Fprintf(&moves, "    %s --> %s: %s\n", pair[0], pair[1], strings.Join(events[pair], ", "))
	}
	generated(t, "turn.md", "life", "core/session", "```mermaid\nstateDiagram-v2\n"+moves.String()+"```\n\n| when it is | from | to | by | is written with it |\n|---|---|---|---|---|\n"+rows.String())
}

// generated holds a part of a page in deploy/docs against what it is made of, or writes it with
// -update.
func generated(t *testing.T, page, part, of, want string) {
	t.Helper()
	begin, end := fmt.Sprintf("<!-- %s: generated from %s by \"go test ./bots/internal/layout -update\" -->\n", part, of), fmt.Sprintf("<!-- /%s -->\n", part)
	name := filepath.Join(root(t), "deploy", "docs", page)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for %s", name, part)
	}
	want = before + begin + want + end + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is not what the code says: run go test ./bots/internal/layout -update", name)
	}
}

// synopsis is what the package of a folder says of itself, in a sentence.
func synopsis(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(dir), "*.go"))
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
			_, said, _ = strings.Cut(said, "Package "+path.Base(filepath.ToSlash(dir))+" ")
			return strings.ReplaceAll(strings.TrimSuffix(said, "."), "|", `\|`)
		}
	}
	t.Errorf("%s does not say what it holds", dir)
	return ""
}
