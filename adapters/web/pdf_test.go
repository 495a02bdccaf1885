package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/web"
	"github.com/google/go-cmp/cmp"
)

// onePage writes a PDF file of one page. It has no table of offsets, which readers then make
// themselves.
func onePage(text string) string {
	content := "BT /F 12 Tf 72 700 Td (" + text + ") Tj ET"
	return fmt.Sprintf("%%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[4 0 R]/Count 1>> endobj\n"+
		"3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n4 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]"+
		"/Resources<</Font<</F 3 0 R>>>>/Contents 5 0 R>> endobj\n5 0 obj <</Length %d>> stream\n%s\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%%%EOF\n", len(content), content)
}

func TestPDFFilesOfSites(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{
		"/": page("Start", link("/guide.pdf")+link("/download?id=7")+link("/scan.pdf")+link("/error.pdf")), "/guide.pdf": onePage("Thirty days of vacation."),
		"/download?id=7": onePage("The rates."), "/scan.pdf": onePage(""), "/error.pdf": page("Not found", ""),
	})
	w.kinds["/guide.pdf"], w.kinds["/download?id=7"], w.kinds["/scan.pdf"] = "application/octet-stream", "application/pdf", "application/pdf"
	i := newIndexer(t)
	for range 2 {
		run := i.must(t, web.Options{URL: w.URL})
		if diff := cmp.Diff(map[string]string{"/": "Start", "/guide.pdf": "guide", "/download?id=7": "download", "/error.pdf": "Not found"}, i.documents(t, run)); diff != "" {
			t.Errorf("documents (-want +got):\n%s", diff)
		}
		if len(run.Failures) != 1 || !strings.Contains(run.Failures[0].Sentence, "Run OCR on it first.") {
			t.Errorf("failures: %+v", run.Failures)
		}
	}
	f, err := web.NewFetcher(web.FetcherOptions{AllowHosts: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Fetch(t.Context(), w.URL+"/guide.pdf", anywhere)
	if err != nil || got.Text != "Thirty days of vacation." {
		t.Errorf("Fetch() = %+v, %v", got, err)
	}
}
