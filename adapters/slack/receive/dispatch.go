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
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/thread"
)

// peek notes what an event tells that another one of the same message lacks, before either is
// handled.
func (c *Receiver) peek(ctx context.Context, kind string, raw []byte) {
	if kind != "events_api" || !bytes.Contains(raw, []byte(`"message"`)) {
		return
	}
	cb, err := decode[event.Callback](ctx, "an event", raw)
	if err == nil && cb.Event.Type == "message" && cb.Event.TS != "" && cb.Event.Deleted == "" && cb.Event.Message == nil {
		c.reader.TellOfFiles(string(cb.Event.Channel), cb.Event.TS, event.StatedFiles(cb.Event.Files))
	}
}

// smallPayload is how many bytes are decoded without a grant of memory: Slack waits three seconds,
// and almost all have less.
const smallPayload = 16 << 10

// decode is event.Decode with the memory that it needs.
func decode[T any](ctx context.Context, what string, raw []byte) (T, error) {
	if len(raw) <= smallPayload {
		return event.Decode[T](what, raw)
	}
	return footprint.Hold(ctx, footprint.Frame, int64(len(raw)), func(context.Context) (T, error) { return event.Decode[T](what, raw) })
}

// handle dispatches one payload. kind is that of a Socket Mode envelope. The sentence is for a
// command's person.
func (c *Receiver) handle(ctx context.Context, h event.Handler, kind string, raw []byte) (sentence string, err error) {
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
		return h.Command(ctx, event.Command{
			Name: s.Command, Text: event.TypedText(s.Text), EventKey: pressKey(s.Trigger, s.User, s.Channel, s.Command, s.Text), Ref: c.slack.Ref(s.Channel, ""),
			By: thread.Person{ID: s.User, Name: s.Name}, Direct: strings.HasPrefix(s.Channel, "D"),
		})
	case "interactive":
		i, err := decode[event.Interaction](ctx, "an interaction", raw)
		if err != nil {
			return "", err
		}
		return "", c.interaction(ctx, h, i)
	default:
		return "", nil // of a kind that this version does not know
	}
	cb, err := decode[event.Callback](ctx, "an event", raw)
	if err != nil && ctx.Err() != nil {
		return "", err // it waited for memory, and comes again
	}
	if err != nil {
		c.slack.Logger.WarnContext(ctx, "event could not be read and is dropped", "error", err)
		return "", nil // it will not be better the next time
	}
	e := cb.Event
	if cb.Type == "app_rate_limited" {
		c.slack.Logger.WarnContext(ctx, "slack holds events back: more than 30,000 came within an hour")
		return "", nil
	}
	if !cb.Concerns(c.slack.Identity().Team) {
		c.slack.Logger.WarnContext(ctx, "event of another workspace ignored", "workspace", cb.Team)
		if m := event.ReadMessage(c.slack, cb); e.Type == "app_mention" || e.Type == "message" && m.Direct && m.Change == event.Created {
			m.Ref.Workspace = cb.Team
			h.Foreign(ctx, m)
		}
		return "", nil
	}
	if l, listens := h.(event.Listener); listens && slices.Contains(converts, e.Type+e.Subtype) {
		l.Converted(c.slack.Ref(string(e.Channel), ""))
	}
	greeter, greets := h.(event.Greeter)
	if ours, err := c.directory.Changed(ctx, e, raw); ours {
		if err == nil && greets && e.Type == "member_joined_channel" && string(e.User) == c.slack.Identity().User && e.Inviter != "" {
			err = greeter.Invited(ctx, c.slack.Ref(string(e.Channel), ""), e.Inviter)
		}
		return "", err
	}
	switch e.Type {
	case "message", "app_mention":
		return "", h.Message(ctx, event.ReadMessage(c.slack, cb))
	case "reaction_added":
		if e.Item.TS == "" || string(e.User) == c.slack.Identity().User { // a file's has none
			return "", nil
		}
		name, _, _ := strings.Cut(e.Reaction, "::") // without the skin tone
		return "", h.Reaction(ctx, event.Reaction{
			Ref: c.slack.Ref(e.Item.Channel, ""), Message: thread.MessageID(e.Item.TS), Name: name, By: string(e.User),
		})
	case "agent_session_stopped":
		return "", c.sessionStopped(ctx, h, e)
	case "app_home_opened":
		if e.Tab == "home" && greets {
			return "", greeter.Home(ctx, event.Opened{Ref: c.slack.Ref(string(e.Channel), "")}, string(e.User))
		}
		if e.Tab != "" && e.Tab != "messages" {
			return "", nil
		}
		return "", h.Opened(ctx, event.Opened{Ref: c.slack.Ref(string(e.Channel), ""), By: string(e.User)})
	case "assistant_thread_started":
		return "", h.Opened(ctx, event.Opened{Ref: c.slack.Ref(e.Assistant.Channel, e.Assistant.Thread), By: e.Assistant.User})
	case "tokens_revoked", "app_uninstalled":
		c.slack.Logger.ErrorContext(ctx, "slack has withdrawn the app's tokens; install the app to the workspace again and set the new SLACK_BOT_TOKEN",
			"event", e.Type)
		return "", nil
	default: // app_context_changed, assistant_thread_context_changed, and whatever comes to be
		return "", nil
	}
}

