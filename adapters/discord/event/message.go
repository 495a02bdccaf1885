// Package event is what Discord tells, in this program's words: messages, commands, presses and
// files, and what is needed to answer them. Nothing here calls Discord.
package event

import (
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Message is a message that somebody wrote. Ref is the thread that an answer would belong to: of a
// message in a channel the thread that can be opened from it, which has the message's id.
type Message struct {
	Ref      thread.Ref
	ID       thread.MessageID
	EventKey string
	Author   thread.Person
	By       session.Stopper // the author, as somebody who may stop an answer
	Starter  string          // who began the thread, where that is the author; empty else
	Text     string          // as a model should read it
	At       time.Time
	Late     bool         // found after an interruption
	Event    policy.Event // what the platform says of it
	Files    []Attachment
	Hidden   bool // what was written cannot be read without the MESSAGE CONTENT intent

	Stands string // where it stands
	Raw    *discordgo.Message
}

// Stop is a request to stop the turn that a message belongs to: its question, or a page of its
// answer.
type Stop struct {
	Ref     thread.Ref // Thread is not known
	Message thread.MessageID
	By      session.Stopper
	Deleted bool // the message was deleted
	Asked   bool // Deleted: this process knows it as a question
}

// Place returns where a note stands, as it is remembered, with its id: the channel of its home, and
// as Thread what it was written to.
func (m Message) Place() thread.Ref {
	at := m.Ref
	at.Thread = m.Stands
	return at
}

// IsReply reports whether the message answers another one.
func (m Message) IsReply() bool { return m.Raw != nil && m.Raw.ReferencedMessage != nil }
