package event

import (
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
)

// These are the names of the commands and of their options.
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

// Privately returns a copy of a command with Private set to yes. If Private is set, only the
// command's user sees the answer.
func Privately(c chat.Command, yes bool) chat.Command {
	source := SourceOf(c.Source)
	source.Ticket.Ephemeral = yes && !c.Direct
	c.Private, c.Source = yes, source
	return c
}

// Who returns the user of an interaction, or nil if there is none. The [session.Stopper] says
// whether this user may stop other people's answers.
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

// ReadCommand fills in c from the options of a command, and returns the attached files.
func ReadCommand(c *chat.Command, data discordgo.ApplicationCommandInteractionData) (files []Attachment) {
	options := data.Options
	if c.Name == CommandFootnote && len(options) == 1 && options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
		words := []string{options[0].Name}
		for _, o := range options[0].Options {
			words = append(words, text(o))
		}
		c.Text = strings.Join(words, " ")
		return nil
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
				files = append(files, AttachmentOf(r.Attachments[text(o)]))
			}
		}
	}
	if r := data.Resolved; r != nil && data.TargetID != "" && r.Messages[data.TargetID] != nil {
		m := r.Messages[data.TargetID]
		c.Target = &chat.Target{Text: m.Content}
		if m.Author != nil {
			c.Target.Author = m.Author.ID
		}
		for _, a := range m.Attachments {
			files = append(files, AttachmentOf(a))
		}
	}
	return files
}

// text returns an option's value as text. For a boolean option that is true, it returns the
// option's name.
func text(o *discordgo.ApplicationCommandInteractionDataOption) string {
	if yes, _ := o.Value.(bool); yes {
		return o.Name
	}
	s, _ := o.Value.(string)
	return s
}
