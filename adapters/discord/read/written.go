package read

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Involved reports whether the bot has already responded to m with a reply or in m's thread. It
// ignores messages for which aside returns true, except in a thread that m opened.
func (c *Reader) Involved(ctx context.Context, m chat.Message, aside func(id thread.MessageID, text string) bool) (bool, error) {
	alone := m.Event.Direct || m.Ref.Thread == m.At.Thread
	listed, err := c.own(ctx, m.At.Thread, string(m.ID))
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(listed, func(said *discordgo.Message) bool {
		to := repliesTo(said)
		return (to == string(m.ID) || alone && to == "") && !aside(thread.MessageID(said.ID), said.Content)
	}) {
		return true, nil
	}
	if alone {
		return false, nil
	}
	listed, err = c.own(ctx, string(m.ID), "0")
	if errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotPermitted) {
		return false, nil // it has no thread
	}
	return len(listed) > 0, err
}

// Noted returns the ids of the bot's replies to a question in the channel at.Thread. It includes
// only replies for whose content text returns true.
func (c *Reader) Noted(ctx context.Context, at thread.Ref, question thread.MessageID, text func(string) bool) ([]thread.MessageID, error) {
	listed, err := c.own(ctx, at.Thread, string(question))
	if errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotPermitted) {
		return nil, nil
	}
	var notes []thread.MessageID
	for _, said := range listed {
		if repliesTo(said) == string(question) && text(said.Content) {
			notes = append(notes, thread.MessageID(said.ID))
		}
	}
	return notes, err
}

// PostedReports lists the bot's messages in a channel since a time whose first line equals the
// first line of text. It fails with errors.ErrUnsupported if the bot may not read the channel's
// history, or if the channel has too many messages since then.
func (c *Reader) PostedReports(ctx context.Context, channel string, since time.Time, text string) ([]thread.MessageID, error) {
	title, _, _ := strings.Cut(text, "\n")
	title = render.EscapeText(answer.Visible(title))
	self, err := c.discord.WhoAmI(ctx)
	if err != nil {
		return nil, err
	}
	var found []thread.MessageID
	after := call.IdAt(since)
	for range mostPages {
		var page []*discordgo.Message
		if err := c.discord.API.MessagesAfter(ctx, channel, after, call.HistoryLimit, &page); err != nil {
			if call.Code(err) == call.CodeMissingAccess || call.Code(err) == call.CodeMissingPermission {
				err = fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
			}
			return nil, err
		}
		for _, m := range page {
			if call.Newer(m.ID, after) {
				after = m.ID
			}
			if line, _, _ := strings.Cut(m.Content, "\n"); m.Author != nil && m.Author.ID == self && line == title {
				found = append(found, thread.MessageID(m.ID))
			}
		}
		if len(found) > 0 || len(page) < call.HistoryLimit {
			return found, nil
		}
	}
	return nil, fmt.Errorf("look for a report: %w: the channel has too many messages since", errors.ErrUnsupported)
}

const mostPages = 20

// own returns the bot's messages among the [call.HistoryLimit] messages that follow the message
// with the id after.
func (c *Reader) own(ctx context.Context, channel, after string) ([]*discordgo.Message, error) {
	var listed []*discordgo.Message
	self, err := c.discord.WhoAmI(ctx)
	if err != nil {
		return nil, err
	}
	err = c.discord.API.MessagesAfter(ctx, channel, after, call.HistoryLimit, &listed)
	return slices.DeleteFunc(listed, func(m *discordgo.Message) bool { return m.Author == nil || m.Author.ID != self }), err
}

func repliesTo(m *discordgo.Message) string {
	if m.MessageReference == nil {
		return ""
	}
	return m.MessageReference.MessageID
}

// Written returns the text of the answer to t that a message of the bot shows, without the current
// search. unfinished reports whether the message appears to be an unfinished answer. If id is
// empty, Written looks for unfinished messages of the bot after the question. It returns nothing
// for a deleted message.
func (c *Reader) Written(ctx context.Context, t session.Turn, id thread.MessageID) (text string, unfinished bool, err error) {
	self, err := c.discord.WhoAmI(ctx)
	if err != nil {
		return "", false, err
	}
	ref, question := t.Session.Ref, string(t.Message)
	places := []string{ref.Thread, ref.Channel, question}
	for i, channel := range places {
		if channel == "" || slices.Contains(places[:i], channel) {
			continue
		}
		var found []*discordgo.Message
		var err error
		if id == "" {
			found, err = c.own(ctx, channel, question)
		} else {
			var m *discordgo.Message
			m, err = c.discord.API.Message(ctx, channel, string(id))
			found = []*discordgo.Message{m}
		}
		if errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotPermitted) || call.Code(err) == call.CodeInvalidForm {
			continue
		}
		if err != nil {
			return "", false, err
		}
		for _, m := range found {
			others := id == "" && channel == ref.Channel && ref.Workspace != "" && repliesTo(m) != question
			if m.Author == nil || m.Author.ID != self || others {
				continue
			}
			said, cursor := strings.CutSuffix(m.Content, strings.TrimSpace(render.Cursor))
			half := cursor || offersStop(m)
			if (half || id != "") && !foot.IsSearch(said) {
				text = strings.TrimSpace(text + "\n\n" + strings.TrimSpace(said))
			}
			unfinished = unfinished || half
		}
	}
	return text, unfinished, nil
}

func offersStop(m *discordgo.Message) bool {
	for _, c := range m.Components {
		row, _ := c.(*discordgo.ActionsRow)
		if row == nil {
			continue
		}
		for _, element := range row.Components {
			if b, ok := element.(*discordgo.Button); ok && strings.HasPrefix(b.CustomID, thread.ButtonID(thread.ActionStop, "")) {
				return true
			}
		}
	}
	return false
}

// Question fetches a message from the channel or thread at.Thread. For a message of the bot, it
// returns thread.ErrMessageGone.
func (c *Reader) Question(ctx context.Context, at thread.Ref, id thread.MessageID) (chat.Message, error) {
	raw, err := c.discord.API.Message(ctx, at.Thread, string(id))
	if err != nil {
		return chat.Message{}, err
	}
	raw.GuildID, raw.ChannelID = at.Workspace, at.Thread
	m, ok, err := c.Translate(ctx, raw, false)
	if err == nil && !ok {
		err = thread.ErrMessageGone
	}
	return m, err
}
