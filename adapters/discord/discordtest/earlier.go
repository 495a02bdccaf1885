package discordtest

import (
	"strconv"
	"time"
)

// Earlier writes a message that mentions the bot as it was written so long ago, and returns its id. The gateway tells nobody: nobody was
// there for it. In a direct conversation the mention is left out.
func (p *Person) Earlier(channel, text string, ago time.Duration) string {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channels[channel].kind != typeDM {
		text = "<@" + s.bot.ID + "> " + text
	}
	return p.earlier(channel, text, ago)
}

// EarlierReply is Earlier without a mention.
func (p *Person) EarlierReply(channel, text string, ago time.Duration) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.earlier(channel, text, ago)
}

// earlier writes a message of before. s.mu is held.
func (p *Person) earlier(channel, text string, ago time.Duration) string {
	s := p.s
	ch := s.channels[channel]
	at := time.Now().Add(-ago)
	n := (at.UnixMilli() - 1420070400000) << 22
	for s.messages[strconv.FormatInt(n, 10)] != nil {
		n++
	}
	m := &message{id: strconv.FormatInt(n, 10), channel: channel, author: p.ID, content: text, created: at}
	s.messages[m.id] = m
	if last, err := strconv.ParseInt(ch.last, 10, 64); err != nil || last < n {
		ch.last = m.id
	}
	s.record("create", m, nil)
	return m.id
}
