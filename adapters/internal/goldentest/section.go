package goldentest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
)

// Sections compares the results of parse with golden files, in a subtest for each file in testdata.
// It calls parse with each file whose name ends in the given ending, such as ".html". The golden
// file has the same name with the ending ".golden". It contains the head and the sections.
func Sections(t *testing.T, ending string, parse func(source string) (head string, sections []document.Section)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*" + ending)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s in testdata: %v", ending, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, sections := parse(string(source))
			Check(t, strings.TrimSuffix(file, ending)+".golden", head+show(sections))
		})
	}
}

var kinds = map[document.BlockKind]string{
	document.Paragraph: "paragraph", document.List: "list", document.Table: "table", document.Code: "code", document.Heading: "heading",
}

func show(sections []document.Section) string {
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "\n==== %s #%s\n", strings.Join(s.Heading, " › "), s.Anchor)
		for _, block := range s.Blocks {
			fmt.Fprintf(&b, "[%s]\n%s\n", kinds[block.Kind], block.Text)
		}
	}
	return b.String()
}
