package write

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// TellPerson mentions one person in a thread and posts plain text after the mention. Lines that
// begin with "> " become quotations. subject is stored in the message's metadata.
//
// Mentions and links in the text have no effect, because rich text requires separate elements for
// them (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block).
func (c *Writer) TellPerson(ctx context.Context, to thread.Ref, person, text, subject string) (thread.MessageID, error) {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	text = render.Neutral(answer.Visible(text))
	first, rest, _ := strings.Cut(text, "\n")
	parts := []api.RichTextElement{api.NewRichTextSection(api.NewRichTextSectionUserElement(person, nil), api.NewRichTextSectionTextElement(" "+first, nil))}
	for line := range strings.SplitSeq(rest, "\n") {
		quoted, isQuote := strings.CutPrefix(line, "> ")
		switch element := api.NewRichTextSectionTextElement(quoted, nil); {
		case quoted == "":
		case isQuote:
			parts = append(parts, &api.RichTextQuote{Type: api.RTEQuote, Elements: []api.RichTextSectionElement{element}})
		default:
			parts = append(parts, api.NewRichTextSection(element))
		}
	}
	c.slack.Pacing().Count(ctx, to, thread.Create)
	_, ts, err := c.slack.API.PostMessageContext(ctx, to.Channel,
		api.MsgOptionText("<@"+person+"> "+render.Entities.Replace(text), false), api.MsgOptionBlocks(api.NewRichTextBlock("", parts...)),
		api.MsgOptionDisableLinkUnfurl(), api.MsgOptionDisableMediaUnfurl(), api.MsgOptionTS(to.Thread),
		api.MsgOptionMetadata(api.SlackMetadata{EventType: event.NoticeType, EventPayload: map[string]any{"subject": subject}}))
	return thread.MessageID(ts), call.Translate("post a notice", err, true)
}
