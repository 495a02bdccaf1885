package layout_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// avoided are words and turns of phrase that make a reader translate.
var avoided = regexp.MustCompile(`(?i)\b(?:nobody|somebody|anybody|anew|is told|are told|goes by|go by|of its own|of their own|as they stand|gone on with|in the place of|beside)\b`)

// ends are where sentences end in joined text.
var ends = regexp.MustCompile(`[.:;?!](?:\s|$)|\n\s*\n`)

const (
	longest = 30  // words of a sentence
	widest  = 100 // columns of a line of a comment
)

// prose counts what is hard to read in one package, by kinds.
type prose [4]int

var kinds = [len(prose{})]string{
	"words to avoid in comments", "words to avoid in texts", "sentences of more than 30 words", "comment lines of more than 100 columns",
}

const budgets = "testdata/prose.txt"

// The budget of a package is what it holds today, in testdata/prose.txt; -update writes lower
// figures there, and never higher ones. A package that is not listed has none.
func TestProse(t *testing.T) {
	t.Parallel()
	found, where := make(map[string]prose), make(map[string][4][]string)
	for _, top := range []string{"adapters", "bots", "core", "migrations"} {
		if err := fs.WalkDir(os.DirFS("../../.."), top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			return readProse(name, found, where)
		}); err != nil {
			t.Fatal(err)
		}
	}
	budget, err := readBudgets()
	if err != nil {
		t.Fatal(err)
	}
	var all prose
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		for i, have := range found[dir] {
			all[i] += have
			if most := budget[dir][i]; have > most && !*update {
				t.Errorf("%s has %d %s, and its budget is %d (%s). Write plain, active, short English:\n%s", dir, have, kinds[i], most, budgets, strings.Join(where[dir][i], "\n"))
			}
		}
	}
	t.Logf("in all packages: %d %s, %d %s, %d %s, %d %s", all[0], kinds[0], all[1], kinds[1], all[2], kinds[2], all[3], kinds[3])
	if *update {
		if err := writeBudgets(found, budget); err != nil {
			t.Fatal(err)
		}
	}
}

// readProse adds what a file holds.
func readProse(name string, found map[string]prose, where map[string][4][]string) error {
	set := token.NewFileSet()
	text, err := os.ReadFile(path.Join("../../..", name))
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		return err
	}
	dir := path.Dir(name)
	counts, places := found[dir], where[dir]
	add := func(kind int, at token.Pos, what string) {
		counts[kind]++
		places[kind] = append(places[kind], fmt.Sprintf("  %s: %s", set.Position(at), what))
	}
	sentences := func(at token.Pos, text string) {
		for _, sentence := range ends.Split(text, -1) {
			if n := len(strings.Fields(sentence)); n > longest {
				add(2, at, fmt.Sprintf("%d words: %.60s…", n, strings.Join(strings.Fields(sentence), " ")))
			}
		}
	}
	for _, group := range file.Comments {
		if strings.HasPrefix(group.List[0].Text, "//go:") {
			continue
		}
		for _, word := range avoided.FindAllString(group.Text(), -1) {
			add(0, group.Pos(), word)
		}
		sentences(group.Pos(), group.Text())
		for _, comment := range group.List {
			if width := set.Position(comment.Pos()).Column - 1 + utf8.RuneCountInString(comment.Text); width > widest && !strings.Contains(comment.Text, "://") {
				add(3, comment.Pos(), fmt.Sprintf("%d columns", width))
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		said, err := strconv.Unquote(literal.Value)
		if err != nil || strings.ContainsAny(said, "{}<>") && strings.Contains(said, "\n") { // a template, SQL or JSON
			return true
		}
		for _, word := range avoided.FindAllString(said, -1) {
			add(1, literal.Pos(), word)
		}
		return true
	})
	found[dir], where[dir] = counts, places
	return nil
}

func readBudgets() (map[string]prose, error) {
	text, err := os.ReadFile(budgets)
	if err != nil {
		return nil, err
	}
	budget := make(map[string]prose)
	for line := range strings.Lines(string(text)) {
		var dir string
		var p prose
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscan(line, &dir, &p[0], &p[1], &p[2], &p[3]); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", budgets, line, err)
		}
		budget[dir] = p
	}
	return budget, nil
}

// writeBudgets writes the lower of each pair of figures.
func writeBudgets(found, budget map[string]prose) error {
	var b strings.Builder
	b.WriteString("# package, " + strings.Join(kinds[:], ", ") + "\n")
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		have := found[dir]
		for i := range have {
			if len(budget) > 0 {
				have[i] = min(have[i], budget[dir][i])
			}
		}
		if have != (prose{}) {
			fmt.Fprintln(&b, dir, have[0], have[1], have[2], have[3])
		}
	}
	return os.WriteFile(budgets, []byte(b.String()), 0o600)
}
