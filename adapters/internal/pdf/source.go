package pdf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf16"
)

type file struct {
	title   string
	updated time.Time
	pages   [][]run
	marks   []bookmark
}

// codeFormat and the others are results of FPDF_GetLastError (fpdfview.h).
const (
	codeFormat   = 3
	codePassword = 4
	codeSecurity = 5
)

func (s *sandbox) read(ctx context.Context, raw []byte) (file, error) {
	at, err := s.allocate(ctx, len(raw))
	if err != nil {
		return file{}, err
	}
	view, err := s.bytes(at, len(raw))
	if err != nil {
		return file{}, err
	}
	copy(view, raw)
	doc, err := s.call(ctx, "FPDF_LoadMemDocument", uint64(at), uint64(len(raw)), 0)
	if err != nil {
		return file{}, err
	}
	if doc == 0 {
		return file{}, s.refusal(ctx)
	}
	count, err := s.call(ctx, "FPDF_GetPageCount", doc)
	switch n := int32(uint32(count)); {
	case err != nil:
		return file{}, err
	case n <= 0:
		return file{}, errors.New("it is damaged: it has no pages. Open it in a PDF reader and print it to a new file")
	case n > mostPages:
		return file{}, fmt.Errorf("it has %d pages, and files of more than %d are not read. Split it into smaller files", n, mostPages)
	}
	var f file
	if err := s.properties(ctx, doc, &f); err != nil {
		return file{}, err
	}
	if f.marks, err = s.bookmarks(ctx, doc, int(int32(uint32(count)))); err != nil {
		return file{}, err
	}
	f.pages = make([][]run, int(int32(uint32(count))))
	size, whole, runs := 0, 0, 0
	for i := range f.pages {
		var ok bool
		if f.pages[i], ok, err = s.runs(ctx, doc, i); err != nil {
			return file{}, err
		}
		if ok {
			whole++
		}
		for _, r := range f.pages[i] {
			size += len(r.text)
		}
		if runs += len(f.pages[i]); runs > mostRuns {
			return file{}, fmt.Errorf("it holds more than %d pieces of text. Print it to a new file, or split it", mostRuns)
		}
		if size > mostText {
			return file{}, fmt.Errorf("it holds more than %d MB of text. Split it into smaller files", mostText>>20)
		}
	}
	switch {
	case whole == 0:
		return file{}, errors.New("it is damaged: none of its pages can be read. Export or download it again")
	case size == 0:
		return file{}, errNoText
	}
	return f, nil
}

func (s *sandbox) refusal(ctx context.Context) error {
	code, err := s.call(ctx, "FPDF_GetLastError")
	switch {
	case err != nil:
		return err
	case code == codePassword:
		return errPassword
	case code == codeSecurity:
		return errors.New("it is protected in a way that cannot be read. Save a copy without protection")
	case code == codeFormat:
		return errors.New("it is damaged: it is not built as PDF files are, or its end is missing. Export or download it again")
	default:
		return errors.New("it is damaged and cannot be opened. Export or download it again")
	}
}

func (s *sandbox) properties(ctx context.Context, doc uint64, f *file) error {
	values := make(map[string]string)
	for _, tag := range []string{"Title", "ModDate", "CreationDate"} {
		name := append([]byte(tag), 0)
		into, err := s.bytes(s.scratch, len(name))
		if err != nil {
			return err
		}
		copy(into, name)
		if values[tag], err = s.text(ctx, "FPDF_GetMetaText", doc, uint64(s.scratch)); err != nil {
			return err
		}
	}
	f.title = sensibleTitle(values["Title"])
	for _, tag := range []string{"ModDate", "CreationDate"} {
		if f.updated.IsZero() {
			f.updated = parseDate(values[tag])
		}
	}
	return nil
}

// text calls the PDFium function called name and returns the text that it writes. It returns "" if
// the text does not fit into the second half of s.scratch. arguments may point into the first half.
func (s *sandbox) text(ctx context.Context, name string, arguments ...uint64) (string, error) {
	const half = scratchSize / 2
	buffer := s.scratch + half
	n, err := s.call(ctx, name, append(arguments, uint64(buffer), half)...)
	if err != nil || n > half { // a longer one is no title
		return "", err
	}
	raw, err := s.bytes(buffer, int(n))
	if err != nil {
		return "", err
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, binary.LittleEndian.Uint16(raw[i:]))
	}
	return strings.Join(strings.Fields(strings.Trim(string(utf16.Decode(units)), "\x00")), " "), nil
}

// sensibleTitle removes the name of a program from a title. It returns "" for titles that programs
// generate, such as "report.docx".
func sensibleTitle(title string) string {
	title = strings.TrimPrefix(title, "Microsoft Word - ")
	title = strings.TrimPrefix(title, "Microsoft PowerPoint - ")
	lower := strings.ToLower(title)
	for _, ending := range []string{".doc", ".docx", ".tex", ".dvi", ".indd", ".ppt", ".pptx", ".xls", ".xlsx", ".pdf", ".qxd", ".rtf", ".odt", ".html"} {
		if strings.HasSuffix(lower, ending) {
			return ""
		}
	}
	if strings.HasPrefix(lower, "untitled") || lower == "title" || lower == "document" || strings.Trim(lower, "0123456789._- ") == "" {
		return ""
	}
	return title
}

// parseDate parses a date such as D:20240302101500+01'00' (ISO 32000-1, 7.9.4). All parts after the
// year are optional. It returns the zero time if the date is invalid.
func parseDate(s string) time.Time {
	digits := strings.TrimPrefix(s, "D:")
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	zone := ""
	if end >= 0 {
		digits, zone = digits[:end], strings.NewReplacer("'", "", ":", "").Replace(digits[end:])
	}
	for _, layout := range []string{"20060102150405", "200601021504", "20060102", "200601", "2006"} {
		if len(digits) != len(layout) {
			continue
		}
		if t, err := time.Parse(layout+"-0700", digits+zone); err == nil {
			return t.UTC()
		}
		if t, err := time.Parse(layout, digits); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

func float32At(b []byte, index int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*index:])))
}

func float64At(b []byte, index int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*index:]))
}
