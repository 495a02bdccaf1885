package write

import (
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// blocks converts a page to Slack blocks. withText is false for the blocks of stopStream, because
// the stream already contains the text.
func (s *Surface) blocks(p render.Page, withText bool) []api.Block {
	var out []api.Block
	if withText {
		switch {
		case p.Markdown != "":
			out = append(out, api.NewMarkdownBlock("", p.Markdown))
		default:
			for _, section := range p.Sections {
				out = append(out, api.NewSectionBlock(mrkdwnText(section), nil, nil))
			}
		}
	}
	for _, note := range p.Notes {
		out = append(out, api.NewContextBlock("", mrkdwnText(note)))
	}
	if p.Heading != "" {
		out = append(out, api.NewContextBlock("", mrkdwnText("*"+render.EscapeText(p.Heading)+"*")))
	}
	for _, source := range p.Sources {
		out = append(out, api.NewContextBlock("", mrkdwnText(render.SourceLine(source))))
	}
	if p.More != "" {
		out = append(out, api.NewContextBlock("", mrkdwnText(render.EscapeText(p.More))))
	}
	var buttons []api.BlockElement
	for _, b := range p.Buttons {
		if slices.Contains(s.options.Actions, b.Action) {
			buttons = append(buttons, button(b, s.options.Turn))
		}
	}
	if len(buttons) > 0 {
		out = append(out, api.NewActionBlock("", buttons...))
	}
	return out
}

func button(b thread.Button, turn string) *api.ButtonBlockElement {
	element := api.NewButtonBlockElement(event.ActionID(b.Action, turn), turn, api.NewTextBlockObject(api.PlainTextType, answer.Line(b.Label), true, false))
	if b.Primary {
		element.Style = api.StylePrimary
	}
	return element
}

// mrkdwnText returns a mrkdwn text with verbatim set. Slack does not turn addresses in such a text
// into links.
func mrkdwnText(text string) *api.TextBlockObject {
	return api.NewTextBlockObject(api.MarkdownType, text, false, true)
}

func chunks(p render.Page) []api.StreamChunk {
	var out []api.StreamChunk
	for _, t := range p.Tasks {
		task := api.NewTaskUpdateChunk(t.ID, t.Title)
		task.Status, task.Output = api.TaskCardStatus(t.Status), t.Output
		for _, source := range t.Sources {
			task.Sources = append(task.Sources, api.NewTaskCardSource(source.URL, source.Title))
		}
		out = append(out, task)
	}
	if p.Markdown != "" {
		out = append(out, api.NewMarkdownTextChunk(p.Markdown))
	}
	return out
}
