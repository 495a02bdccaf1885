package files_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/google/go-cmp/cmp"
)

// pdfOf writes a file of one page for each text. It has no table of offsets, which readers then
// make themselves.
func pdfOf(trailer string, texts ...string) string {
	kids, pages := "", ""
	for i, text := range texts {
		kids += fmt.Sprintf("%d 0 R ", 10+2*i)
		content := "BT /F 12 Tf 72 700 Td (" + text + ") Tj ET"
		pages += fmt.Sprintf("%d 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>> endobj\n"+
			"%d 0 obj <</Length %d>> stream\n%s\nendstream endobj\n", 10+2*i, 11+2*i, 11+2*i, len(content), content)
	}
	return fmt.Sprintf("%%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[%s]/Count %d>> endobj\n"+
		"3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n%strailer <</Root 1 0 R %s>>\n%%%%EOF\n", kids, len(texts), pages, trailer)
}

const locked = "/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<0000000000000000000000000000000000000000000000000000000000000000>" +
	"/U<0000000000000000000000000000000000000000000000000000000000000000>>>/ID[<00><00>]"

func TestPDFFiles(t *testing.T) {
	t.Parallel()
	whole := pdfOf("", "Thirty days of vacation are what everybody has.", "On the second page it says who approves them.")
	store := new(indextest.Store)
	run, texts, reasons := indexed(t, store, folder(t, map[string]string{
		"Vacation.PDF": whole, "good.md": "Good.", "locked.pdf": pdfOf(locked, "Secret."), "scanned.pdf": pdfOf("", ""), "cut.pdf": whole[:60], "page.pdf": "<html>An error page.</html>",
		"empty.pdf": "", "program.pdf": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 500), "bomb.pdf": "%PDF-1.7\n" + strings.Repeat("<<[", 200_000),
	}))
	want := map[string]string{"good.md": "Good.", "Vacation.PDF": "Thirty days of vacation are what everybody has.On the second page it says who approves them."}
	got := texts["Vacation.PDF"]
	texts["Vacation.PDF"] = strings.ReplaceAll(got, "\n\n", "")
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("in the index (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{"locked.pdf": "protected by a password", "scanned.pdf": "Run OCR", "cut.pdf": "damaged", "page.pdf": "no PDF file",
		"empty.pdf": "it is empty", "program.pdf": "no PDF file", "bomb.pdf": "damaged"} {
		if !strings.Contains(reasons[name], want) {
			t.Errorf("the reason for %s is %q, want one with %q", name, reasons[name], want)
		}
	}
	if run.Counts.Failed != 7 {
		t.Errorf("the run: %+v", run.Counts)
	}
	for _, e := range store.Entries("default") {
		for _, c := range e.Chunks {
			if strings.HasSuffix(string(e.Document.ID), "PDF") && !strings.HasPrefix(c.Anchor, "page=") {
				t.Errorf("a chunk leads to %q and to no page", c.Anchor)
			}
		}
	}
}
