package event

import (
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Press is a button, a menu entry or a form that somebody used. It has to be answered within three
// seconds: by Respond, Notice, Answer, Defer or Show.
type Press struct {
	Action    thread.Action // empty for what is not about an answer: ID says what it is
	Turn      session.TurnID
	ID        string // of the button, where it is none of an answer
	Values    []string
	Ref       thread.Ref
	Message   thread.MessageID // under which it stands, or that the menu belongs to
	Key       string
	By        thread.Person
	Moderator bool
	Admin     bool
	Direct    bool
	Text      string // that was written into the form
	Submitted bool
	Ephemeral bool // the message is one that its reader loses after a while

	Ticket Ticket
}

// Reply implements Interaction.
func (p Press) Reply() Ticket { return p.Ticket }

// Typing is what somebody has typed so far into an option that offers values.
type Typing struct {
	Command, Text string
}

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

// Read fills in what was pressed or written.
func (p *Press) Read(i *discordgo.Interaction) {
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

// Answered returns the press as one that an answer is written to, for its user alone: of a message
// that only the user sees in its place, else as a new message.
func (p Press) Answered() Press {
	p.Ticket.Ephemeral = !p.Direct
	if p.Action == thread.ActionRetry && p.Ephemeral {
		p.Ticket.Original = string(p.Message)
	}
	return p
}

// FollowUp reports whether a button, or a form, for a further question was used.
func (p Press) FollowUp() bool {
	return strings.HasPrefix(p.ID, ButtonFollowUp) || strings.HasPrefix(p.ID, formFollowUp)
}

// Setup returns what was chosen in the menu of /footnote setup, and whether that is what was used.
func (p Press) Setup() (what string, ok bool) { return strings.CutPrefix(p.ID, SetupPrefix) }

// Command is the press as the use of a command: a further question in the thread.
func (p Press) Command(question string) Command {
	cmd := Command{
		Name: CommandAsk, Ref: p.Ref, EventKey: p.Key, Asker: p.By, By: session.Stopper{ID: p.By.ID, Privileged: p.Moderator}, Admin: p.Admin,
		Question: question, Direct: p.Direct, At: TimeOf(p.Ticket.ID), Private: p.Ephemeral && !p.Direct, Ticket: p.Ticket,
	}
	if cmd.Ref.Thread == "" {
		cmd.Ref.Thread = strings.TrimPrefix(p.ID, formFollowUp)
	}
	cmd.Ticket.Ephemeral = cmd.Private
	return cmd
}

// Read fills in what is being typed.
func (t *Typing) Read(options []*discordgo.ApplicationCommandInteractionDataOption) {
	for _, o := range options {
		if o.Type == discordgo.ApplicationCommandOptionSubCommand {
			t.Read(o.Options)
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
func (p Press) FormFollowUp() Form {
	return Form{
		ID: formFollowUp + strings.TrimPrefix(p.ID, ButtonFollowUp), Title: "Ask a follow-up", Label: "Your question", Required: true,
	}
}

// ButtonStill is the beginning of the id of a button that says that a question is still wanted; the
// question's id follows.
const ButtonStill = "footnote-still:"

// Still returns the question that a button is about by which somebody said that it is still wanted,
// and whether that is what was pressed.
func (p Press) Still() (question thread.MessageID, ok bool) {
	id, ok := strings.CutPrefix(p.ID, ButtonStill)
	return thread.MessageID(id), ok
}

// Place returns where something was pressed, as Message.Place does.
func (p Press) Place() thread.Ref {
	at := p.Ref
	at.Thread = p.Ticket.Channel
	return at
}

// Interaction is what can be responded to: a Command or a Press.
type Interaction interface{ Reply() Ticket }

// Reply implements Interaction.
func (c Command) Reply() Ticket { return c.Ticket }
