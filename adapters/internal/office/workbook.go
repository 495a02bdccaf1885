package office

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
	"github.com/footnotehq/footnote/core/document"
)

type workbook struct {
	archive *archive
	strings []string
	shared  int      // memory of strings in bytes
	partly  bool     // not all strings were read
	formats []string // codes of number formats, by the index of the cells' styles
	shown   map[string]format
	from    int // day of the number 0: days1900 or days1904
}

type sheet struct{ name, id string }

// mostShared limits the size of a workbook's shared texts, to which cells refer. The limit is this
// multiple of the amount of text that the caller wants.
const mostShared = 2

// readWorkbook returns a section for each visible sheet. Hidden sheets are omitted, because people
// who open the file do not see them. They mostly contain look-up data.
func readWorkbook(ctx context.Context, a *archive, main string) ([]document.Section, error) {
	w := &workbook{archive: a, shown: make(map[string]format), from: days1900}
	var sheets []sheet
	if _, err := a.part(main, mostStyles, func(d *boundedxml.Decoder) error {
		return eachElement(ctx, d, func(t xml.StartElement) error {
			switch t.Name.Local {
			case "workbookPr":
				if s := boundedxml.Attribute(t, "date1904"); s == "1" || s == "true" {
					w.from = days1904
				}
			case "sheet":
				if state := boundedxml.Attribute(t, "state"); state == "hidden" || state == "veryHidden" {
					return nil
				}
				if len(sheets) == mostPages {
					return errPages
				}
				sheets = append(sheets, sheet{boundedxml.Attribute(t, "name"), boundedxml.Attribute(t, "id")})
			}
			return nil
		})
	}); err != nil {
		return nil, err
	}
	parts := make(map[string]string)
	for _, r := range a.relations(ctx, main) {
		switch r.kind {
		case "worksheet":
			parts[r.id] = r.target
		case "sharedStrings":
			_, err := a.part(r.target, mostPart, func(d *boundedxml.Decoder) error { return w.readStrings(ctx, d) })
			if w.partly = errors.Is(err, errEnough); err != nil && !w.partly {
				return nil, err
			}
		case "styles":
			if _, err := a.part(r.target, mostStyles, func(d *boundedxml.Decoder) error { return w.readFormats(ctx, d) }); err != nil {
				w.formats = nil // without them numbers show as they are stored
			}
		}
	}
	outline := document.Outline{Limit: a.most}
	for _, s := range sheets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := grid{outline: &outline, name: s.name, most: a.most}
		_, err := a.part(parts[s.id], mostUnpacked, func(d *boundedxml.Decoder) error { return w.readSheet(ctx, d, &g) })
		if errors.Is(err, errEnough) {
			g.end()
		}
		if err != nil {
			return outline.Sections(), err
		}
	}
	return outline.Sections(), nil
}

func (w *workbook) readStrings(ctx context.Context, d *boundedxml.Decoder) error {
	return eachElement(ctx, d, func(t xml.StartElement) error {
		if t.Name.Local != "si" {
			return nil
		}
		text, err := richText(ctx, d, "si")
		if err != nil {
			return err
		}
		text = onOneLine(text)
		if w.shared += len(text) + pieceSize; w.shared > mostShared*w.archive.most {
			return errEnough
		}
		w.strings = append(w.strings, text)
		return nil
	})
}

// richText returns the text before the end tag with the given name. It omits phonetic text.
func richText(ctx context.Context, d *boundedxml.Decoder, name string) (string, error) {
	var text strings.Builder
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return "", io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "rPh":
				if err := d.Skip(ctx); err != nil {
					return "", err
				}
			case "t":
				run, err := d.Text(ctx)
				if err != nil {
					return "", err
				}
				if text.Len()+len(run) <= mostCell {
					text.WriteString(run)
				}
			}
		case xml.EndElement:
			if t.Name.Local == name {
				return text.String(), nil
			}
		}
	}
}

// mostCell is the maximum length of a cell's text in bytes. Excel allows 32,767 characters.
const mostCell = 128 << 10

