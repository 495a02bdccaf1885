package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/pdf"
)

const sentence = "Thirty days of vacation a year are what everybody has."

// plain is a file with one sentence.
func plain() *book {
	b := &book{}
	b.sheet().at(72, 700, 12, roman, sentence)
	return b
}

// bomb is a file whose only page unpacks to very much: one piece of a compressed stream, which
// refers to the piece before it, again and again.
func bomb(t *testing.T, size int, unit string) []byte {
	t.Helper()
	const piece = 1 << 20
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	write := func(text string) []byte {
		from := out.Len()
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(out.Bytes()[from:])
	}
	write("BT /R 12 Tf 72 700 Td " + strings.Repeat(unit, piece/len(unit)))
	again := write(strings.Repeat(unit, piece/len(unit)))
	b := &book{}
	s := b.sheet()
	s.packed = append(out.Bytes(), bytes.Repeat(again, size/piece)...)
	return b.bytes()
}

// endless is a file whose page tree says that it has very many pages.
func endless(count int) []byte {
	raw := string(plain().bytes())
	at := strings.Index(raw, "/Kids [")
	end := at + strings.IndexByte(raw[at:], ']')
	kid := raw[at+len("/Kids [") : end]
	return []byte(strings.Replace(raw[:at]+"/Kids ["+strings.Repeat(kid, count)+raw[end:], "/Count 1 ", fmt.Sprintf("/Count %d ", count), 1))
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	locked := plain()
	locked.password = "secret"
	scanned := &book{}
	scanned.sheet().picture()
	whole := plain().bytes()
	for name, tt := range map[string]struct {
		raw  []byte
		want string
	}{
		"protected":             {locked.bytes(), "protected by a password"},
		"scanned":               {scanned.bytes(), "Run OCR on it first"},
		"nothing":               {nil, "it is empty"},
		"white space":           {[]byte(" \n"), "it is empty"},
		"something else":        {[]byte("<html>not a PDF"), "no PDF file"},
		"NUL bytes":             {make([]byte, 5000), "no PDF file"},
		"its beginning alone":   {whole[:40], "it is damaged"},
		"its mark alone":        {[]byte("%PDF-1.7\n%%EOF"), "it is damaged"},
		"pages that are none":   {bytes.Replace(whole, []byte("/Kids ["), []byte("/Kids [999 0 R "), 1), "it is damaged"},
		"noise behind the mark": {append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte{0, 255, 13, '<', '<'}, 4000)...), "it is damaged"},
		"no pages":              {(&book{}).bytes(), "it has no pages"},
		"too many pages":        {endless(6000), "of more than 5000 are not read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := pdf.Parse(t.Context(), tt.raw, pdf.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse() = %q, %v, want an error with %q", shown(page), err, tt.want)
			}
			if got := shown(parse(t, plain().bytes())); !strings.Contains(got, sentence) {
				t.Errorf("the next file is read as %q", got)
			}
		})
	}
}

func TestDamageThatCanBeRepaired(t *testing.T) {
	t.Parallel()
	whole := string(plain().bytes())
	empty := plain()
	empty.locked = true
	for name, raw := range map[string]string{
		"wrong offsets":          strings.ReplaceAll(whole, "\n00000", "\n00001"),
		"no table of offsets":    strings.Replace(whole, "\nxref\n", "\nxxxx\n", 1),
		"wrong start":            strings.Replace(whole, "startxref\n", "startxref\n9", 1),
		"rubbish before it":      "From: somebody\r\n\r\n" + whole,
		"rubbish after it":       whole + strings.Repeat("\x00", 3000),
		"wrong stream length":    strings.Replace(whole, "/Length ", "/Length 9", 1),
		"an empty password":      string(empty.bytes()),
		"a page that is no page": strings.NewReplacer("/Kids [", "/Kids [999 0 R ", "/Count 1", "/Count 2").Replace(whole),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := shown(parse(t, []byte(raw))); !strings.Contains(got, sentence) {
				t.Errorf("read as %q", got)
			}
		})
	}
}

func TestBombsAreEnded(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string][]byte{
		"white space": bomb(t, 900<<20, "        "),
		"text":        bomb(t, 200<<20, "(aaaaaaaaaaaaaaaa) Tj "),
		"states":      bomb(t, 200<<20, "q q q q q q q q "),
		"arrays":      bomb(t, 200<<20, "[[[[[[[["),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(raw) > 2<<20 {
				t.Fatalf("the file has %d bytes and is no bomb", len(raw))
			}
			page, err := pdf.Parse(t.Context(), raw, pdf.Options{Timeout: 3 * time.Second})
			if err == nil && len(page.Sections) == 0 || err != nil && !strings.Contains(err.Error(), ". ") {
				t.Errorf("Parse() = %d sections, %v, want text, or a sentence that says what to do", len(page.Sections), err)
			}
		})
	}
	if got := shown(parse(t, plain().bytes())); !strings.Contains(got, sentence) {
		t.Errorf("the next file is read as %q", got)
	}
}

