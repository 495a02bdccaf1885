// Package event is what Slack tells, in this program's words: messages, reactions, commands,
// presses and files, read from what comes and from what is stored, and the marks by which the bot's
// own messages are known again. Nothing here calls Slack.
package event

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Handler is told what happens. An error means that the event was not taken in: Slack delivers it
// again. Methods are called concurrently, but for one channel in the order of arrival.
type Handler interface {
	Message(ctx context.Context, m Message) error
	// Foreign is told of questions to another workspace's installation of the app, which are not
	// answered.
	Foreign(ctx context.Context, m Message)
	Reaction(ctx context.Context, r Reaction) error
	// Command returns what the person alone is shown, in Markdown.
	Command(ctx context.Context, c Command) (string, error)
	Press(ctx context.Context, p Press) error
	// Opened is called when a person opens the conversation with the bot.
	Opened(ctx context.Context, o Opened) error
}

// Greeter is implemented by handlers that say who the bot is.
type Greeter interface {
	// Invited is called when a person has added the bot to a channel.
	Invited(ctx context.Context, channel thread.Ref, by string) error
	// Home is called when a person opens the home tab of the bot.
	Home(ctx context.Context, o Opened, by string) error
}

// Listener is implemented by handlers that want to know of channels that may be for others now.
type Listener interface {
	Converted(channel thread.Ref)
}

// Change says that a message is not new.
type Change int

// What can have happened to a message.
const (
	Created Change = iota
	Edited
	Deleted
)

// Message is a message as Slack tells of it. Several events may tell of one.
type Message struct {
	EventKey string
	Ref      thread.Ref // Thread is the root's id, which is its own for a root
	ID       thread.MessageID
	Author   string // user id
	Starter  string // user id of who began the thread; empty when Slack does not say
	Text     string // without the mention of the bot; markup replaced by what it stands for
	At       time.Time
	Change   Change
	Late     bool // for the handler: it was read (Client.Unheard) and not heard
	Alone    bool // where it was read: nothing stands below it
	// Overtaken says, of a reply that was read, that another person has written in its thread since.
	Overtaken bool
	Files     []File // attached; not known yet when FilesUnknown

	Own, System, Bot bool
	Direct           bool
	InThread         bool // a reply
	Mentioned        bool // the bot, outside code
	OthersNamed      bool
	FilesUnknown     bool // Slack tells of files only in another event of the same message, or when it is asked (Client.Attached)
}

// Reaction is an emoji that somebody put on a message, or the stop button of Slack's own client.
type Reaction struct {
	Ref     thread.Ref       // Thread is empty for an emoji
	Message thread.MessageID // empty for the stop button while nothing was being streamed: the thread is meant
	Name    string           // "octagonal_sign"; empty for the stop button
	By      string
	// Stopped says that Slack has ended the message's stream already, whoever pressed the button.
	Stopped bool
}

// Command is a slash command.
type Command struct {
	Name, Text string
	EventKey   string
	Ref        thread.Ref // Thread is empty
	By         thread.Person
	Direct     bool
}

// Press is a pressed button, a shortcut that was chosen in a message's menu, or a form that was
// sent.
type Press struct {
	Action   thread.Action
	Turn     string // that a button or a form is about
	Value    string // of the button; what was given to the form when it was opened
	EventKey string
	Ref      thread.Ref
	Message  thread.MessageID
	By       string
	ByName   string
	Trigger  string // opens a form, within three seconds
	Text     string // of the message that a shortcut was chosen for, readable
	Author   string // likewise: user id of who wrote it
	Files    []File // likewise
	Direct   bool
	// Ephemeral says that the message is shown to this person alone. It can only be replaced,
	// through ResponseURL.
	Ephemeral   bool
	ResponseURL string
	Form        map[string]string // what was filled in, by the field's name
	Sent        bool              // a form was sent
}

// Opened is a person who opened the conversation with the bot. Ref.Thread is empty where the
// conversation has no thread yet.
type Opened struct {
	Ref thread.Ref
	By  string
}
