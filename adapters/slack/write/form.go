package write

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// Form is a modal dialog. After its submission, a chat.Press arrives with the Action, Turn and
// Value of the form.
type Form struct {
	Action  thread.Action
	Turn    string
	Title   string // at most 24 characters
	Submit  string // text of the submit button
	Value   string
	Ref     thread.Ref
	Message thread.MessageID
	Fields  []Field
}

// Field is a field of a form. A field with choices is a selection. Any other field is a text field.
type Field struct {
	Name, Label string
	Hint        string // shown while the field is empty
	Given       string // initial value
	Optional    bool
	Lines       bool // multi-line text field
	Max         int  // maximum characters; 0: Slack's maximum, 3,000
	Choices     []Choice
}

// maxInput is the maximum number of characters in a text field.
const maxInput = 3000

// Choice is an option of a field.
type Choice struct{ Value, Label string }

// formData is what Slack stores for a form between its opening and its submission.
type formData struct {
	Value   string           `json:"v,omitempty"`
	Channel string           `json:"c"`
	Thread  string           `json:"t"`
	Message thread.MessageID `json:"m"`
}

// Open shows a form. trigger must come from a press or a command that is at most three seconds old.
func (c *Writer) Open(ctx context.Context, trigger string, f Form) error {
	carried, err := json.Marshal(formData{f.Value, f.Ref.Channel, f.Ref.Thread, f.Message})
	if err != nil {
		return fmt.Errorf("open a form: %w", err)
	}
	plain := func(s string) *api.TextBlockObject {
		return api.NewTextBlockObject(api.PlainTextType, answer.Line(s), false, false)
	}
	view := api.ModalViewRequest{
		Type: api.VTModal, CallbackID: event.ActionID(f.Action, f.Turn), PrivateMetadata: string(carried),
		Title: plain(f.Title), Submit: plain(f.Submit), Close: plain("Cancel"),
	}
	for _, field := range f.Fields {
		var element api.BlockElement
		if len(field.Choices) > 0 {
			var options []*api.OptionBlockObject
			for _, choice := range field.Choices {
				options = append(options, api.NewOptionBlockObject(choice.Value, plain(choice.Label), nil))
			}
			element = api.NewRadioButtonsBlockElement(field.Name, options...)
		} else {
			input := api.NewPlainTextInputBlockElement(nil, field.Name)
			if field.Hint != "" {
				input.Placeholder = plain(field.Hint)
			}
			input.Multiline, input.MaxLength, input.InitialValue = field.Lines, min(cmp.Or(field.Max, maxInput), maxInput), answer.Visible(field.Given)
			element = input
		}
		block := api.NewInputBlock(field.Name, plain(field.Label), nil, element)
		block.Optional = field.Optional
		view.Blocks.BlockSet = append(view.Blocks.BlockSet, block)
	}
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	if _, err := c.slack.API.OpenViewContext(ctx, trigger, view); err != nil {
		return fmt.Errorf("open a form: %w", call.Explain("views.open", err))
	}
	return nil
}

// ShowHome sets the content of a person's home tab of the bot to a Markdown text. An empty text
// clears the tab.
func (c *Writer) ShowHome(ctx context.Context, person, text string) error {
	view := api.HomeTabViewRequest{Type: api.VTHomeTab, Blocks: api.Blocks{BlockSet: []api.Block{}}}
	if text != "" {
		for _, part := range render.MrkdwnParts(text) {
			view.Blocks.BlockSet = append(view.Blocks.BlockSet, api.NewSectionBlock(mrkdwnText(part), nil, nil))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	if _, err := c.slack.API.PublishViewContext(ctx, api.PublishViewContextRequest{UserID: person, View: view}); err != nil {
		return fmt.Errorf("show the home page: %w", call.Explain("views.publish", err))
	}
	return nil
}

// ReadForm returns the Value, Ref and Message of a [Form]. raw is the private metadata of the
// submitted form.
func (c *Writer) ReadForm(raw string) (value string, ref thread.Ref, message thread.MessageID) {
	var k formData
	if json.Unmarshal([]byte(raw), &k) != nil {
		return "", c.slack.Ref("", ""), ""
	}
	return k.Value, c.slack.Ref(k.Channel, k.Thread), k.Message
}
