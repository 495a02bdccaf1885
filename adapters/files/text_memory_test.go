package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"golang.org/x/sync/errgroup"
)

// worstTables and worstTexts are files that take most memory for their size. The size is the
// largest that is read.
func worstTables() map[string]func(size int) string {
	again := func(unit string) func(int) string {
		return func(size int) string { return strings.Repeat(unit, size/len(unit)) }
	}
	return map[string]func(int) string{
		"commas.csv":     again(","),
		"quotes.csv":     again(`"",`),
		"rows.csv":       again("\n,"),
		"letters.csv":    again("a,"),
		"values.csv":     again("12345,67890\n"),
		"one-value.csv":  again("a"),
		"quoted.csv":     func(size int) string { return `"` + strings.Repeat(`""a`, (size-1)/3) },
		"tabs.tsv":       again("\t"),
		"words.csv":      again("a b c d,"),
		"many-words.csv": again("a "),
	}
}

func worstTexts() map[string]func(size int) string {
	again := func(unit string) func(int) string {
		return func(size int) string { return strings.Repeat(unit, size/len(unit)) }
	}
	return map[string]func(int) string{
		"letters.txt":  again("a\n\n"),
		"bars.txt":     again("a\n=\n\n"),
		"word.txt":     again("a"),
		"returns.txt":  again("a\r"),
		"zeros.log":    again("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x00"),
		"western.txt":  again("\xe4\xf6\xfc \xdf"),
		"utf16.txt":    func(size int) string { return "\xff\xfe" + strings.Repeat("\x00\x4e", size-1) },
		"broken.txt":   again("ääääääääääääääääääää\xff"),
		"lines.go":     again("\n"),
		"functions.go": again("func a() {}\n\n"),
		"members.py":   again("class A:\n\n  def f():\n\n    x\n\n"),
		"nested.json": func(size int) string {
			return strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + strings.Repeat(" ", size-18_000)
		},
		"numbers.json":   func(size int) string { return "[" + strings.Repeat("1,", size/2-2) + "1]" },
		"too-large.yaml": func(size int) string { return strings.Repeat("a: b\n", size*3/5) },
	}
}

// TestTablesInLittleMemory reads each of the worst tables eight times at once.
func TestTablesInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, 384<<20, func(t *testing.T) { readEight(t, worstTables()) })
}

// TestTextsInLittleMemory reads each of the worst texts eight times at once.
func TestTextsInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, 768<<20, func(t *testing.T) { readEight(t, worstTexts()) })
}

func readEight(t *testing.T, worst map[string]func(int) string) {
	t.Helper()
	for name, content := range worst {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, name), []byte(content(document.MaxText)), 0o600); err != nil {
			t.Fatal(err)
		}
		var group errgroup.Group
		for range 8 {
			group.Go(func() error {
				c, err := files.New(files.Options{Path: root})
				if err != nil {
					return err
				}
				for batch, err := range c.Sync(t.Context(), nil) {
					if err != nil {
						return err
					}
					for _, item := range batch.Documents {
						if _, err := item.Load(t.Context()); err != nil && !strings.Contains(err.Error(), ". ") {
							return fmt.Errorf("%s: %w", name, err)
						}
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		t.Log(name)
	}
}
