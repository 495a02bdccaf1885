package pdf_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// sheet is a page to be written.
type sheet struct {
	content strings.Builder
	packed  []byte // compressed content, instead
	rotate  int
}

// Fonts of a sheet.
const (
	roman   = "R"
	bold    = "B"
	courier = "C"
	cjk     = "J"
)

// at writes text with its baseline beginning at a place.
func (s *sheet) at(x, y, size float64, font, text string) *sheet {
	fmt.Fprintf(&s.content, "BT /%s %g Tf 1 0 0 1 %g %g Tm %s Tj ET\n", font, size, x, y, encode(font, text))
	return s
}

// turned writes text that runs in a direction given by its cosine and sine.
func (s *sheet) turned(x, y, size float64, cos, sin float64, text string) *sheet {
	fmt.Fprintf(&s.content, "BT /R %g Tf %g %g %g %g %g %g Tm %s Tj ET\n", size, cos, sin, -sin, cos, x, y, encode(roman, text))
	return s
}

// lines writes lines below each other.
func (s *sheet) lines(x, y, size float64, font string, lines ...string) *sheet {
	for i, l := range lines {
		if l != "" {
			s.at(x, y-1.2*size*float64(i), size, font, l)
		}
	}
	return s
}

func (s *sheet) picture() *sheet {
	s.content.WriteString("q 500 0 0 700 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q\n")
	return s
}

func encode(font, text string) string {
	if font == cjk {
		return fmt.Sprintf("<%X>", utf16Bytes(text))
	}
	var b strings.Builder
	b.WriteByte('(')
	for _, r := range text {
		switch r {
		case '(', ')', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '•':
			b.WriteString("\\225")
		case '–':
			b.WriteString("\\226")
		case 'ﬁ': // at 1 by the differences of the font's encoding
			b.WriteString("\\001")
		default:
			if r < 0x80 {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, "\\%03o", r&0xFF) // Latin 1
			}
		}
	}
	b.WriteByte(')')
	return b.String()
}

func utf16Bytes(text string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.BigEndian.AppendUint16(b, u)
	}
	return b
}

// book is a file to be written.
type book struct {
	sheets   []*sheet
	info     string // entries of the information dictionary
	marks    []entry
	password string // the user's, with RC4 of 40 bits
	locked   bool   // encrypted, though the password may be empty
}

// entry is one of the table of contents.
type entry struct {
	title string
	page  int // from 0
	below []entry
}

func (b *book) sheet() *sheet {
	s := &sheet{}
	b.sheets = append(b.sheets, s)
	return s
}

// writer numbers objects, and encrypts what has to be.
type writer struct {
	out     bytes.Buffer
	offsets []int
	key     []byte
}

func (w *writer) reserve() int {
	w.offsets = append(w.offsets, 0)
	return len(w.offsets)
}

func (w *writer) put(n int, body string) {
	w.offsets[n-1] = w.out.Len()
	fmt.Fprintf(&w.out, "%d 0 obj\n%s\nendobj\n", n, body)
}

func (w *writer) stream(n int, entries string, data []byte) {
	w.put(n, fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), w.encrypt(n, data)))
}

func (w *writer) text(n int, s string) string {
	return fmt.Sprintf("<%X>", w.encrypt(n, append([]byte{0xFE, 0xFF}, utf16Bytes(s)...)))
}

// encrypt is algorithm 1 of ISO 32000-1, 7.6.2.
func (w *writer) encrypt(n int, data []byte) []byte {
	if w.key == nil {
		return data
	}
	sum := md5.Sum(append(append([]byte{}, w.key...), byte(n), byte(n>>8), byte(n>>16), 0, 0))
	return rc4With(sum[:10], data)
}

