package receive

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// peek stores the files from a message event before any event of the message is handled. The
// app_mention event of the same message does not list them.
func (c *Receiver) peek(ctx context.Context, kind string, raw []byte) {
	if kind != "events_api" || !bytes.Contains(raw, []byte(`"message"`)) {
		return
	}
	cb, err := decode[event.Callback](ctx, "an event", raw)
	if err == nil && cb.Event.Type == "message" && cb.Event.TS != "" && cb.Event.Deleted == "" && cb.Event.Message == nil {
		c.reader.TellOfFiles(string(cb.Event.Channel), cb.Event.TS, event.StatedFiles(cb.Event.Files))
	}
}

// smallPayload is the maximum size in bytes of a payload that is decoded at once. Larger payloads
// wait until memory is available.
const smallPayload = 16 << 10

// decode calls event.Decode. For a payload larger than smallPayload, it first waits until memory is
// available.
func decode[T any](ctx context.Context, what string, raw []byte) (T, error) {
	if len(raw) <= smallPayload {
		return event.Decode[T](what, raw)
	}
	return footprint.Hold(ctx, footprint.Frame, int64(len(raw)), func(context.Context) (T, error) { return event.Decode[T](what, raw) })
}

// handle dispatches one payload. kind is the type of a Socket Mode envelope. For a command, it
// returns the sentence to show to the person.
func (c *Receiver) handle(ctx context.Context, h chat.Handler, kind string, raw []byte) (sentence string, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.slack.Logger.ErrorContext(ctx, "event handler panicked", "kind", kind, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("handle %s from Slack: the handler panicked", kind)
		}
	}()
	switch kind {
	case "events_api": // below
	case "slash_commands":
		s, err := decode[event.Slash](ctx, "a command", raw)
		if err != nil {
			return "", err
		}
		reply, err := h(ctx, chat.Event{Command: &chat.Command{
			Name: s.Command, Text: event.TypedText(s.Text), EventKey: pressKey(s.Trigger, s.User, s.Channel, s.Command, s.Text), Ref: c.slack.Ref(s.Channel, ""),
			By: thread.Person{ID: s.User, Name: s.Name}, Direct: strings.HasPrefix(s.Channel, "D"),
		}})
		return reply.Text, err
	case "interactive":
		i, err := decode[event.Interaction](ctx, "an interaction", raw)
		if err != nil {
			return "", err
		}
		return "", c.interaction(ctx, h, i)
	default:
		return "", nil // unknown to this version
	}
	cb, err := decode[event.Callback](ctx, "an event", raw)
	if err != nil && ctx.Err() != nil {
		return "", err // it waited for memory; Slack delivers it again
	}
	if err != nil {
		c.slack.Logger.WarnContext(ctx, "event could not be read and is dropped", "error", err)
		return "", nil // a redelivery would fail too
	}
	return "", c.callback(ctx, h, cb, raw)
}

func (c *Receiver) callback(ctx context.Context, h chat.Handler, cb event.Callback, raw []byte) error {
	e := cb.Event
	if cb.Type == "app_rate_limited" {
		c.slack.Logger.WarnContext(ctx, "slack holds events back: more than 30,000 came within an hour")
		return nil
	}
	if !cb.Concerns(c.slack.Identity().Team) {
		c.slack.Logger.WarnContext(ctx, "event of another workspace ignored", "workspace", cb.Team)
		if m := event.ReadMessage(c.slack, cb); e.Type == "app_mention" || e.Type == "message" && m.Direct && m.Change == policy.Created {
			m.Ref.Workspace = cb.Team
			return tell(ctx, h, chat.Event{Foreign: &m})
		}
		return nil
	}
	channel := c.slack.Ref(string(e.Channel), "")
	if slices.Contains(converts, e.Type+e.Subtype) {
		changed := chat.Changed{Workspace: channel.Workspace, Channel: channel.Channel, Urgent: true}
		if err := tell(ctx, h, chat.Event{Changed: &changed}); err != nil {
			return err
		}
	}
	if ours, err := c.directory.Changed(ctx, e, raw); ours {
		if err == nil && e.Type == "member_joined_channel" && string(e.User) == c.slack.Identity().User && e.Inviter != "" {
			err = tell(ctx, h, chat.Event{Added: &chat.Added{Ref: channel, By: e.Inviter}})
		}
		return err
	}
	switch e.Type {
	case "message", "app_mention":
		m := event.ReadMessage(c.slack, cb)
		if changed := event.Changed(m); changed != nil {
			if err := tell(ctx, h, chat.Event{Changed: changed}); err != nil {
				return err
			}
		}
		if e := event.About(m); e != (chat.Event{}) {
			_, err := h(ctx, e)
			return err
		}
		return nil
	case "reaction_added":
		if e.Item.TS == "" || string(e.User) == c.slack.Identity().User { // a reaction to a file has none
			return nil
		}
		name, _, _ := strings.Cut(e.Reaction, "::") // without the skin tone
		return tell(ctx, h, chat.Event{Reaction: &chat.Reaction{
			Ref: c.slack.Ref(e.Item.Channel, ""), Message: thread.MessageID(e.Item.TS), Name: name, By: session.Stopper{ID: string(e.User)},
		}})
	case "agent_session_stopped":
		return c.sessionStopped(ctx, h, e)
	case "app_home_opened":
		if e.Tab != "" && e.Tab != "messages" && e.Tab != "home" {
			return nil
		}
		return tell(ctx, h, chat.Event{Opened: &chat.Opened{Ref: channel, By: string(e.User), Home: e.Tab == "home"}})
	case "assistant_thread_started":
		at := c.slack.Ref(e.Assistant.Channel, e.Assistant.Thread)
		return tell(ctx, h, chat.Event{Opened: &chat.Opened{Ref: at, By: e.Assistant.User}})
	case "tokens_revoked", "app_uninstalled":
		c.slack.Logger.ErrorContext(ctx, "slack has withdrawn the app's tokens; install the app to the workspace again and set the new SLACK_BOT_TOKEN",
			"event", e.Type)
		return nil
	default: // app_context_changed, assistant_thread_context_changed, and unknown events
		return nil
	}
}

