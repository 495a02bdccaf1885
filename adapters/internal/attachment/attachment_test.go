package attachment_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/message"
)

func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads a file that has a message for itself.
func read(t *testing.T, name, media string, raw []byte) message.File {
	t.Helper()
	room := attachment.RoomFor(0)
	return attachment.Read(t.Context(), name, media, raw, &room)
}

// smallPDF has one line on one page. Its cross-reference table is left out, as that of many files
// is wrong.
const smallPDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n" +
	"4 0 obj<</Length 50>>stream\nBT /F1 18 Tf 20 50 Td (The port is 51820.) Tj ET \nendstream endobj\n" +
	"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, media string
		raw               []byte
		text, failed      string // parts of them
		image             string // media type
		tokens            int
	}{
		{name: "text", file: "notes.txt", media: "text/plain", raw: []byte("one\r\ntwo"), text: "one\ntwo"},
		{name: "a byte order mark", file: "a.txt", raw: []byte("\xef\xbb\xbfhello"), text: "hello"},
		{name: "UTF-16", file: "a.csv", raw: []byte("\xff\xfeh\x00i\x00"), text: "hi"},
		{name: "a page", file: "a.html", media: "text/html", raw: []byte("<!doctype html><title>T</title><script>x()</script><p>Hello"), text: "Hello"},
		{name: "a source file that begins like a page", file: "a.go", media: "text/plain", raw: []byte("<html> // not one"), text: "// not one"},
		{name: "a picture", file: "shot.png", media: "image/png", raw: picture(t, 300, 250), image: "image/png", tokens: 100},
		{name: "a picture under another name", file: "shot.txt", media: "text/plain", raw: picture(t, 3, 2), image: "image/png", tokens: 1},
		{name: "a large picture costs no more than the most", file: "a.png", raw: picture(t, 4000, 3000), image: "image/png", tokens: 1600},
		{name: "no picture in spite of its name", file: "a.png", media: "image/png", raw: []byte("%PNG is not this"), text: "not this"},
		{name: "a PDF file", file: "manual", media: "application/octet-stream", raw: []byte(smallPDF), text: "The port is 51820."},
		{name: "a broken PDF file", file: "a.pdf", raw: []byte("%PDF-1.7 and no more"), failed: "The PDF file could not be read"},
		{name: "a broken Word document", file: "a.docx", raw: []byte("PK\x03\x04 but no more"), failed: "damaged"},
		{name: "an archive", file: "a.zip", media: "application/zip", raw: []byte("PK\x03\x04..............."), failed: "cannot be read"},
		{name: "a program", file: "a", raw: []byte("\x7fELF\x02\x01\x01\x00\x00\x00"), failed: "cannot be read"},
		{name: "an empty file", file: "a.txt", failed: "empty"},
		{name: "only space", file: "a.txt", raw: []byte(" \n "), failed: "No text"},
		{name: "too large", file: "a.txt", raw: bytes.Repeat([]byte("a"), attachment.MaxBytes+1), failed: "10 MB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := read(t, tt.file, tt.media, tt.raw)
			if !strings.Contains(f.Failed, tt.failed) || (f.Failed == "") != (tt.failed == "") {
				t.Errorf("failed: %q, want %q", f.Failed, tt.failed)
			}
			if !strings.Contains(f.Text, tt.text) || (f.Text == "") != (tt.text == "") {
				t.Errorf("text: %q, want %q", f.Text, tt.text)
			}
			if f.Image != nil != (tt.image != "") || tt.image != "" && f.Media != tt.image || f.Tokens != tt.tokens {
				t.Errorf("picture: %d bytes of %q, %d tokens", len(f.Image), f.Media, f.Tokens)
			}
		})
	}
}

// TestFilesOfQuestionsDoNotWaitForSources reads files of every format while readers of sources hold
// all their memory.
func TestFilesOfQuestionsDoNotWaitForSources(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // ends a wait without end
	defer cancel()
	_, release, err := footprint.Acquire(footprint.ForSources(ctx), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	sheet, err := os.ReadFile("../office/testdata/budget.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"a.pdf": []byte(smallPDF), "a.txt": []byte("text"), "a.html": []byte("<!doctype html><p>text"), "a.xlsx": sheet} {
		room := attachment.RoomFor(0)
		if f := attachment.Read(ctx, name, "", raw, &room); f.Failed != "" || f.Text == "" {
			t.Errorf("%s: %q, %q", name, f.Text, f.Failed)
		}
	}
}

func TestNamesStayOnOneLine(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"a\n\"b\".txt": "a 'b'.txt", " ": "file", strings.Repeat("x", 200): strings.Repeat("x", 119) + "…",
	} {
		if got := read(t, given, "", []byte("x")).Name; got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

// What Excel and PowerPoint write is read, by its name or by what its sender calls it.
func TestOfficeFiles(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"budget.xlsx": "Lisbon | 165", "launch.pptx": "Parking is not included"} {
		raw, err := os.ReadFile("../office/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		sheet := "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
		for _, f := range []message.File{read(t, file, "", raw), read(t, "download", sheet, raw)} {
			if !strings.Contains(f.Text, want) || f.Failed != "" {
				t.Errorf("%s: %q, %q", f.Name, f.Text, f.Failed)
			}
		}
		if f := read(t, file, "", raw[:len(raw)/2]); !strings.Contains(f.Failed, "save it again") {
			t.Errorf("%s, cut off: %q", file, f.Failed)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a.html", "text/html", []byte("<p>x</p>"))
	f.Add("a.docx", "", []byte("PK\x03\x04"))
	f.Add("a.txt", "text/plain", []byte("\xff\xfea"))
	f.Fuzz(func(t *testing.T, name, media string, raw []byte) {
		defer hostiletest.Bound(t, len(raw), 0)()
		if bytes.Contains(raw, []byte("%PDF-")) { // fuzzed in a package of their own, where the sandbox is made once
			return
		}
		got := read(t, name, media, raw)
		filled := 0
		for _, set := range []bool{got.Text != "", got.Image != nil, got.Failed != ""} {
			if set {
				filled++
			}
		}
		if got.Failed == "" && filled != 1 || got.Failed != "" && got.Image != nil {
			t.Fatalf("%q has text %v, a picture %v, a failure %q", name, got.Text != "", got.Image != nil, got.Failed)
		}
	})
}