func rc4With(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// padding is that of algorithm 2.
const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

const fileID = "0123456789abcdef"

// lock makes the keys of revision 2 (algorithms 2, 3 and 4) and returns the encryption dictionary.
func (w *writer) lock(user string) string {
	pad := func(s string) []byte { return []byte((s + padding)[:32]) }
	owner := md5.Sum(pad("owner"))
	o := rc4With(owner[:5], pad(user))
	permissions := []byte{0xFC, 0xFF, 0xFF, 0xFF}
	sum := md5.Sum(bytes.Join([][]byte{pad(user), o, permissions, []byte(fileID)}, nil))
	w.key = sum[:5]
	u := rc4With(w.key, []byte(padding))
	return fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /O <%X> /U <%X> /P -4 >>", o, u)
}

// bytes writes the file.
func (b *book) bytes() []byte {
	w := &writer{}
	w.out.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	catalog, tree, info := w.reserve(), w.reserve(), w.reserve()
	encryption := ""
	if b.locked || b.password != "" {
		n := w.reserve()
		w.put(n, w.lock(b.password))
		encryption = fmt.Sprintf("/Encrypt %d 0 R", n)
	}
	fonts := w.fonts()
	pages := make([]int, len(b.sheets))
	for i, s := range b.sheets {
		var content int
		pages[i], content = w.reserve(), w.reserve()
		w.put(pages[i], fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Rotate %d /Resources << /Font << %s >> >> /Contents %d 0 R >>",
			tree, s.rotate, fonts, content))
		if s.packed != nil {
			w.stream(content, "/Filter /FlateDecode", s.packed)
		} else {
			w.stream(content, "", []byte(s.content.String()))
		}
	}
	kids := ""
	for _, p := range pages {
		kids += fmt.Sprintf("%d 0 R ", p)
	}
	w.put(tree, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(pages)))
	outlines := ""
	if len(b.marks) > 0 {
		root := w.reserve()
		first, last := w.entries(b.marks, root, pages)
		w.put(root, fmt.Sprintf("<< /Type /Outlines /First %d 0 R /Last %d 0 R >>", first, last))
		outlines = fmt.Sprintf("/Outlines %d 0 R", root)
	}
	w.put(catalog, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R %s >>", tree, outlines))
	w.put(info, "<< "+b.info+" >>")
	start := w.out.Len()
	fmt.Fprintf(&w.out, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, o := range w.offsets {
		fmt.Fprintf(&w.out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&w.out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R %s /ID [<%X> <%X>] >>\nstartxref\n%d\n%%%%EOF\n",
		len(w.offsets)+1, catalog, info, encryption, fileID, fileID, start)
	return w.out.Bytes()
}

// fonts writes the fonts and returns the entries of a page's resources.
func (w *writer) fonts() string {
	names := ""
	for _, f := range []struct{ key, name string }{{roman, "Helvetica"}, {bold, "Helvetica-Bold"}, {courier, "Courier"}} {
		n := w.reserve()
		w.put(n, "<< /Type /Font /Subtype /Type1 /BaseFont /"+f.name+" /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /fi] >> >>")
		names += fmt.Sprintf("/%s %d 0 R ", f.key, n)
	}
	outer, inner, about := w.reserve(), w.reserve(), w.reserve()
	w.put(outer, fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [%d 0 R] >>", inner))
	w.put(inner, fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> "+
		"/FontDescriptor %d 0 R /DW 1000 >>", about))
	w.put(about, "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>")
	return names + fmt.Sprintf("/%s %d 0 R", cjk, outer)
}

// entries writes a level of the table of contents.
func (w *writer) entries(list []entry, parent int, pages []int) (first, last int) {
	numbers := make([]int, len(list))
	for i := range list {
		numbers[i] = w.reserve()
	}
	for i, e := range list {
		more := ""
		if i > 0 {
			more += fmt.Sprintf("/Prev %d 0 R ", numbers[i-1])
		}
		if i+1 < len(list) {
			more += fmt.Sprintf("/Next %d 0 R ", numbers[i+1])
		}
		if len(e.below) > 0 {
			from, to := w.entries(e.below, numbers[i], pages)
			more += fmt.Sprintf("/First %d 0 R /Last %d 0 R ", from, to)
		}
		w.put(numbers[i], fmt.Sprintf("<< /Title %s /Parent %d 0 R %s /Dest [%d 0 R /Fit] >>", w.text(numbers[i], e.title), parent, more, pages[e.page]))
	}
	return numbers[0], numbers[len(numbers)-1]
}