func (w *workbook) readFormats(ctx context.Context, d *boundedxml.Decoder) error {
	own := make(map[string]string)
	inside := false // in the list that cells refer to; another list is for named styles
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "cellXfs" {
				inside = false
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "numFmt":
				if len(own) == mostStates {
					return errLarge
				}
				own[boundedxml.Attribute(t, "numFmtId")] = boundedxml.Attribute(t, "formatCode")
			case "cellXfs":
				inside = true
			case "xf":
				if !inside {
					continue
				}
				if len(w.formats) == mostStates {
					return errLarge
				}
				id := boundedxml.Attribute(t, "numFmtId")
				code, stated := own[id]
				if !stated {
					code = builtIn(id)
				}
				w.formats = append(w.formats, code)
			}
		}
	}
}

type cell struct {
	column int // from 0
	text   string
	number bool
}

func (w *workbook) readSheet(ctx context.Context, d *boundedxml.Decoder, g *grid) error {
	var row []cell
	number, next, size := 0, 0, 0
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			g.end()
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "dimension": // the part of the sheet that is in use
				if column, ok := columnOf(boundedxml.Attribute(t, "ref")); ok {
					g.left = min(column, mostColumns-1)
				}
			case "row":
				row, next, size = row[:0], 0, 0
				number++
				if n, err := strconv.Atoi(boundedxml.Attribute(t, "r")); err == nil && n > number {
					number = n
				}
			case "c":
				c := cell{column: next}
				if column, ok := columnOf(boundedxml.Attribute(t, "r")); ok {
					c.column = column
				}
				next = c.column + 1
				if err := w.readCell(ctx, d, t, &c); err != nil {
					return err
				}
				if c.text != "" && c.column < mostColumns && (len(row) == 0 || c.column > row[len(row)-1].column) {
					row = append(row, c)
				}
				// a shared text is stored once, but written for each cell
				if size += len(c.text); size > w.archive.most {
					if len(row) > 0 {
						return cmp.Or(g.row(number, row), errEnough)
					}
					return errEnough
				}
			}
		case xml.EndElement:
			if t.Name.Local == "row" && len(row) > 0 {
				if err := g.row(number, row); err != nil {
					return err
				}
				row = row[:0]
			}
		}
	}
}

// mostColumns is the maximum number of columns that Excel allows in a sheet.
const mostColumns = 16_384

// columnOf returns the column of a cell address such as "AB12", beginning at 0. The bool is false
// if the address has no column.
func columnOf(address string) (int, bool) {
	column := 0
	for i := range len(address) {
		c := address[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		if column = column*26 + int(c-'A') + 1; column > mostColumns {
			return mostColumns, true
		}
	}
	return column - 1, column > 0
}

// readCell reads the value of a cell. For a formula, that is the value that was saved with it.
func (w *workbook) readCell(ctx context.Context, d *boundedxml.Decoder, start xml.StartElement, c *cell) error {
	value := ""
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "v":
				value, err = d.Text(ctx)
			case "is":
				value, err = richText(ctx, d, "is")
			default:
				err = d.Skip(ctx)
			}
			if err != nil {
				return err
			}
		case xml.EndElement:
			if t.Name.Local == "c" {
				return w.show(c, start, value)
			}
		}
	}
}

func (w *workbook) show(c *cell, start xml.StartElement, value string) error {
	switch boundedxml.Attribute(start, "t") {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		switch {
		case err != nil || i < 0:
		case i < len(w.strings):
			c.text = w.strings[i]
		case w.partly:
			return errEnough
		}
	case "b":
		c.text = map[string]string{"1": "TRUE", "0": "FALSE"}[strings.TrimSpace(value)]
	case "str", "inlineStr", "e":
		c.text = onOneLine(value)
	case "d":
		c.text, c.number = onOneLine(value), true
	default:
		code := "General"
		if i, err := strconv.Atoi(boundedxml.Attribute(start, "s")); err == nil && i >= 0 && i < len(w.formats) {
			code = w.formats[i]
		}
		f, known := w.shown[code]
		if !known {
			f = formatOf(code)
			w.shown[code] = f
		}
		c.text, c.number = f.number(onOneLine(value), w.from), true
	}
	return nil
}

// onOneLine truncates the text of a cell to mostCell bytes and puts it on one line. "_x000D_" is
// Excel's encoding of a carriage return.
func onOneLine(text string) string {
	if len(text) > mostCell {
		text = strings.ToValidUTF8(text[:mostCell], "")
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "_x000D_", " ")), " ")
}
