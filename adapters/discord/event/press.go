package event

import (
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// These are custom ids for the follow-up form, its button, the setup menus and the text field of a
// form.
const (
	ButtonFollowUp = "footnote-ask:" // followed by a thread id: opens the follow-up form
	formFollowUp   = "footnote-asked:"
	SetupPrefix    = "footnote-setup:" // followed by the name of the setting

	FieldText = "text"
)

// TimeOf returns the creation time in a Discord id. It returns the current time if the text is not
// an id.
func TimeOf(id string) time.Time {
	at, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return time.Now()
	}
	return at
}

// Menu returns the action of an entry in a message's context menu, given the entry's displayed
// name. It returns "" if there is no such entry.
func Menu(name string) thread.Action {
	for _, a := range thread.Menu() {
		if a.Label() == name {
			return a
		}
	}
	return ""
}

// ReadPress fills in p from the pressed button or the submitted form.
func ReadPress(p *chat.Press, i *discordgo.Interaction) {
	if i.Type == discordgo.InteractionModalSubmit {
		data := i.ModalSubmitData()
		p.ID, p.Submitted = data.CustomID, true
		for _, row := range data.Components {
			if r, ok := row.(*discordgo.ActionsRow); ok {
				for _, c := range r.Components {
					if field, ok := c.(*discordgo.TextInput); ok && field.CustomID == FieldText {
						p.Text = strings.TrimSpace(field.Value)
					}
				}
			}
		}
	} else {
		data := i.MessageComponentData()
		p.ID, p.Values = data.CustomID, data.Values
	}
	if action, turn, ok := thread.ParseButtonID(p.ID); ok {
		p.Action, p.Turn = action, session.TurnID(turn)
	}
}

// Answered returns a copy of a press that makes the response visible only to its user. If the press
// retries an answer that only the user sees, the new answer replaces the old one.
func Answered(p chat.Press) chat.Press {
	source := SourceOf(p.Source)
	source.Ticket.Ephemeral = !p.Direct
	if p.Action == thread.ActionRetry && p.Ephemeral {
		source.Ticket.Original = string(p.Message)
	}
	p.Source = source
	return p
}

// FollowUp reports whether a press is the button or the form for a follow-up question.
func FollowUp(p chat.Press) bool {
	return strings.HasPrefix(p.ID, ButtonFollowUp) || strings.HasPrefix(p.ID, formFollowUp)
}

// Setup returns the setting that a button of /footnote setup changes. ok is false if p is not such
// a button.
func Setup(p chat.Press) (what string, ok bool) { return strings.CutPrefix(p.ID, SetupPrefix) }

// Asked converts a submitted follow-up form to an /ask command in the form's thread.
func Asked(p chat.Press) chat.Command {
	source := SourceOf(p.Source)
	c := chat.Command{
		Name: CommandAsk, Ref: p.Ref, EventKey: p.EventKey, By: p.By, Moderator: p.Moderator, Admin: p.Admin, Question: p.Text, Direct: p.Direct,
		At: TimeOf(source.Ticket.ID), Source: source,
	}
	if c.Ref.Thread == "" {
		c.Ref.Thread = strings.TrimPrefix(p.ID, formFollowUp)
	}
	return Privately(c, p.Ephemeral && !p.Direct)
}

// ReadTyping sets t.Text to the text of the option that the user is typing.
func ReadTyping(t *chat.Typing, options []*discordgo.ApplicationCommandInteractionDataOption) {
	for _, o := range options {
		if o.Type == discordgo.ApplicationCommandOptionSubCommand {
			ReadTyping(t, o.Options)
		}
		if o.Focused {
			t.Text = text(o)
		}
	}
}

// MaxField is the maximum length of a text field in a form, in characters.
const MaxField = 4000

// Form describes a modal form with one text field.
type Form struct {
	ID, Title, Label, Hint, Text string
	Max                          int // characters
	Required                     bool
}

// FormFollowUp returns the form for a follow-up question in the thread that the pressed button
// names.
func FormFollowUp(p chat.Press) Form {
	return Form{
		ID: formFollowUp + strings.TrimPrefix(p.ID, ButtonFollowUp), Title: "Ask a follow-up", Label: "Your question", Required: true,
	}
}

// ButtonStill is the custom id prefix of the button that confirms that a person still wants an
// answer. The question's id follows the prefix.
const ButtonStill = "footnote-still:"

// Still returns the question of a pressed [ButtonStill] button. ok is false for any other press.
func Still(p chat.Press) (question thread.MessageID, ok bool) {
	id, ok := strings.CutPrefix(p.ID, ButtonStill)
	return thread.MessageID(id), ok
}
