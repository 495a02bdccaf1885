package office

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
	"github.com/footnotehq/footnote/core/document"
)

type reader struct {
	archive *archive
	levels  map[string]int
	outline document.Outline
	list    []string // lines of the open list

	text      strings.Builder // text of the open paragraph
	inside    int             // number of open paragraphs; text boxes nest them
	level     int             // heading level of the paragraph; 0: none, codeLevel: code
	code      []string        // consecutive lines of code
	fixed     bool            // the run is in a font of fixed width
	running   bool            // the paragraph has text in another font
	item      listPosition
	numbering *numbering

	tables int // number of open tables; a table in a cell is text of the cell
	rows   []string
	cells  []string
	cell   []string
}

func (r *reader) read(ctx context.Context, d *boundedxml.Decoder) error {
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			r.endCode()
			r.endList()
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "Fallback", "delText", "instrText", "del", "moveFrom":
				// repeated or deleted text, or instructions for Word
				if err := d.Skip(ctx); err != nil {
					return err
				}
			case "t":
				text, err := d.Text(ctx)
				if err != nil {
					return err
				}
				r.running = r.running || !r.fixed && strings.TrimSpace(text) != ""
				if err := r.add(text); err != nil {
					return err
				}
			default:
				if err := r.start(t); err != nil {
					return err
				}
			}
		case xml.EndElement:
			if err := r.end(t.Name.Local); err != nil {
				return err
			}
		}
	}
}

func (r *reader) add(text string) error {
	if err := r.archive.addText(len(text)); err != nil {
		return err
	}
	r.text.WriteString(text)
	return nil
}

func (r *reader) finish() {
	r.paragraph(r.text.String())
	r.cells = append(r.cells, r.cell...)
	r.rows = append(r.rows, strings.Join(r.cells, " | "))
	r.endCode()
	r.endList()
	r.outline.Block(document.Table, strings.Join(r.rows, "\n"))
}

func (r *reader) start(t xml.StartElement) error {
	switch t.Name.Local {
	case "p":
		if r.inside++; r.inside == 1 {
			r.text.Reset()
			r.level, r.item = 0, listPosition{}
			r.fixed, r.running = false, false
		} else if r.text.Len() > 0 {
			return r.add("\n")
		}
	case "pStyle":
		style := boundedxml.Attribute(t, "val")
		r.level, r.item = r.levels[style], r.numbering.ofStyle(style)
	case "r":
		r.fixed = false
	case "rFonts":
		r.fixed = fixedWidth(t)
	case "outlineLvl":
		if n, err := strconv.Atoi(boundedxml.Attribute(t, "val")); err == nil && n >= 0 && n < 9 {
			r.level = n + 2
		}
	case "numPr":
		r.item.is = true
	case "numId":
		r.item.list = boundedxml.Attribute(t, "val")
		r.item.is = r.item.list != "0" // 0 removes the numbering of the style
	case "ilvl":
		r.item.level = listLevel(t)
	case "tab":
		switch {
		case r.level == codeLevel:
			return r.add("\t")
		case r.inside > 0 && r.text.Len() > 0:
			return r.add(" ")
		}
	case "br", "cr":
		return r.add("\n")
	case "noBreakHyphen":
		return r.add("-")
	case "tbl":
		r.endCode()
		r.endList()
		r.tables++
	}
	return nil
}

func (r *reader) end(name string) error {
	switch name {
	case "p":
		if r.inside--; r.inside <= 0 {
			r.inside = 0
			r.paragraph(r.text.String())
			r.text.Reset()
			if r.outline.Full() {
				return errEnough
			}
			return r.archive.addText(pieceSize)
		}
	case "tc":
		if r.tables == 1 {
			r.cells = append(r.cells, strings.Join(strings.Fields(strings.Join(r.cell, " ")), " "))
			r.cell = nil
			return r.archive.addText(pieceSize) // an empty cell takes memory too
		}
	case "tr":
		if r.tables == 1 && strings.Join(r.cells, "") != "" {
			r.rows = append(r.rows, strings.Join(r.cells, " | "))
		}
		if r.tables == 1 {
			r.cells = nil
		}
	case "tbl":
		if r.tables--; r.tables == 0 {
			r.outline.Block(document.Table, strings.Join(r.rows, "\n"))
			r.rows = nil
		}
		r.tables = max(r.tables, 0)
	}
	return nil
}

func (r *reader) paragraph(text string) {
	if r.tables == 0 && (r.level == codeLevel || r.level == 0 && !r.item.is && !r.running && strings.TrimSpace(text) != "") {
		r.endList()
		r.code = append(r.code, strings.TrimRight(text, " \t\n"))
		return
	}
	text = strings.TrimSpace(text)
	if text != "" {
		r.endCode()
	}
	switch {
	case text == "":
	case r.tables > 0:
		r.cell = append(r.cell, text)
	case r.level > 0:
		r.endList()
		r.outline.Heading(r.level, strings.Join(strings.Fields(text), " "), "")
	case r.item.is:
		r.list = append(r.list, strings.Repeat("  ", r.item.level)+r.numbering.mark(r.item)+" "+text)
	default:
		r.endList()
		r.outline.Block(document.Paragraph, text)
	}
}

func (r *reader) endCode() {
	if text := strings.Trim(strings.Join(r.code, "\n"), "\n"); len(text) <= longestCodeLine*(strings.Count(text, "\n")+1) {
		r.outline.Code("", text)
	} else { // text in a fixed-width font, such as a letter
		for _, line := range r.code {
			if line = strings.TrimSpace(line); line != "" {
				r.outline.Block(document.Paragraph, line)
			}
		}
	}
	r.code = nil
}

func (r *reader) endList() {
	r.outline.Block(document.List, strings.Join(r.list, "\n"))
	r.list = nil
}
