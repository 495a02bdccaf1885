package event

import (
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Ids of buttons and forms that are not about one answer.
const (
	ButtonFollowUp = "footnote-ask:" // and the thread's id: opens a form for a further question
	formFollowUp   = "footnote-asked:"
	SetupPrefix    = "footnote-setup:" // and what is chosen

	FieldText = "text"
)

// TimeOf is when the platform made an id; the present where that is none of its ids.
func TimeOf(id string) time.Time {
	at, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return time.Now()
	}
	return at
}

// Menu is the action of an entry in the menu of messages; empty for a command.
func Menu(name string) thread.Action {
	for _, a := range thread.Menu() {
		if a.Label() == name {
			return a
		}
	}
	return ""
}

// ReadPress fills in what was pressed or written.
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

// Answered returns a press as one whose answer is written for its user alone: over a message that
// only the user sees, else as a new message.
func Answered(p chat.Press) chat.Press {
	source := SourceOf(p.Source)
	source.Ticket.Ephemeral = !p.Direct
	if p.Action == thread.ActionRetry && p.Ephemeral {
		source.Ticket.Original = string(p.Message)
	}
	p.Source = source
	return p
}

// FollowUp reports whether a button, or a form, for a further question was used.
func FollowUp(p chat.Press) bool {
	return strings.HasPrefix(p.ID, ButtonFollowUp) || strings.HasPrefix(p.ID, formFollowUp)
}

// Setup returns what was chosen in the menu of /footnote setup, and whether that is what was used.
func Setup(p chat.Press) (what string, ok bool) { return strings.CutPrefix(p.ID, SetupPrefix) }

// Asked returns a sent form as the use of a command: a further question in the thread.
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

// ReadTyping fills in what is being typed.
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

// MaxField is how long a text in a form may be.
const MaxField = 4000

// Form asks for one text.
type Form struct {
	ID, Title, Label, Hint, Text string
	Max                          int // characters
	Required                     bool
}

// FormFollowUp asks for a further question in the thread that a button belongs to.
func FormFollowUp(p chat.Press) Form {
	return Form{
		ID: formFollowUp + strings.TrimPrefix(p.ID, ButtonFollowUp), Title: "Ask a follow-up", Label: "Your question", Required: true,
	}
}

// ButtonStill is the beginning of the id of a button that says that a question is still wanted; the
// question's id follows.
const ButtonStill = "footnote-still:"

// Still returns the question that a button is about by which someone said that it is still wanted,
// and whether that is what was pressed.
func Still(p chat.Press) (question thread.MessageID, ok bool) {
	id, ok := strings.CutPrefix(p.ID, ButtonStill)
	return thread.MessageID(id), ok
}
