package foot

import "github.com/footnotehq/footnote/adapters/internal/markdown/answer"

const (
	digestRunes    = 1_500 // maximum characters to repeat; the first block is always whole
	digestHeadings = 30
)

// Digest returns a summary of a report that is posted as a file. The summary is the beginning of
// the report, up to the first heading after some text, and a list of the later headings.
func Digest(tree *answer.Tree) *answer.Tree {
	out := &answer.Tree{}
	at, said := 0, 0
	for ; at < len(tree.Blocks); at++ {
		b := tree.Blocks[at]
		if b.Kind == answer.Heading && said > 0 {
			break
		}
		first := said == 0
		if b.Kind != answer.Heading {
			said += 1 + length(b)
		}
		if first || said <= digestRunes {
			out.Blocks = append(out.Blocks, b)
		}
	}
	list := &answer.Block{Kind: answer.List}
	for _, b := range tree.Blocks[at:] {
		if b.Kind == answer.Heading && len(list.Children) < digestHeadings {
			list.Children = append(list.Children, &answer.Block{
				Kind: answer.Item, Children: []*answer.Block{{Kind: answer.Paragraph, Inlines: b.Inlines}},
			})
		}
	}
	if len(list.Children) > 0 {
		out.Blocks = append(out.Blocks, list)
	}
	return out
}

func length(b *answer.Block) int {
	n := answer.RuneCount(answer.Words(b.Inlines)) + answer.RuneCount(b.Code)
	for _, row := range b.Rows {
		for _, cell := range row {
			n += answer.RuneCount(answer.Words(cell))
		}
	}
	for _, child := range b.Children {
		n += length(child)
	}
	return n
}
