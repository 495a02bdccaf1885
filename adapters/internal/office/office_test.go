package office_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/goldentest"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/office"
)

// Files that openpyxl, python-pptx and LibreOffice wrote (testdata/make.py says how) read as their
// golden files say.
func TestFilesOfSeveralWriters(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"budget.xlsx", "budget-calc.xlsx", "launch.pptx", "launch-impress.pptx"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		page, err := office.Parse(t.Context(), raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		goldentest.Check(t, filepath.Join("testdata", name+".golden"), written(page))
	}
}

// written is a page as a text for people.
func written(page office.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s\n", page.Title)
	for _, s := range page.Sections {
		fmt.Fprintf(&b, "\n== %s\n", strings.Join(s.Heading, " > "))
		for _, block := range s.Blocks {
			fmt.Fprintf(&b, "[%d]\n%s\n", block.Kind, block.Text)
		}
	}
	return b.String()
}

const (
	bookRels = `<Relationships><Relationship Id="r1" Type="t/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="r2" Type="t/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="t/styles" Target="styles.xml"/></Relationships>`
	bookMain = `<workbook xmlns:r="r"><sheets><sheet name="Sheet" sheetId="1" r:id="r1"/></sheets></workbook>`
)

// book is a workbook of one sheet with the rows given, and with other parts.
func book(t testing.TB, rows string, more map[string]string) []byte {
	t.Helper()
	parts := map[string]string{"xl/workbook.xml": bookMain, "xl/_rels/workbook.xml.rels": bookRels,
		"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"}
	for name, text := range more {
		parts[name] = text
	}
	return pack(t, parts)
}

// deck is a presentation of the slides given.
func deck(t testing.TB, slides []string, more map[string]string) []byte {
	t.Helper()
	var list, rels strings.Builder
	parts := make(map[string]string)
	for i, slide := range slides {
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="r%d"/>`, 256+i, i)
		fmt.Fprintf(&rels, `<Relationship Id="r%d" Type="t/slide" Target="slides/slide%d.xml"/>`, i, i)
		parts[fmt.Sprintf("ppt/slides/slide%d.xml", i)] = slide
	}
	parts["ppt/presentation.xml"] = `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>` + list.String() + `</p:sldIdLst></p:presentation>`
	parts["ppt/_rels/presentation.xml.rels"] = "<Relationships>" + rels.String() + "</Relationships>"
	for name, text := range more {
		parts[name] = text
	}
	return pack(t, parts)
}

func titled(title, body string) string {
	return `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>` + title + `</a:t></a:r></a:p></p:sp>` + body + `</p:sld>`
}

func shape(kind, text string) string {
	return `<p:sp><p:nvPr><p:ph type="` + kind + `"/></p:nvPr><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:sp>`
}

func cells(row int, values ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<row r="%d">`, row)
	for i, v := range values {
		at := fmt.Sprintf(`r="%c%d"`, 'A'+i, row)
		switch {
		case v == "":
		case strings.Trim(v, "0123456789.") == "":
			fmt.Fprintf(&b, `<c %s><v>%s</v></c>`, at, v)
		default:
			fmt.Fprintf(&b, `<c %s t="inlineStr"><is><t>%s</t></is></c>`, at, v)
		}
	}
	return b.String() + "</row>"
}

