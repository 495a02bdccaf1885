package answer

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/bound"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxDepth is the maximum nesting of blocks and emphasis. Text in deeper nesting is kept, but the
// nesting is dropped.
const maxDepth = 32

var grammar = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(bound.Containers(parser.NewListParser()), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(bound.Containers(parser.NewBlockquoteParser()), 800),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
		util.Prioritized(bareURL{}, 450),
		util.Prioritized(parser.NewEmphasisParser(), 500),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
	),
	parser.WithParagraphTransformers(util.Prioritized(tables{bound.Tables(extension.NewTableParagraphTransformer())}, 200)),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

// tables converts paragraphs to tables. It requires a bar at the start of the header and in the
// delimiter row. A line of dashes therefore never turns text that is already shown into a table.
type tables struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (t tables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, source := node.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		header, delimiter := lines.At(i-1), lines.At(i)
		row := string(delimiter.Value(source))
		if !delimiterRow(row) {
			continue
		}
		if bytes.HasPrefix(bytes.TrimLeft(header.Value(source), " \t"), []byte("|")) && strings.IndexByte(row, '|') >= 0 {
			t.ParagraphTransformer.Transform(node, reader, pc)
		}
		return // goldmark also examines only the first such row
	}
}

// Parse parses the Markdown of an answer. It never fails. It removes the same characters as
// [Visible].
func Parse(source string) *Tree { return ParseUntil(source, func() bool { return false }) }

// ParseUntil is like [Parse], but drops the rest of the text soon after ended returns true.
func ParseUntil(source string, ended func() bool) *Tree {
	source = Visible(source)
	t := &Tree{size: len(source)}
	for _, s := range segments(source) {
		if ended() {
			break
		}
		t.Blocks = append(t.Blocks, s.parse(t.last())...)
	}
	return t
}

func (s segment) parse(last *Block) []*Block {
	raw := []byte(s.text)
	r := &reader{source: raw}
	blocks := r.blocks(grammar.Parse(text.NewReader(raw)), 0)
	if s.continuesList && len(blocks) > 0 && last != nil && last.Kind == List && blocks[0].Kind == List && last.Ordered == blocks[0].Ordered {
		blocks[0].continues = true
		if last.Ordered {
			blocks[0].Start = last.Start + len(last.Children)
		}
	}
	return blocks
}

func (t *Tree) last() *Block {
	if len(t.Blocks) == 0 {
		return nil
	}
	return t.Blocks[len(t.Blocks)-1]
}

// cleaner removes the same characters as [Visible], from a text that arrives in parts.
type cleaner struct{ last rune }

func (c *cleaner) clean(part string) string {
	part = VisibleAfter(c.last, removeControls(part))
	if part != "" {
		c.last = lastRune(part)
	}
	return part
}

// removeControls removes invalid UTF-8, control characters, and marks that reorder text. It
// converts carriage returns to line feeds.
func removeControls(s string) string {
	dirty := !utf8.ValidString(s)
	for i := 0; i < len(s) && !dirty; i++ {
		// 0xe2 0x80 begins the marks that reorder text.
		dirty = s[i] < ' ' && s[i] != '\n' && s[i] != '\t' || s[i] == 0x7f || s[i] == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0 ||
			s[i] == 0xe2 && i+2 < len(s) && (s[i+1] == 0x80 && s[i+2] >= 0xaa && s[i+2] <= 0xae || s[i+1] == 0x81 && s[i+2] >= 0xa6)
	}
	if !dirty {
		return s
	}
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}

type reader struct{ source []byte }

func (r *reader) blocks(parent ast.Node, depth int) []*Block {
	var out []*Block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = r.block(out, n, depth+1)
	}
	return out
}

func (r *reader) block(out []*Block, n ast.Node, depth int) []*Block {
	b := &Block{}
	switch n := n.(type) {
	case *ast.Heading:
		b.Kind, b.Level, b.Inlines = Heading, n.Level, r.inlines(n)
	case *ast.Paragraph, *ast.TextBlock:
		b.Kind, b.Inlines = Paragraph, r.inlines(n)
	case *ast.FencedCodeBlock:
		b.Kind, b.Code, b.Fence = Code, r.code(n), r.fence(n)
		if n.Info != nil {
			b.Language = word(string(n.Info.Segment.Value(r.source)))
		}
		return append(out, b)
	case *ast.CodeBlock:
		b.Kind, b.Code = Code, strings.TrimRight(r.code(n), "\n")
		return append(out, b)
	case *ast.ThematicBreak:
		b.Kind = Rule
		return append(out, b)
	case *east.Table:
		return append(out, r.table(n))
	case *ast.List:
		b.Kind, b.Ordered, b.Start = List, n.IsOrdered(), n.Start
	case *ast.ListItem:
		b.Kind = Item
		b.Task = task(n)
	case *ast.Blockquote:
		b.Kind = Quote
	}
	if b.Kind == Paragraph || b.Kind == Heading {
		if len(b.Inlines) == 0 {
			return out
		}
		return append(out, b)
	}
	if depth >= maxDepth {
		for n := n.FirstChild(); n != nil; n = n.NextSibling() {
			out = r.block(out, n, depth)
		}
		return out
	}
	b.Children = r.blocks(n, depth)
	if len(b.Children) == 0 && b.Kind != Item {
		return out
	}
	return append(out, b)
}

func task(n ast.Node) TaskState {
	first := n.FirstChild()
	if first == nil {
		return NoTask
	}
	if box, ok := first.FirstChild().(*east.TaskCheckBox); ok {
		if box.IsChecked {
			return TaskDone
		}
		return TaskOpen
	}
	return NoTask
}

func (r *reader) code(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(r.source))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fence reads the length of a fence from the opening line, because goldmark does not store it.
func (r *reader) fence(n *ast.FencedCodeBlock) int {
	end := 0
	switch {
	case n.Info != nil:
		end = n.Info.Segment.Start
	case n.Lines().Len() > 0:
		end = max(bytes.LastIndexByte(r.source[:n.Lines().At(0).Start], '\n'), 0)
	}
	line := r.source[bytes.LastIndexByte(r.source[:end], '\n')+1 : end]
	count, longest := 0, 3
	for _, c := range line {
		if c == '`' || c == '~' {
			count++
			longest = max(longest, count)
		} else {
			count = 0
		}
	}
	return longest
}

func (r *reader) table(n *east.Table) *Block {
	b := &Block{Kind: Table}
	for _, a := range n.Alignments {
		switch a {
		case east.AlignLeft:
			b.Columns = append(b.Columns, AlignLeft)
		case east.AlignRight:
			b.Columns = append(b.Columns, AlignRight)
		case east.AlignCenter:
			b.Columns = append(b.Columns, AlignCenter)
		default:
			b.Columns = append(b.Columns, AlignDefault)
		}
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cells := make(Row, 0, len(b.Columns))
		for cell := row.FirstChild(); cell != nil && len(cells) < len(b.Columns); cell = cell.NextSibling() {
			cells = append(cells, oneLine(r.inlines(cell)))
		}
		for len(cells) < len(b.Columns) {
			cells = append(cells, nil)
		}
		b.Rows = append(b.Rows, cells)
	}
	return b
}

func oneLine(inlines []Inline) []Inline {
	for i := range inlines {
		if inlines[i].Kind == Break {
			inlines[i] = Inline{Kind: Text, Text: " ", Style: inlines[i].Style}
		}
	}
	return inlines
}

func word(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	return s
}
