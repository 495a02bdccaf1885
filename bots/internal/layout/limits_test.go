package layout_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// limit is a measure that may not exceed most. What exceeds it today is listed in a file with its
// figure; -update writes lower figures there, and never higher ones.
type limit struct {
	file string
	most int
	what string
}

var (
	packageLines = limit{"testdata/lines.txt", 5000, "lines without tests: move a room out of it"}
	importers    = limit{"testdata/importers.txt", 1, "files outside it that import it: let one file connect it"}
)

func TestPackagesStaySmall(t *testing.T) {
	t.Parallel()
	files := repository(t)
	packageLines.hold(t, linesOf(files))
	planted := linesOf(append(files, slices.Repeat([]file{{name: "core/planted/a.go", dir: "core/planted", lines: 500}}, 11)...))
	if faults := packageLines.faults(planted, nil); !strings.Contains(strings.Join(faults, "\n"), "core/planted has 5500 lines") {
		t.Errorf("a planted package was not found: %q", faults)
	}
}

// linesOf counts the lines of packages, without files that end in _test.go.
func linesOf(files []file) map[string]int {
	lines := make(map[string]int)
	for _, f := range files {
		if !strings.HasSuffix(f.name, "_test.go") {
			lines[f.dir] += f.lines
		}
	}
	return lines
}

func TestOneFileConnectsAnAdapter(t *testing.T) {
	t.Parallel()
	files := repository(t)
	importers.hold(t, importersOf(files))
	planted := importersOf(append(files,
		file{name: "bots/a/a.go", dir: "bots/a", imports: []string{prefix + "adapters/planted"}},
		file{name: "bots/a/b.go", dir: "bots/a", imports: []string{prefix + "adapters/planted/room", prefix + "adapters/planted"}},
		file{name: "adapters/planted/a.go", dir: "adapters/planted", imports: []string{prefix + "adapters/planted/room"}},
	))
	if faults := importers.faults(planted, nil); !strings.Contains(strings.Join(faults, "\n"), "adapters/planted has 2 files") {
		t.Errorf("a planted adapter was not found: %q", faults)
	}
}

// importersOf counts the files outside an adapter that import one of its packages. What adapters
// share is none, and tests, test kits and measurements may look into each.
func importersOf(files []file) map[string]int {
	count := make(map[string]int)
	for _, f := range files {
		seen := make(map[string]bool)
		for _, imported := range f.imports {
			local, _ := strings.CutPrefix(imported, prefix)
			if f.test || below(f.dir, benches) || !below(local, "adapters") || below(local, "adapters/internal") {
				continue
			}
			if of := path.Join("adapters", adapter(local)); !below(f.dir, of) && !seen[of] {
				seen[of] = true
				count[of]++
			}
		}
	}
	return count
}

// hold compares figures with what is listed, and lowers the list with -update.
func (b limit) hold(t *testing.T, figures map[string]int) {
	t.Helper()
	text, err := os.ReadFile(b.file)
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		var name string
		var figure int
		if _, err := fmt.Sscan(line, &name, &figure); err != nil {
			t.Fatalf("%s: %q: %v", b.file, line, err)
		}
		listed[name] = figure
	}
	for _, fault := range b.faults(figures, listed) {
		t.Error(fault)
	}
	if !*update {
		return
	}
	var lower strings.Builder
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if have := min(figures[name], listed[name]); have > b.most {
			fmt.Fprintln(&lower, name, have)
		}
	}
	if err := os.WriteFile(b.file, []byte(lower.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b limit) faults(figures, listed map[string]int) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		if most := max(b.most, listed[name]); figures[name] > most {
			faults = append(faults, fmt.Sprintf("%s has %d %s (at most %d, %s)", name, figures[name], b.what, most, b.file))
		}
	}
	return faults
}
