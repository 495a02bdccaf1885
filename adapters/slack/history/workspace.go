package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/sleep"
	api "github.com/slack-go/slack"
)

// Workspace reads messages for the search index. All sources of a process use the same Workspace
// and share its rate limit. It is safe for concurrent use.
type Workspace struct {
	slack *call.Workspace

	mu    sync.Mutex
	names map[string]named
}

// NewWorkspace returns a Workspace. It makes no API call. It uses only those fields of config that
// concern the Web API.
func NewWorkspace(config call.Config) (*Workspace, error) {
	w, err := call.NewWorkspace(config)
	if err != nil {
		return nil, err
	}
	return &Workspace{slack: w, names: make(map[string]named)}, nil
}

func (w *Workspace) connect(ctx context.Context) (identity, error) {
	id, err := w.slack.Connect(ctx)
	if err != nil {
		return identity{}, revoked(err)
	}
	if id.URL == "" {
		id.URL = "https://slack.com/"
	}
	return identity{team: id.Team, link: strings.TrimSuffix(id.URL, "/"), grid: id.Enterprise != ""}, nil
}

// paced makes a call as soon as the rate limit room allows it. After a rate-limit response, it
// waits and retries until ctx is done.
func paced[T any](ctx context.Context, w *Workspace, room *pace.Part, method string, do func(context.Context) (T, error)) (T, error) {
	for {
		var none T
		if room.Wait(ctx) != nil { // the wait would exceed ctx
			<-ctx.Done()
			return none, context.Cause(ctx)
		}
		limited, cancel := context.WithTimeout(ctx, w.slack.Config.Timeout)
		found, err := do(limited)
		cancel()
		var refused *api.RateLimitedError
		switch {
		case err == nil:
			return found, nil
		case ctx.Err() != nil:
			return none, context.Cause(ctx)
		case errors.As(err, &refused):
			if err := sleep.For(ctx, max(refused.RetryAfter, time.Second)); err != nil {
				return none, err
			}
		case call.Code(err) == "ratelimited":
			if err := sleep.For(ctx, pauseUnsaid); err != nil {
				return none, err
			}
		default:
			return none, revoked(call.Explain(method, err))
		}
	}
}

// pauseUnsaid is the pause after a rate-limit response without a duration.
const pauseUnsaid = 30 * time.Second

// mostChannels and mostMessages are the requested page sizes. Slack may return fewer.
const (
	mostChannels = 200
	mostMessages = 999
)

var errRepeats = errors.New("Slack's pages repeat themselves, so that what was asked for cannot be read whole: the next run tries again")

// pages calls read for each page of a list. If Slack rejects a cursor as invalid, pages calls begin
// and restarts at the first page. It fails if a cursor repeats or if more than maxLost cursors were
// rejected.
func pages(ctx context.Context, read func(cursor string) (next string, err error), begin func()) error {
	seen := make(map[string]bool)
	for cursor, lost := "", 0; ; {
		next, err := read(cursor)
		switch {
		case call.Code(err) == "invalid_cursor" && cursor != "" && lost < maxLost:
			// cursors expire after a while
			lost++
			begin()
			clear(seen)
			cursor = ""
			continue
		case err != nil:
			return err
		case next == "":
			return nil
		case seen[next]:
			return errRepeats
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		seen[next], cursor = true, next
	}
}

const maxLost = 3

// channels returns the channels that the bot is in, including archived channels. It omits direct
// messages with one or more people.
func (w *Workspace) channels(ctx context.Context) ([]transcript.Channel, error) {
	var found []transcript.Channel
	err := pages(ctx, func(cursor string) (string, error) {
		type page struct {
			list []api.Channel
			next string
		}
		got, err := paced(ctx, w, w.slack.Histories, "users.conversations", func(ctx context.Context) (page, error) {
			list, next, err := w.slack.API.GetConversationsForUserContext(ctx, &api.GetConversationsForUserParameters{
				Types: []string{"public_channel", "private_channel"}, Cursor: cursor, Limit: mostChannels,
			})
			return page{list, next}, err
		})
		for _, c := range got.list {
			if !c.IsIM && !c.IsMpIM && strings.HasPrefix(c.ID, "C") || strings.HasPrefix(c.ID, "G") && !c.IsMpIM {
				// A channel counts as public only if Slack says so.
				found = append(found, transcript.Channel{ID: c.ID, Name: c.Name, Private: c.IsPrivate || c.IsGroup || !c.IsChannel})
			}
		}
		return got.next, err
	}, func() { found = nil })
	if err != nil {
		return nil, fmt.Errorf("list the bot's channels: %w", err)
	}
	return found, nil
}

func (w *Workspace) isIn(ctx context.Context, id string) (bool, error) {
	c, err := paced(ctx, w, w.slack.Histories, "conversations.info", func(ctx context.Context) (*api.Channel, error) {
		return w.slack.API.GetConversationInfoContext(ctx, &api.GetConversationInfoInput{ChannelID: id})
	})
	switch {
	case call.Code(err) == "channel_not_found", call.Code(err) == "not_in_channel", call.Code(err) == "missing_scope":
		return false, nil
	case err != nil:
		return false, fmt.Errorf("ask about a channel: %w", err)
	}
	return c.IsMember, nil
}

// history reads one page of a channel's messages outside threads, newest first.
func (w *Workspace) history(ctx context.Context, channel, oldest, latest, cursor string) (*api.GetConversationHistoryResponse, error) {
	found, err := paced(ctx, w, w.slack.Histories, "conversations.history", func(ctx context.Context) (*api.GetConversationHistoryResponse, error) {
		return w.slack.API.GetConversationHistoryContext(ctx, &api.GetConversationHistoryParameters{
			ChannelID: channel, Oldest: oldest, Latest: latest, Inclusive: true, Cursor: cursor, Limit: mostMessages,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read a channel: %w", err)
	}
	return found, nil
}

// replies reads a thread, oldest message first. It removes duplicates.
func (w *Workspace) replies(ctx context.Context, channel, root string) ([]api.Message, error) {
	var said []api.Message
	seen := make(map[string]bool)
	err := pages(ctx, func(cursor string) (string, error) {
		type page struct {
			list []api.Message
			next string
		}
		got, err := paced(ctx, w, w.slack.Histories, "conversations.replies", func(ctx context.Context) (page, error) {
			list, more, next, err := w.slack.API.GetConversationRepliesContext(ctx, &api.GetConversationRepliesParameters{
				ChannelID: channel, Timestamp: root, Cursor: cursor, Limit: mostMessages,
			})
			if !more {
				next = ""
			}
			return page{list, next}, err
		})
		for _, m := range got.list {
			if !seen[m.Timestamp] { // the root comes along with every page
				seen[m.Timestamp] = true
				said = append(said, m)
			}
		}
		return got.next, err
	}, func() {})
	if err != nil {
		return nil, fmt.Errorf("read a thread: %w", err)
	}
	return said, nil
}
