package slack

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Handler is told what happens. An error means that the event was not taken in: Slack delivers it again. Methods are called
// concurrently, but for one channel in the order of arrival.
type Handler interface {
	Message(ctx context.Context, m Message) error
	// Foreign is told of questions to another workspace's installation of the app, which are not answered.
	Foreign(ctx context.Context, m Message)
	Reaction(ctx context.Context, r Reaction) error
	// Command returns what the person alone is shown, in Markdown.
	Command(ctx context.Context, c Command) (string, error)
	Press(ctx context.Context, p Press) error
	// Opened is called when a person opens the conversation with the bot.
	Opened(ctx context.Context, o Opened) error
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
	Attempt  int  // 0 for the first delivery
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

// Press is a pressed button, a shortcut that was chosen in a message's menu, or a form that was sent.
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
	// Ephemeral says that the message is shown to this person alone. It can only be replaced, through ResponseURL.
	Ephemeral   bool
	ResponseURL string
	Form        map[string]string // what was filled in, by the field's name
	Sent        bool              // a form was sent
}

// Opened is a person who opened the conversation with the bot. Ref.Thread is empty where the conversation has no thread yet.
type Opened struct {
	Ref thread.Ref
	By  string
}

// peek notes what an event tells that another one of the same message lacks, before either is handled.
func (c *Client) peek(kind string, raw []byte) {
	if kind != "events_api" || !bytes.Contains(raw, []byte(`"message"`)) {
		return
	}
	cb, err := decode[callback]("an event", raw)
	if err == nil && cb.Event.Type == "message" && cb.Event.TS != "" && cb.Event.Deleted == "" && cb.Event.Message == nil {
		c.twins.tell(string(cb.Event.Channel), cb.Event.TS, c.files(cb.Event.Files))
	}
}

// handle dispatches one payload. kind is that of a Socket Mode envelope. The sentence is for a command's person.
func (c *Client) handle(ctx context.Context, h Handler, kind string, raw []byte, attempt int) (sentence string, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.logger.ErrorContext(ctx, "event handler panicked", "kind", kind, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("handle %s from Slack: the handler panicked", kind)
		}
	}()
	switch kind {
	case "events_api":
		cb, err := decode[callback]("an event", raw)
		if err != nil {
			c.logger.WarnContext(ctx, "event could not be read and is dropped", "error", err)
			return "", nil // it will not be better the next time
		}
		return "", c.event(ctx, h, cb, raw, attempt)
	case "slash_commands":
		s, err := decode[slash]("a command", raw)
		if err != nil {
			return "", err
		}
		return h.Command(ctx, Command{
			Name: s.Command, Text: typedText(s.Text), EventKey: pressKey(s.Trigger, s.User, s.Channel, s.Command, s.Text), Ref: c.ref(s.Channel, ""),
			By: thread.Person{ID: s.User, Name: s.Name}, Direct: strings.HasPrefix(s.Channel, "D"),
		})
	case "interactive":
		i, err := decode[interaction]("an interaction", raw)
		if err != nil {
			return "", err
		}
		return "", c.interaction(ctx, h, i)
	default:
		return "", nil // of a kind that this version does not know
	}
}

// pressKey names a command, a press or a form that was sent. The trigger alone would do, but for a proxy that leaves it out or gives the
// same one always: then what is certainly not the same is not taken for a second delivery.
func pressKey(trigger string, parts ...string) string {
	if trigger == "" {
		return "press:" + rand.Text() // Slack delivers it once
	}
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = io.WriteString(h, part+"\x00") // a hash takes everything
	}
	return fmt.Sprintf("trigger:%s:%016x", trigger, h.Sum64())
}

func (c *Client) ref(channel, root string) thread.Ref {
	return thread.Ref{Platform: Platform, Workspace: c.Identity().Team, Channel: channel, Thread: root}
}

func (c *Client) event(ctx context.Context, h Handler, cb callback, raw []byte, attempt int) error {
	e := cb.Event
	if cb.Type == "app_rate_limited" {
		c.logger.WarnContext(ctx, "slack holds events back: more than 30,000 came within an hour")
		return nil
	}
	if !cb.concerns(c.Identity().Team) {
		c.logger.WarnContext(ctx, "event of another workspace ignored", "workspace", cb.Team)
		if m := c.message(cb, attempt); e.Type == "app_mention" || e.Type == "message" && m.Direct && m.Change == Created {
			m.Ref.Workspace = cb.Team
			h.Foreign(ctx, m)
		}
		return nil
	}
	if ours, err := c.directory.changed(ctx, e, raw); ours {
		return err
	}
	switch e.Type {
	case "message", "app_mention":
		return h.Message(ctx, c.message(cb, attempt))
	case "reaction_added":
		if e.Item.TS == "" || string(e.User) == c.Identity().User { // a file's has none
			return nil
		}
		name, _, _ := strings.Cut(e.Reaction, "::") // without the skin tone
		return h.Reaction(ctx, Reaction{
			Ref: c.ref(e.Item.Channel, ""), Message: thread.MessageID(e.Item.TS), Name: name, By: string(e.User),
		})
	case "agent_session_stopped":
		return c.sessionStopped(ctx, h, e)
	case "app_home_opened":
		if e.Tab != "" && e.Tab != "messages" {
			return nil
		}
		return h.Opened(ctx, Opened{Ref: c.ref(string(e.Channel), ""), By: string(e.User)})
	case "assistant_thread_started":
		return h.Opened(ctx, Opened{Ref: c.ref(e.Assistant.Channel, e.Assistant.Thread), By: e.Assistant.User})
	case "tokens_revoked", "app_uninstalled":
		c.logger.ErrorContext(ctx, "slack has withdrawn the app's tokens; install the app to the workspace again and set the new SLACK_BOT_TOKEN",
			"event", e.Type)
		return nil
	default: // app_context_changed, assistant_thread_context_changed, and whatever comes to be
		return nil
	}
}

