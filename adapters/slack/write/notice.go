package write

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// Whisper shows a sentence to one person in a thread, or in the channel if to.Thread is empty. If
// direct is set, it posts an ordinary message. subject is the id on which the buttons act, such as
// a turn's.
func (c *Writer) Whisper(ctx context.Context, to thread.Ref, person, sentence string, direct bool, subject string, buttons ...thread.Button) error {
	return c.WhisperAt(ctx, to, person, sentence, time.Time{}, direct, subject, buttons...)
}

// WhisperAt is like Whisper, but shows the time at in the reader's time zone. The sentence must
// contain that time as thread.Clock(at). A zero at has no effect.
func (c *Writer) WhisperAt(
	ctx context.Context, to thread.Ref, person, sentence string, at time.Time, direct bool, subject string, buttons ...thread.Button,
) error {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	options := append(noticeAt(sentence, at, subject, buttons), api.MsgOptionTS(to.Thread))
	var err error
	if direct {
		c.slack.Pacing().Count(ctx, to, thread.Create)
		_, _, err = c.slack.API.PostMessageContext(ctx, to.Channel, options...)
	} else {
		_, err = c.slack.API.PostEphemeralContext(ctx, to.Channel, person, options...)
	}
	return call.Translate("tell a person something", err, false)
}

// shownQuestion is the maximum length in characters of a question that the bot posts for a command.
const shownQuestion = 2800

// Ask posts the question of a command in a channel and returns the thread of the new message. The
// answer belongs in this thread.
func (c *Writer) Ask(ctx context.Context, channel string, asker thread.Person, question string) (thread.Ref, error) {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	c.slack.Pacing().Count(ctx, c.slack.Ref(channel, ""), thread.Create)
	_, ts, err := c.slack.API.PostMessageContext(ctx, channel, append(asked(asker.Name+" asks: ", question),
		api.MsgOptionMetadata(api.SlackMetadata{EventType: event.NoticeType, EventPayload: map[string]any{}}))...)
	if err != nil {
		return thread.Ref{}, call.Translate("post the question", err, true)
	}
	return c.slack.Ref(channel, ts), nil
}