func sheetText(t *testing.T, raw []byte) string {
	t.Helper()
	page, err := office.Parse(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range page.Sections {
		for _, block := range s.Blocks[1:] { // without the name of the sheet
			b.WriteString("[" + block.Text + "]")
		}
	}
	return b.String()
}

// Wherever a sheet is cut, the header that a row belongs to stands above it.
func TestTablesOfASheet(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 30) + "name"
	for name, tt := range map[string]struct{ rows, want string }{
		"a table":                        {cells(1, "City", "Limit") + cells(2, "Porto", "140"), "[City | Limit\nPorto | 140]"},
		"an empty row within a table":    {cells(1, "City", "Limit") + cells(2, "Porto", "140") + cells(5, "Lisbon", "165"), "[City | Limit\nPorto | 140][City | Limit\nLisbon | 165]"},
		"a label within a table":         {cells(1, "City", "Limit") + cells(2, "Porto", "140") + cells(4, "South") + cells(5, "Faro", "90"), "[City | Limit\nPorto | 140][South][City | Limit\nFaro | 90]"},
		"a second table":                 {cells(1, "City", "Limit") + cells(2, "Porto", "140") + cells(4, "Team", "Lead") + cells(5, "Ops", "Ana"), "[City | Limit\nPorto | 140][Team | Lead\nOps | Ana]"},
		"words alone, parted":            {cells(1, "Name", "Mail") + cells(2, "Ana", "ana@x") + cells(4, "Bo", "bo@x"), "[Name | Mail\nAna | ana@x][Name | Mail\nBo | bo@x]"},
		"a wider table below":            {cells(1, "City", "Limit") + cells(2, "Porto", "140") + cells(4, "Year", "2025", "2026"), "[City | Limit\nPorto | 140][Year | 2025 | 2026]"},
		"a title above":                  {cells(1, "Limits") + cells(2, "City", "Limit") + cells(3, "Porto", "140"), "[Limits][City | Limit\nPorto | 140]"},
		"gaps":                           {cells(1, "", "Jan", "Feb") + cells(2, "Sales", "", "7"), "[ | Jan | Feb\nSales |  | 7]"},
		"one column":                     {cells(1, "one") + cells(2, "two"), "[one\ntwo]"},
		"a header too long to repeat":    {cells(1, "A "+long, "B "+long, "C "+long) + cells(2, "x", "", "7"), "[- A " + long + "; B " + long + "; C " + long + "\n- A " + long + ": x; C " + long + ": 7]"},
		"rows without their numbers":     {`<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c><c><v>4</v></c></row>`, "[1 | 2\n3 | 4]"},
		"a formula that was never saved": {`<row r="1"><c r="A1"><f>SUM(B1:C1)</f></c><c r="B1"><v>1</v></c><c r="C1"><v>2</v></c></row>`, "[ | 1 | 2]"},
		"a formula with its outcome":     {`<row r="1"><c r="A1" t="str"><f>"a"&amp;"b"</f><v>ab</v></c><c r="B1" t="e"><v>#REF!</v></c><c r="C1" t="b"><v>1</v></c></row>`, "[ab | #REF! | TRUE]"},
		"texts with how they are said":   {`<row r="1"><c r="A1" t="inlineStr"><is><r><t>東</t></r><r><t>京</t></r><rPh><t>とうきょう</t></rPh></is></c></row>`, "[東京]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sheetText(t, book(t, tt.rows, nil)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Numbers show as Excel shows them, dates as ISO 8601 writes them.
func TestNumbersOfASheet(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{ // of 45353.5: noon of 2 March 2024
		"General": "45353.5", "@": "45353.5", "0": "45354", "#,##0.00": "45353.50", "0.0%": "4535350.0%", "0.###": "45353.5",
		"dd/mm/yyyy": "2024-03-02", "m/d/yy h:mm": "2024-03-02 12:00", "[$-409]mmm yy": "2024-03-02", "h:mm AM/PM": "12:00", "[h]:mm": "1088484:00",
		"mm:ss": "12:00", `yyyy"年"m"月"`: "2024-03-02", "#,##0.00 [$€-407]": "45353.50 €", `"$"#,##0`: "$ 45354", `_("$"* #,##0.0_);_("$"* \(#,##0.0\)`: "$ 45353.5",
		`0.0 "km"`: "45353.5 km", `[Red]0.0;[Blue]-0.0`: "45353.5", "0.0,": "45353.5", "0.00E+00": "45353.5", "# ?/?": "45353.5", "[": "45353.5", `"`: "45353.5", "": "45353.5",
	} {
		styles := `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="` + strings.NewReplacer(`"`, "&quot;", "<", "&lt;").Replace(code) + `"/></numFmts>` +
			`<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`
		if got := sheetText(t, book(t, `<row r="1"><c r="A1" s="1"><v>45353.5</v></c></row>`, map[string]string{"xl/styles.xml": styles})); got != "["+want+"]" {
			t.Errorf("%q shows as %s, want %s", code, got, want)
		}
	}
	built := `<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>`
	for main, want := range map[string]string{bookMain: "[1900-01-01]", strings.Replace(bookMain, "<sheets>", `<workbookPr date1904="1"/><sheets>`, 1): "[1904-01-02]"} {
		if got := sheetText(t, book(t, `<row><c s="0"><v>1</v></c></row>`, map[string]string{"xl/styles.xml": built, "xl/workbook.xml": main})); got != want {
			t.Errorf("the first day is %s, want %s", got, want)
		}
	}
	if got := sheetText(t, book(t, `<row><c><v>0.30000000000000004</v></c></row><row><c><v>1e300</v></c></row><row><c><v>word</v></c></row>`, nil)); got != "[0.3\n1e+300\nword]" {
		t.Error(got)
	}
}

func TestSlides(t *testing.T) {
	t.Parallel()
	notes := map[string]string{
		"ppt/slides/_rels/slide0.xml.rels":  `<Relationships><Relationship Id="n" Type="t/notesSlide" Target="../notesSlides/notes0.xml"/></Relationships>`,
		"ppt/notesSlides/notes0.xml":        `<p:notes xmlns:p="p" xmlns:a="a">` + shape("sldImg", "picture") + shape("body", "Say hello.") + shape("sldNum", "1") + `</p:notes>`,
		"ppt/slides/_rels/slide1.xml.rels":  `<Relationships><Relationship Id="n" Type="t/notesSlide" Target="../notesSlides/none.xml"/><Relationship Type="t/image" TargetMode="External" Target="https://x.example"/></Relationships>`,
		"ppt/notesSlides/_rels/x.xml.rels":  "x",
		"ppt/slides/_rels/slide2.xml.rels":  "<broken",
		"docProps/core.xml":                 "<c><title>PowerPoint Presentation</title></c>",
		"ppt/slideLayouts/slideLayout1.xml": shape("body", "Click to edit"),
	}
	page, err := office.Parse(t.Context(), deck(t, []string{titled("Hello", shape("", "World")+shape("ftr", "ACME")), titled("", ""), titled("", shape("body", "alone"))}, notes))
	if err != nil {
		t.Fatal(err)
	}
	want := "title: Hello\n\n== Slide 1: Hello\n[4]\n# Slide 1: Hello\n[0]\nWorld\n[0]\nNotes: Say hello.\n\n== Slide 3\n[4]\n# Slide 3\n[0]\nalone\n"
	if got := written(page); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A presentation of 2,000 slides is read whole, in their order.
func TestTwoThousandSlides(t *testing.T) {
	t.Parallel()
	slides := make([]string, 2000)
	for i := range slides {
		slides[i] = titled(fmt.Sprintf("Topic %d", i), shape("body", fmt.Sprintf("What is said of %d.", i)))
	}
	page, err := office.Parse(t.Context(), deck(t, slides, nil))
	if err != nil || len(page.Sections) != 2000 || page.Sections[1999].Heading[0] != "Slide 2000: Topic 1999" {
		t.Fatalf("%d sections, %v", len(page.Sections), err)
	}
}

// What cannot be read says why, and what to do.
func TestHostileOfficeFilesCannotBeRead(t *testing.T) {
	t.Parallel()
	whole := book(t, cells(1, "a", "b"), nil)
	again := func(unit string, bytes int) string { return strings.Repeat(unit, bytes/len(unit)) }
	manySlides := again(`<p:sldId r:id="r0"/>`, 20*10_001)
	for name, tt := range map[string]struct {
		raw  []byte
		want string
	}{
		"a workbook that is cut off":     {whole[:len(whole)/2], "is no archive"},
		"a workbook with a password":     {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more"), "without a password"},
		"a text by the name of a book":   {[]byte("City;Limit\nPorto;140\n"), "is no archive"},
		"an archive of something else":   {pack(t, map[string]string{"a.txt": "x"}), "Check what it is"},
		"a binary workbook":              {pack(t, map[string]string{"xl/workbook.bin": "x"}), "Save it as .xlsx"},
		"a sheet that is cut off":        {pack(t, map[string]string{"xl/workbook.xml": bookMain, "xl/_rels/workbook.xml.rels": bookRels, "xl/worksheets/sheet1.xml": "<worksheet><sheetData><row>"}), "not well-formed"},
		"a sheet that unpacks to much":   {book(t, again(strings.Repeat(" ", 1<<19)+"<a/>", 161<<20), nil), "160 MB"},
		"shared texts without end":       {book(t, `<row><c t="s"><v>4000000</v></c></row>`, map[string]string{"xl/sharedStrings.xml": "<sst>" + again("<si/>", 21<<20)}), "Split it"},
		"one text in many cells":         {book(t, again(`<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>`, 1<<20), map[string]string{"xl/sharedStrings.xml": "<sst><si><t>" + again("laughs ", 100<<10) + "</t></si></sst>"}), "16 MB of text"},
		"entities that grow":             {book(t, `<row><c t="inlineStr"><is><t>&lol9;</t></is></c></row>`, map[string]string{}), "not well-formed"},
		"more slides than anybody shows": {pack(t, map[string]string{"ppt/presentation.xml": "<p>" + manySlides + "</p>"}), "10000 sheets or slides"},
		"a tag without an end":           {book(t, "<c "+again(`b="" `, 2<<20), nil), "no document of a person"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := office.Parse(t.Context(), tt.raw)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), ". ") {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if len(page.Sections) > 0 {
				t.Error("an error and a text")
			}
		})
	}
}

// What is declared in a document type is never expanded: the text that stands after it is what is
// read.
func TestDeclaredEntitiesAreNotRead(t *testing.T) {
	t.Parallel()
	laughs := `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>` + "<worksheet><sheetData>" + cells(1, "a", "b") + "</sheetData></worksheet>"
	if got := sheetText(t, book(t, "", map[string]string{"xl/worksheets/sheet1.xml": laughs})); got != "[a | b]" {
		t.Error(got)
	}
}

func FuzzWorkbook(f *testing.F) {
	f.Add(cells(1, "a", "1"), `<cellXfs><xf numFmtId="14"/></cellXfs>`)
	f.Add(`<row r="9"><c r="ZZZZ9" s="0"><v>-1</v></c><c t="s"><v>0</v></c></row>`, `<numFmt numFmtId="0" formatCode="[h]"/><cellXfs><xf numFmtId="0"/></cellXfs>`)
	f.Fuzz(func(t *testing.T, rows, styles string) {
		defer hostiletest.Bound(t, len(rows)+len(styles), 0)()
		page, err := office.Parse(t.Context(), book(t, rows, map[string]string{"xl/styles.xml": styles, "xl/sharedStrings.xml": rows}))
		if err != nil && len(page.Sections) > 0 {
			t.Error("an error and a text")
		}
	})
}

func FuzzSlides(f *testing.F) {
	f.Add(titled("a", shape("body", "b")))
	f.Add(`<a:tbl><tr><tc><p><t>x</t></p></tc></tr></tbl></p></sp>`)
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text), 0)()
		page, err := office.Parse(t.Context(), deck(t, []string{text}, map[string]string{"ppt/slides/_rels/slide0.xml.rels": text}))
		if err != nil && len(page.Sections) > 0 {
			t.Error("an error and a text")
		}
	})
}

