// Package event translates what Slack reports to the events of core/chat, and holds the marks by
// which the bot recognises its own messages. It does not call Slack.
package event

// Source is what only this adapter uses of an event: the Source of a message or a press.
type Source struct {
	Files []File // attached; not known yet when FilesUnknown
	// FilesUnknown says that only another event of the same message, or Slack on request, names the
	// files (read.Reader.Attached).
	FilesUnknown bool
	Alone        bool   // of a message that was read: it has no replies
	Trigger      string // of a press: opens a form, within three seconds
	ResponseURL  string // of a press: replaces its message when that is ephemeral
}

// SourceOf returns the Source of a chat.Message or a chat.Press.
func SourceOf(source any) Source {
	s, _ := source.(Source)
	return s
}