func tell(ctx context.Context, h chat.Handler, e chat.Event) error {
	_, err := h(ctx, e)
	return err
}

// pressKey returns a key that identifies repeated deliveries of the same command, press or form. It
// contains a hash of parts, because some proxies send equal triggers for different presses. Without
// a trigger, the key is random.
func pressKey(trigger string, parts ...string) string {
	if trigger == "" {
		return "press:" + rand.Text() // Slack delivers it once
	}
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = io.WriteString(h, part+"\x00") // never fails for a hash
	}
	return fmt.Sprintf("trigger:%s:%016x", trigger, h.Sum64())
}

// converts are the types of events that change the audience of a channel or remove the bot from it.
// Some are subtypes of messages.
var converts = []string{
	"channel_converted_to_private", "messagechannel_convert_to_private", "messagechannel_convert_to_public", "channel_left", "group_left", "channel_deleted", "group_deleted",
}

// sessionStopped handles a press of the stop button in Slack's client. It passes a chat.Reaction to
// the handler for each stopped stream, or one for the thread if there is no stream.
func (c *Receiver) sessionStopped(ctx context.Context, h chat.Handler, e event.Event) error {
	stop := chat.Reaction{Ref: c.slack.Ref(string(e.Channel), e.Thread), By: session.Stopper{ID: string(e.User)}}
	if len(e.Streams) == 0 {
		return tell(ctx, h, chat.Event{Reaction: &stop})
	}
	for _, ts := range e.Streams {
		ended := stop
		ended.Message, ended.By.Privileged = thread.MessageID(ts), true // Slack has ended it already
		if err := tell(ctx, h, chat.Event{Reaction: &ended}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Receiver) interaction(ctx context.Context, h chat.Handler, i event.Interaction) error {
	p := chat.Press{
		EventKey: pressKey(i.Trigger, i.User.ID, i.Type, i.Callback), By: thread.Person{ID: i.User.ID, Name: i.User.Name}, Ephemeral: i.Container.Ephemeral,
	}
	source := event.Source{Trigger: i.Trigger, ResponseURL: i.Response}
	channel, ts, root := cmp.Or(i.Channel.ID, i.Container.Channel), cmp.Or(i.Message.TS, i.Container.TS), cmp.Or(i.Message.Thread, i.Container.Thread)
	p.Ref, p.Message = c.slack.Ref(channel, cmp.Or(root, ts)), thread.MessageID(ts)
	p.At, p.Direct, p.Source = p.Ref, strings.HasPrefix(channel, "D"), source
	switch i.Type {
	case "block_actions":
		for _, a := range i.Actions {
			one, ours := p, false
			if one.Action, one.Turn, ours = event.ParseAction(a.ID); !ours {
				continue
			}
			one.EventKey = pressKey(i.Trigger, i.User.ID, ts, a.ID, a.Value, a.At)
			if err := tell(ctx, h, chat.Event{Press: &one}); err != nil {
				return err
			}
		}
		return nil
	case "message_action":
		var ours bool
		if p.Action, p.Turn, ours = event.ParseAction(i.Callback); !ours {
			return nil
		}
		source.Files = event.StatedFiles(i.Message.Files)
		p.EventKey = pressKey(i.Trigger, i.User.ID, channel, ts, i.Callback)
		p.Target = &chat.Target{Author: i.Message.User, Own: i.Message.User != "" && i.Message.User == c.slack.Identity().User}
		p.Target.Text, _, _ = event.ReadText(i.Message.Words(i.Message.Text), c.slack.Identity().User)
		p.Source = source
		return tell(ctx, h, chat.Event{Press: &p})
	case "view_submission":
		var ours bool
		if p.Action, p.Turn, ours = event.ParseAction(i.View.Callback); !ours {
			return nil
		}
		_, p.Ref, p.Message = c.writer.ReadForm(i.View.Private)
		p.At, p.Direct, p.Submitted = p.Ref, strings.HasPrefix(p.Ref.Channel, "D"), true
		for _, fields := range i.View.State.Values {
			if field, ok := fields[event.FieldText]; ok {
				p.Text = cmp.Or(field.Value, field.Selected.Value)
			}
		}
		p.EventKey = pressKey("view:"+i.View.ID, i.User.ID, i.View.Callback, p.Text)
		return tell(ctx, h, chat.Event{Press: &p})
	default: // view_closed, and unknown kinds
		return nil
	}
}