// A row has no more empty columns than its values justify, so that a small file has a small text.
func TestSparseRowsNameTheirColumns(t *testing.T) {
	t.Parallel()
	far := func(row int, first, last string) string {
		return fmt.Sprintf(`<row r="%d"><c r="A%d" t="str"><v>%s</v></c><c r="XFD%d" t="str"><v>%s</v></c></row>`, row, row, first, row, last)
	}
	days := `<row r="1">`
	for day := range 31 {
		days += fmt.Sprintf(`<c t="str"><v>d%d</v></c>`, day+1)
	}
	days += "</row>"
	long := strings.Repeat("n", 5000)
	for name, tt := range map[string]struct{ rows, want string }{
		"a header with a gap":     {far(1, "Name", "Sum") + far(2, "a", "1"), "[- Name; Sum\n- Name: a; Sum: 1]"},
		"a row with a gap":        {cells(1, "Name", "Sum") + far(2, "a", "1"), "[Name | Sum\nName: a; 1]"},
		"a value in a wide table": {days + `<row r="2"><c r="Z2"><v>7</v></c></row>`, "d26: 7]"},
		"a narrow gap":            {cells(1, "Name", "Sum") + `<row r="2"><c r="E2"><v>7</v></c></row>`, "[Name | Sum\n |  |  |  | 7]"},
		"a long name":             {cells(1, long, "Sum") + cells(2, "a", "b"), strings.Repeat("n", 256) + "…: a; Sum: b]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sheetText(t, book(t, tt.rows, nil)); !strings.HasSuffix(got, tt.want) {
				t.Errorf("the sheet reads %.300q, want %q", got, tt.want)
			}
		})
	}
	rows := ""
	for i := range 299 {
		rows += far(i+1, "a", "b")
	}
	if got := sheetText(t, book(t, rows, nil)); len(got) > 299*20 {
		t.Errorf("299 rows of two values have %d bytes of text", len(got))
	}
}
