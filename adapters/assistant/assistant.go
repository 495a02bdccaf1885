// Package assistant formats answers for AI assistants, which show Markdown to their person and load
// the images in it.
package assistant

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

// onePage is a page size in characters that exceeds the length of any answer.
const onePage = 1 << 30

// Markdown returns an answer as Markdown that is safe to render. It links only to the documents
// that the answer cites. It contains no images, HTML or invisible characters. As in chats, the
// address of any other link is code after the link's label.
func Markdown(text string, cited []message.Citation) string {
	view := &stream.View{}
	for _, c := range cited {
		view.Citations = append(view.Citations, packet.CitationInfo{Number: c.Number, Document: c.Document.ID, URL: c.Link})
	}
	var pages []string
	for _, p := range answer.Parse(text).Pages(answer.Standard{}, foot.Policy(view, nil), answer.RuneCount, onePage) {
		pages = append(pages, p.Text)
	}
	return strings.Join(pages, "\n\n")
}
