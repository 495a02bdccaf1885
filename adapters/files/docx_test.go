package files_test

import (
	"archive/zip"
	"bytes"
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
