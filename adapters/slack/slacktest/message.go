package slacktest

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Message is the current state of a message in Slack.
type Message struct {
	Channel, TS, Thread string // Thread is the root's TS, empty for a message outside threads
	User                string
	Bot                 bool
	To                  string // ephemeral: the only person who sees it
	Text                string
	Markdown            string          // text of markdown blocks, or streamed so far
	Blocks              json.RawMessage // nil if there are none
	Metadata            json.RawMessage
	Edited              bool // shows "(edited)"
	Streaming           bool
	Deleted             bool
	Files               []string // ids
	Subtype             string   // "channel_join" …; empty for people's messages

	began     time.Time // start of the stream
	stoppedBy string    // person who pressed stop
}

// Shown returns the visible text of a message. It is the text of the blocks or of the stream. If
// there are neither, it is the message's text.
func (m Message) Shown() string {
	shown := m.Markdown + blockText(m.Blocks)
	if shown == "" {
		return m.Text
	}
	return shown
}

// Version is one recorded state of a message.
type Version struct {
	At time.Time
	Op string // the method, or "person"
	Message
}

// keep records a version of a message and wakes waiting tests. The caller must hold s.mu.
func (s *Server) keep(op string, m *Message) {
	s.versions.Add(Version{At: time.Now(), Op: op, Message: *m})
	s.notify()
}

// ts returns a new message id in Slack's format. The id is a unique time that is later than all
// previous ids. s.mu must be held.
func (s *Server) ts() string {
	now := time.Now().UnixMicro()
	s.seq = max(s.seq+1, now)
	seconds, micros := s.seq/1_000_000, s.seq%1_000_000
	return pad(seconds, 10) + "." + pad(micros, 6)
}

func pad(n int64, width int) string {
	text := ""
	for ; n > 0 || text == ""; n /= 10 {
		text = string(rune('0'+n%10)) + text
	}
	return strings.Repeat("0", max(width-len(text), 0)) + text
}

// add stores a message with a new id and records it. The caller must hold s.mu.
func (s *Server) add(op string, m Message) *Message {
	m.TS = s.ts()
	at := place{m.Channel, m.TS}
	s.messages[at] = &m
	s.order = append(s.order, at)
	s.keep(op, &m)
	return &m
}

func (s *Server) own(form url.Values) (*Message, error) {
	m := s.messages[place{form.Get("channel"), form.Get("ts")}]
	switch {
	case s.channels[form.Get("channel")] == nil:
		return nil, fail("channel_not_found")
	case m == nil || m.Deleted:
		return nil, fail("message_not_found")
	case m.User != BotUser || m.To != "":
		return nil, fail("cant_update_message")
	}
	return m, nil
}

func (s *Server) postTo(form url.Values) (Message, error) {
	c := s.channels[form.Get("channel")]
	switch {
	case c == nil:
		return Message{}, fail("channel_not_found")
	case c.Archived:
		return Message{}, fail("is_archived")
	case !c.has(BotUser):
		return Message{}, fail("not_in_channel")
	}
	m := Message{Channel: c.ID, Thread: form.Get("thread_ts"), User: BotUser, Bot: true}
	if m.Thread != "" && s.messages[place{c.ID, m.Thread}] == nil {
		return Message{}, fail("thread_not_found")
	}
	return m, nil
}

func content(form url.Values, m *Message) error {
	m.Text, m.Markdown, m.Blocks = form.Get("text"), form.Get("markdown_text"), nil
	if m.Markdown != "" && (m.Text != "" || form.Get("blocks") != "") {
		return fail("markdown_text_conflict")
	}
	if utf8.RuneCountInString(m.Markdown) > 12_000 {
		return fail("msg_too_long")
	}
	if raw := form.Get("blocks"); raw != "" && raw != "[]" && raw != "null" {
		if err := checkBlocks(json.RawMessage(raw)); err != nil {
			return err
		}
		m.Blocks = json.RawMessage(raw)
	}
	if m.Text == "" && m.Markdown == "" && m.Blocks == nil {
		return fail("no_text")
	}
	if raw := form.Get("metadata"); raw != "" {
		m.Metadata = json.RawMessage(raw)
	}
	return nil
}

func (s *Server) announce(m *Message) reply {
	s.told(s.channels[m.Channel], m)
	return posted(m)
}

func posted(m *Message) reply {
	return reply{"channel": m.Channel, "ts": m.TS, "message": m.wire(false)}
}

func (s *Server) postMessage(form url.Values) (reply, error) {
	m, err := s.postTo(form)
	if err != nil {
		return nil, err
	}
	if err := content(form, &m); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(m.Text) > 40_000 {
		m.Text = string([]rune(m.Text)[:40_000])
	}
	return s.announce(s.add("chat.postMessage", m)), nil
}

func (s *Server) postEphemeral(form url.Values) (reply, error) {
	m, err := s.postTo(form)
	if err != nil {
		return nil, err
	}
	m.To = form.Get("user")
	if !s.channels[m.Channel].has(m.To) {
		return nil, fail("user_not_in_channel")
	}
	if err := content(form, &m); err != nil {
		return nil, err
	}
	return reply{"message_ts": s.add("chat.postEphemeral", m).TS}, nil
}

func (s *Server) updateMessage(form url.Values) (reply, error) {
	m, err := s.own(form)
	if err != nil {
		return nil, err
	}
	s.expire(m)
	if m.Streaming {
		return nil, fail("streaming_state_conflict")
	}
	next := *m
	if err := content(form, &next); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(next.Text) > 4000 {
		return nil, fail("msg_too_long")
	}
	next.Edited = m.Edited || next.Blocks == nil
	before := m.wire(false)
	*m = next
	s.keep("chat.update", m)
	s.changedMessage(s.channels[m.Channel], m, before)
	return reply{"channel": m.Channel, "ts": m.TS, "text": m.Text}, nil
}

func (s *Server) deleteMessage(form url.Values) (reply, error) {
	m, err := s.own(form)
	if err != nil {
		return nil, err
	}
	m.Deleted = true
	s.keep("chat.delete", m)
	return reply{"channel": m.Channel, "ts": m.TS}, nil
}

func (m *Message) wire(metadata bool) map[string]any {
	// Text that was streamed can be read like that of any message. "This text is what will be
	// appended to the message received so far" (chat.appendStream, markdown_text).
	out := map[string]any{"type": "message", "user": m.User, "text": m.Text + m.Markdown, "ts": m.TS}
	if m.Thread != "" {
		out["thread_ts"] = m.Thread
	}
	if m.Bot {
		out["bot_id"], out["app_id"] = BotID, AppID
		if m.User != BotUser {
			out["bot_id"], out["app_id"] = "B"+m.User, "A"+m.User
		}
	}
	if len(m.Files) > 0 {
		out["subtype"] = "file_share"
	}
	if m.Subtype != "" {
		out["subtype"] = m.Subtype
	}
	if m.Blocks != nil {
		out["blocks"] = m.Blocks
	}
	if m.Edited {
		out["edited"] = map[string]any{"user": m.User, "ts": m.TS}
	}
	if metadata && m.Metadata != nil {
		out["metadata"] = m.Metadata
	}
	return out
}
