package slacktest

import (
	"cmp"
	"slices"
	"time"
)

// Earlier writes a message with a time in the past and returns the id of the message. It delivers
// no events, as if no replica had been running.
func (p *Person) Earlier(c *Channel, thread, text string, ago time.Duration) string {
	s := p.server
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Now().Add(-ago).UnixMicro()
	id := func() string { return pad(at/1_000_000, 10) + "." + pad(at%1_000_000, 6) }
	for s.messages[place{c.ID, id()}] != nil {
		at++
	}
	m := &Message{Channel: c.ID, Thread: thread, User: p.ID, Bot: p.Bot, Text: text, TS: id()}
	where := place{c.ID, m.TS}
	s.messages[where] = m
	i, _ := slices.BinarySearchFunc(s.order, where, func(a, b place) int { return cmp.Compare(a.ts, b.ts) })
	s.order = slices.Insert(s.order, i, where)
	s.keep("person", m)
	return m.TS
}
