package files_test

import (
	"archive/zip"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
)

func TestWordDocuments(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write([]byte(`<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Thirty vacation days.</w:t></w:r></w:p></w:body></w:document>`))
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	got := read(t, files.Options{Path: folder(t, map[string]string{"Vacation.docx": b.String(), "broken.docx": "PK", "locked.docx": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"})})
	if d := got.docs["Vacation.docx"]; d.Title != "Vacation" || d.Text() != "Thirty vacation days." {
		t.Errorf("document %+v", d)
	}
	for name, want := range map[string]string{"broken.docx": "it is damaged", "locked.docx": "without a password"} {
		if !strings.Contains(got.failures[name], want) {
			t.Errorf("%s: %q", name, got.failures[name])
		}
	}
}

// Workbooks and presentations are read beside them; a header stands above each piece that a table
// is cut into.
func TestWorkbooksAndPresentations(t *testing.T) {
	t.Parallel()
	content := make(map[string]string)
	for name, from := range map[string]string{"Budget.xlsx": "budget.xlsx", "deck/Launch.PPTX": "launch.pptx", "really-a-deck.docx": "launch.pptx"} {
		raw, err := os.ReadFile("../internal/office/testdata/" + from)
		if err != nil {
			t.Fatal(err)
		}
		content[name] = string(raw)
	}
	content["truncated.xlsx"] = content["Budget.xlsx"][:len(content["Budget.xlsx"])/2]
	content["locked.pptx"] = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	content["list.xlsx"] = "City,Limit\nPorto,140\n"
	content["old.xls"] = "x"
	got := read(t, files.Options{Path: folder(t, content)})
	for name, want := range map[string]string{"Budget.xlsx": "Porto | 140", "deck/Launch.PPTX": "Notes: Say that the lease was signed.", "really-a-deck.docx": "Desks | 4,200"} {
		if d := got.docs[name]; !strings.Contains(d.Text(), want) {
			t.Errorf("%s: %q", name, d.Text())
		}
	}
	if title := got.docs["Budget.xlsx"].Title; title != "Budget" {
		t.Errorf("the workbook is called %q", title)
	}
	for name, want := range map[string]string{"truncated.xlsx": "it is damaged", "locked.pptx": "without a password", "list.xlsx": "is no archive"} {
		if !strings.Contains(got.failures[name], want) {
			t.Errorf("%s: %q", name, got.failures[name])
		}
	}
}