// sessionStopped passes on that somebody pressed the stop button of Slack's own client: each stream that it ended, or, while nothing
// is being streamed, the thread.
func (c *Client) sessionStopped(ctx context.Context, h Handler, e event) error {
	stop := Reaction{Ref: c.ref(string(e.Channel), e.Thread), By: string(e.User)}
	if len(e.Streams) == 0 {
		return h.Reaction(ctx, stop)
	}
	for _, ts := range e.Streams {
		stop.Message, stop.Stopped = thread.MessageID(ts), true
		if err := h.Reaction(ctx, stop); err != nil {
			return err
		}
	}
	return nil
}

// interaction dispatches what somebody pressed, chose or sent.
func (c *Client) interaction(ctx context.Context, h Handler, i interaction) error {
	p := Press{
		EventKey: pressKey(i.Trigger, i.User.ID, i.Type, i.Callback), By: i.User.ID, ByName: i.User.Name, Trigger: i.Trigger, ResponseURL: i.Response,
		Ephemeral: i.Container.Ephemeral,
	}
	channel, ts, root := cmp.Or(i.Channel.ID, i.Container.Channel), cmp.Or(i.Message.TS, i.Container.TS), cmp.Or(i.Message.Thread, i.Container.Thread)
	p.Ref, p.Message = c.ref(channel, cmp.Or(root, ts)), thread.MessageID(ts)
	p.Direct = strings.HasPrefix(channel, "D")
	switch i.Type {
	case "block_actions":
		for _, a := range i.Actions {
			var ours bool
			if p.Action, p.Turn, ours = parseAction(a.ID); !ours {
				continue
			}
			p.Value, p.EventKey = a.Value, pressKey(i.Trigger, i.User.ID, ts, a.ID, a.Value, a.At)
			if err := h.Press(ctx, p); err != nil {
				return err
			}
		}
		return nil
	case "message_action":
		var ours bool
		if p.Action, p.Turn, ours = parseAction(i.Callback); !ours {
			return nil
		}
		p.Author, p.Files = i.Message.User, c.files(i.Message.Files)
		p.EventKey = pressKey(i.Trigger, i.User.ID, channel, ts, i.Callback)
		p.Text, _, _ = readText(i.Message.words(i.Message.Text), c.Identity().User)
		return h.Press(ctx, p)
	case "view_submission":
		var ours bool
		if p.Action, p.Turn, ours = parseAction(i.View.Callback); !ours {
			return nil
		}
		p.Sent, p.Form = true, make(map[string]string)
		p.Value, p.Ref, p.Message = c.openForm(i.View.Private)
		p.Direct = strings.HasPrefix(p.Ref.Channel, "D")
		for _, fields := range i.View.State.Values {
			for name, field := range fields {
				p.Form[name] = cmp.Or(field.Value, field.Selected.Value)
			}
		}
		p.EventKey = pressKey("view:"+i.View.ID, i.User.ID, i.View.Callback, p.Form["text"])
		return h.Press(ctx, p)
	default: // view_closed, and whatever comes to be
		return nil
	}
}

// message states what Slack says about a message.
func (c *Client) message(cb callback, attempt int) Message {
	e, me := cb.Event, c.Identity()
	m := Message{EventKey: cb.ID, Attempt: attempt, Direct: e.ChannelType == "im" || strings.HasPrefix(string(e.Channel), "D")}
	about := wireMessage{
		Subtype: e.Subtype, User: string(e.User), BotID: e.BotID, Text: e.Text, TS: e.TS, Thread: e.Thread, Parent: e.Parent, Files: e.Files,
		beside: e.beside,
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
	m.Ref, m.ID, m.Author = c.ref(string(e.Channel), root), thread.MessageID(about.TS), cmp.Or(about.User, about.BotID) // a webhook is no user
	m.InThread = root != about.TS
	if m.Starter = about.Parent; !m.InThread {
		m.Starter = m.Author
	}
	m.Own = about.User == me.User || about.BotID != "" && about.BotID == me.Bot
	m.Bot = m.Bot || about.BotID != ""
	m.At = parseTS(about.TS)
	m.Text, m.Mentioned, m.OthersNamed = readText(about.words(about.Text), me.User)
	m.Files = c.files(about.Files)
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
