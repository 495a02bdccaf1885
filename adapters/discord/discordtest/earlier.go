package discordtest

import (
	"strconv"
	"time"
)

// Earlier writes a message with a time in the past and returns its id. The message mentions the
// bot, except in a direct conversation. The gateway sends no event, as if no client had been
// connected.
func (p *Person) Earlier(channel, text string, ago time.Duration) string {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channels[channel].kind != typeDM {
		text = "<@" + s.bot.ID + "> " + text
	}
	return p.earlier(channel, text, ago)
}

// EarlierReply is like Earlier, but the message does not mention the bot.
func (p *Person) EarlierReply(channel, text string, ago time.Duration) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.earlier(channel, text, ago)
}

// Newest sets the last_message_id of a channel, which need not be the id of its latest message.
func (s *Server) Newest(channel, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[channel].last = message
}

// earlier stores a message with a time in the past and returns its id. The caller must hold s.mu.
func (p *Person) earlier(channel, text string, ago time.Duration) string {
	s := p.s
	ch := s.channels[channel]
	at := time.Now().Add(-ago)
	m := &message{id: s.idAt(at), channel: channel, author: p.ID, content: text, created: at}
	s.keep(ch, m)
	s.record("create", m, nil)
	return m.id
}

// idAt returns an unused id with the given creation time. The caller must hold s.mu.
func (s *Server) idAt(at time.Time) string {
	n := (at.UnixMilli() - 1420070400000) << 22
	for s.messages[strconv.FormatInt(n, 10)] != nil || s.channels[strconv.FormatInt(n, 10)] != nil {
		n++
	}
	return strconv.FormatInt(n, 10)
}
