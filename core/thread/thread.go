// Package thread is the port to threads of chat platforms. It defines addresses of threads,
// questions, actions, and the surfaces that messages are posted to.
package thread

import (
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
)

// Platform names a chat platform: "slack", "discord", "console".
type Platform string

// Ref is the address of a thread, and the key of its session. Thread is the platform's id of the
// root message or thread. In a direct conversation without threads, Thread equals Channel.
type Ref struct {
	Platform  Platform
	Workspace string // Slack team, Discord guild; empty where the platform has none
	Channel   string
	Thread    string
}

// MessageID is a platform's id of a message, unique within its channel.
type MessageID string

// Person is the account of a person on a chat platform.
type Person struct {
	ID   string
	Name string // as displayed; never used to decide anything
}

// Called returns the person's name for use in a sentence, or "A person" without a name.
func (p Person) Called() string {
	if name := strings.Join(strings.Fields(p.Name), " "); name != "" {
		return name
	}
	return "A person"
}

// Mention is a question that a platform adapter passes to the core. It contains only facts that the
// platform reports. The core decides whether to answer.
type Mention struct {
	Ref      Ref
	EventKey string // the platform's id of this delivery; the same key is never taken in twice
	// Message is the id of the question. If a platform sends two events for one message, both have
	// the same id.
	Message MessageID
	Asker   Person
	Starter string // id of the person who began the thread; empty when the adapter does not know
	Text    string
	Files   []message.File // attached, each with its text or with why it could not be read
	At      time.Time      // the platform's time of the message; for display only, never for order
	Direct  bool           // a conversation with the bot alone
	Agent   string         // name of the agent that the asker chose; empty: the channel's
	Models  []string       // names of the models that the asker chose; none: the agent's
	Tenant  access.TenantID
	Listens access.Audience // who will see the answer
}
