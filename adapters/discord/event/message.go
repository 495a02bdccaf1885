// Package event translates Discord's events to the types of core/chat. It also holds the data
// needed to answer them. It makes no calls.
package event

import "github.com/bwmarrin/discordgo"

// Source holds data of a Discord event that only this adapter uses. It is stored in the Source
// field of a chat.Message, chat.Command or chat.Press.
type Source struct {
	Files  []Attachment
	Raw    *discordgo.Message // set for a message
	Ticket Ticket             // set for a command or a press
}

// SourceOf returns the [Source] in the Source field of a chat event. It is zero if the field holds
// something else.
func SourceOf(source any) Source {
	s, _ := source.(Source)
	return s
}

// IsReply reports whether a message replies to another one.
func (s Source) IsReply() bool { return s.Raw != nil && s.Raw.ReferencedMessage != nil }
