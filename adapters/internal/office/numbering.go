package office

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
)

// listLevels is the number of levels that a list has (ECMA-376 part 1, 17.9).
const listLevels = 9

type listPosition struct {
	is    bool
	list  string // numId
	level int
}

// numbering counts list items as Word does. A paragraph's list is given by the paragraph, by its
// style, or by a style on which that style is based.
type numbering struct {
	styles   map[string]listStyle
	abstract map[string]*listFormat
	of       map[string]string // numId → abstractNumId
	starts   map[string]map[int]int
	begun    map[string]bool // lists with a start override that have an item
}

type listStyle struct {
	listPosition

	leveled bool // level is set
	basedOn string
}

type listFormat struct {
	levels [listLevels]struct {
		format string
		start  int
		count  int
		begun  bool
	}
	byStyle map[string]int // level of a style
}

func newNumbering() *numbering {
	return &numbering{
		styles: map[string]listStyle{}, abstract: map[string]*listFormat{}, of: map[string]string{}, starts: map[string]map[int]int{}, begun: map[string]bool{},
	}
}

func listLevel(t xml.StartElement) int {
	n, err := strconv.Atoi(boundedxml.Attribute(t, "val"))
	if err != nil {
		return 0
	}
	return min(max(n, 0), listLevels-1)
}

func (s *listStyle) read(t xml.StartElement) {
	switch t.Name.Local {
	case "basedOn":
		s.basedOn = boundedxml.Attribute(t, "val")
	case "numId":
		s.list = boundedxml.Attribute(t, "val")
		s.is = s.list != "0"
	case "ilvl":
		s.level, s.leveled = listLevel(t), true
	}
}

func (n *numbering) read(ctx context.Context, d *boundedxml.Decoder) error {
	var format *listFormat
	list, level, overrides := "", 0, false
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		t, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		value := boundedxml.Attribute(t, "val")
		switch t.Name.Local {
		case "abstractNum":
			if len(n.abstract) == mostStates {
				return errLarge
			}
			format = &listFormat{byStyle: map[string]int{}}
			n.abstract[boundedxml.Attribute(t, "abstractNumId")] = format
		case "num":
			if len(n.of) == mostStates {
				return errLarge
			}
			format, list = nil, boundedxml.Attribute(t, "numId")
		case "abstractNumId":
			n.of[list] = value
		case "lvl", "lvlOverride":
			overrides = t.Name.Local == "lvlOverride"
			number, err := strconv.Atoi(boundedxml.Attribute(t, "ilvl"))
			if level = number; err != nil || number < 0 || number >= listLevels {
				level = 0
			}
		case "startOverride":
			if start, err := strconv.Atoi(value); err == nil && overrides {
				if n.starts[list] == nil {
					n.starts[list] = map[int]int{}
				}
				n.starts[list][level] = start
			}
		case "numFmt":
			if format != nil {
				format.levels[level].format = value
			}
		case "start":
			if start, err := strconv.Atoi(value); err == nil && format != nil {
				format.levels[level].start = start
			}
		case "pStyle":
			if format != nil && len(format.byStyle) < listLevels {
				format.byStyle[value] = level
			}
		}
	}
}

func (n *numbering) ofStyle(id string) listPosition {
	// styles may be based on one another in a circle
	for at, steps := id, 0; at != "" && steps < listLevels; steps++ {
		s, ok := n.styles[at]
		if !ok {
			return listPosition{}
		}
		if s.list != "" {
			if format := n.abstract[n.of[s.list]]; format != nil && !s.leveled {
				s.level = format.byStyle[id]
			}
			return s.listPosition
		}
		at = s.basedOn
	}
	return listPosition{}
}

func (n *numbering) mark(at listPosition) string {
	format := n.abstract[n.of[at.list]]
	if format == nil {
		return "-"
	}
	starts := n.starts[at.list]
	if starts != nil && !n.begun[at.list] {
		n.begun[at.list] = true
		for level := range starts {
			format.levels[level].begun = false
		}
	}
	level := &format.levels[at.level]
	if !level.begun {
		start, own := starts[at.level]
		if !own {
			start = level.start
		}
		level.begun, level.count = true, start-1
	}
	level.count++
	for deeper := at.level + 1; deeper < listLevels; deeper++ {
		format.levels[deeper].begun = false
	}
	switch level.format {
	case "bullet", "none", "":
		return "-"
	}
	return strconv.Itoa(max(level.count, 0)) + "."
}
