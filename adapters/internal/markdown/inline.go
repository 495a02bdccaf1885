package markdown

import (
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/document"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// Slug returns the anchor that GitHub gives to a heading, such as "set-up" for "Set up!". GitHub
// adds a number for further headings with the same title.
func Slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, title)
}

// inline returns the text of a block without marks. It keeps the addresses of links, and backticks
// around code.
func (r *reader) inline(n ast.Node) string { return r.render(n, true) }

// plain returns the text of a block without any marks or addresses of links.
func (r *reader) plain(n ast.Node) string { return r.render(n, false) }

func (r *reader) render(n ast.Node, marked bool) string {
	w := inline{reader: r, marked: marked}
	w.children(n)
	return strings.TrimSpace(w.String())
}

type inline struct {
	strings.Builder
	reader *reader
	marked bool
}

func (w *inline) children(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.node(n)
	}
}

func (w *inline) node(n ast.Node) {
	source := w.reader.source
	switch n := n.(type) {
	case *ast.Text:
		w.Write(unescape(n.Segment.Value(source)))
		switch {
		case n.HardLineBreak():
			w.WriteByte('\n')
		case n.SoftLineBreak():
			w.WriteByte(' ')
		}
	case *ast.String:
		w.Write(n.Value)
	case *ast.CodeSpan:
		w.code(n)
	case *ast.Link:
		w.link(n, string(unescape(n.Destination)))
	case *ast.AutoLink:
		w.Write(n.URL(source))
	case *ast.Image: // omitted, because its text describes what cannot be quoted
	case *ast.RawHTML:
		if n.Segments.Len() > 0 {
			if s := n.Segments.At(0); strings.HasPrefix(strings.ToLower(string(s.Value(source))), "<br") {
				w.WriteByte('\n')
			}
		}
	case *east.TaskCheckBox:
		if n.IsChecked {
			w.WriteString("[x] ")
		} else {
			w.WriteString("[ ] ")
		}
	default: // emphasis and the like
		w.children(n)
	}
}

func (w *inline) code(n *ast.CodeSpan) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.reader.source))
		}
	}
	code := strings.ReplaceAll(b.String(), "\n", " ")
	if w.marked && strings.TrimSpace(code) != "" {
		code = document.InlineCode(code)
	}
	w.WriteString(code)
}

func (w *inline) link(n *ast.Link, address string) {
	text := inline{reader: w.reader, marked: w.marked}
	text.children(n)
	if len(address) > w.reader.addresses {
		w.WriteString(text.String())
		return
	}
	w.reader.addresses -= len(address)
	w.reader.link(strings.TrimSpace(text.String()), address)
	if !w.marked {
		w.WriteString(text.String())
		return
	}
	w.WriteString(document.InlineLink(strings.TrimSpace(text.String()), address))
}

func unescape(raw []byte) []byte {
	return util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(raw)))
}
