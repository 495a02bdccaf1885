// Package bound keeps goldmark from taking more time and memory than a text is worth: each parser of Markdown here is made with what it wraps.
// What is over a bound is read as plain text. The bounds hold where goldmark itself knows what it reads, so no text can look like another kind
// of block to whoever counts.
package bound

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const (
	// MaxDepth is how many lists and quotations may be in one another.
	MaxDepth = 32
	// MaxMissing is how many cells the rows of one table may lack, all together. goldmark makes a node for each: a table of n columns and
	// rows without cells would take n² of them.
	MaxMissing = 1024
)

// Containers bounds how deep what p opens, lists or quotations, is nested.
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

// Tables bounds the cells of the tables that p makes of paragraphs.
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
		case len(bytes.Trim(line, "|:- \t")) == 0 && bytes.IndexByte(line, '-') >= 0: // perhaps the row under a header
			columns = max(columns, bars+1)
		case columns > 0:
			if missing += max(0, columns-bars-1); missing > MaxMissing {
				return
			}
		}
	}
	t.ParagraphTransformer.Transform(node, reader, pc)
}
