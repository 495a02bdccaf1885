package slack

import (
	"context"
	"fmt"
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
	Reaction(ctx context.Context, r Reaction) error
	// Command returns a sentence that the person alone is shown.
	Command(ctx context.Context, c Command) (string, error)
	Press(ctx context.Context, p Press) error
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
	Attempt  int // 0 for the first delivery

	Own, System, Bot bool
	Direct           bool
	InThread         bool // a reply
	Mentioned        bool // the bot, outside code
	OthersNamed      bool
}

// Reaction is an emoji that somebody put on a message, or the stop button of Slack's own client.
type Reaction struct {
	Ref     thread.Ref // Thread is empty
	Message thread.MessageID
	Name    string // "octagonal_sign"; empty for the stop button
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

// Press is a pressed button of an answer.
type Press struct {
	Action  Action
	Value   string
	Ref     thread.Ref
	Message thread.MessageID
	By      string
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
		return "", c.event(ctx, h, cb, attempt)
	case "slash_commands":
		s, err := decode[slash]("a command", raw)
		if err != nil {
			return "", err
		}
		return h.Command(ctx, Command{
			Name: s.Command, Text: strings.TrimSpace(s.Text), EventKey: "trigger:" + s.Trigger, Ref: c.ref(s.Channel, ""),
			By: thread.Person{ID: s.User, Name: s.Name}, Direct: strings.HasPrefix(s.Channel, "D"),
		})
	case "interactive":
		i, err := decode[interaction]("an interaction", raw)
		if err != nil || i.Type != "block_actions" {
			return "", err
		}
		for _, a := range i.Actions {
			action, ours := strings.CutPrefix(a.ID, actionPrefix)
			if !ours {
				continue
			}
			root := i.Message.Thread
			if root == "" {
				root = i.Message.TS
			}
			err = h.Press(ctx, Press{
				Action: Action(action), Value: a.Value, Ref: c.ref(i.Channel.ID, root), Message: thread.MessageID(i.Message.TS), By: i.User.ID,
			})
			if err != nil {
				return "", err
			}
		}
		return "", nil
	default:
		return "", nil // of a kind that this version does not know
	}
}

func (c *Client) ref(channel, root string) thread.Ref {
	return thread.Ref{Platform: Platform, Workspace: c.Identity().Team, Channel: channel, Thread: root}
}

func (c *Client) event(ctx context.Context, h Handler, cb callback, attempt int) error {
	e := cb.Event
	if team := c.Identity().Team; cb.Team != "" && cb.Team != team {
		c.logger.WarnContext(ctx, "event of another workspace ignored", "workspace", cb.Team)
		return nil
	}
	switch e.Type {
	case "message", "app_mention":
		return h.Message(ctx, c.message(cb, attempt))
	case "reaction_added":
		if e.Item.Type != "message" || e.User == c.Identity().User {
			return nil
		}
		name, _, _ := strings.Cut(e.Reaction, "::") // without the skin tone
		return h.Reaction(ctx, Reaction{
			Ref: c.ref(e.Item.Channel, ""), Message: thread.MessageID(e.Item.TS), Name: name, By: e.User,
		})
	case "agent_session_stopped":
		for _, ts := range e.Streams {
			err := h.Reaction(ctx, Reaction{Ref: c.ref(e.Channel, ""), Message: thread.MessageID(ts), By: e.User, Stopped: true})
			if err != nil {
				return err
			}
		}
		return nil
	case "member_joined_channel", "member_left_channel", "channel_shared", "channel_unshared", "channel_converted_to_private":
		c.directory.forgetChannel(e.Channel)
		return nil
	default:
		return nil
	}
}

// message states what Slack says about a message.
func (c *Client) message(cb callback, attempt int) Message {
	e, me := cb.Event, c.Identity()
	m := Message{EventKey: cb.ID, Attempt: attempt, Direct: e.ChannelType == "im" || strings.HasPrefix(e.Channel, "D")}
	about := message{User: e.User, BotID: e.BotID, Text: e.Text, TS: e.TS, Thread: e.Thread}
	switch e.Subtype {
	case "", "file_share", "thread_broadcast", "me_message":
	case "bot_message":
		m.Bot = true
	case "message_changed":
		m.Change = Edited
		if e.Message != nil {
			about = *e.Message
		}
	case "message_deleted":
		m.Change = Deleted
		if e.Previous != nil {
			about = *e.Previous
		}
		about.TS = e.Deleted
	default: // joins, topics, pins and whatever comes to be
		m.System = true
	}
	root := about.Thread
	if root == "" {
		root = about.TS
	}
	m.Ref, m.ID, m.Author = c.ref(e.Channel, root), thread.MessageID(about.TS), about.User
	m.InThread = root != about.TS
	if m.Starter = e.Parent; !m.InThread {
		m.Starter = about.User
	}
	m.Own = about.User == me.User || about.BotID != "" && about.BotID == me.Bot
	m.Bot = m.Bot || about.BotID != ""
	m.At = parseTS(about.TS)
	m.Text, m.Mentioned, m.OthersNamed = readText(about.Text, me.User)
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
