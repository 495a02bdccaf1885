package markdown

import (
	"context"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/core/document"
	"github.com/yuin/goldmark/ast"
)

// list formats a list and its nested lists as lines. Code and tables between the items become
// separate blocks.
type list struct {
	reader   *reader
	lines    strings.Builder
	contents htmltext.Contents
}

func (l *list) items(ctx context.Context, n *ast.List, depth int) error {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "- "
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		if err := l.item(ctx, item, depth, marker); err != nil {
			return err
		}
	}
	return nil
}

func (l *list) item(ctx context.Context, parent ast.Node, depth int, marker string) error {
	indent := strings.Repeat("  ", min(depth, deepestIndent))
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.List:
			if err := l.items(ctx, n, depth+1); err != nil {
				return err
			}
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			l.recordLinks(n)
			for line := range strings.SplitSeq(l.reader.inline(n), "\n") {
				l.lines.WriteString(indent + marker + line + "\n")
				marker = "  "
			}
		case *ast.Blockquote:
			if err := l.item(ctx, n, depth, marker); err != nil {
				return err
			}
			marker = "  "
		default:
			l.flush()
			if err := l.reader.block(ctx, n); err != nil {
				return err
			}
		}
	}
	return nil
}

const deepestIndent = 16

func (l *list) flush() {
	if !l.contents.Only(l.lines.String()) {
		l.reader.outline.Block(document.List, l.lines.String())
	}
	l.lines.Reset()
}

func (l *list) recordLinks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if link, ok := n.(*ast.Link); ok {
			l.contents.Link(l.reader.plain(link), string(link.Destination))
			continue
		}
		l.recordLinks(n)
	}
}
