package read

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// Notices returns the ids of the bot's notices with the given subject in a thread. It returns only
// notices newer than the message after. It returns none if the app may not read the thread.
func (c *Reader) Notices(ctx context.Context, at thread.Ref, after thread.MessageID, subject string) ([]thread.MessageID, error) {
	if err := c.slack.Reads.Wait(ctx); err != nil {
		return nil, fmt.Errorf("look for notices: %w", err)
	}
	messages, _, _, err := c.slack.Replies(ctx, &api.GetConversationRepliesParameters{
		ChannelID: at.Channel, Timestamp: at.Thread, Oldest: string(after), Limit: call.NextPage, IncludeAllMetadata: true,
	})
	if call.Code(err) == "missing_scope" {
		return nil, nil // unknown
	}
	if err != nil {
		return nil, err
	}
	var found []thread.MessageID
	for _, m := range messages {
		if m.User == c.slack.Identity().User && event.IsNotice(m, subject) {
			found = append(found, thread.MessageID(m.Timestamp))
		}
	}
	return found, nil
}

// PostedReports returns the ids of the reports with the given subject that the bot posted in a
// channel since a time. It returns errors.ErrUnsupported if the bot may not read the channel.
func (c *Reader) PostedReports(ctx context.Context, at thread.Ref, since time.Time, subject string) ([]thread.MessageID, error) {
	var found []thread.MessageID
	oldest := fmt.Sprintf("%d.000000", since.Unix())
	for cursor := ""; ; {
		if err := c.slack.Reads.Wait(ctx); err != nil {
			return nil, fmt.Errorf("look for a report: %w", err)
		}
		page, err := c.slack.History(ctx, &api.GetConversationHistoryParameters{
			ChannelID: at.Channel, Oldest: oldest, Cursor: cursor, Limit: call.NextPage, IncludeAllMetadata: true,
		})
		if call.Code(err) == "missing_scope" {
			return nil, fmt.Errorf("look for a report: %w: %w", errors.ErrUnsupported, err)
		}
		if err != nil {
			return nil, call.Translate("look for a report", err, false)
		}
		for _, m := range page.Messages {
			if m.User == c.slack.Identity().User && event.IsNotice(m, subject) {
				found = append(found, thread.MessageID(m.Timestamp))
			}
		}
		if cursor = page.ResponseMetaData.NextCursor; cursor == "" || len(found) > 0 {
			return found, nil
		}
	}
}

// Written returns the text of the answer that a message of the bot shows, without notes and the
// current search. unfinished reports whether the message appears to be an unfinished answer. Such a
// message has a stop button, or is an open stream without buttons and metadata. Written returns
// nothing for a deleted message and for a file, which is always complete.
func (c *Reader) Written(ctx context.Context, at thread.Ref, id thread.MessageID) (text string, unfinished bool, err error) {
	if event.IsFile(id) {
		return "", false, nil
	}
	if err := c.slack.Reads.Wait(ctx); err != nil {
		return "", false, fmt.Errorf("look at an answer: %w", err)
	}
	messages, _, _, err := c.slack.Replies(ctx, &api.GetConversationRepliesParameters{
		ChannelID: at.Channel, Timestamp: at.Thread, Oldest: string(id), Latest: string(id), Inclusive: true, Limit: 2, IncludeAllMetadata: true,
	})
	if err != nil {
		return "", false, err
	}
	for _, m := range messages {
		if m.Timestamp != string(id) || m.User != c.slack.Identity().User {
			continue
		}
		blocks, err := json.Marshal(m.Blocks)
		if err != nil {
			return "", false, fmt.Errorf("look at an answer: %w", err)
		}
		begun := m.Metadata.EventType == "" && !strings.Contains(string(blocks), strings.TrimSuffix(thread.ButtonID("", ""), ":"))
		unfinished = begun || strings.Contains(string(blocks), thread.ButtonID(thread.ActionStop, ""))
		// the text of long blocks is cut, and the contexts are notes
		m.Blocks.BlockSet = slices.DeleteFunc(m.Blocks.BlockSet, func(b api.Block) bool { return b.BlockType() == api.MBTContext })
		said := m
		said.Text = ""
		raw := cmp.Or(event.ExtrasOf(said).Words(""), m.Text)
		text, _, _ = event.ReadText(raw, "")
		if foot.IsSearch(text) {
			text = ""
		}
		return text, unfinished, nil
	}
	return "", false, nil
}
