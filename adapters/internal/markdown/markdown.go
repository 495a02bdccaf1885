// Package markdown parses Markdown (CommonMark with tables, task lists and strikethrough) as
// documents. A document has sections of paragraphs, lists, tables and code, with the anchors that
// GitHub gives to headings.
package markdown

import (
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/adapters/internal/markdown/bound"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Page is the content of a Markdown document.
type Page struct {
	Title    string // the first heading of the highest rank; may be empty
	Sections []document.Section
	Links    []document.Link // to other pages, as written
}

var grammar = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(parser.WithHeadingAttribute()), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(bound.Containers(parser.NewListParser()), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		// headings with their own id: "## Setup {#setup}"
		util.Prioritized(parser.NewATXHeadingParser(parser.WithHeadingAttribute()), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(bound.Containers(parser.NewBlockquoteParser()), 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(bound.Inlines(append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
	))...),
	parser.WithParagraphTransformers(
		util.Prioritized(bound.Definitions(parser.LinkReferenceParagraphTransformer), 100),
		util.Prioritized(bound.Tables(extension.NewTableParagraphTransformer()), 200),
	),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

// Read parses the Markdown in source, which must be UTF-8 without front matter. It waits for memory
// from a pool that the process shares. Its own memory is linear in the length of source, for any
// markup. It fails only with the cause of ctx. Read is safe for concurrent use.
func Read(ctx context.Context, source string) (Page, error) {
	return footprint.Hold(ctx, footprint.Markdown, int64(len(source)), func(ctx context.Context) (Page, error) { return parse(ctx, source) })
}

func parse(ctx context.Context, source string) (Page, error) {
	source = tame(source)
	r := reader{slugs: make(map[string]int), addresses: freeAddresses + maxAddresses*len(source)}
	if len(source) <= 2*pieceSize && strings.Count(source, "\n") <= 2*pieceSize/lineSize {
		if err := r.piece(ctx, source, nil); err != nil {
			return Page{}, err
		}
	} else {
		known := definitions(source)
		for piece := range pieces(source) {
			if ctx.Err() != nil {
				return Page{}, context.Cause(ctx)
			}
			if err := r.piece(ctx, piece, known); err != nil {
				return Page{}, err
			}
			if r.outline.Full() {
				break
			}
		}
	}
	return Page{Title: r.outline.Title(), Sections: r.outline.Sections(), Links: r.links}, nil
}

func (r *reader) piece(ctx context.Context, source string, known []parser.Reference) error {
	pc := parser.NewContext()
	for _, d := range known {
		pc.AddReference(d)
	}
	r.source = []byte(source)
	return r.blocks(ctx, grammar.Parse(text.NewReader(r.source), parser.WithContext(pc)))
}

// freeAddresses and maxAddresses limit the total length of all link addresses in a text. The limit
// is freeAddresses bytes, plus maxAddresses for each byte of the text. Further links become plain
// text.
const (
	freeAddresses = 64 << 10
	maxAddresses  = 4
)

type reader struct {
	source    []byte
	outline   document.Outline
	slugs     map[string]int
	addresses int // bytes of addresses that may still be written
	links     []document.Link
}

func (r *reader) link(text, to string) {
	if text != "" && to != "" && to[0] != '#' && len(r.links) < document.MaxLinks {
		r.links = append(r.links, document.Link{Text: text, To: to})
	}
}

func (r *reader) blocks(ctx context.Context, parent ast.Node) error {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if err := r.block(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) block(ctx context.Context, n ast.Node) error {
	switch n := n.(type) {
	case *ast.Heading:
		r.heading(n)
	case *ast.Paragraph, *ast.TextBlock:
		r.outline.Block(document.Paragraph, alert(r.inline(n)))
	case *ast.FencedCodeBlock:
		r.outline.Code(string(n.Language(r.source)), r.lines(n))
	case *ast.CodeBlock:
		r.outline.Code("", r.lines(n))
	case *ast.List:
		l := list{reader: r}
		if err := l.items(ctx, n, 0); err != nil {
			return err
		}
		l.flush()
	case *east.Table:
		r.outline.Block(document.Table, r.table(n))
	case *ast.HTMLBlock:
		return r.html(ctx, n)
	case *ast.ThematicBreak, *ast.LinkReferenceDefinition:
	default: // block quotes and whatever else holds blocks
		return r.blocks(ctx, n)
	}
	return nil
}

func (r *reader) heading(n *ast.Heading) {
	title := strings.Join(strings.Fields(r.plain(n)), " ")
	if title == "" {
		return
	}
	anchor := r.anchor(title)
	if id, ok := n.AttributeString("id"); ok {
		if own, ok := id.([]byte); ok {
			anchor = string(own)
		}
	}
	r.outline.Heading(n.Level, title, anchor)
}

// alert replaces the mark of a GitHub alert by a word: "[!NOTE] Text" becomes "Note: Text".
func alert(text string) string {
	rest, ok := strings.CutPrefix(text, "[!")
	kind, body, closed := strings.Cut(rest, "]")
	if !ok || !closed || kind == "" || len(kind) > 20 || strings.ContainsAny(kind, " \n") {
		return text
	}
	return kind[:1] + strings.ToLower(kind[1:]) + ": " + strings.TrimSpace(body)
}

func (r *reader) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(r.source))
	}
	return b.String()
}

func (r *reader) table(n *east.Table) string {
	var rows []string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, strings.ReplaceAll(r.inline(cell), "\n", " "))
		}
		rows = append(rows, strings.TrimRight(strings.Join(cells, " | "), " |"))
	}
	return strings.Join(rows, "\n")
}

func (r *reader) html(ctx context.Context, n *ast.HTMLBlock) error {
	source := r.lines(n)
	if n.HasClosure() {
		source += string(n.ClosureLine.Value(r.source))
	}
	page, err := htmltext.Read(ctx, source)
	if err != nil {
		return err
	}
	for _, l := range page.Links {
		r.link(l.Text, l.To)
	}
	for _, s := range page.Sections {
		for _, b := range s.Blocks {
			switch b.Kind {
			case document.Heading:
			case document.Code:
				r.outline.Code(b.Language, b.Text)
				continue
			default:
				r.outline.Block(b.Kind, b.Text)
				continue
			}
			title := s.Heading[len(s.Heading)-1]
			anchor := r.anchor(title)
			if s.Anchor != "" {
				anchor = s.Anchor
			}
			r.outline.Heading(strings.IndexByte(b.Text, ' '), title, anchor)
		}
	}
	return nil
}

// anchor is like Slug, but adds a number to further headings with the same title.
func (r *reader) anchor(title string) string {
	slug := Slug(title)
	count := r.slugs[slug]
	r.slugs[slug]++
	if count > 0 {
		slug = fmt.Sprintf("%s-%d", slug, count)
	}
	return slug
}
