package write

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// Prompt is a suggested question, which Slack shows to a person who opens the conversation with the
// bot.
type Prompt struct {
	Title   string // text of the button
	Message string // message that the button sends
}

// Prompts are the default suggestions. The manifest also contains them, so Slack can show them
// without a call to the bot.
var Prompts = []Prompt{
	{"What can you answer?", "What kinds of questions do the documents answer?"},
	{"What has changed lately?", "What do the documents say has changed recently?"},
	{"Where do I begin?", "I am new here. Which documents should I read first?"},
}

// These are Slack's limits for the number of prompts and the length of a title.
const (
	maxPrompts = 4
	maxTitle   = 100
)

// Suggest shows suggested questions in the conversation with a person. to.Thread may be empty. If
// the rate limit is reached, it returns thread.ErrNoRoom, and Slack shows the suggestions from the
// manifest.
func (c *Writer) Suggest(ctx context.Context, to thread.Ref, prompts []Prompt) error {
	if !c.slack.Prompts.Allow() {
		return thread.ErrNoRoom
	}
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	p := api.AssistantThreadsSetSuggestedPromptsParameters{ChannelID: to.Channel, ThreadTS: to.Thread}
	for _, one := range prompts[:min(len(prompts), maxPrompts)] {
		p.Prompts = append(p.Prompts, api.AssistantThreadsPrompt{Title: answer.Line(one.Title), Message: answer.Visible(one.Message)})
	}
	if err := c.slack.API.SetAssistantThreadsSuggestedPromptsContext(ctx, p); err != nil {
		return fmt.Errorf("suggest questions: %w", call.Explain("assistant.threads.setSuggestedPrompts", err))
	}
	return nil
}

func title(question string, most int) string {
	name := render.Neutral(answer.Line(question))
	if r := []rune(name); len(r) > most {
		name = string(r[:most-1]) + "…"
	}
	return name
}

// Title sets the title of a conversation with the bot to its first question. If too many
// conversations open at once, it returns thread.ErrNoRoom.
func (c *Writer) Title(ctx context.Context, to thread.Ref, question string) error {
	name := title(question, maxTitle)
	if name == "" {
		return nil
	}
	if !c.slack.Prompts.Allow() {
		return thread.ErrNoRoom
	}
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	err := c.slack.API.SetAssistantThreadsTitleContext(ctx, api.AssistantThreadsSetTitleParameters{ChannelID: to.Channel, ThreadTS: to.Thread, Title: name})
	if err != nil {
		return fmt.Errorf("name the conversation: %w", call.Explain("assistant.threads.setTitle", err))
	}
	return nil
}
