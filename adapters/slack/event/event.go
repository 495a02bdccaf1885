// Package event converts Slack's events to the events of core/chat. It also defines the metadata by
// which the bot recognises its own messages. It makes no calls to Slack.
package event

// Source holds the data of an event that only this adapter uses. It is stored in the Source field
// of a chat.Message or a chat.Press.
type Source struct {
	Files []File // attached files; incomplete if FilesUnknown
	// FilesUnknown is set if this event does not list the message's files. read.Reader.Attached
	// gets the files from another event of the message, or from Slack.
	FilesUnknown bool
	Alone        bool   // the message was read from Slack and has no replies
	Trigger      string // of a press; opens a form within three seconds
	ResponseURL  string // of a press; can replace an ephemeral message
}

// SourceOf converts the Source field of a chat.Message or a chat.Press to a Source.
func SourceOf(source any) Source {
	s, _ := source.(Source)
	return s
}
