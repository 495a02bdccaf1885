package pdf_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pdf"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"golang.org/x/sync/errgroup"
)

// objects is a file of the objects given, the first of which is its catalog. Readers repair its
// missing table of offsets.
func objects(bodies ...string) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	for i, body := range bodies {
		fmt.Fprintf(&b, "%d 0 obj%sendobj\n", i+1, body)
	}
	return []byte(b.String() + "trailer<</Root 1 0 R>>\n")
}

func stream(dictionary, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream ", dictionary, len(content), content)
}

// onePage is a file of one page that draws a content with the form F, object 5.
func onePage(content, form string, more ...string) []byte {
	return objects(append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>/Font<</R 6 0 R>>>>>>",
		stream("", content), form, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}, more...)...)
}

// Files of few bytes whose pages unpack to very much, or never end: all of them at the same time,
// and the first one eight times more, by a process that has to compile PDFium.
func TestHostileFilesInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, 1<<30, func(t *testing.T) {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		const form = "/Type/XObject/Subtype/Form/BBox[0 0 300 100]/Resources<</XObject<</F 5 0 R>>/Font<</R 6 0 R>>>>"
		kids := strings.TrimSpace(strings.Repeat("2 0 R ", 1000))
		drawsItself := onePage("/F Do", stream(form, strings.Repeat("/F Do ", 12)))
		files := map[string][]byte{
			"a form that draws itself":          drawsItself,
			"a form that draws itself and text": onePage("/F Do", stream(form, "BT /R 9 Tf (deep deep deep) Tj ET "+strings.Repeat("/F Do ", 12))),
			"a page tree that holds itself":     objects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids["+kids+"]/Count 4000>>"),
			"bookmarks in a circle": objects("<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]>>",
				"<</Type/Outlines/First 5 0 R/Last 5 0 R/Count 1>>", "<</Title(a)/Parent 4 0 R/First 5 0 R/Next 5 0 R/Dest[3 0 R/Fit]>>"),
			"a page without end": []byte(strings.Replace(string(onePage("BT /R 12 Tf (x) Tj ET", stream(form, ""))), "[0 0 300 100]", "[0 0 1e30 1e30]", 1)),
			"arrays in arrays":   onePage(strings.Repeat("[", 1<<20), stream(form, "")),
			"text":               bomb(t, 200<<20, "(aaaaaaaaaaaaaaaa) Tj "),
			"one letter a line":  bomb(t, 100<<20, "1 0 0 1 9 9 Tm (a) Tj "),
			"states":             bomb(t, 200<<20, "q q q q q q q q "),
			"no content":         bomb(t, 900<<20, "        "),
		}
		for i := range 8 {
			files[fmt.Sprintf("copy %d", i)] = drawsItself
		}
		var group errgroup.Group
		for name, raw := range files {
			group.Go(func() error {
				page, err := pdf.Parse(t.Context(), raw, pdf.Options{Timeout: 2 * time.Second})
				if err == nil && len(page.Sections) == 0 {
					return fmt.Errorf("%s: neither text nor an error", name)
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		if got := shown(parse(t, plain().bytes())); !strings.Contains(got, sentence) {
			t.Errorf("the next file is read as %q", got)
		}
	})
}
