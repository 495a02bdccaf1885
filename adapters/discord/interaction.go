package discord

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Press is a button, a menu entry or a form that somebody used. It has to be answered within three seconds: by Respond, Notice, Answer,
// Defer or Show.
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

	ticket ticket
	roles  []string
}

func (p Press) reply() ticket { return p.ticket }

// Typing is what somebody has typed so far into an option that offers values.
type Typing struct {
	Command, Option, Text string
	Ref                   thread.Ref
}

// Ids of buttons and forms that are not about one answer.
const (
	buttonFollowUp = "footnote-ask:" // and the thread's id: opens a form for a further question
	formFollowUp   = "footnote-asked:"
	setupPrefix    = "footnote-setup:" // and what is chosen

	fieldText = "text"
)

// placeLimit bounds the look-up of where an interaction was used, for which Discord does not wait.
const placeLimit = time.Second

// interaction hands an interaction to the handler. source is the request that brought it, nil where it came over the gateway.
func (in *intake) interaction(ctx context.Context, i *discordgo.Interaction, source *inline) error {
	user, by := who(i)
	if user == nil {
		return fmt.Errorf("read an interaction: it has no user")
	}
	looking, cancel := context.WithTimeout(ctx, placeLimit)
	ref, err := in.home(looking, i.GuildID, i.ChannelID)
	cancel()
	if err != nil { // interactions work where the bot cannot look; there is no time to look again
		in.logger.WarnContext(ctx, "interaction in an unknown channel", "channel", i.ChannelID, "error", err)
	}
	t := ticket{App: i.AppID, Token: i.Token, ID: i.ID, Channel: i.ChannelID, at: time.Now(), inline: source}
	asker := thread.Person{ID: user.ID, Name: displayName(user, i.Member)}
	admin := i.Member != nil && i.Member.Permissions&manager != 0
	var roles []string
	if i.Member != nil {
		roles = i.Member.Roles
		in.directory.met(i.GuildID, user.ID, i.Member)
	}
	switch i.Type {
	case discordgo.InteractionPing: // answered where requests come in
	case discordgo.InteractionApplicationCommand:
		data := i.ApplicationCommandData()
		if action := menu(data.Name); action != "" {
			in.handler.Press(ctx, Press{
				Action: action, Ref: ref, Message: thread.MessageID(data.TargetID), Key: "interaction:" + i.ID, By: asker, Moderator: by.Privileged,
				Admin: admin, Direct: i.GuildID == "", ticket: t, roles: roles,
			})
			return nil
		}
		cmd := Command{
			Name: data.Name, EventKey: "interaction:" + i.ID, Ref: ref, At: timeOf(i.ID), Direct: i.GuildID == "", By: by, Asker: asker, Admin: admin,
			ticket: t, roles: roles,
		}
		if cmd.Ref.Thread == "" {
			cmd.Ref.Thread, cmd.Own = i.ID, true
		}
		cmd.read(data)
		cmd.ticket.Ephemeral = cmd.Private && !cmd.Direct
		in.handler.Command(ctx, cmd)
	case discordgo.InteractionApplicationCommandAutocomplete:
		data := i.ApplicationCommandData()
		typing := Typing{Command: data.Name, Ref: ref}
		typing.read(data.Options)
		return in.Suggest(ctx, t, in.handler.Suggest(ctx, typing))
	case discordgo.InteractionMessageComponent, discordgo.InteractionModalSubmit:
		p := Press{
			Ref: ref, Key: "interaction:" + i.ID, By: asker, Moderator: by.Privileged, Admin: admin, Direct: i.GuildID == "", ticket: t, roles: roles,
		}
		if m := i.Message; m != nil {
			p.Message, p.Ephemeral = thread.MessageID(m.ID), m.Flags&discordgo.MessageFlagsEphemeral != 0
		}
		p.read(i)
		in.handler.Press(ctx, p)
	}
	return nil
}

