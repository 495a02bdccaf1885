package office_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/office"
	"github.com/footnotehq/footnote/core/document"
	"github.com/google/go-cmp/cmp"
)

// pack makes an archive of parts.
func pack(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range parts {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	namespace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	styles    = `<w:styles ` + namespace + `><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>` +
		`<w:style w:styleId="Own"><w:name w:val="Chapter"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>`
)

func body(text string) string {
	return `<w:document ` + namespace + `><w:body>` + text + `</w:body></w:document>`
}

func p(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }

func styled(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func TestParse(t *testing.T) {
	t.Parallel()
	item := func(level, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	cell := func(text string) string { return `<w:tc>` + p(text) + `</w:tc>` }
	page, err := office.Parse(t.Context(), pack(t, map[string]string{
		"word/styles.xml":   styles,
		"docProps/core.xml": `<cp xmlns:dc="d" xmlns:t="t"><dc:title>The  handbook</dc:title><t:modified>2024-03-02T10:00:00Z</t:modified></cp>`,
		"word/document.xml": body(p("Before.") + styled("H1", "Travel") +
			`<w:p><w:r><w:t xml:space="preserve">Trains </w:t></w:r><w:del><w:r><w:delText>and planes </w:delText></w:r></w:del><w:r><w:t>first.</w:t><w:br/><w:t>Then cars.</w:t></w:r></w:p>` +
			item("0", "one") + item("1", "two") + p("After.") + styled("H2", "Rates") +
			`<w:tbl><w:tr>` + cell("Class") + cell("Rate") + `</w:tr><w:tr>` + cell("a") + `<w:tc>` + p("1") + `<w:tbl><w:tr>` + cell("in") + `</w:tr></w:tbl></w:tc></w:tr></w:tbl>` +
			styled("Own", "Last") + `<w:p><mc:AlternateContent><mc:Choice>` + p("Box.") + `</mc:Choice><mc:Fallback>` + p("Box.") + `</mc:Fallback></mc:AlternateContent></w:p>`),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if page.Title != "The handbook" || !page.UpdatedAt.Equal(time.Date(2024, 3, 2, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("title %q, date %v", page.Title, page.UpdatedAt)
	}
	type section struct {
		Heading string
		Blocks  []document.Block
	}
	var got []section
	for _, s := range page.Sections {
		got = append(got, section{strings.Join(s.Heading, " > "), s.Blocks})
	}
	want := []section{
		{"", []document.Block{{Kind: document.Paragraph, Text: "Before."}}},
		{"Travel", []document.Block{{Kind: document.Heading, Text: "## Travel"}, {Kind: document.Paragraph, Text: "Trains first.\nThen cars."},
			{Kind: document.List, Text: "- one\n  - two"}, {Kind: document.Paragraph, Text: "After."}}},
		{"Travel > Rates", []document.Block{{Kind: document.Heading, Text: "### Rates"}, {Kind: document.Table, Text: "Class | Rate\na | 1 in"}}},
		{"Last", []document.Block{{Kind: document.Heading, Text: "## Last"}, {Kind: document.Paragraph, Text: "Box."}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

// Paragraphs in a style for code, or all in a font of fixed width, are code with its lines and
// their indentation.
func TestWordCode(t *testing.T) {
	t.Parallel()
	style := func(id, name, inside string) string {
		return `<w:style w:type="paragraph" w:styleId="` + id + `"><w:name w:val="` + name + `"/>` + inside + `</w:style>`
	}
	line := func(style, text string) string {
		return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
	}
	fixed := func(text string) string {
		return `<w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr><w:t>` + text + `</w:t></w:r>`
	}
	letter := strings.Repeat("A letter in a font of fixed width is no code. ", 5)
	page, err := office.Parse(t.Context(), pack(t, map[string]string{
		"word/styles.xml": `<w:styles ` + namespace + `>` + style("SC", "Source Code", "") + style("Term", "Terminal", `<w:rPr><w:rFonts w:ascii="Consolas"/></w:rPr>`) +
			style("ZIP", "Barcode", "") + `</w:styles>`,
		"word/document.xml": body(p("Run it:") + line("SC", "if x {") + `<w:p><w:pPr><w:pStyle w:val="SC"/></w:pPr><w:r><w:tab/><w:t>y()</w:t></w:r></w:p>` +
			line("SC", "") + line("SC", "}  ") + p("Then:") + line("Term", "make test") + line("ZIP", "12345") +
			`<w:p>` + fixed(letter) + `</w:p>` + p("So:") + `<w:p>` + fixed("ls") + fixed(" -l") + `</w:p>` + `<w:p>` + fixed("ls") + `<w:r><w:t> lists files.</w:t></w:r></w:p>`),
	}))
	if err != nil {
		t.Fatal(err)
	}
	var got []document.Block
	for _, s := range page.Sections {
		got = append(got, s.Blocks...)
	}
	want := []document.Block{{Text: "Run it:"}, {Kind: document.Code, Text: "if x {\n\ty()\n\n}"}, {Text: "Then:"}, {Kind: document.Code, Text: "make test"},
		{Text: "12345"}, {Text: strings.TrimSpace(letter)}, {Text: "So:"}, {Kind: document.Code, Text: "ls -l"}, {Text: "ls lists files."}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// Items get their numbers from the paragraph, its style, or one that this is based on. They go on
// behind a paragraph that is no item, and begin again where the list says so.
func TestWordListsKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	numbers := `<w:numbering ` + namespace + `><w:abstractNum w:abstractNumId="7">` +
		`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Step"/></w:lvl>` +
		`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:pStyle w:val="Part"/></w:lvl></w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>` +
		`<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>` +
		`<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`
	style := func(id, inside string) string {
		return `<w:style w:type="paragraph" w:styleId="` + id + `">` + inside + `</w:style>`
	}
	numbered := func(list string) string { return `<w:pPr><w:numPr><w:numId w:val="` + list + `"/></w:numPr></w:pPr>` }
	page, err := office.Parse(t.Context(), pack(t, map[string]string{
		"word/numbering.xml": numbers,
		"word/styles.xml": `<w:styles ` + namespace + `>` + style("Step", numbered("1")) + style("Mine", `<w:basedOn w:val="Step"/>`) + style("Part", numbered("1")) +
			style("Round", `<w:basedOn w:val="Circle"/>`) + style("Circle", `<w:basedOn w:val="Round"/>`) + `</w:styles>`,
		"word/document.xml": body(styled("Step", "Install it.") + styled("Mine", "Start it.") + styled("Part", "As yourself.") + p("A window opens.") + styled("Step", "Log in.") +
			`<w:p><w:pPr><w:pStyle w:val="Step"/><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr><w:r><w:t>No step.</w:t></w:r></w:p>` +
			`<w:p>` + numbered("3") + `<w:r><w:t>Another.</w:t></w:r></w:p>` + `<w:p>` + numbered("2") + `<w:r><w:t>Round.</w:t></w:r></w:p>` + styled("Round", "The end.")),
	}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range page.Sections {
		for _, b := range s.Blocks {
			got = append(got, b.Text)
		}
	}
	want := []string{"1. Install it.\n2. Start it.\n  1. As yourself.", "A window opens.", "3. Log in.", "No step.", "1. Another.\n- Round.", "The end."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A list may say where each of its levels begins, also one that is used after others.
func TestWordListsBeginEachLevelWhereTheySay(t *testing.T) {
	t.Parallel()
	level := func(n, inside string) string { return `<w:lvl w:ilvl="` + n + `">` + inside + `</w:lvl>` }
	override := func(n, start string) string {
		return `<w:lvlOverride w:ilvl="` + n + `"><w:startOverride w:val="` + start + `"/></w:lvlOverride>`
	}
	const decimal = `<w:start w:val="1"/><w:numFmt w:val="decimal"/>`
	item := func(list, level, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	page, err := office.Parse(t.Context(), pack(t, map[string]string{
		"word/numbering.xml": `<w:numbering ` + namespace + `><w:abstractNum w:abstractNumId="7">` + level("0", decimal) + level("1", decimal) + `</w:abstractNum>` +
			`<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>` +
			`<w:num w:numId="2"><w:abstractNumId w:val="7"/>` + override("0", "4") + override("1", "3") + `</w:num></w:numbering>`,
		"word/document.xml": body(item("1", "0", "one") + item("1", "1", "one") + item("2", "0", "four") + item("2", "1", "three") + item("2", "1", "four") +
			item("2", "0", "five") + item("2", "1", "three again") + item("1", "0", "six") + item("1", "1", "one")),
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := "1. one\n  1. one\n4. four\n  3. three\n  4. four\n5. five\n  3. three again\n6. six\n  1. one"
	if got := page.Sections[0].Blocks[0].Text; got != want {
		t.Errorf("the list is\n%s\nwant\n%s", got, want)
	}
}

func TestHostileWordFilesCannotBeRead(t *testing.T) {
	t.Parallel()
	bomb := pack(t, map[string]string{"word/document.xml": body(strings.Repeat(" ", 65<<20))})
	if len(bomb) > 1<<20 {
		t.Fatalf("the archive has %d bytes and is no bomb", len(bomb))
	}
	whole := pack(t, map[string]string{"word/document.xml": body(p("text"))})
	for want, raw := range map[string][]byte{
		"Split it":                    bomb,
		"protected with a password":   []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more"),
		"is no archive":               whole[:len(whole)/2],
		"holds no text as Word":       pack(t, map[string]string{"mimetype": "x"}),
		"its text is not well-formed": pack(t, map[string]string{"word/document.xml": "<w:document><w:p>"}),
	} {
		if _, err := office.Parse(t.Context(), raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if page, err := office.Parse(t.Context(), pack(t, map[string]string{"word/document.xml": body("")})); err != nil || len(page.Sections) != 0 {
		t.Errorf("an empty document: %+v, %v", page, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(body(p("x") + styled("H1", "y")))
	f.Add(`<w:p><w:tbl></w:tc></w:tr></w:tbl></w:p>`)
	f.Add(`<a><p><p><t>x</t></p><tbl><tr><tc><p/></tc></tr></tbl>`)
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text), 0)()
		page, err := office.Parse(t.Context(), pack(t, map[string]string{"word/document.xml": text, "word/styles.xml": text, "docProps/core.xml": text}))
		if err != nil && len(page.Sections) > 0 {
			t.Error("an error and a text")
		}
	})
}
