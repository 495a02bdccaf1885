package slack

import (
	"slices"
	"unicode/utf8"

	api "github.com/slack-go/slack"
)

// actionPrefix marks the buttons that are ours.
const actionPrefix = "footnote."

// blocks lays a page out. withText is false for what stopStream puts under a stream, whose text is there already.
func (s *Surface) blocks(p Page, withText bool) []api.Block {
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
		out = append(out, api.NewContextBlock("", mrkdwnText("*"+EscapeText(p.Heading)+"*")))
	}
	for _, source := range p.Sources {
		out = append(out, api.NewContextBlock("", mrkdwnText(sourceLine(source))))
	}
	if p.More != "" {
		out = append(out, api.NewContextBlock("", mrkdwnText(EscapeText(p.More))))
	}
	var buttons []api.BlockElement
	for _, b := range p.Buttons {
		if slices.Contains(s.options.Actions, b.Action) {
			buttons = append(buttons, api.NewButtonBlockElement(actionPrefix+string(b.Action), s.options.Turn,
				api.NewTextBlockObject(api.PlainTextType, b.Label, true, false)))
		}
	}
	if len(buttons) > 0 {
		out = append(out, api.NewActionBlock("", buttons...))
	}
	return out
}

// plainBlocks shows a page's Markdown as it is written, for a workspace that does not take its blocks: that it has no markdown blocks, or
// finds them too long once they are expanded, is not known beforehand.
func plainBlocks(p Page) []api.Block {
	text := []rune(p.Markdown)
	if len(text) == 0 {
		text = []rune(p.Text)
	}
	var out []api.Block
	for len(text) > 0 {
		n := min(len(text), MaxSection)
		out = append(out, api.NewSectionBlock(api.NewTextBlockObject(api.PlainTextType, string(text[:n]), false, false), nil, nil))
		text = text[n:]
	}
	return out
}

// mrkdwnText is verbatim: Slack makes no links of what looks like one.
func mrkdwnText(text string) *api.TextBlockObject {
	return api.NewTextBlockObject(api.MarkdownType, text, false, true)
}

// sourceLine is a cited document. An address that no block can hold is left out.
func sourceLine(s Source) string {
	line := s.Mrkdwn()
	if utf8.RuneCountInString(line) > MaxSection {
		s.URL = ""
		line = s.Mrkdwn()
	}
	return line
}

// chunks are what a piece appends to a stream.
func chunks(p Page) []api.StreamChunk {
	var out []api.StreamChunk
	for _, t := range p.Tasks {
		task := api.NewTaskUpdateChunk(t.ID, t.Title)
		task.Status = api.TaskCardStatus(t.Status)
		out = append(out, task)
	}
	if p.Markdown != "" {
		out = append(out, api.NewMarkdownTextChunk(p.Markdown))
	}
	return out
}