// Private begins a thread in a direct conversation, for a question that was asked elsewhere. If
// again is set, it reuses a thread from an earlier attempt. begun is false for a reused thread.
func (c *Writer) Private(ctx context.Context, channel, turn, question string, again bool) (to thread.Ref, begun bool, err error) {
	if again {
		found, err := c.slack.History(ctx, &api.GetConversationHistoryParameters{ChannelID: channel, Limit: call.FirstPage, IncludeAllMetadata: true})
		if err != nil {
			return thread.Ref{}, false, err
		}
		for _, m := range found.Messages {
			if m.Metadata.EventType == event.PrivateType && m.Metadata.EventPayload["turn"] == turn {
				return c.slack.Ref(channel, m.Timestamp), false, nil
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	c.slack.Pacing().Count(ctx, c.slack.Ref(channel, ""), thread.Create)
	_, ts, err := c.slack.API.PostMessageContext(ctx, channel, append(asked("You asked: ", question),
		api.MsgOptionMetadata(api.SlackMetadata{EventType: event.PrivateType, EventPayload: map[string]any{"turn": turn}}))...)
	if err != nil {
		return thread.Ref{}, false, call.Translate("post the question", err, true)
	}
	return c.slack.Ref(channel, ts), true, nil
}

func asked(who, question string) []api.MsgOption {
	if r := []rune(question); len(r) > shownQuestion {
		question = string(r[:shownQuestion]) + "…"
	}
	return plainly(render.Neutral(answer.Visible(who + question)))
}

// plainly returns the content of a message whose text Slack does not interpret as markup.
func plainly(text string) []api.MsgOption {
	return []api.MsgOption{
		api.MsgOptionText(render.Entities.Replace(text), false),
		api.MsgOptionBlocks(api.NewSectionBlock(api.NewTextBlockObject(api.PlainTextType, text, false, false), nil, nil)),
		api.MsgOptionDisableLinkUnfurl(), api.MsgOptionDisableMediaUnfurl(),
	}
}

// DirectChannel opens the direct conversation with a person, if necessary, and returns its id.
func (c *Writer) DirectChannel(ctx context.Context, person string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	channel, _, _, err := c.slack.API.OpenConversationContext(ctx, &api.OpenConversationParameters{Users: []string{person}})
	if err != nil {
		return "", fmt.Errorf("open a direct message: %w", call.Explain("conversations.open", err))
	}
	return channel.ID, nil
}

// Tell posts a notice in a thread. subject is the id on which the buttons act, such as a turn's.
func (c *Writer) Tell(ctx context.Context, to thread.Ref, sentence, subject string, buttons ...thread.Button) (thread.MessageID, error) {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	c.slack.Pacing().Count(ctx, to, thread.Create)
	_, ts, err := c.slack.API.PostMessageContext(ctx, to.Channel, append(notice(sentence, subject, buttons), api.MsgOptionTS(to.Thread))...)
	return thread.MessageID(ts), call.Translate("post a notice", err, true)
}

// PostReport posts plain text to a channel, outside threads. subject is stored in the message's
// metadata.
func (c *Writer) PostReport(ctx context.Context, to thread.Ref, text, subject string) (thread.MessageID, error) {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	to.Thread = ""
	c.slack.Pacing().Count(ctx, to, thread.Create)
	_, ts, err := c.slack.API.PostMessageContext(ctx, to.Channel, append(plainly(render.Neutral(answer.Visible(text))),
		api.MsgOptionMetadata(api.SlackMetadata{EventType: event.NoticeType, EventPayload: map[string]any{"subject": subject}}))...)
	return thread.MessageID(ts), call.Translate("post a report", err, true)
}

// Retell replaces the text of a notice and removes its buttons.
func (c *Writer) Retell(ctx context.Context, to thread.Ref, id thread.MessageID, sentence, subject string) error {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	c.slack.Pacing().Count(ctx, to, thread.Edit)
	_, _, _, err := c.slack.API.UpdateMessageContext(ctx, to.Channel, string(id), notice(sentence, subject, nil)...)
	return call.Translate("change a notice", err, false)
}

// Untell deletes a notice. It returns nil if the notice no longer exists.
func (c *Writer) Untell(ctx context.Context, to thread.Ref, id thread.MessageID) error {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	_, _, err := c.slack.API.DeleteMessageContext(ctx, to.Channel, string(id))
	if call.Code(err) == "message_not_found" {
		return nil
	}
	return call.Translate("take a notice back", err, false)
}

func notice(sentence, subject string, buttons []thread.Button) []api.MsgOption {
	return noticeAt(sentence, time.Time{}, subject, buttons)
}

// noticeAt returns the content of a notice. Slack shows thread.Clock(at) in the sentence as a time
// in the reader's time zone.
func noticeAt(sentence string, at time.Time, subject string, buttons []thread.Button) []api.MsgOption {
	date := fmt.Sprintf("<!date^%d^{time}|%s>", at.Unix(), thread.Clock(at))
	text := thread.LocalTime(render.Mrkdwn(sentence), at, date)
	var blocks []api.Block
	for _, part := range render.MrkdwnParts(sentence) {
		blocks = append(blocks, api.NewSectionBlock(mrkdwnText(thread.LocalTime(part, at, date)), nil, nil))
	}
	var elements []api.BlockElement
	for _, b := range buttons {
		elements = append(elements, button(b, subject))
	}
	if len(elements) > 0 {
		blocks = append(blocks, api.NewActionBlock("", elements...))
	}
	return []api.MsgOption{
		api.MsgOptionText(text, false), api.MsgOptionBlocks(blocks...), api.MsgOptionDisableLinkUnfurl(), api.MsgOptionDisableMediaUnfurl(),
		api.MsgOptionMetadata(api.SlackMetadata{EventType: event.NoticeType, EventPayload: map[string]any{"subject": subject}}),
	}
}