// pressKey names a command, a press or a form that was sent. The trigger alone would do, but for a
// proxy that leaves it out or gives the same one always: then what is certainly not the same is not
// taken for a second delivery.
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

// converts are the events after which a channel is for others than before, or not for the bot any
// more; some are subtypes of messages.
var converts = []string{
	"channel_converted_to_private", "messagechannel_convert_to_private", "messagechannel_convert_to_public", "channel_left", "group_left", "channel_deleted", "group_deleted",
}

// sessionStopped passes on that somebody pressed the stop button of Slack's own client: each stream
// that it ended, or, while nothing is being streamed, the thread.
func (c *Receiver) sessionStopped(ctx context.Context, h event.Handler, e event.Event) error {
	stop := event.Reaction{Ref: c.slack.Ref(string(e.Channel), e.Thread), By: string(e.User)}
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
func (c *Receiver) interaction(ctx context.Context, h event.Handler, i event.Interaction) error {
	p := event.Press{
		EventKey: pressKey(i.Trigger, i.User.ID, i.Type, i.Callback), By: i.User.ID, ByName: i.User.Name, Trigger: i.Trigger, ResponseURL: i.Response,
		Ephemeral: i.Container.Ephemeral,
	}
	channel, ts, root := cmp.Or(i.Channel.ID, i.Container.Channel), cmp.Or(i.Message.TS, i.Container.TS), cmp.Or(i.Message.Thread, i.Container.Thread)
	p.Ref, p.Message = c.slack.Ref(channel, cmp.Or(root, ts)), thread.MessageID(ts)
	p.Direct = strings.HasPrefix(channel, "D")
	switch i.Type {
	case "block_actions":
		for _, a := range i.Actions {
			var ours bool
			if p.Action, p.Turn, ours = event.ParseAction(a.ID); !ours {
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
		if p.Action, p.Turn, ours = event.ParseAction(i.Callback); !ours {
			return nil
		}
		p.Author, p.Files = i.Message.User, event.StatedFiles(i.Message.Files)
		p.EventKey = pressKey(i.Trigger, i.User.ID, channel, ts, i.Callback)
		p.Text, _, _ = event.ReadText(i.Message.Words(i.Message.Text), c.slack.Identity().User)
		return h.Press(ctx, p)
	case "view_submission":
		var ours bool
		if p.Action, p.Turn, ours = event.ParseAction(i.View.Callback); !ours {
			return nil
		}
		p.Sent, p.Form = true, make(map[string]string)
		p.Value, p.Ref, p.Message = c.writer.ReadForm(i.View.Private)
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
