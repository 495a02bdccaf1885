package htmltext

import (
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/document"
	"golang.org/x/net/html/atom"
)

type lists struct {
	open  []list
	lines strings.Builder
}

type list struct {
	tag      atom.Atom
	number   int
	fresh    bool // the next line begins an item
	sections bool // a term list whose terms are headings: its descriptions are no list items
}

func (l *lists) enter(tag atom.Atom) { l.open = append(l.open, list{tag: tag}) }

func (l *lists) depth() int {
	n := 0
	for _, o := range l.open[max(0, len(l.open)-deepestIndent):] {
		if !o.sections {
			n++
		}
	}
	return n
}

const deepestIndent = 16

func (l *lists) item() {
	if len(l.open) > 0 {
		last := &l.open[len(l.open)-1]
		last.fresh = true
		last.number++
	}
}

func (l *lists) add(text string) {
	if l.lines.Len() > document.MaxText {
		return // such a long page is refused
	}
	last := &l.open[len(l.open)-1]
	indent := strings.Repeat("  ", max(l.depth()-1, 0))
	for line := range strings.SplitSeq(text, "\n") {
		l.lines.WriteString(indent)
		switch {
		case !last.fresh:
			l.lines.WriteString("  ")
		case last.tag == atom.Ol:
			l.lines.WriteString(strconv.Itoa(last.number) + ". ")
		default:
			l.lines.WriteString("- ")
		}
		last.fresh = false
		l.lines.WriteString(strings.TrimSpace(line))
		l.lines.WriteByte('\n')
	}
}

func (x *extractor) leaveList() {
	if len(x.lists.open) == 0 {
		return
	}
	last := x.lists.open[len(x.lists.open)-1]
	x.lists.open = x.lists.open[:len(x.lists.open)-1]
	if last.sections {
		level := dtLevel + len(x.lists.open)
		x.closeListBlock()
		x.all.Close(level)
		x.main.Close(level)
		return
	}
	if x.lists.depth() == 0 {
		x.closeListBlock()
	}
}

func (x *extractor) closeListBlock() {
	if x.lists.lines.Len() == 0 {
		return
	}
	lines := x.lists.lines.String()
	x.lists.lines.Reset()
	x.block(document.List, lines)
}

// finishTerm ends a term of a definition list. A term with an anchor becomes a heading, so that its
// description can be cited. Any other term becomes a list item.
func (x *extractor) finishTerm(e element) {
	open := x.lists.open
	if len(open) == 0 || x.table != nil {
		x.flush()
		return
	}
	last := &open[len(open)-1]
	last.sections = false
	last.sections = x.anchor != "" && x.lists.depth() == 1 && last.tag == atom.Dl && len(x.text.bytes) < longestTerm
	if !last.sections {
		x.flush()
		return
	}
	x.closeListBlock()
	if term := collapse(x.text.take()); term != "" {
		x.heading(dtLevel+len(open)-1, term, x.anchor)
	}
}

// longestTerm limits the length in bytes of a term that becomes a heading.
const longestTerm = 300
