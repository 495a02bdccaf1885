package htmltext

import (
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/document"
	"golang.org/x/net/html/atom"
)

func (x *extractor) addText(text []byte) {
	if x.top().skip {
		return
	}
	if x.preDepth > 0 {
		x.pre.Write(text)
		return
	}
	x.text.add(text)
}

func (x *extractor) lineBreak() {
	switch {
	case x.top().skip:
	case x.preDepth > 0:
		x.pre.WriteByte('\n')
	default:
		x.text.lineBreak()
	}
}

func (x *extractor) begin(e *element) {
	if e.skip {
		return
	}
	switch e.tag {
	case atom.Pre, atom.Xmp, atom.Plaintext:
		x.preDepth++
		x.language = e.language
	case atom.Ul, atom.Ol, atom.Menu, atom.Dl:
		x.lists.enter(e.tag)
	case atom.Li:
		x.lists.item()
	case atom.Dt:
		x.anchor = e.anchor
		x.lists.item()
	case atom.Table:
		x.enterTable()
	case atom.Tr:
		x.table.row()
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		x.headings++
		x.linked = ""
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		x.text.code++
		e.mark = x.text.mark()
		if x.preDepth > 0 {
			x.language = e.language
		}
	case atom.A, atom.Sup:
		e.mark = x.text.mark()
	}
}

func (x *extractor) finish(e element) {
	if e.skip {
		return
	}
	switch e.tag {
	case atom.Title:
		x.title(x.text.take())
	case atom.Caption:
		if text := x.text.take(); text != "" {
			x.block(document.Paragraph, text)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		x.headings--
		x.finishHeading(e)
	case atom.Pre, atom.Xmp, atom.Plaintext:
		x.preDepth--
		x.finishCode()
	case atom.Dt:
		x.finishTerm(e)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dl:
		x.flush()
		x.leaveList()
	case atom.Td, atom.Th:
		x.flush()
		x.table.cell()
	case atom.Tr:
		x.flush()
	case atom.Table:
		x.flush()
		x.leaveTable()
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		if x.text.code--; x.text.code > 0 || x.preDepth > 0 {
			return // the outermost code element writes the marks
		}
		if code := strings.TrimSpace(x.text.since(e.mark)); code != "" && !x.inTitle() {
			x.text.replace(e.mark, document.InlineCode(strings.ReplaceAll(code, "\n", " ")))
		}
	case atom.A:
		x.finishLink(e)
	case atom.Sup: // 2<sup>10</sup> is not 210
		if x.preDepth > 0 || x.text.length(e.mark) > longestPower {
			return
		}
		if power := x.text.since(e.mark); power != "" && strings.Trim(power, "-0123456789") == "" {
			x.text.replace(e.mark, "^"+power)
		}
	default:
		if isBlock(e.tag) {
			x.flush()
		}
	}
}

const longestPower = 20

func (x *extractor) inTitle() bool {
	for i := len(x.open) - 1; i >= max(0, len(x.open)-searched); i-- {
		switch x.open[i].tag {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Dt, atom.Title:
			return true
		}
		if isBlock(x.open[i].tag) {
			return false
		}
	}
	return false
}

func (x *extractor) finishLink(e element) {
	if x.text.length(e.mark) > longestLink {
		return // the text of a page whose link was never closed
	}
	text := strings.TrimSpace(x.text.since(e.mark))
	if x.preDepth > 0 || text == "" {
		return
	}
	if x.inTitle() {
		// a link to the heading itself, such as "¶"
		sign := strings.HasPrefix(e.href, "#") && !strings.ContainsFunc(text, isWordRune)
		// [source], [edit]
		if sign || strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			x.text.replace(e.mark, "")
		} else if e.href != "" && !strings.HasPrefix(e.href, "#") {
			x.linked = text
			x.link(text, e)
		}
		return
	}
	x.contents.Link(text, e.href)
	x.link(text, e)
	if linked := document.InlineLink(text, strings.TrimSpace(e.href)); linked != text {
		x.text.replace(e.mark, linked)
	}
}

func (x *extractor) link(text string, e element) {
	to := strings.TrimSpace(e.href)
	if to == "" || to[0] == '#' || len(x.links) == document.MaxLinks {
		return
	}
	x.links = append(x.links, document.Link{Text: text, To: to})
	if e.main {
		x.mainLinks = append(x.mainLinks, document.Link{Text: text, To: to})
	}
}

// longestLink is the maximum length of a link's text in bytes. A link with a longer text probably
// lacks its end tag and is ignored.
const longestLink = 4 << 10

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func (x *extractor) finishHeading(e element) {
	text, linked := collapse(x.text.take()), collapse(x.linked)
	x.linked = ""
	// the heading is the site's name, with a link to its first page
	if text == "" || x.choosy && e.tag == atom.H1 && !e.main && text == linked {
		return
	}
	switch {
	case x.table != nil || x.lists.depth() > 0:
		x.paragraph(text)
	case e.aside:
		x.label = strings.TrimRight(text, ":.") + ": "
	default:
		anchor := e.anchor
		if anchor == "" {
			anchor = x.anchor
		}
		x.heading(int(e.tag.String()[1]-'0'), text, anchor)
	}
}

func (x *extractor) finishCode() {
	code := strings.TrimRight(strings.TrimPrefix(strings.ReplaceAll(x.pre.String(), "\r\n", "\n"), "\n"), " \t\n")
	x.pre.Reset()
	if x.table != nil {
		if !strings.Contains(code, "\n") {
			x.text.add([]byte(code + " "))
			return
		}
		if strings.Trim(code, "0123456789 \n") == "" { // a column of line numbers
			return
		}
	}
	x.flush()
	x.closeListBlock()
	x.code(code)
}

func (x *extractor) flush() {
	switch {
	case x.preDepth > 0:
	case x.headings > 0:
		x.text.space = true
	default:
		if text := x.text.take(); text != "" {
			x.paragraph(x.label + text)
			x.label = ""
		}
	}
}

func (x *extractor) paragraph(text string) {
	switch {
	case x.table != nil:
		x.table.add(text)
	case x.lists.depth() > 0:
		x.lists.add(text)
		x.anchor = ""
	default:
		x.block(document.Paragraph, text)
	}
}
