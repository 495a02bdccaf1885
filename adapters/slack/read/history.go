package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// mayRead reports whether the app appears to have the scope for reading a channel. It returns true
// if the scopes are unknown.
func (c *Reader) mayRead(channel string) bool {
	scopes := c.slack.Identity().Scopes
	if len(scopes) == 0 {
		return true // a proxy may leave the header out
	}
	if strings.HasPrefix(channel, "D") {
		return slices.Contains(scopes, "im:history")
	}
	return slices.Contains(scopes, "channels:history") || slices.Contains(scopes, "groups:history")
}

// One reads one message. It returns thread.ErrMessageGone if the message does not exist.
func (c *Reader) One(ctx context.Context, ref thread.Ref, id thread.MessageID) (chat.Message, error) {
	if err := c.slack.Reads.Wait(ctx); err != nil {
		return chat.Message{}, fmt.Errorf("read a message: %w", err)
	}
	return c.one(ctx, ref, id)
}

func (c *Reader) one(ctx context.Context, ref thread.Ref, id thread.MessageID) (chat.Message, error) {
	var messages []api.Message
	if ref.Thread != "" && ref.Thread != string(id) {
		found, _, _, err := c.slack.Replies(ctx, &api.GetConversationRepliesParameters{
			// Slack returns the root too
			ChannelID: ref.Channel, Timestamp: ref.Thread, Oldest: string(id), Latest: string(id), Inclusive: true, Limit: 2,
		})
		if err != nil {
			return chat.Message{}, err
		}
		messages = found
	} else {
		found, err := c.slack.History(ctx, &api.GetConversationHistoryParameters{
			ChannelID: ref.Channel, Oldest: string(id), Latest: string(id), Inclusive: true, Limit: 1,
		})
		if err != nil {
			return chat.Message{}, err
		}
		messages = found.Messages
	}
	for _, m := range messages {
		if m.Timestamp == string(id) {
			return c.stored(ref.Channel, m), nil
		}
	}
	return chat.Message{}, fmt.Errorf("read a message: %w", thread.ErrMessageGone)
}

// stored converts a message from Slack's history to the same form as a message from an event.
func (c *Reader) stored(channel string, m api.Message) chat.Message {
	about := event.Event{
		Type: "message", Subtype: m.SubType, Channel: event.ID(channel), User: event.ID(m.User), BotID: m.BotID, Text: m.Text, TS: m.Timestamp,
		Thread: m.ThreadTimestamp, Parent: m.ParentUserId, Extras: event.ExtrasOf(m),
	}
	for _, f := range m.Files {
		about.Files = append(about.Files, event.FileData{
			ID: f.ID, Name: f.Name, Title: f.Title, Media: f.Mimetype, Mode: f.Mode, Size: int64(f.Size), External: f.IsExternal,
			URL: cmp.Or(f.URLPrivate, f.URLPrivateDownload),
		})
	}
	return event.ReadMessage(c.slack, event.Callback{ID: "read:" + channel + ":" + m.Timestamp, Event: about})
}

