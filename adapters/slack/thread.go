package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// noticeType marks what is said beside answers.
const noticeType = "footnote_notice"

// Whisper tells one person something in a thread; an empty thread is the channel itself. In a direct message it is an ordinary one. The
// buttons are about a turn, or whatever else subject names.
func (c *Client) Whisper(ctx context.Context, to thread.Ref, person, sentence string, direct bool, subject string, buttons ...thread.Button) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	options := append(notice(sentence, subject, buttons), api.MsgOptionTS(to.Thread))
	var err error
	if direct {
		c.pacing.Count(ctx, to, thread.Create)
		_, _, err = c.api.PostMessageContext(ctx, to.Channel, options...)
	} else {
		_, err = c.api.PostEphemeralContext(ctx, to.Channel, person, options...)
	}
	return translate("tell a person something", err, false)
}

// shownQuestion is how much of a command's question is repeated in the channel.
const shownQuestion = 2800

// Ask posts a question that came as a command, for the thread that its answer will stand in, and returns that thread.
func (c *Client) Ask(ctx context.Context, channel string, asker thread.Person, question string) (thread.Ref, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	c.pacing.Count(ctx, c.ref(channel, ""), thread.Create)
	_, ts, err := c.api.PostMessageContext(ctx, channel, append(asked(asker.Name+" asks: ", question),
		api.MsgOptionMetadata(api.SlackMetadata{EventType: noticeType, EventPayload: map[string]any{}}))...)
	if err != nil {
		return thread.Ref{}, translate("post the question", err, true)
	}
	return c.ref(channel, ts), nil
}

// privateType marks the message above a private answer.
const privateType = "footnote_private"

