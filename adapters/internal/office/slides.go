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

// readSlides returns a section for each slide of a presentation, including hidden slides. A section
// ends with the slide's notes. title is the first title of any slide.
func readSlides(ctx context.Context, a *archive, main string) (title string, sections []document.Section, err error) {
	var ids []string
	if _, err := a.part(main, mostStyles, func(d *boundedxml.Decoder) error {
		return eachElement(ctx, d, func(t xml.StartElement) error {
			if t.Name.Local != "sldId" {
				return nil
			}
			if len(ids) == mostPages {
				return errPages
			}
			for _, attribute := range t.Attr { // the slide's number is named "id" too, without a name space
				if attribute.Name.Local == "id" && attribute.Name.Space != "" {
					ids = append(ids, attribute.Value)
				}
			}
			return nil
		})
	}); err != nil {
		return "", nil, err
	}
	parts := make(map[string]string)
	for _, r := range a.relations(ctx, main) {
		if r.kind == "slide" {
			parts[r.id] = r.target
		}
	}
	outline := document.Outline{Limit: a.most}
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		shown, enough := a.slide(ctx, parts[id])
		if enough != nil && !errors.Is(enough, errEnough) {
			return "", nil, enough
		}
		var said []string
		for _, r := range a.relations(ctx, parts[id]) {
			if r.kind != "notesSlide" || enough != nil {
				continue
			}
			var notes *slide
			if notes, enough = a.slide(ctx, r.target); enough != nil && !errors.Is(enough, errEnough) {
				return "", nil, enough
			}
			said = append(said, notes.body...)
		}
		heading := "Slide " + strconv.Itoa(i+1)
		if shown.title != "" {
			heading += ": " + shown.title
		}
		if title == "" {
			title = shown.title
		}
		if enough == nil && shown.title == "" && len(shown.blocks) == 0 && len(said) == 0 {
			continue
		}
		outline.Heading(1, heading, "")
		for _, b := range shown.blocks {
			outline.Block(b.Kind, b.Text)
		}
		if notes := strings.Join(said, "\n"); notes != "" {
			outline.Block(document.Paragraph, "Notes: "+notes)
		}
		if enough != nil || outline.Full() {
			return title, outline.Sections(), errEnough
		}
	}
	return title, outline.Sections(), nil
}

type slide struct {
	title  string
	blocks []document.Block
	// body contains the paragraphs of the page's body shapes. On a page of notes, these are the
	// notes.
	body []string

	archive *archive
	// shape is the type of the open shape: "title", "body", "sldNum" and so on. It may be empty.
	shape  string
	lines  []line // paragraphs of the shape
	text   strings.Builder
	level  int
	inside int // number of open paragraphs
	tables int
	rows   []string
	cells  []string
}

type line struct {
	text  string
	level int
}

func (a *archive) slide(ctx context.Context, name string) (*slide, error) {
	s := &slide{archive: a}
	_, err := a.part(name, mostPart, func(d *boundedxml.Decoder) error { return s.read(ctx, d) })
	if errors.Is(err, errEnough) {
		s.finish()
	}
	return s, err
}

func (s *slide) read(ctx context.Context, d *boundedxml.Decoder) error {
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "Fallback": // repeats the content before it
				if err := d.Skip(ctx); err != nil {
					return err
				}
			case "t":
				text, err := d.Text(ctx)
				if err != nil {
					return err
				}
				if s.text.Len()+len(text) <= mostCell {
					s.text.WriteString(text)
				}
			default:
				s.start(t)
			}
		case xml.EndElement:
			if err := s.end(t.Name.Local); err != nil {
				return err
			}
		}
	}
}

func (s *slide) finish() {
	if s.tables > 0 {
		for _, l := range s.lines {
			s.cells = append(s.cells, l.text)
		}
		s.lines = nil
		s.rows = append(s.rows, strings.Join(s.cells, " | "))
		s.add(document.Table, strings.Join(s.rows, "\n"))
	}
	s.endShape()
}

func (s *slide) start(t xml.StartElement) {
	switch t.Name.Local {
	case "sp", "graphicFrame":
		s.shape, s.lines = "", nil
	case "ph":
		s.shape = boundedxml.Attribute(t, "type")
		if s.shape == "" {
			s.shape = "body" // the default type
		}
	case "p":
		s.inside++
		s.level = 0
	case "pPr":
		if n, err := strconv.Atoi(boundedxml.Attribute(t, "lvl")); err == nil {
			s.level = min(max(n, 0), 8)
		}
	case "br", "tab":
		if s.text.Len() < mostCell {
			s.text.WriteByte(' ')
		}
	case "tbl":
		s.tables++
	}
}

func (s *slide) end(name string) error {
	switch name {
	case "p":
		if s.inside--; s.inside <= 0 {
			s.inside = 0
			if text := onOneLine(s.text.String()); text != "" {
				s.lines = append(s.lines, line{text, s.level})
			}
			took := s.text.Len() + pieceSize
			s.text.Reset()
			return s.archive.addText(took)
		}
	case "tc":
		text := ""
		if len(s.lines) > 0 {
			var all []string
			for _, l := range s.lines {
				all = append(all, l.text)
			}
			text = strings.Join(all, " ")
		}
		s.cells, s.lines = append(s.cells, text), nil
		return s.archive.addText(pieceSize)
	case "tr":
		if row := strings.Join(s.cells, " | "); strings.Join(s.cells, "") != "" {
			s.rows = append(s.rows, row)
		}
		s.cells = nil
	case "tbl":
		if s.tables--; s.tables <= 0 {
			s.tables = 0
			s.add(document.Table, strings.Join(s.rows, "\n"))
			s.rows = nil
		}
	case "sp":
		s.endShape()
	}
	return nil
}

func (s *slide) endShape() {
	lines := s.lines
	s.lines = nil
	switch s.shape {
	case "sldNum", "dt", "ftr", "hdr", "sldImg": // the same on every page
		return
	case "title", "ctrTitle":
		for _, l := range lines {
			if len(s.title) < document.MaxHeading {
				s.title = strings.TrimSpace(s.title + " " + l.text)
			}
		}
		return
	case "body":
		for _, l := range lines {
			s.body = append(s.body, l.text)
		}
	}
	if len(lines) == 1 {
		s.add(document.Paragraph, lines[0].text)
		return
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.Repeat("  ", l.level) + "- " + l.text + "\n")
	}
	s.add(document.List, b.String())
}

func (s *slide) add(kind document.BlockKind, text string) {
	if text != "" {
		s.blocks = append(s.blocks, document.Block{Kind: kind, Text: text})
	}
}
