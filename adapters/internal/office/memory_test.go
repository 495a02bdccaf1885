package office_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/office"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"golang.org/x/sync/errgroup"
)

// long is a part that repeats a unit until it has size bytes.
type long struct {
	before, unit string
	size         int
	after        string
}

// parts are those of an archive by name: strings, or long.
type parts map[string]any

func (p parts) pack(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	write := func(w io.Writer, text string) {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	for name, part := range p {
		w, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		switch part := part.(type) {
		case string:
			write(w, part)
		case long:
			write(w, part.before)
			block := strings.Repeat(part.unit, max(1, (64<<10)/len(part.unit)))
			for n := 0; n < part.size; n += len(block) {
				write(w, block)
			}
			write(w, part.after)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// word, sheet and slide are documents with one part that unpacks to size bytes.
func word(before, unit string, size int) parts {
	return parts{"word/document.xml": long{before: before, unit: unit, size: size}}
}

func sheet(before, unit string, size int, strings any) parts {
	p := parts{"xl/workbook.xml": bookMain, "xl/_rels/workbook.xml.rels": bookRels, "xl/worksheets/sheet1.xml": long{before: before, unit: unit, size: size}}
	if strings != nil {
		p["xl/sharedStrings.xml"] = strings
	}
	return p
}

func slide(before, unit string, size int) parts {
	return parts{
		"ppt/presentation.xml":            `<a><sldId r:id="a"/></a>`,
		"ppt/_rels/presentation.xml.rels": `<a><Relationship Id="a" Type="t/slide" Target="slide.xml"/></a>`,
		"ppt/slide.xml":                   long{before: before, unit: unit, size: size},
	}
}

// worst are small files that unpack to what takes most memory.
func worst() map[string]parts {
	const most = 60 << 20
	laughs := "<sst><si><t>" + strings.Repeat("laughs ", 130_000/7) + "</t></si></sst>"
	wide := strings.Repeat(`<c t="s"><v>0</v></c>`, 100)
	members := parts{"word/document.xml": "<d/>"}
	for i := range 49_000 {
		members[fmt.Sprintf("word/%0200d", i)] = ""
	}
	deck := parts{"ppt/presentation.xml": long{before: "<a>", unit: `<sldId r:id="a"/>`, size: 130_000, after: "</a>"},
		"ppt/_rels/presentation.xml.rels": `<a><Relationship Id="a" Type="t/slide" Target="slide.xml"/></a>`,
		"ppt/slide.xml":                   "<d>" + strings.Repeat("<sp><p><t>a</t></p></sp>", 1000) + "</d>" + "</d>"}
	tabs := parts{"xl/_rels/workbook.xml.rels": bookRels, "xl/workbook.xml": long{before: "<a>", unit: `<sheet name="a" id="r1"/>`, size: 130_000, after: "</a>"},
		"xl/worksheets/sheet1.xml": "<d>" + strings.Repeat("<row><c><v>1</v></c></row>", 1000) + "</d>"}
	headings := ""
	for level := range 9 {
		headings += fmt.Sprintf(`<p><outlineLvl val="%d"/><t>a</t></p>`, level)
	}
	return map[string]parts{
		"one text in many rows":          sheet("<d>", `<row><c t="s"><v>0</v></c></row>`, 1<<20, laughs),
		"one text in many cells":         sheet("<d><row>", `<c t="s"><v>0</v></c>`, 1<<20, laughs),
		"a long header":                  sheet("<d><row>"+wide+"</row>", "<row>"+strings.Repeat(`<c><v>1</v></c>`, 100)+"</row>", 1<<20, laughs),
		"cells far from one another":     sheet("<d>", `<row><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>`, most, nil),
		"rows with a gap":                sheet("<d>", `<row/><row><c><v>1</v></c><c><v>2</v></c></row>`, most, nil),
		"shared texts without end":       sheet("<d>", `<row><c t="s"><v>9000000</v></c></row>`, 1000, long{before: "<sst>", unit: "<si/>", size: most}),
		"long shared texts":              sheet("<d>", `<row><c t="s"><v>9000000</v></c></row>`, 1000, long{before: "<sst>", unit: "<si><t>" + strings.Repeat("a ", 60_000) + "</t></si>", size: most}),
		"long shared texts that show":    sheet("<d>", `<row><c t="s"><v>0</v></c></row>`, 1<<20, long{before: "<sst>", unit: "<si><t>" + strings.Repeat("a ", 60_000) + "</t></si>", size: most}),
		"styles":                         {"xl/workbook.xml": bookMain, "xl/_rels/workbook.xml.rels": bookRels, "xl/worksheets/sheet1.xml": "<d/>", "xl/styles.xml": long{before: "<a><cellXfs>", unit: "<xf/>", size: 7 << 20}},
		"many sheets":                    tabs,
		"many parts":                     members,
		"headings":                       word("<d>", headings, most),
		"headings that rise":             word("<d>", `<p><outlineLvl val="0"/><t>aaaaaaaaaaaa</t></p>`, most),
		"paragraphs of a letter":         word("<d>", "<p><t>a</t></p>", most),
		"one paragraph":                  word("<d><p>", "<t>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</t>", most),
		"empty cells of a Word document": word("<d><tbl><tr>", "<tc></tc>", most),
		"rows of a Word document":        word("<d><tbl>", "<tr><tc><p><t>a</t></p></tc><tc></tc></tr>", most),
		"items":                          word("<d>", `<p><numPr/><ilvl val="8"/><t>a</t></p>`, most),
		"elements inside one another":    word("", "<a>", most),
		"attributes":                     word("<a ", `b="" `, most),
		"line breaks":                    word("<d><p>", "<br/>", most),
		"shapes":                         slide("<d>", "<sp><p><t>a</t></p></sp>", most),
		"body texts":                     slide("<d>", `<sp><ph type="body"/><p><t>a</t></p><p><t>a</t></p></sp>`, most),
		"empty cells of a slide":         slide("<d><tbl><tr>", "<tc/>", most),
		"one shape":                      slide("<d><sp>", "<p><t>a</t></p>", most),
		"many slides":                    deck,
	}
}

// little is for a pool of 115 MiB. The system counts what the runtime has ever mapped, in steps of
// 64 MiB, so that readers have about two thirds of it.
const little = 384 << 20

// TestOfficeFilesInLittleMemory reads the worst files, eight of them at once.
func TestOfficeFilesInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, little, func(t *testing.T) {
		var group errgroup.Group
		group.SetLimit(8)
		for name, p := range worst() {
			group.Go(func() error {
				if _, err := office.Parse(t.Context(), p.pack(t)); err != nil && !strings.Contains(err.Error(), ". ") {
					return fmt.Errorf("%s: %w", name, err)
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestBeginningsOfOfficeFilesInLittleMemory reads the beginning of each of the worst files, as of
// those that come with a chat message.
func TestBeginningsOfOfficeFilesInLittleMemory(t *testing.T) {
	const most = 800_000
	footprinttest.Limited(t, little, func(t *testing.T) {
		for name, p := range worst() {
			raw := p.pack(t)
			var group errgroup.Group
			for range 8 {
				group.Go(func() error {
					page, err := office.Begin(t.Context(), raw, most)
					size := 0
					for _, s := range page.Sections {
						for _, b := range s.Blocks {
							size += len(b.Text)
						}
					}
					if size > 2*most {
						return fmt.Errorf("%s: %d bytes of text", name, size)
					}
					if err != nil && !strings.Contains(err.Error(), ". ") {
						return fmt.Errorf("%s: %w", name, err)
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
			raw = nil
			runtime.GC()
			t.Log(name)
		}
	})
}
