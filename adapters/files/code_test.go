package files_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/index"
	"github.com/google/go-cmp/cmp"
)

func TestSourceCodeIsCutBetweenDeclarations(t *testing.T) {
	t.Parallel()
	sources := map[string]struct {
		text string
		want []string // anchor and heading of each section
	}{
		"main.go": {"// Package main runs.\npackage main\n\nimport \"fmt\"\n\n// Run runs.\n//\n// It may fail.\nfunc Run(a int) error {\n\tx := `\n\nfunc not() {\n`\n\n\treturn nil\n}\n\n" +
			"type T struct {\n\tA int\n\n\tB int\n}\n",
			[]string{"L1 ", "L4 ", "L6 func Run(a int) error", "L18 type T struct"}},
		"tool.py": {"import os\n\n\n@cached\ndef size(path):\n    \"\"\"Size.\n\nof a file\n    \"\"\"\n    return os.stat(path)\n\n\nclass Tree:\n    pass\n",
			[]string{"L1 ", "L4 def size(path)", "L13 class Tree"}},
		"schema.sql": {"-- All of it.\nCREATE TABLE a (\n  id int\n);\n\ncreate or replace function f() returns void as $$\nbegin\n\nselect 1;\nend $$;\n\nselect 1;\n",
			[]string{"L1 CREATE TABLE a", "L6 create or replace function f() returns void as $$", "L12 "}},
		"app.ts": {"import x from 'x'\n\nexport async function load(id: string): Promise<T> {\n  return x\n}\n\nexport default class App {\n  run() {\n  }\n}\n\nconst a = 1\n",
			[]string{"L1 ", "L3 export async function load(id: string): Promise<T>", "L7 export default class App", "L12 "}},
		"lib.rs": {"use a;\n\n#[derive(Debug)]\npub(crate) struct S {\n}\n\nimpl S {\n    fn a() {}\n}\n", []string{"L1 ", "L3 pub(crate) struct S", "L7 impl S"}},
	}
	languages := map[string]string{"main.go": "go", "tool.py": "python", "schema.sql": "sql", "app.ts": "typescript", "lib.rs": "rust"}
	for name, tt := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := read(t, files.Options{Path: folder(t, map[string]string{name: tt.text})}).docs[name]
			var got, code []string
			for _, s := range d.Sections {
				code = append(code, s.Blocks[0].Text)
				got = append(got, s.Anchor+" "+strings.Join(s.Heading, " > "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
			if text := strings.Join(code, "\n"); squeeze(text) != squeeze(tt.text) {
				t.Errorf("the text is %q", text)
			}
			if language := d.Sections[0].Blocks[0].Language; language != languages[name] {
				t.Errorf("the language is %q", language)
			}
		})
	}
}

// squeeze takes blank lines out.
func squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' }), "\n")
}

// A class that is longer than a chunk is cut between its methods, and no chunk of functions ends in
// the middle of one.
func TestChunksOfSourceCodeHoldWholeFunctions(t *testing.T) {
	t.Parallel()
	var long, flat strings.Builder
	long.WriteString("package x;\n\npublic class Store {\n")
	for i := range 40 {
		fmt.Fprintf(&long, "\n    /** Says %d. */\n    public int say%d(String name) {\n        int a = name.length();\n\n        return a + %d;\n    }\n", i, i, i)
		fmt.Fprintf(&flat, "func say%d(name string) int {\n\ta := len(name)\n\n\treturn a + %d\n}\n\n", i, i)
	}
	long.WriteString("}\n")
	got := read(t, files.Options{Path: folder(t, map[string]string{"Store.java": long.String(), "say.go": flat.String()})})
	chunker, err := index.NewChunker(bytesPerToken{}, index.ChunkSize{Max: 256})
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range got.docs {
		chunks, err := chunker.Chunks(t.Context(), &d)
		if err != nil {
			t.Fatal(err)
		}
		if len(chunks) < 4 {
			t.Errorf("%s: %d chunks", name, len(chunks))
		}
		for _, c := range chunks {
			if opened, closed := strings.Count(c.Text, "say"), strings.Count(c.Text, "return"); opened != closed {
				t.Errorf("%s: a chunk begins %d functions and ends %d:\n%s", name, opened, closed, c.Text)
			}
			if len(c.Heading) == 0 && c.Ordinal > 0 {
				t.Errorf("%s: a chunk has no name:\n%s", name, c.Text)
			}
		}
	}
}