// timeOf is when the platform made an id; the present where that is none of its ids.
func timeOf(id string) time.Time {
	at, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return time.Now()
	}
	return at
}

// menu is the action of an entry in the menu of messages; empty for a command.
func menu(name string) thread.Action {
	for _, a := range thread.Menu() {
		if a.Label() == name {
			return a
		}
	}
	return ""
}

// read fills in what was pressed or written.
func (p *Press) read(i *discordgo.Interaction) {
	if i.Type == discordgo.InteractionModalSubmit {
		data := i.ModalSubmitData()
		p.ID, p.Submitted = data.CustomID, true
		for _, row := range data.Components {
			if r, ok := row.(*discordgo.ActionsRow); ok {
				for _, c := range r.Components {
					if field, ok := c.(*discordgo.TextInput); ok && field.CustomID == fieldText {
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

// Answered returns the press as one that an answer is written to, for its user alone: of a message that only the user sees in its place,
// else as a new message.
func (p Press) Answered() Press {
	p.ticket.Ephemeral = !p.Direct
	if p.Action == thread.ActionRetry && p.Ephemeral {
		p.ticket.Original = string(p.Message)
	}
	return p
}

// FollowUp reports whether a button, or a form, for a further question was used.
func (p Press) FollowUp() bool {
	return strings.HasPrefix(p.ID, buttonFollowUp) || strings.HasPrefix(p.ID, formFollowUp)
}

// Setup returns what was chosen in the menu of /footnote setup, and whether that is what was used.
func (p Press) Setup() (what string, ok bool) { return strings.CutPrefix(p.ID, setupPrefix) }

// Command is the press as the use of a command: a further question in the thread.
func (p Press) Command(question string) Command {
	cmd := Command{
		Name: CommandAsk, Ref: p.Ref, EventKey: p.Key, Asker: p.By, By: session.Stopper{ID: p.By.ID, Privileged: p.Moderator}, Admin: p.Admin,
		Question: question, Direct: p.Direct, At: timeOf(p.ticket.ID), Private: p.Ephemeral && !p.Direct, ticket: p.ticket, roles: p.roles,
	}
	if cmd.Ref.Thread == "" {
		cmd.Ref.Thread = strings.TrimPrefix(p.ID, formFollowUp)
	}
	cmd.ticket.Ephemeral = cmd.Private
	return cmd
}

// read fills in what is being typed.
func (t *Typing) read(options []*discordgo.ApplicationCommandInteractionDataOption) {
	for _, o := range options {
		if o.Type == discordgo.ApplicationCommandOptionSubCommand {
			t.read(o.Options)
		}
		if o.Focused {
			t.Option, t.Text = o.Name, text(o)
		}
	}
}

// Show asks the user of an interaction for a text. Its submission comes back as a Press.
func (c *Client) Show(ctx context.Context, to Interaction, f Form) error {
	style := discordgo.TextInputParagraph
	if f.Max <= 0 || f.Max > maxField {
		f.Max = maxField
	}
	return c.callback(ctx, to.reply(), discordgo.InteractionResponseModal, map[string]any{
		"custom_id": f.ID, "title": f.Title,
		"components": []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.TextInput{
			CustomID: fieldText, Label: f.Label, Style: style, Placeholder: f.Hint, Value: f.Text, Required: f.Required, MaxLength: f.Max,
		}}}},
	})
}

// maxField is how long a text in a form may be.
const maxField = 4000

// Form asks for one text.
type Form struct {
	ID, Title, Label, Hint, Text string
	Max                          int // characters
	Required                     bool
}

// FormFollowUp asks for a further question in the thread that a button belongs to.
func (p Press) FormFollowUp() Form {
	return Form{
		ID: formFollowUp + strings.TrimPrefix(p.ID, buttonFollowUp), Title: "Ask a follow-up", Label: "Your question", Required: true,
	}
}
