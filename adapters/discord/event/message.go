// Package event translates what Discord reports to the events of core/chat, and holds what answers
// them. It does not call Discord.
package event

import "github.com/bwmarrin/discordgo"

// Source is what only this adapter uses of an event: the Source of a message, a command or a press.
type Source struct {
	Files  []Attachment
	Raw    *discordgo.Message // of a message
	Ticket Ticket             // of a command or a press
}

// SourceOf returns the Source of an event of core/chat.
func SourceOf(source any) Source {
	s, _ := source.(Source)
	return s
}

// IsReply reports whether a message answers another one.
func (s Source) IsReply() bool { return s.Raw != nil && s.Raw.ReferencedMessage != nil }
