package slacktest

import (
	"encoding/json"
	"net/url"
	"time"
	"unicode/utf8"
)

func (s *Server) startStream(form url.Values) (reply, error) {
	if s.config.NoStreams {
		return nil, fail("unknown_method")
	}
	m, err := s.postTo(form)
	if err != nil {
		return nil, err
	}
	c := s.channels[m.Channel]
	switch {
	case m.Thread == "":
		return nil, fail("invalid_thread_ts")
	case !c.Direct && form.Get("recipient_team_id") == "":
		return nil, fail("missing_recipient_team_id")
	case !c.Direct && form.Get("recipient_user_id") == "":
		return nil, fail("missing_recipient_user_id")
	}
	m.Streaming, m.began = true, time.Now()
	if err := streamed(form, &m); err != nil {
		return nil, err
	}
	return s.announce(s.add("chat.startStream", m)), nil
}

func streamed(form url.Values, m *Message) error {
	text := form.Get("markdown_text")
	if raw := form.Get("chunks"); raw != "" && raw != "[]" {
		if text != "" {
			return fail("markdown_text_conflict")
		}
		var chunks []struct {
			Type, Text, ID, Title string
			Blocks                json.RawMessage
		}
		if json.Unmarshal([]byte(raw), &chunks) != nil {
			return fail("invalid_chunks")
		}
		for _, c := range chunks {
			switch c.Type {
			case "markdown_text":
				text += c.Text
			case "task_update":
				if c.ID == "" || c.Title == "" {
					return fail("invalid_chunks")
				}
			case "plan_update":
			case "blocks":
				if err := checkBlocks(c.Blocks); err != nil {
					return err
				}
			default:
				return fail("invalid_chunks")
			}
		}
	}
	if utf8.RuneCountInString(text) > 12_000 || utf8.RuneCountInString(m.Markdown+text) > 13_200 {
		return fail("msg_too_long")
	}
	m.Markdown += text
	return nil
}

func (s *Server) expire(m *Message) {
	if m.Streaming && time.Since(m.began) >= s.config.StreamLife {
		m.Streaming = false
	}
}

func (s *Server) streaming(form url.Values) (*Message, error) {
	m, err := s.own(form)
	if err != nil {
		return nil, err
	}
	s.expire(m)
	switch {
	case m.stoppedBy != "":
		return nil, fail("stopped_by_user")
	case !m.Streaming:
		return nil, fail("message_not_in_streaming_state")
	}
	return m, nil
}

func (s *Server) appendStream(form url.Values) (reply, error) {
	m, err := s.streaming(form)
	if err != nil {
		return nil, err
	}
	if form.Get("markdown_text") == "" && form.Get("chunks") == "" {
		return nil, fail("no_text")
	}
	if err := streamed(form, m); err != nil {
		return nil, err
	}
	s.keep("chat.appendStream", m)
	return posted(m), nil
}

func (s *Server) stopStream(form url.Values) (reply, error) {
	m, err := s.streaming(form)
	if err != nil {
		return nil, err
	}
	next := *m
	if err := streamed(form, &next); err != nil {
		return nil, err
	}
	if raw := form.Get("blocks"); raw != "" {
		if err := checkBlocks(json.RawMessage(raw)); err != nil {
			return nil, err
		}
		next.Blocks = json.RawMessage(raw)
	}
	if raw := form.Get("metadata"); raw != "" {
		next.Metadata = json.RawMessage(raw)
	}
	next.Streaming = false
	before := m.wire(false)
	*m = next
	s.keep("chat.stopStream", m)
	s.changedMessage(s.channels[m.Channel], m, before)
	return posted(m), nil
}

// Status is a status line that the bot set.
type Status struct {
	At              time.Time
	Channel, Thread string
	Text            string
}

func (s *Server) setStatus(form url.Values) (reply, error) {
	at := place{form.Get("channel_id"), form.Get("thread_ts")}
	if s.messages[at] == nil {
		return nil, fail("invalid_thread_ts")
	}
	s.statuses.Add(Status{At: time.Now(), Channel: at.channel, Thread: at.ts, Text: form.Get("status")})
	return nil, nil
}
