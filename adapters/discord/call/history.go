package call

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// historyQuota is the default rate of calls that read messages for the search index. The bot's
// total rate limit applies to them in addition.
var historyQuota = pace.Quota{Every: 200 * time.Millisecond, Burst: 2}

const tries = 4

// idle makes a call of the lowest priority, which leaves room in the rate limits for answers. It
// retries after a rate limit or a temporary failure.
func (c *Bot) idle(ctx context.Context, r Request, out any) error {
	for attempt, pause := 1, FirstPause; ; attempt, pause = attempt+1, 2*pause {
		if c.Histories.Wait(ctx) != nil { // the wait would exceed ctx
			<-ctx.Done()
			return context.Cause(ctx)
		}
		if err := c.Limits.await(ctx, r.Bucket, BucketKept); err != nil {
			return err
		}
		r.Paid = true
		err := c.API.Do(ctx, r, out)
		var limited *thread.RateLimitError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &limited):
			attempt--
			pause = max(limited.RetryAfter, FirstPause)
		case Lasting(err) || attempt == tries:
			return err
		}
		if err := sleep.For(ctx, pause); err != nil {
			return err
		}
	}
}

// HistoryOf fetches the roles and channels of a server. Its calls have the lowest priority.
func (c *Bot) HistoryOf(ctx context.Context, guild string) (*discordgo.GuildCreate, error) {
	g := &discordgo.Guild{}
	err := c.idle(ctx, Request{Doing: "look up a server", Method: http.MethodGet, URL: discordgo.EndpointGuild(guild), Bucket: "GET guild " + guild}, g)
	if err == nil {
		g.Channels = nil
		err = c.idle(ctx, Request{
			Doing: "list a server's channels", Method: http.MethodGet, URL: discordgo.EndpointGuildChannels(guild), Bucket: "GET channels " + guild,
		}, &g.Channels)
	}
	g.Threads, g.Members = nil, nil
	return &discordgo.GuildCreate{Guild: g}, err
}

// OldMessages returns up to [HistoryLimit] messages of a channel or thread that are older than the
// message with the id before, newest first. An empty before returns the newest. The call has the
// lowest priority.
func (c *Bot) OldMessages(ctx context.Context, channel, before string) ([]*discordgo.Message, error) {
	query := url.Values{"limit": {strconv.Itoa(HistoryLimit)}}
	if before != "" {
		query.Set("before", before)
	}
	var found []*discordgo.Message
	err := c.idle(ctx, Request{
		Doing: "read messages", Method: http.MethodGet, URL: discordgo.EndpointChannelMessages(channel) + "?" + query.Encode(), Bucket: "GET messages " + channel,
	}, &found)
	return found, err
}

// OldMessage fetches one message. The call has the lowest priority.
func (c *Bot) OldMessage(ctx context.Context, channel, id string) (*discordgo.Message, error) {
	var m discordgo.Message
	err := c.idle(ctx, Request{
		Doing: "read a message", Method: http.MethodGet, URL: discordgo.EndpointChannelMessage(channel, id), Bucket: "GET message " + channel,
	}, &m)
	return &m, err
}

// OldChannel fetches a channel or thread. The call has the lowest priority.
func (c *Bot) OldChannel(ctx context.Context, id string) (*discordgo.Channel, error) {
	var found discordgo.Channel
	err := c.idle(ctx, Request{Doing: "look up a channel", Method: http.MethodGet, URL: discordgo.EndpointChannel(id), Bucket: "GET channel " + id}, &found)
	return &found, err
}

// ActiveThreads lists the threads of a server that are not archived.
func (c *Bot) ActiveThreads(ctx context.Context, guild string) ([]*discordgo.Channel, error) {
	var found *discordgo.ThreadsList
	err := c.idle(ctx, Request{
		Doing: "list threads", Method: http.MethodGet, URL: discordgo.EndpointGuildActiveThreads(guild), Bucket: "GET active threads " + guild,
	}, &found)
	if err == nil && (found == nil || found.Threads == nil) {
		err = errors.New("list threads: Discord's answer holds no list")
	}
	if err != nil {
		return nil, err
	}
	return found.Threads, nil
}

// mostThreads is the number of archived threads in one page. Discord may return fewer.
const mostThreads = 100

// ArchivedThreads lists public threads of a channel that were archived before a time, the most
// recent first. A zero before means now. more reports whether there are further threads.
func (c *Bot) ArchivedThreads(ctx context.Context, channel string, before time.Time) (found []*discordgo.Channel, more bool, err error) {
	query := url.Values{"limit": {strconv.Itoa(mostThreads)}}
	if !before.IsZero() {
		query.Set("before", before.UTC().Format("2006-01-02T15:04:05.000000Z"))
	}
	var list *discordgo.ThreadsList
	err = c.idle(ctx, Request{
		Doing: "list archived threads", Method: http.MethodGet, URL: discordgo.EndpointChannelPublicArchivedThreads(channel) + "?" + query.Encode(),
		Bucket: "GET archived threads " + channel,
	}, &list)
	if err == nil && (list == nil || list.Threads == nil) {
		err = fmt.Errorf("list archived threads: Discord's answer holds no list")
	}
	if err != nil {
		return nil, false, err
	}
	return list.Threads, list.HasMore, nil
}
