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

// readWord returns the sections of a Word document. title is the first heading of the highest rank.
func readWord(ctx context.Context, a *archive, main string) (title string, sections []document.Section, err error) {
	levels := make(map[string]int)
	styles, numbers := "word/styles.xml", "word/numbering.xml"
	for _, r := range a.relations(ctx, main) {
		switch r.kind {
		case "styles":
			styles = r.target
		case "numbering":
			numbers = r.target
		}
	}
	lists := newNumbering()
	if _, err := a.part(styles, mostStyles, func(d *boundedxml.Decoder) error { return readStyles(ctx, d, levels, lists.styles) }); err != nil {
		clear(levels) // without styles there are no headings, but all text
		clear(lists.styles)
	}
	if _, err := a.part(numbers, mostStyles, func(d *boundedxml.Decoder) error { return lists.read(ctx, d) }); err != nil {
		lists.abstract, lists.of = nil, nil
	}
	r := reader{archive: a, levels: levels, numbering: lists, outline: document.Outline{Limit: a.most}}
	_, err = a.part(main, mostPart, func(d *boundedxml.Decoder) error { return r.read(ctx, d) })
	if errors.Is(err, errEnough) {
		r.finish()
	}
	return r.outline.Title(), r.outline.Sections(), err
}

func readStyles(ctx context.Context, d *boundedxml.Decoder, levels map[string]int, lists map[string]listStyle) error {
	id, name, level, fixed := "", "", -1, false
	var list listStyle
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
			list.read(t)
			switch t.Name.Local {
			case "style":
				id, name, level, list, fixed = boundedxml.Attribute(t, "styleId"), "", -1, listStyle{}, false
			case "name":
				name = strings.ToLower(boundedxml.Attribute(t, "val"))
			case "rFonts":
				fixed = fixedWidth(t)
			case "outlineLvl":
				if n, err := strconv.Atoi(boundedxml.Attribute(t, "val")); err == nil {
					level = n
				}
			}
		case xml.EndElement:
			if t.Name.Local != "style" {
				continue
			}
			if len(lists) == mostStates {
				return errLarge
			}
			lists[id] = list
			switch digit, heading := strings.CutPrefix(name, "heading "); {
			case name == "title":
				levels[id] = 1
			case heading && len(digit) == 1 && digit[0] >= '1' && digit[0] <= '9':
				levels[id] = int(digit[0]-'0') + 1 // below the title
			case level >= 0 && level < 9:
				levels[id] = level + 2
			case fixed || codeStyle(name):
				levels[id] = codeLevel
			}
		}
	}
}
