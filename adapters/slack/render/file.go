package render

import (
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/core/stream"
)

const (
	fileBelow = "The answer is longer than fits here. All of it is in " + FileTitle + "."
	fileComes = "The answer is longer than fits here. All of it will be posted as a file."
)

// maxFile is the page size for files, in characters. It is so large that every report fits on one
// page.
const maxFile = 1 << 30

// file returns the Markdown of a report as a file, with its notes and sources. It applies the same
// link policy as messages.
func (r *Renderer) file(tree *answer.Tree, policy answer.Policy, v *stream.View, bare bool) string {
	whole := &answer.Tree{Blocks: tree.Blocks[:len(tree.Blocks):len(tree.Blocks)]}
	put := func(inlines ...answer.Inline) {
		whole.Blocks = append(whole.Blocks, &answer.Block{Kind: answer.Paragraph, Inlines: inlines})
	}
	if !bare {
		for _, n := range foot.Notes(v) {
			put(answer.Inline{Kind: answer.Text, Text: n, Style: answer.Italic})
		}
	}
	list, _ := foot.Sources(v, r.now(), len(v.Citations)+len(v.Closest))
	if head := foot.Head(v, list); head != "" {
		put(answer.Inline{Kind: answer.Text, Text: head, Style: answer.Bold})
	}
	for _, s := range list {
		var inlines []answer.Inline
		for i, p := range s.Places() {
			line := p.Title
			if p.Number > 0 {
				line = "[" + strconv.Itoa(p.Number) + "] " + line
			}
			if d := s.Detail(); i == 0 && d != "" {
				line += " · " + d
			}
			if i > 0 {
				line = ", " + line
			}
			inlines = append(inlines, answer.Inline{Kind: answer.Text, Text: line})
			if _, ok := address(p.URL); ok {
				inlines = append(inlines, answer.Inline{Kind: answer.Text, Text: " "}, answer.Inline{Kind: answer.Link, URL: p.URL})
			}
		}
		put(inlines...)
	}
	var b strings.Builder
	for _, p := range whole.Pages(markdown{}, policy, answer.RuneCount, maxFile) {
		b.WriteString(p.Text + "\n")
	}
	return b.String()
}
