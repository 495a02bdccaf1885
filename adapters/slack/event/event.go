// Package event translates Slack's events to the events of core/chat. It also defines the marks by
// which the bot recognises its own messages. It does not call Slack.
package event

// Source is the part of an event that only this adapter uses. It is the Source of a message or a
// press.
type Source struct {
	Files []File // attached files; incomplete if FilesUnknown
	// FilesUnknown is set if this event does not list the message's files. Another event of the
	// same message, or Slack on request, does (read.Reader.Attached).
	FilesUnknown bool
	Alone        bool   // the message was read from Slack and has no replies
	Trigger      string // of a press; opens a form within three seconds
	ResponseURL  string // of a press; can replace an ephemeral message
}

// SourceOf converts the Source field of a chat.Message or a chat.Press.
func SourceOf(source any) Source {
	s, _ := source.(Source)
	return s
}
