package pdf

import (
	"context"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// run is contiguous text on one line of a page. Coordinates are in points. y is the baseline and
// grows upwards.
type run struct {
	x0, x1, y float64
	size      float64 // mean size of its letters as drawn
	text      string
	bold      int // number of bold characters
	// mono is the number of monospaced characters.
	mono  int
	count int // number of characters
	turn  int // quarter turns of the text, counter-clockwise
}

type style struct {
	size       float64
	turn       int
	slanted    bool // rotated by an angle other than quarter turns: watermarks
	bold, mono bool
	// baseline is the height of the baseline after rotation.
	baseline float64
}

const (
	wordGap  = 0.8 // maximum gap within a run, in letter sizes
	lineStep = 0.3 // maximum movement of the baseline within a run, in letter sizes
	farthest = 1e6 // maximum coordinate in points; ISO 32000-1, annex C allows pages of 14,400
)

// runs returns the text of a page in PDFium's order, which is correct even for right-to-left text.
// ok is false if the page is damaged.
func (s *sandbox) runs(ctx context.Context, doc uint64, number int) (found []run, ok bool, err error) {
	page, err := s.call(ctx, "FPDF_LoadPage", doc, uint64(number))
	if err != nil || page == 0 {
		return nil, false, err
	}
	text, err := s.call(ctx, "FPDFText_LoadPage", page)
	if err != nil {
		return nil, false, err
	}
	var b runBuilder
	if text != 0 {
		count, err := s.call(ctx, "FPDFText_CountChars", text)
		if err != nil {
			return nil, false, err
		}
		styles := make(map[uint64]style)
		for i := range uint64(max(int32(uint32(count)), 0)) {
			if err := s.character(ctx, text, i, styles, &b); err != nil {
				return nil, false, err
			}
		}
		if _, err := s.call(ctx, "FPDFText_ClosePage", text); err != nil {
			return nil, false, err
		}
	}
	if _, err := s.call(ctx, "FPDF_ClosePage", page); err != nil {
		return nil, false, err
	}
	return mainDirection(b.end()), true, nil
}

func (s *sandbox) character(ctx context.Context, text, i uint64, styles map[uint64]style, b *runBuilder) error {
	code, err := s.call(ctx, "FPDFText_GetUnicode", text, i)
	if err != nil {
		return err
	}
	r := rune(uint32(code))
	switch {
	case r == '\r' || r == '\n':
		b.flush()
		return nil
	case r == 2 || r == 0xFFFE: // how PDFium marks a hyphen at the end of a line
		r = '\u00AD'
	case unicode.IsSpace(r):
		b.space = true
		return nil
	case r < ' ' || !utf8.ValidRune(r) || r == utf8.RuneError || r == 0xFEFF || r == 0x200B:
		return nil
	}
	object, err := s.call(ctx, "FPDFText_GetTextObject", text, i)
	if err != nil {
		return err
	}
	st, known := styles[object]
	if !known || object == 0 { // characters that PDFium inserts belong to no object
		if st, err = s.style(ctx, text, i); err != nil {
			return err
		}
		styles[object] = st
	}
	if st.slanted {
		return nil
	}
	if _, err := s.call(ctx, "FPDFText_GetLooseCharBox", text, i, uint64(s.scratch)); err != nil {
		return err
	}
	box, err := s.bytes(s.scratch, 16)
	if err != nil {
		return err
	}
	left, top, right, bottom := float32At(box, 0), float32At(box, 1), float32At(box, 2), float32At(box, 3)
	if far := math.Abs(left) + math.Abs(top) + math.Abs(right) + math.Abs(bottom) + math.Abs(st.baseline); math.IsNaN(far) || far > farthest {
		return nil
	}
	switch st.turn { // as if the text were upright
	case 1:
		left, right = bottom, top
	case 2:
		left, right = -right, -left
	case 3:
		left, right = -top, -bottom
	}
	b.add(r, left, right, st)
	return nil
}

func (s *sandbox) style(ctx context.Context, text, i uint64) (style, error) {
	var st style
	bits, err := s.call(ctx, "FPDFText_GetFontSize", text, i)
	if err != nil {
		return st, err
	}
	st.size = math.Abs(math.Float64frombits(bits))
	if bits, err = s.call(ctx, "FPDFText_GetMatrix", text, i, uint64(s.scratch)); err != nil {
		return st, err
	}
	if uint32(bits) != 0 {
		matrix, err := s.bytes(s.scratch, 24)
		if err != nil {
			return st, err
		}
		if scale := math.Hypot(float32At(matrix, 2), float32At(matrix, 3)); scale > 0 {
			st.size *= scale
		}
	}
	if math.IsNaN(st.size) || math.IsInf(st.size, 0) || st.size < 1 {
		st.size = 1
	}
	if bits, err = s.call(ctx, "FPDFText_GetCharAngle", text, i); err != nil {
		return st, err
	}
	quarters := float64(math.Float32frombits(uint32(bits))) / (math.Pi / 2)
	nearest := math.Round(quarters)
	st.slanted = math.Abs(quarters-nearest) > 0.1
	st.turn = ((-int(nearest) % 4) + 4) % 4 // PDFium's angles are clockwise
	if _, err := s.call(ctx, "FPDFText_GetCharOrigin", text, i, uint64(s.scratch), uint64(s.scratch+8)); err != nil {
		return st, err
	}
	origin, err := s.bytes(s.scratch, 16)
	if err != nil {
		return st, err
	}
	x, y := float64At(origin, 0), float64At(origin, 1)
	st.baseline = [...]float64{y, -x, -y, x}[st.turn]
	weight, err := s.call(ctx, "FPDFText_GetFontWeight", text, i)
	if err != nil {
		return st, err
	}
	const flagsAt, nameAt, nameSize = 0, 8, 256
	length, err := s.call(ctx, "FPDFText_GetFontInfo", text, i, uint64(s.scratch+nameAt), nameSize, uint64(s.scratch+flagsAt))
	if err != nil {
		return st, err
	}
	raw, err := s.bytes(s.scratch, nameAt+nameSize)
	if err != nil {
		return st, err
	}
	var name string
	if length > 0 && length <= nameSize {
		name = strings.ToLower(strings.TrimRight(string(raw[nameAt:nameAt+int(length)]), "\x00"))
	}
	// font flags 1 and 19 (ISO 32000-1, table 123)
	fixed, forced := raw[flagsAt]&1 != 0, raw[flagsAt+2]&4 != 0
	st.bold = int32(uint32(weight)) >= 600 || forced || containsAny(name, "bold", "black", "heavy", "demi")
	st.mono = fixed || containsAny(name, "courier", "mono", "consol", "menlo", "typewriter", "cmtt")
	return st, nil
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

type runBuilder struct {
	runs  []run
	open  run
	text  strings.Builder
	last  [2]float64 // horizontal range of the last character
	space bool       // a space precedes the next character
}

func (b *runBuilder) add(r rune, left, right float64, st style) {
	y := st.baseline
	if left > right {
		left, right = right, left
	}
	if b.open.count > 0 {
		gap := max(left-b.last[1], b.last[0]-right) // text from right to left goes the other way
		if gap > wordGap*st.size || math.Abs(y-b.open.y) > lineStep*st.size || st.turn != b.open.turn {
			b.flush()
		}
	}
	if b.open.count == 0 {
		b.open = run{x0: left, x1: right, y: y, size: st.size, turn: st.turn}
	} else if b.space {
		b.text.WriteByte(' ')
	}
	b.space = false
	b.open.x0, b.open.x1 = min(b.open.x0, left), max(b.open.x1, right)
	b.last = [2]float64{left, right}
	b.open.count++
	b.open.size += (st.size - b.open.size) / float64(b.open.count)
	if st.bold {
		b.open.bold++
	}
	if st.mono {
		b.open.mono++
	}
	if spelled, ok := ligatures[r]; ok {
		b.text.WriteString(spelled)
	} else {
		b.text.WriteRune(r)
	}
}

// ligatures maps ligatures such as "ﬁ" to letters, because people do not type ligatures in
// searches.
var ligatures = map[rune]string{'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st"}

func (b *runBuilder) flush() {
	if b.open.count > 0 {
		b.open.text = b.text.String()
		b.runs = append(b.runs, b.open)
	}
	b.text.Reset()
	b.open, b.space = run{}, false
}

func (b *runBuilder) end() []run {
	b.flush()
	return b.runs
}

// mainDirection removes text that runs in another direction than most text of the page. It drops a
// note along the margin, but keeps the text of a page that is rotated as a whole.
func mainDirection(runs []run) []run {
	var count [4]int
	for _, r := range runs {
		count[r.turn] += r.count
	}
	most := 0
	for turn, n := range count {
		if n > count[most] {
			most = turn
		}
	}
	upright := runs[:0]
	for _, r := range runs {
		if r.turn == most {
			upright = append(upright, r)
		}
	}
	return upright
}