// Private begins a thread in the conversation with a person, for a question that the person asked elsewhere, and returns it; begun is
// false when it was there. again says that an earlier attempt may have begun it: then it is looked for.
func (c *Client) Private(ctx context.Context, channel, turn, question string, again bool) (to thread.Ref, begun bool, err error) {
	if again {
		found, err := c.history(ctx, &api.GetConversationHistoryParameters{ChannelID: channel, Limit: firstPage, IncludeAllMetadata: true})
		if err != nil {
			return thread.Ref{}, false, err
		}
		for _, m := range found.Messages {
			if m.Metadata.EventType == privateType && m.Metadata.EventPayload["turn"] == turn {
				return c.ref(channel, m.Timestamp), false, nil
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	c.pacing.Count(ctx, c.ref(channel, ""), thread.Create)
	_, ts, err := c.api.PostMessageContext(ctx, channel, append(asked("You asked: ", question),
		api.MsgOptionMetadata(api.SlackMetadata{EventType: privateType, EventPayload: map[string]any{"turn": turn}}))...)
	if err != nil {
		return thread.Ref{}, false, translate("post the question", err, true)
	}
	return c.ref(channel, ts), true, nil
}

// asked is a question that is repeated above its answer, as plain text.
func asked(who, question string) []api.MsgOption {
	if r := []rune(question); len(r) > shownQuestion {
		question = string(r[:shownQuestion]) + "…"
	}
	text := neutral(who + question)
	return []api.MsgOption{
		api.MsgOptionText(entities.Replace(text), false),
		api.MsgOptionBlocks(api.NewSectionBlock(api.NewTextBlockObject(api.PlainTextType, text, false, false), nil, nil)),
		api.MsgOptionDisableLinkUnfurl(), api.MsgOptionDisableMediaUnfurl(),
	}
}

// DirectChannel returns the conversation with a person.
func (c *Client) DirectChannel(ctx context.Context, person string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	channel, _, _, err := c.api.OpenConversationContext(ctx, &api.OpenConversationParameters{Users: []string{person}})
	if err != nil {
		return "", fmt.Errorf("open a direct message: %w", explain("conversations.open", err))
	}
	return channel.ID, nil
}

// Tell posts a notice into a thread, where everybody sees it, with buttons about what subject names.
func (c *Client) Tell(ctx context.Context, to thread.Ref, sentence, subject string, buttons ...thread.Button) (thread.MessageID, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	c.pacing.Count(ctx, to, thread.Create)
	_, ts, err := c.api.PostMessageContext(ctx, to.Channel, append(notice(sentence, subject, buttons), api.MsgOptionTS(to.Thread))...)
	return thread.MessageID(ts), translate("post a notice", err, true)
}

// Retell changes a notice.
func (c *Client) Retell(ctx context.Context, to thread.Ref, id thread.MessageID, sentence, subject string) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	c.pacing.Count(ctx, to, thread.Edit)
	_, _, _, err := c.api.UpdateMessageContext(ctx, to.Channel, string(id), notice(sentence, subject, nil)...)
	return translate("change a notice", err, false)
}

// Untell takes a notice back.
func (c *Client) Untell(ctx context.Context, to thread.Ref, id thread.MessageID) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	_, _, err := c.api.DeleteMessageContext(ctx, to.Channel, string(id))
	if code(err) == "message_not_found" {
		return nil
	}
	return translate("take a notice back", err, false)
}

// notice is a sentence, or some Markdown, with buttons under it, each about a turn or whatever else subject names.
func notice(sentence, subject string, buttons []thread.Button) []api.MsgOption {
	text := Mrkdwn(sentence)
	var blocks []api.Block
	for _, part := range answer.Parse(sentence).Pages(mrkdwn{}, answer.Policy{}, answer.RuneCount, MaxSection) {
		blocks = append(blocks, api.NewSectionBlock(mrkdwnText(ungapped(part.Text)), nil, nil))
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
		api.MsgOptionMetadata(api.SlackMetadata{EventType: noticeType, EventPayload: map[string]any{"subject": subject}}),
	}
}

// Notices lists what was said about a subject beside answers in a thread since a message.
func (c *Client) Notices(ctx context.Context, at thread.Ref, after thread.MessageID, subject string) ([]thread.MessageID, error) {
	if err := c.reads.Wait(ctx); err != nil {
		return nil, fmt.Errorf("look for notices: %w", err)
	}
	messages, _, _, err := c.replies(ctx, &api.GetConversationRepliesParameters{
		ChannelID: at.Channel, Timestamp: at.Thread, Oldest: string(after), Limit: nextPage, IncludeAllMetadata: true,
	})
	if code(err) == "missing_scope" {
		return nil, nil // nobody can know
	}
	if err != nil {
		return nil, err
	}
	var found []thread.MessageID
	for _, m := range messages {
		if m.User == c.Identity().User && isNotice(m, subject) {
			found = append(found, thread.MessageID(m.Timestamp))
		}
	}
	return found, nil
}

func isNotice(m api.Message, subject string) bool {
	return m.Metadata.EventType == noticeType && m.Metadata.EventPayload["subject"] == subject
}

// HalfWritten reports whether a message is an answer that is still being written, as far as can be seen: it offers to be stopped, or it is
// a stream that was not ended and so bears neither mark nor button. One that has gone is not.
func (c *Client) HalfWritten(ctx context.Context, at thread.Ref, id thread.MessageID) (bool, error) {
	if err := c.reads.Wait(ctx); err != nil {
		return false, fmt.Errorf("look at an answer: %w", err)
	}
	messages, _, _, err := c.replies(ctx, &api.GetConversationRepliesParameters{
		ChannelID: at.Channel, Timestamp: at.Thread, Oldest: string(id), Latest: string(id), Inclusive: true, Limit: 2, IncludeAllMetadata: true,
	})
	if err != nil {
		return false, err
	}
	for _, m := range messages {
		if m.Timestamp != string(id) || m.User != c.Identity().User {
			continue
		}
		blocks, err := json.Marshal(m.Blocks)
		if err != nil {
			return false, fmt.Errorf("look at an answer: %w", err)
		}
		begun := m.Metadata.EventType == "" && !strings.Contains(string(blocks), strings.TrimSuffix(thread.ButtonID("", ""), ":"))
		return begun || strings.Contains(string(blocks), thread.ButtonID(thread.ActionStop, "")), nil
	}
	return false, nil
}
