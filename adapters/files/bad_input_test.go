package files_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/google/go-cmp/cmp"
)

// packed makes a Word document of the text of its body.
func packed(t testing.TB, body string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(`<w:document xmlns:w="w"><w:body>` + body + `</w:body></w:document>`)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// indexed runs a folder through the pipeline. It returns the texts that are then in the index, and
// why the others are not, by path.
func indexed(t testing.TB, store *indextest.Store, root string) (index.Run, map[string]string, map[string]string) {
	t.Helper()
	c, err := files.New(files.Options{Path: root})
	if err != nil {
		t.Fatal(err)
	}
	run, err := newPipeline(t, store).Run(t.Context(), access.DefaultTenant, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	name := func(id string) string { return strings.TrimPrefix(id, string(c.Source().ID)+":") }
	texts, reasons := make(map[string]string), make(map[string]string)
	for _, e := range store.Entries(access.DefaultTenant) {
		text := ""
		for _, chunk := range e.Chunks {
			text += chunk.Text
		}
		texts[name(string(e.Document.ID))] = text
	}
	for _, n := range append(run.Failures, run.Skipped...) {
		reasons[name(n.Name)] = n.Sentence
	}
	return run, texts, reasons
}

// Whatever lies in a folder, each file that cannot be read is named with a reason that says what to
// do, and the rest is indexed.
func TestBadInput(t *testing.T) {
	t.Parallel()
	whole := packed(t, "<w:p><w:r><w:t>Thirty days.</w:t></w:r></w:p>")
	root := folder(t, map[string]string{
		"good.md":            "# Good\n\nThis can be read.",
		"good.docx":          whole,
		"truncated.docx":     whole[:len(whole)*2/3],
		"bomb.docx":          packed(t, strings.Repeat(" ", 80<<20)),
		"other-archive.docx": strings.Replace(whole, "word/document.xml", "word/documint.xml", -1),
		"encrypted.docx":     "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 2000),
		"program.md":         "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x01\x02\x03", 500),
		"archive.txt":        "PK\x03\x04" + strings.Repeat("\x00\x01\x02\x03", 500),
		"picture.html":       "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x01\x02\x03", 500),
		"zeros.txt":          strings.Repeat("\x00", 10_000),
		"matter.md":          "---\ntitle: ok\ntags: [a, b\n---\ntext",
		"empty.md":           "",
		"blank.html":         "<html><body> </body></html>",
		"title-only.md":      "# title only",
		"nul.txt":            "Some\x00 NUL bytes in a text that is long enough to be told from a program.\x00",
		"latin.txt":          "Stra\xdfe, caf\xe9, ni\xf1o, f\xfcr alle Leute",
		"shift-jis.html":     "<meta charset=shift_jis><p>\x93\xfa\x96{\x8c\xea</p>",
		"broken-utf8.md":     strings.Repeat("größer ", 30) + "\xff\xfe\x80",
		"klingon.md":         "---\nlang: tlh\n---\ntlhIngan maH! taHjaj!",
		"no-language.md":     "---\nlang: \"12-??\"\n---\nWords in no language that is known.",
		"bidi.txt":           "\u202eevil\u202c \u2066text\u2069",
	})
	huge, err := os.Create(filepath.Join(root, "huge.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(huge.Truncate(500<<20), huge.Close()); err != nil { // takes no room on the disk
		t.Fatal(err)
	}
	run, texts, reasons := indexed(t, new(indextest.Store), root)
	for name, want := range map[string]string{
		"truncated.docx": "it is damaged", "bomb.docx": "Split it", "other-archive.docx": "Check what it is", "encrypted.docx": "without a password",
		"program.md": "binary data", "archive.txt": "application/zip", "picture.html": "image/png", "zeros.txt": "binary data", "matter.md": "(line 3: ",
		"huge.md": "it has 500 MB",
	} {
		if !strings.Contains(reasons[name], want) {
			t.Errorf("the reason for %s is %q, want one with %q", name, reasons[name], want)
		}
		if _, there := texts[name]; there {
			t.Errorf("%s is in the index", name)
		}
		delete(reasons, name)
	}
	if len(reasons) > 0 {
		t.Errorf("also left out: %v", reasons)
	}
	want := map[string]string{
		"good.md": "# Good\n\nThis can be read.", "good.docx": "Thirty days.", "empty.md": "", "blank.html": "", "title-only.md": "",
		"nul.txt": "Some NUL bytes in a text that is long enough to be told from a program.", "latin.txt": "Straße, café, niño, für alle Leute", "shift-jis.html": "日本語",
		"broken-utf8.md": strings.Repeat("größer ", 30) + "\uFFFD", "klingon.md": "tlhIngan maH! taHjaj!", "no-language.md": "Words in no language that is known.",
		"bidi.txt": texts["bidi.txt"],
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("in the index (-want +got):\n%s", diff)
	}
	if run.Counts.Failed+run.Counts.Skipped != 10 || !run.Succeeded {
		t.Errorf("the run: %+v", run.Counts)
	}
}

// A document that shrinks, becomes empty or becomes unreadable leaves nothing of its longer self
// behind, unless the fault may pass.
func TestDocumentsThatShrink(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A sentence of a long document that has many chunks. ", 400)
	root := folder(t, map[string]string{"shrinks.md": long, "empties.md": long, "breaks.docx": packed(t, "<w:p><w:r><w:t>Text.</w:t></w:r></w:p>"), "stays.md": "stays"})
	store := new(indextest.Store)
	run, _, _ := indexed(t, store, root)
	before := run.Counts.Chunks
	for name, content := range map[string]string{"shrinks.md": "Short.", "empties.md": "", "breaks.docx": "PK\x03\x04"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, texts, reasons := indexed(t, store, root)
	want := map[string]string{"shrinks.md": "Short.", "empties.md": "", "breaks.docx": "Text.", "stays.md": "stays"} // the damaged file's last version stays
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("in the index (-want +got):\n%s", diff)
	}
	if !strings.Contains(reasons["breaks.docx"], "it is damaged") || before < 10 {
		t.Errorf("reasons %v; %d chunks at first", reasons, before)
	}
}

// twice is a source that names each of its documents twice.
type twice struct{ *files.Connector }

func (c twice) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		for batch, err := range c.Connector.Sync(ctx, since) {
			batch.Documents = append(batch.Documents, batch.Documents...)
			if !yield(batch, err) {
				return
			}
		}
	}
}

func TestDuplicateIDs(t *testing.T) {
	t.Parallel()
	c, err := files.New(files.Options{Path: folder(t, map[string]string{"a.md": "a", "b.md": "b"})})
	if err != nil {
		t.Fatal(err)
	}
	store := new(indextest.Store)
	run, err := newPipeline(t, store).Run(t.Context(), access.DefaultTenant, twice{c}, nil)
	if err != nil || run.Counts.Indexed != 2 || run.Counts.Failed != 2 || !strings.Contains(run.Failures[0].Sentence, "only the first is indexed") {
		t.Errorf("run %+v, %v", run, err)
	}
	ids := make(map[document.ID]int)
	for _, e := range store.Entries(access.DefaultTenant) {
		ids[e.Document.ID]++
	}
	if len(ids) != 2 {
		t.Errorf("documents %v", ids)
	}
}