// Unheard finds messages since a time whose events no replica received. It calls visit for every
// mention of the bot, direct message and thread reply. It stops if visit returns an error.
//
// It reads the channels in first before the others. It misses replies in threads that began more
// than six days before since. Use UnheardIn for them.
//
// If a channel fails temporarily, Unheard reads the others and then returns an error that is
// [call.Transient]. With the same done, the next call reads only the channels that failed.
func (c *Reader) Unheard(ctx context.Context, since time.Time, first []string, done Done, visit func(chat.Message) error) error {
	channels, err := c.own(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(channels, func(a, b string) int { return cmp.Compare(rank(first, a), rank(first, b)) })
	oldest, roots := stamp(since), stamp(since.Add(-rootsBack))
	var failed error
	// first new messages, then replies in older threads
	for _, window := range [][2]string{{oldest, ""}, {roots, oldest}} {
		for _, channel := range channels {
			err := done.once(ctx, channel+window[1], func() error { return c.unheardIn(ctx, channel, window, oldest, visit) })
			switch {
			case err == nil:
			case ctx.Err() != nil, errors.As(err, new(*visitError)):
				return err
			case call.Transient(err):
				failed = errors.Join(failed, fmt.Errorf("channel %s: %w", channel, err))
			default:
				c.slack.Logger.WarnContext(ctx, "a channel's messages from while the bot was away are unknown", "channel", channel, "error", err)
			}
		}
	}
	return failed
}

// Done holds what a search for unheard messages has read. It is not safe for concurrent use.
type Done map[string]bool

// once calls look unless an earlier call with the key succeeded or was refused permanently.
func (d Done) once(ctx context.Context, key string, look func() error) error {
	if d[key] {
		return nil
	}
	err := look()
	d[key] = ctx.Err() == nil && !errors.As(err, new(*visitError)) && !call.Transient(err)
	return err
}

func rank(first []string, channel string) int {
	if at := slices.Index(first, channel); at >= 0 {
		return at
	}
	return len(first)
}

type visitError struct{ error }

// rootsBack is the maximum age of a thread, at the start of the search, whose new replies Unheard
// finds.
const rootsBack = 6 * 24 * time.Hour

// stamp formats a time as a message id, such as 1700000000.000100.
func stamp(t time.Time) string { return fmt.Sprintf("%d.%06d", t.Unix(), t.Nanosecond()/1000) }

func (c *Reader) own(ctx context.Context) ([]string, error) {
	types := []string{"public_channel", "private_channel", "im"}
	ids, err := c.collect(ctx, func(ctx context.Context, cursor string) ([]api.Channel, string, error) {
		return c.slack.API.GetConversationsForUserContext(ctx, &api.GetConversationsForUserParameters{Types: types, Cursor: cursor, Limit: 200, ExcludeArchived: true})
	})
	if call.Code(err) == "unknown_method" { // behind a proxy that lets few methods pass
		ids, err = c.collect(ctx, func(ctx context.Context, cursor string) ([]api.Channel, string, error) {
			all, next, err := c.slack.API.GetConversationsContext(ctx, &api.GetConversationsParameters{Types: types, Cursor: cursor, Limit: 200, ExcludeArchived: true})
			return slices.DeleteFunc(all, func(one api.Channel) bool { return !one.IsMember && !one.IsIM }), next, err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("list the channels of the bot: %w", call.Explain("users.conversations", err))
	}
	return ids, nil
}

func (c *Reader) collect(ctx context.Context, page func(ctx context.Context, cursor string) ([]api.Channel, string, error)) ([]string, error) {
	var ids []string
	for cursor := ""; ; {
		list, next, err := scanned(ctx, c, func(ctx context.Context) ([]api.Channel, string, error) { return page(ctx, cursor) })
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		if cursor = next; cursor == "" {
			return ids, nil
		}
	}
}

func (c *Reader) unheardIn(ctx context.Context, channel string, window [2]string, oldest string, visit func(chat.Message) error) error {
	size := call.FirstPage
	for cursor, page := "", 0; page < call.MaxPages; page++ {
		found, next, err := scanned(ctx, c, func(ctx context.Context) (*api.GetConversationHistoryResponse, string, error) {
			r, err := c.slack.API.GetConversationHistoryContext(ctx, &api.GetConversationHistoryParameters{
				ChannelID: channel, Oldest: window[0], Latest: window[1], Cursor: cursor, Limit: size,
			})
			if err != nil {
				return nil, "", err
			}
			return r, r.ResponseMetaData.NextCursor, nil
		})
		if err != nil {
			return fmt.Errorf("read a channel: %w", call.Explain("conversations.history", err))
		}
		for _, m := range slices.Backward(found.Messages) { // oldest first; Slack lists the newest first
			if err := c.unheardFrom(ctx, channel, oldest, m, visit); err != nil {
				return err
			}
		}
		if cursor = next; cursor == "" || !found.HasMore {
			break
		}
		if page > 0 && len(found.Messages) < size && window[1] != "" {
			break // Slack sends small pages: a week would take hours
		}
		size = call.NextPage
	}
	return nil
}

// UnheardIn is like Unheard, but for one thread of any age.
func (c *Reader) UnheardIn(ctx context.Context, at thread.Ref, since time.Time, done Done, visit func(chat.Message) error) error {
	return done.once(ctx, at.Channel+" "+at.Thread, func() error { return c.since(ctx, at.Channel, at.Thread, stamp(since), visit) })
}

// unheardLook calls visit for a person's mention, direct message or thread reply that is newer than
// oldest. later are the following messages of the thread.
func (c *Reader) unheardLook(oldest string, said chat.Message, later []chat.Message, visit func(chat.Message) error) error {
	if string(said.ID) <= oldest || said.Own || said.System || said.Bot || !said.Mentioned && !said.Direct && !said.InThread {
		return nil
	}
	said.Overtaken = slices.ContainsFunc(later, func(m chat.Message) bool { return !m.Own && !m.System && !m.Bot && m.Author != said.Author })
	if err := visit(said); err != nil {
		return &visitError{err}
	}
	return nil
}

func (c *Reader) unheardFrom(ctx context.Context, channel, oldest string, root api.Message, visit func(chat.Message) error) error {
	said := c.stored(channel, root)
	source := event.SourceOf(said.Source)
	source.Alone = alone(root)
	said.Source = source
	err := c.unheardLook(oldest, said, nil, visit)
	if err != nil || root.ReplyCount == 0 || root.LatestReply != "" && root.LatestReply <= oldest {
		return err
	}
	if root.LatestReply == "" && root.Timestamp <= oldest {
		return nil // it is unknown whether there are newer messages
	}
	return c.since(ctx, channel, root.Timestamp, oldest, visit)
}

func (c *Reader) since(ctx context.Context, channel, root, oldest string, visit func(chat.Message) error) error {
	said, err := c.repliesSince(ctx, channel, root, oldest)
	for i, m := range said {
		if err := c.unheardLook(oldest, m, said[i+1:], visit); err != nil {
			return err
		}
	}
	return err
}

// repliesSince reads the replies of a thread that are newer than oldest. If an error occurs, it
// also returns the messages that were read before.
func (c *Reader) repliesSince(ctx context.Context, channel, root, oldest string) (said []chat.Message, err error) {
	size := call.FirstPage
	for cursor, page := "", 0; page < call.MaxPages; page++ {
		more := false
		found, next, err := scanned(ctx, c, func(ctx context.Context) ([]api.Message, string, error) {
			messages, left, next, err := c.slack.API.GetConversationRepliesContext(ctx, &api.GetConversationRepliesParameters{
				ChannelID: channel, Timestamp: root, Oldest: oldest, Cursor: cursor, Limit: size,
			})
			more = left
			return messages, next, err
		})
		if err != nil {
			return said, fmt.Errorf("read a thread: %w", call.Explain("conversations.replies", err))
		}
		for _, m := range found {
			if m.Timestamp != root {
				said = append(said, c.stored(channel, m))
			}
		}
		if cursor = next; cursor == "" || !more {
			return said, nil
		}
		size = call.NextPage
	}
	return said, nil
}

// scanned makes a background call as soon as the rate limit allows it. After a rate-limit response,
// it waits and retries.
func scanned[T any](ctx context.Context, c *Reader, call func(context.Context) (T, string, error)) (found T, next string, err error) {
	for {
		if err := c.slack.Scans.Wait(ctx); err != nil {
			return found, "", fmt.Errorf("wait to read what was said: %w", err)
		}
		limited, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
		found, next, err = call(limited)
		cancel()
		var refused *api.RateLimitedError
		if !errors.As(err, &refused) {
			return found, next, err
		}
		if err := sleep.For(ctx, refused.RetryAfter); err != nil {
			return found, "", err
		}
	}
}

// Involved reports whether the bot has responded to m in m's thread. A notice counts only if its
// subject is m. Other messages count unless aside returns true for them.
func (c *Reader) Involved(ctx context.Context, m chat.Message, aside func(thread.MessageID) bool) (bool, error) {
	found, _, err := scanned(ctx, c, func(ctx context.Context) ([]api.Message, string, error) {
		messages, _, next, err := c.slack.API.GetConversationRepliesContext(ctx, &api.GetConversationRepliesParameters{
			ChannelID: m.Ref.Channel, Timestamp: m.Ref.Thread, Oldest: string(m.ID), Limit: call.NextPage, IncludeAllMetadata: true,
		})
		return messages, next, err
	})
	if err != nil {
		return false, fmt.Errorf("find out whether a question was answered: %w", call.Explain("conversations.replies", err))
	}
	me := c.slack.Identity()
	return slices.ContainsFunc(found, func(said api.Message) bool {
		switch {
		case said.Timestamp <= string(m.ID), said.User != me.User && (said.BotID == "" || said.BotID != me.Bot):
			return false
		case said.Metadata.EventType == event.NoticeType:
			return event.IsNotice(said, string(m.ID)) || event.IsNotice(said, chat.ReplySubject(m.ID))
		default:
			return !aside(thread.MessageID(said.Timestamp))
		}
	}), nil
}