func TestTimeIsBounded(t *testing.T) {
	t.Parallel()
	if _, err := pdf.Parse(t.Context(), plain().bytes(), pdf.Options{Timeout: time.Nanosecond}); err == nil || !strings.Contains(err.Error(), "takes too long") {
		t.Errorf("error %v", err)
	}
	stopped := errors.New("stopped by the operator")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if _, err := pdf.Parse(ctx, plain().bytes(), pdf.Options{}); !errors.Is(err, stopped) {
		t.Errorf("error %v, want the cause", err)
	}
}

func TestManyPagesAndManyAtOnce(t *testing.T) {
	t.Parallel()
	const pages = 500
	var b book
	for i := range pages {
		b.sheet().at(72, 700, 12, roman, fmt.Sprintf("What page %d says.", i+1))
	}
	raw := b.bytes()
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			page := parse(t, raw)
			if n := len(page.Sections); n != pages || page.Sections[n-1].Anchor != fmt.Sprintf("page=%d", pages) {
				t.Errorf("%d sections, want one for each of %d pages", n, pages)
			}
		})
	}
}

func TestPropertiesThatSayNothing(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]struct{ title, updated string }{
		"/Title (Microsoft Word - final.doc)":                                     {"", "0001-01-01T00:00:00Z"},
		"/Title (Untitled) /ModDate (yesterday)":                                  {"", "0001-01-01T00:00:00Z"},
		"/Title <FEFF00DC00620065007200200075006E0073> /ModDate (D:2024)":         {"Über uns", "2024-01-01T00:00:00Z"},
		"/Title (A) /CreationDate (D:20240229235959Z)":                            {"A", "2024-02-29T23:59:59Z"},
		"/Title (A) /ModDate (D:20249999) /CreationDate (D:20200101080000-08'00)": {"A", "2020-01-01T16:00:00Z"},
	} {
		b := plain()
		b.info = info
		page := parse(t, b.bytes())
		if got := page.UpdatedAt.Format(time.RFC3339); page.Title != want.title || got != want.updated {
			t.Errorf("%s: %q of %s, want %q of %s", info, page.Title, got, want.title, want.updated)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(plain().bytes())
	f.Add(endless(3))
	f.Add([]byte("%PDF-1.7\n"))
	locked := plain()
	locked.locked, locked.marks = true, []entry{{"A", 0, nil}}
	f.Add(locked.bytes())
	rich := &book{info: "/Title (T)", marks: []entry{{"A", 0, []entry{{"B", 0, nil}}}}}
	rich.sheet().at(72, 700, 20, bold, "A").at(72, 680, 10, courier, "code").at(72, 660, 10, cjk, "漢字").turned(10, 10, 9, 0, 1, "x").at(72, 640, 10, roman, "• a").picture()
	f.Add(rich.bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		defer hostiletest.Bound(t, len(raw), 136<<20)() // of which the sandbox takes 128 MiB
		page, err := pdf.Parse(t.Context(), raw, pdf.Options{Timeout: 5 * time.Second})
		if (err == nil) != (len(page.Sections) > 0) {
			t.Errorf("%d sections and the error %v", len(page.Sections), err)
		}
		for _, s := range page.Sections {
			for _, b := range s.Blocks {
				if !utf8.ValidString(b.Text) || strings.TrimSpace(b.Text) == "" {
					t.Errorf("a block %q", b.Text)
				}
			}
		}
	})
}

// Pages that nobody has laid out, with thousands of pieces of text in every place, are read or
// refused within the time of a file.
func TestCrowdedPagesEnd(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(i int) (x, y int){
		"one row":       func(i int) (int, int) { return 10 + i, 400 },
		"one column":    func(i int) (int, int) { return 72, 10_000 - i },
		"a grid":        func(i int) (int, int) { return 10 + 40*(i%100), 10_000 - 20*(i/100) },
		"a diagonal":    func(i int) (int, int) { return 10 + 3*i, 10_000 - 3*i },
		"two columns":   func(i int) (int, int) { return 10 + 300*(i%2), 10_000 - 2*(i/2) },
		"all in a heap": func(int) (int, int) { return 100, 100 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &book{}
			s := b.sheet()
			var marks []entry
			for i := range 2500 {
				x, y := place(i)
				s.at(float64(x), float64(y), 6, roman, "a-")
				if i < 500 {
					marks = append(marks, entry{"a", 0, nil})
				}
			}
			b.marks = marks
			if _, err := pdf.Parse(t.Context(), b.bytes(), pdf.Options{Timeout: 5 * time.Minute}); err != nil && strings.Contains(err.Error(), "too long") {
				t.Error(err)
			}
		})
	}
}
