package files_test

import (
	"archive/zip"
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// unpacking makes a Word document of a few kilobytes that unpacks to the size given.
func unpacking(t testing.TB, size int, before, unit string) string {
	t.Helper()
	return unpackingTo(t, "word/document.xml", size, before, unit, nil)
}

// unpackingTo makes an archive whose part of a name unpacks to the size given, beside other parts.
func unpackingTo(t testing.TB, name string, size int, before, unit string, others map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	parts := map[string]string{name: before + strings.Repeat(unit, size/len(unit))}
	maps.Copy(parts, others)
	for name, text := range parts {
		part, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hostileFiles are documents of every format that would take gigabytes, or minutes, if what they
// say were held as it stands.
func hostileFiles(t testing.TB, size int) map[string]string {
	again := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	stairs := ""
	for i := range 1500 {
		stairs += strings.Repeat(" ", i) + "def f():\n\n"
	}
	const unpacked = 60 << 20
	sheet := map[string]string{
		"xl/workbook.xml": `<workbook><sheets><sheet name="A" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<a><Relationship Id="a" Type="t/worksheet" Target="sheet.xml"/><Relationship Id="b" Type="t/sharedStrings" Target="strings.xml"/>` +
			`<Relationship Id="c" Type="t/styles" Target="styles.xml"/></a>`,
	}
	slide := map[string]string{
		"ppt/presentation.xml":            `<a><sldId r:id="a"/></a>`,
		"ppt/_rels/presentation.xml.rels": `<a><Relationship Id="a" Type="t/slide" Target="slide.xml"/></a>`,
	}
	oneSlide := map[string]string{"ppt/_rels/presentation.xml.rels": slide["ppt/_rels/presentation.xml.rels"], "ppt/slide.xml": "<d>" + strings.Repeat("<sp><p><t>a</t></p></sp>", 1000) + "</d>"}
	shared := maps.Clone(sheet)
	shared["xl/strings.xml"] = "<sst><si><t>" + strings.Repeat("laughs ", 15_000) + "</t></si></sst>"
	books := map[string]string{"xl/_rels/workbook.xml.rels": sheet["xl/_rels/workbook.xml.rels"], "xl/sheet.xml": "<a/>"}
	return map[string]string{
		"headings.md":      again("# a\n"),
		"nested.md":        again("> "),
		"items.md":         again("- "),
		"links.md":         again("["),
		"targets.md":       "    ```\n\n" + again("[a]("), // which opens no code block
		"definitions.md":   "    ```\n\n" + again("[a]: b\n"),
		"cells.md":         hostiletest.EmptyRows(400_000),
		"quoted-cells.md":  "> " + strings.ReplaceAll(hostiletest.EmptyRows(400_000), "\n", "\n> "),
		"emphasis.md":      again("*a "),
		"matter-deep.md":   "---\na: " + strings.Repeat("[", 30_000) + "\n---\ntext",
		"matter-maps.md":   "---\na: " + strings.Repeat("{a: ", 12_000) + "\n---\ntext",
		"matter-dashes.md": "---\n" + strings.Repeat("- ", 20_000) + "\n---\ntext",
		"matter-marks.md":  "---\n" + strings.Repeat("? ", 20_000) + "\n---\ntext",
		"tags.md":          "---\ntags: " + strings.Repeat("tag,", 10_000) + "\n---\n" + again("Word after word. "),
		"cells.html":       "<table>" + again("<tr><td>"),
		"spans.html":       "<table><tr>" + again(`<td colspan=1000000 rowspan=65534>a`),
		"deep.html":        again("<div>"),
		"lists.html":       again("<ul><li>a"),
		"terms.html":       again("<dl><dt id=a>a<dd>"),
		"one-term.html":    strings.Repeat("<dl><dt id=a>aaaaaaaaaaaaaaaaaaaa<dd>", 1000) + again("<dt id=b>b"),
		"long-head.html":   "<h1>" + again("title ") + "</h1>" + again("<h2>a</h2><p>b"),
		"attributes.html":  "<p " + again("a=b ") + ">text",
		"code.html":        strings.Repeat("<code>", 1000) + again("word ") + strings.Repeat("</code>", 1000) + again("</code>"),
		"powers.html":      strings.Repeat("<sup>", 1000) + again("word ") + strings.Repeat("</sup>", 1000),
		"tags.html":        again("<x "),
		"columns.csv":      again(","),
		"quotes.csv":       again(`"",`),
		"rows.csv":         again("\n,"),
		"quoted.csv":       `"` + again(",\n"),
		"nested.json":      strings.Repeat("[", 9000) + again("1,") + "1" + strings.Repeat("]", 9000),
		"objects.json":     again(`{"a":`),
		"stairs.py":        stairs + again(strings.Repeat(" ", 1500)+"x\n\n"),
		"line.go":          again("func a("),
		"sentences.txt":    again("! "),
		"word.txt":         again("a"),
		"bars.txt":         again("a\n=\n\n"),
		"nested.docx":      unpacking(t, unpacked, "", "<a>"),
		"attributes.docx":  unpacking(t, unpacked, "<a ", `b="" `),
		"text.docx":        unpacking(t, unpacked, "<d><p><t>", "a"),
		"paragraphs.docx":  unpacking(t, unpacked, "<d>", "<p><r><t>a</t></r></p>"),
		"cells.docx":       unpacking(t, unpacked, "<d><tbl><tr>", "<tc></tc>"),
		"rows.docx":        unpacking(t, unpacked, "<d><tbl>", "<tr><tc><p><t>a</t></p></tc><tc></tc></tr>"),
		"rows.xlsx":        unpackingTo(t, "xl/sheet.xml", 100<<20, "<d>", `<row><c><v>1</v></c><c><v>2</v></c></row>`, sheet),
		"cells.xlsx":       unpackingTo(t, "xl/sheet.xml", unpacked, "<d><row>", `<c><v>1</v></c>`, sheet),
		"far-cells.xlsx":   unpackingTo(t, "xl/sheet.xml", unpacked, "<d>", `<row><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>`, sheet),
		"formulas.xlsx":    unpackingTo(t, "xl/sheet.xml", unpacked, "<d>", `<row><c><f>REPT("a",A1:XFD1048576)</f><v>1</v></c><c><v>1</v></c></row>`, sheet),
		"laughs.xlsx":      unpackingTo(t, "xl/sheet.xml", 1<<20, "<d><row>", `<c t="s"><v>0</v></c>`, shared),
		"strings.xlsx":     unpackingTo(t, "xl/strings.xml", 63<<20, "<sst>", "<si/>", sheet),
		"runs.xlsx":        unpackingTo(t, "xl/strings.xml", 63<<20, "<sst><si>", "<r><t>a</t></r>", sheet),
		"styles.xlsx":      unpackingTo(t, "xl/styles.xml", 7<<20, "<a><cellXfs>", "<xf/>", sheet),
		"sheets.xlsx":      unpackingTo(t, "xl/workbook.xml", 7<<20, "<a>", `<sheet id="a"/>`, books),
		"shapes.pptx":      unpackingTo(t, "ppt/slide.xml", unpacked, "<d>", `<sp><p><t>a</t></p></sp>`, slide),
		"cells.pptx":       unpackingTo(t, "ppt/slide.xml", unpacked, "<d><tbl><tr>", "<tc/>", slide),
		"slides.pptx":      unpackingTo(t, "ppt/presentation.xml", 150_000, "<a>", `<sldId r:id="a"/>`, oneSlide),
		"items.docx":       unpacking(t, unpacked, "<d>", `<p><numPr/><ilvl val="8"/><t>a</t></p>`),
	}
}

// discarding is a store that keeps what it was given as a database does: elsewhere.
type discarding struct{ *indextest.Store }

func (d discarding) Put(ctx context.Context, tenant access.TenantID, entries []index.Entry) error {
	for i := range entries {
		entries[i].Chunks, entries[i].SearchText, entries[i].Document.Sections = nil, nil, nil
	}
	return d.Store.Put(ctx, tenant, entries)
}

// memoryLimit is what a process may have that indexes hostile documents, in bytes of data. The race
// detector keeps several times a program's own memory beside it ("memory usage may increase by
// 5-10x", its documentation says).
func memoryLimit() uint64 {
	const plain = 1 << 30
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-race" && s.Value == "true" {
				return 6 * plain
			}
		}
	}
	return plain
}

