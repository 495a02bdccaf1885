package boundedxml_test

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	over, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	for name, tt := range map[string]struct {
		ctx  context.Context
		text string
		want error
	}{
		"a text":     {t.Context(), "<a><b c='d'>e</b><f/></a>", io.EOF},
		"too deep":   {t.Context(), strings.Repeat("<a>", 600), boundedxml.ErrTooDeep},
		"attributes": {t.Context(), "<a " + strings.Repeat(`b="" `, 500_000) + "/>", boundedxml.ErrTooLong},
		"a name":     {t.Context(), "<" + strings.Repeat("a", 2<<20) + "/>", boundedxml.ErrTooLong},
		"a comment":  {t.Context(), "<!--" + strings.Repeat("a", 2<<20) + "-->", boundedxml.ErrTooLong},
		"its time":   {over, strings.Repeat("<a/>", 2000), stopped},
		"no end":     {t.Context(), "<a>", io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := boundedxml.New(strings.NewReader(tt.text), true)
			var err error
			for err == nil {
				_, err = d.Next(tt.ctx)
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add("<a><t>x<b/>y</t></a>", true)
	f.Add(strings.Repeat("<a>", 600), false)
	f.Add("<a b=c &amp; <![CDATA[", false)
	f.Fuzz(func(t *testing.T, text string, strict bool) {
		defer hostiletest.Bound(t, len(text), 0)()
		d := boundedxml.New(strings.NewReader(text), strict)
		for n := 0; ; n++ {
			token, err := d.Next(t.Context())
			if err != nil {
				return
			}
			if n > 2*len(text)+2 {
				t.Fatalf("%d tokens of %d bytes", n, len(text))
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "t" {
				if inner, err := d.Text(t.Context()); err == nil && len(inner) > 4*len(text)+16 {
					t.Fatalf("%d bytes of text in %d", len(inner), len(text))
				}
			}
		}
	})
}
