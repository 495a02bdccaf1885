package event

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/thread"
)

// ReadMessage states what Slack says about a message.
func ReadMessage(w *call.Workspace, cb Callback) Message {
	e, me := cb.Event, w.Identity()
	m := Message{EventKey: cb.ID, Direct: e.ChannelType == "im" || strings.HasPrefix(string(e.Channel), "D")}
	about := wireMessage{
		Subtype: e.Subtype, User: string(e.User), BotID: e.BotID, Text: e.Text, TS: e.TS, Thread: e.Thread, Parent: e.Parent, Files: e.Files,
		Beside: e.Beside,
	}
	switch e.Subtype {
	case "message_changed":
		m.Change = Edited
		if e.Message != nil {
			about = *e.Message
		}
		// Slack tells in the same way of unfurls, and of replies that a message got.
		m.System = e.Previous != nil && e.Previous.Text == about.Text
	case "message_deleted":
		m.Change = Deleted
		if e.Previous != nil {
			about = *e.Previous
		}
		about.TS = e.Deleted
	}
	switch about.Subtype {
	case "", "file_share", "thread_broadcast", "me_message", "message_deleted", "message_changed":
	case "bot_message":
		m.Bot = true
	case "tombstone": // what is left of a deleted question that has replies
		m.Change = Deleted
	default: // joins, topics, pins and whatever comes to be
		m.System = true
	}
	root := cmp.Or(about.Thread, about.TS)
	m.Ref, m.ID, m.Author = w.Ref(string(e.Channel), root), thread.MessageID(about.TS), cmp.Or(about.User, about.BotID) // a webhook is no user
	m.InThread = root != about.TS
	if m.Starter = about.Parent; !m.InThread {
		m.Starter = m.Author
	}
	m.Own = about.User == me.User || about.BotID != "" && about.BotID == me.Bot
	m.Bot = m.Bot || about.BotID != ""
	m.At = parseTS(about.TS)
	m.Text, m.Mentioned, m.OthersNamed = ReadText(about.Words(about.Text), me.User)
	m.Files = StatedFiles(about.Files)
	m.FilesUnknown = e.Type == "app_mention" && len(about.Files) == 0
	return m
}

// parseTS reads Slack's time of a message; the zero time when it is none.
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

// TimeOf is when a message was written.
func TimeOf(id thread.MessageID) time.Time { return parseTS(string(id)) }

// IsFile reports whether an id is that of a file, and not that of a message, which is a time.
func IsFile(id thread.MessageID) bool { return strings.HasPrefix(string(id), "F") }
