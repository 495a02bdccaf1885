package event

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// ReadMessage converts an event about a message to a chat.Message. For a deleted message, its
// Change is policy.Deleted.
func ReadMessage(w *call.Workspace, cb Callback) chat.Message {
	e, me := cb.Event, w.Identity()
	m := chat.Message{EventKey: cb.ID}
	m.Direct = e.ChannelType == "im" || strings.HasPrefix(string(e.Channel), "D")
	about := wireMessage{
		Subtype: e.Subtype, User: string(e.User), BotID: e.BotID, Text: e.Text, TS: e.TS, Thread: e.Thread, Parent: e.Parent, Files: e.Files,
		Extras: e.Extras,
	}
	switch e.Subtype {
	case "message_changed":
		m.Change = policy.Edited
		if e.Message != nil {
			about = *e.Message
		}
		// Slack sends the same event for link previews and for new replies to a message.
		m.System = e.Previous != nil && e.Previous.Words(e.Previous.Text) == about.Words(about.Text)
	case "message_deleted":
		m.Change = policy.Deleted
		if e.Previous != nil {
			about = *e.Previous
		}
		about.TS = e.Deleted
	}
	switch about.Subtype {
	case "", "file_share", "thread_broadcast", "me_message", "message_deleted", "message_changed":
	case "bot_message":
		m.Bot = true
	case "tombstone": // a deleted message with replies
		m.Change = policy.Deleted
	default: // joins, topics, pins and unknown kinds
		m.System = true
	}
	root := cmp.Or(about.Thread, about.TS)
	// a webhook has no user
	m.Ref, m.ID, m.Author.ID = w.Ref(string(e.Channel), root), thread.MessageID(about.TS), cmp.Or(about.User, about.BotID)
	m.At, m.InThread = m.Ref, root != about.TS
	if m.Starter = about.Parent; !m.InThread {
		m.Starter = m.Author.ID
	}
	m.Own = about.User == me.User || about.BotID != "" && about.BotID == me.Bot
	m.Bot = m.Bot || about.BotID != ""
	m.Written = parseTS(about.TS)
	m.Text, m.Mentioned, m.OthersNamed = ReadText(about.Words(about.Text), me.User)
	source := Source{Files: StatedFiles(about.Files), FilesUnknown: e.Type == "app_mention" && len(about.Files) == 0}
	m.Source, m.Attached = source, len(source.Files) > 0 || source.FilesUnknown
	return m
}

// About converts a message from ReadMessage to a chat.Event with a message or a deletion. The event
// is empty if one of Slack's system messages was deleted.
func About(m chat.Message) chat.Event {
	switch {
	case m.Change != policy.Deleted:
		return chat.Event{Message: &m}
	case m.Own:
		return chat.Event{Deletion: &chat.Deletion{Ref: m.Ref, Message: m.ID, Of: chat.OfBot}}
	case m.System:
		return chat.Event{}
	}
	return chat.Event{Deletion: &chat.Deletion{Ref: m.Ref, Message: m.ID}}
}

// settled is the age from which the regular read of a channel no longer finds a thread's new
// replies.
const settled = 13 * 24 * time.Hour

// Changed returns the indexed thread or day that a message belongs to, as a change to report. It
// returns nil if the message is not indexed, or if the regular read of the channel finds it.
func Changed(m chat.Message) *chat.Changed {
	key, urgent := m.Ref.Thread, m.Change != policy.Created
	if m.Direct || m.Own || m.System || !urgent && time.Since(TimeOf(thread.MessageID(key))) < settled {
		return nil
	}
	return &chat.Changed{Workspace: m.Ref.Workspace, Channel: m.Ref.Channel, Key: key, Urgent: urgent}
}

// parseTS parses a Slack timestamp. It returns the zero time for invalid text.
func parseTS(ts string) time.Time {
	seconds, micros, _ := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	us, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		us = 0
	}
	return time.Unix(s, us*1000)
}

// TimeOf returns the time at which a message was written. The id of a message contains it.
func TimeOf(id thread.MessageID) time.Time { return parseTS(string(id)) }

// IsFile reports whether an id is the id of a file. The id of a message is a time.
func IsFile(id thread.MessageID) bool { return strings.HasPrefix(string(id), "F") }
