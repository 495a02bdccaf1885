package event

import (
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Names of the commands and their options.
const (
	CommandAsk      = "ask"
	CommandStop     = "stop"
	CommandFootnote = "footnote"
	CommandAbout    = "Ask about this" // in the menu of a message

	OptionQuestion = "question"
	OptionPrivate  = "private"
	OptionAgent    = "agent"
	OptionModels   = "models"
	OptionFile     = "file"
	OptionKey      = "setting"
	OptionValue    = "value"
)

// Command is the use of a command. It has to be answered within three seconds: by Defer, Respond,
// Answer or Ask.
type Command struct {
	Name     string
	Text     string     // /footnote: what would be typed after it, such as "config follow always"
	Ref      thread.Ref // in a channel the command has a thread of its own; there is no such channel
	EventKey string
	Asker    thread.Person
	By       session.Stopper
	Admin    bool // may manage the server
	Question string
	Agent    string
	Models   string // names, with commas between them
	Private  bool   // the answer is for the asker alone
	Direct   bool
	Own      bool // nothing was said in the thread before
	At       time.Time
	Files    []Attachment
	Target   *Target // of a command in a message's menu

	Ticket Ticket
}

// Target is the message that a command was used on.
type Target struct {
	Text   string
	Author string // its id
	Own    bool   // the bot wrote it
}

// Place is where the command was used: outside threads its Ref without the thread of its own.
func (c Command) Place() thread.Ref {
	if c.Own {
		ref := c.Ref
		ref.Thread = ""
		return ref
	}
	return c.Ref
}

// Privately returns the command as one whose answer is, or is not, for its user alone.
func (c Command) Privately(yes bool) Command {
	c.Private, c.Ticket.Ephemeral = yes, yes && !c.Direct
	return c
}

// Who returns who used an interaction, nil where it does not say.
func Who(i *discordgo.Interaction) (*discordgo.User, session.Stopper) {
	switch {
	case i.Member != nil && i.Member.User != nil:
		return i.Member.User, session.Stopper{ID: i.Member.User.ID, Privileged: i.Member.Permissions&call.Moderator != 0}
	case i.User != nil:
		return i.User, session.Stopper{ID: i.User.ID}
	default:
		return nil, session.Stopper{}
	}
}

// Read fills in what was typed.
func (c *Command) Read(data discordgo.ApplicationCommandInteractionData) {
	options := data.Options
	if c.Name == CommandFootnote && len(options) == 1 && options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
		words := []string{options[0].Name}
		for _, o := range options[0].Options {
			words = append(words, text(o))
		}
		c.Text = strings.Join(words, " ")
		return
	}
	for _, o := range options {
		switch o.Name {
		case OptionQuestion:
			c.Question = text(o)
		case OptionAgent:
			c.Agent = text(o)
		case OptionModels:
			c.Models = text(o)
		case OptionPrivate:
			c.Private, _ = o.Value.(bool)
		case OptionFile:
			if r := data.Resolved; r != nil && r.Attachments[text(o)] != nil {
				c.Files = append(c.Files, AttachmentOf(r.Attachments[text(o)]))
			}
		}
	}
	if r := data.Resolved; r != nil && data.TargetID != "" && r.Messages[data.TargetID] != nil {
		m := r.Messages[data.TargetID]
		c.Target = &Target{Text: m.Content}
		if m.Author != nil {
			c.Target.Author = m.Author.ID
		}
		for _, a := range m.Attachments {
			c.Files = append(c.Files, AttachmentOf(a))
		}
	}
}

// text is the value of an option as it would be typed: one that is only said yes to is its own
// name.
func text(o *discordgo.ApplicationCommandInteractionDataOption) string {
	if yes, _ := o.Value.(bool); yes {
		return o.Name
	}
	s, _ := o.Value.(string)
	return s
}
