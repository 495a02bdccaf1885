// Package chat is the port to chat platforms. A platform reports events as [Event]. The core reads
// from and writes to a platform through [Platform].
package chat

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Handler handles one event. After an error the event counts as not handled, and the platform
// should redeliver it if it can. A handler is called concurrently, but messages of one channel
// arrive in order.
type Handler func(ctx context.Context, e Event) (Reply, error)

// Event is an event of a chat platform, independent of the vendor's format. Exactly one field is
// set. Fields named Source hold data that only the platform's adapter understands.
type Event struct {
	Message    *Message // written or edited
	Deletion   *Deletion
	Reaction   *Reaction // may stop an answer
	Command    *Command
	Press      *Press
	Typing     *Typing // the Reply holds choices
	Opened     *Opened
	Added      *Added
	Workspaces *Workspaces
	Changed    *Changed
	Foreign    *Message // a question to another workspace's installation of the app
}

// Reply is the response to an event. Only the person who caused the event sees it.
type Reply struct {
	Text    string   // reply to a Command, in Markdown
	Choices []string // suggestions for Typing
}

// Message is a message that a person or a bot wrote or edited. The platform may report the same
// message in several events.
type Message struct {
	policy.Event            // facts that decide whether the bot answers
	Ref          thread.Ref // the thread that an answer would belong to
	At           thread.Ref // thread of the message, to which notices are posted
	ID           thread.MessageID
	EventKey     string
	Author       thread.Person // the name may be empty
	Moderator    bool          // may manage other people's answers, if known
	Starter      string        // id of the person who began the thread; empty if unknown
	Text         string        // as a model should read it
	Written      time.Time
	Late         bool      // read after an outage instead of delivered
	Looked       time.Time // if Late: when the search for missed messages began; zero: now
	Hidden       bool      // the bot may not read the text
	Attached     bool      // has files, or may have
	Enclosed     bool      // its thread may have fewer readers than the channel
	Source       any       // the adapter's own
}

// Key returns a key that is unique among all messages of a platform.
func (m Message) Key() string { return m.Ref.Workspace + " " + m.Ref.Channel + " " + string(m.ID) }

// Deletion reports that a message was deleted.
type Deletion struct {
	Ref     thread.Ref // Thread and Channel may be empty
	Message thread.MessageID
	Of      Owner
}

// Owner says whose message was deleted.
type Owner int

// Owners of a message.
const (
	OfPerson  Owner = iota // may be a question whose event arrives after its deletion
	OfBot                  // an answer
	OfUnknown              // the platform does not say
)

// Reaction is a reaction to a message, or a press of the platform's own stop button.
type Reaction struct {
	Ref     thread.Ref       // Thread may be empty
	Message thread.MessageID // empty: the reaction applies to the thread
	Name    string           // name of the emoji; empty for a known stop request
	By      session.Stopper
}

// Command is a command that a person used: a slash command, or an entry in a message's menu.
type Command struct {
	Name, Text string     // Text: what was typed after the name
	Ref        thread.Ref // the thread that an answer would belong to
	EventKey   string
	By         thread.Person
	Moderator  bool // may manage other people's answers
	Admin      bool // may manage the workspace
	Direct     bool
	At         time.Time

	Question string
	Agent    string
	Models   string // names, separated by commas
	Private  bool   // only the person sees the answer
	Fresh    bool   // the command starts the thread Ref
	Target   *Target
	Source   any // the adapter's own
}

// Place returns the channel and thread in which the command was used. Thread is empty if the
// command starts a new thread.
func (c Command) Place() thread.Ref {
	at := c.Ref
	if c.Fresh {
		at.Thread = ""
	}
	return at
}

// Stopper returns the user of the command for a [session.StopRequest]. A moderator may stop the
// answers of other people.
func (c Command) Stopper() session.Stopper {
	return session.Stopper{ID: c.By.ID, Privileged: c.Moderator}
}

// Target is the message from whose menu a command or shortcut was chosen.
type Target struct {
	Text   string
	Author string // id
	Own    bool   // written by this bot
}

// Press is the use of a button, a menu entry or a form.
type Press struct {
	Action    thread.Action // empty if the press is not about an answer
	Turn      session.TurnID
	ID        string // the platform's id, if Action is empty
	Values    []string
	Ref       thread.Ref
	At        thread.Ref // thread in which it was used, like Message.At
	Message   thread.MessageID
	EventKey  string
	By        thread.Person
	Moderator bool   // may manage other people's answers, according to the event
	Admin     bool   // may manage the workspace
	Direct    bool   // in a direct message
	Ephemeral bool   // the message is shown to this person only
	Text      string // written into the form
	Submitted bool   // a form was sent
	Target    *Target
	Source    any // the adapter's own
}

// Typing is partial input for a command option that has suggestions.
type Typing struct {
	Command, Text string
}

// Opened says that a person opened the conversation with the bot. Ref.Thread may be empty.
type Opened struct {
	Ref  thread.Ref
	By   string
	Home bool // the bot's home page, and not the conversation
}

// Added says that the bot was added to a channel or server. By is empty if the platform does not
// report the person.
type Added struct {
	Ref thread.Ref
	By  string
}

// Workspaces reports which workspaces the bot belongs to.
type Workspaces struct {
	All    []string // the complete list, after each connect; nil with Joined
	Joined string   // a workspace whose state has arrived, after connecting or when it is new
}

// Changed says that something in a channel changed. Sources that index chat history must read it
// again.
type Changed struct {
	Workspace, Channel string
	Key                string // thread or message that changed; empty: the channel's audience changed
	Urgent             bool   // an edit, a deletion or a changed audience, not only a new message
}
