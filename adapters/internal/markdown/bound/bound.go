// Package bound limits goldmark's time and memory. Every Markdown parser of the program wraps its
// goldmark parsers with it. Text beyond a limit is read as plain text. The limits apply inside
// goldmark's own parsers. Text that looks like another kind of block therefore cannot evade the
// limits.
package bound

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// MaxDepth is the maximum nesting of lists and quotations.
	MaxDepth = 32
	// MaxMissing is the maximum number of missing cells in the rows of one table. goldmark creates
	// a node for each missing cell, so a table could have quadratically many nodes.
	MaxMissing = 1024
	// MaxInline is the maximum length in bytes of a paragraph, heading or cell that is parsed for
	// links, emphasis, code, tags and definitions. goldmark may read from each mark to the end of
	// the block, which takes quadratic time.
	MaxInline = 16 << 10
)

// Containers wraps a parser of lists or quotations and limits their nesting to [MaxDepth].
func Containers(p parser.BlockParser) parser.BlockParser { return containers{p} }

type containers struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (c containers) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if kind := n.Kind(); kind == ast.KindList || kind == ast.KindBlockquote {
			depth++
		}
	}
	if depth >= MaxDepth {
		return nil, parser.NoChildren
	}
	return c.BlockParser.Open(parent, reader, pc)
}

// Tables wraps a parser of tables so that it ignores tables with more than [MaxMissing] missing
// cells.
func Tables(p parser.ParagraphTransformer) parser.ParagraphTransformer { return tables{p} }

type tables struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (t tables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, source := node.Lines(), reader.Source()
	columns, missing := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := bytes.TrimSpace(segment.Value(source))
		bars := bytes.Count(line, []byte("|"))
		switch {
		case len(bytes.Trim(line, "|:- \t")) == 0 && bytes.IndexByte(line, '-') >= 0:
			// perhaps the row under a header
			columns = max(columns, bars+1)
		case columns > 0:
			if missing += max(0, columns-bars-1); missing > MaxMissing {
				return
			}
		}
	}
	t.ParagraphTransformer.Transform(node, reader, pc)
}

// Definitions wraps a parser of link definitions so that it ignores paragraphs of more than
// [MaxInline] bytes.
func Definitions(p parser.ParagraphTransformer) parser.ParagraphTransformer { return definitions{p} }

type definitions struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (d definitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if !long(node) {
		d.ParagraphTransformer.Transform(node, reader, pc)
	}
}

func long(n ast.Node) bool {
	lines := n.Lines()
	return lines.Len() > 0 && lines.At(lines.Len()-1).Stop-lines.At(0).Start > MaxInline
}

// Inline wraps an inline parser so that it ignores blocks of more than [MaxInline] bytes.
func Inline(p parser.InlineParser) parser.InlineParser { return inline{p} }

// Inlines applies [Inline] to each parser of a list.
func Inlines(list []util.PrioritizedValue) []util.PrioritizedValue {
	var out []util.PrioritizedValue
	for _, v := range list {
		if p, ok := v.Value.(parser.InlineParser); ok {
			v.Value = Inline(p)
		}
		out = append(out, v)
	}
	return out
}

type inline struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (i inline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if long(parent) {
		return nil
	}
	return i.InlineParser.Parse(parent, block, pc)
}

// CloseBlock implements parser.CloseBlocker.
func (i inline) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if p, ok := i.InlineParser.(parser.CloseBlocker); ok {
		p.CloseBlock(parent, block, pc)
	}
}