// A process with little memory reads hostile documents of every format and lives: each is read, or
// is a failure that says what to do.
func TestHostileDocumentsInLittleMemory(t *testing.T) {
	const inside = "FOOTNOTE_TEST_HOSTILE"
	if root := os.Getenv(inside); root != "" {
		indexHostile(t, root)
		return
	}
	for name, content := range hostileFiles(t, 512<<10) {
		t.Run(name, func(t *testing.T) {
			root := folder(t, map[string]string{name: content, "good.md": "# Good\n\nThis is read."})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // does it end at all
			defer cancel()
			child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHostileDocumentsInLittleMemory$", "-test.v")
			child.Env = append(os.Environ(), inside+"="+root)
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out[:min(len(out), 4000)])
			}
			t.Logf("%s", out)
		})
	}
}

func indexHostile(t *testing.T, root string) {
	limit := &syscall.Rlimit{Cur: memoryLimit(), Max: memoryLimit()}
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, limit); err != nil {
		t.Fatal(err)
	}
	debug.SetMemoryLimit(512 << 20)
	c, err := files.New(files.Options{Path: root})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	run, err := newPipeline(t, discarding{new(indextest.Store)}).Run(t.Context(), access.DefaultTenant, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v in %v", run.Counts, time.Since(began))
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if n := run.Counts.Indexed + run.Counts.Failed; n != len(entries) {
		t.Errorf("%d of %d documents were indexed or failed", n, len(entries))
	}
	for _, n := range run.Failures {
		t.Log(n.Name, n.Sentence)
		if !strings.Contains(n.Sentence, ". ") {
			t.Errorf("%s: %q does not say what to do", n.Name, n.Sentence)
		}
	}
}
