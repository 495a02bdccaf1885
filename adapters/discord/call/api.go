package call

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/thread"
)

// RequestTimeout is the maximum duration of one call, counted from when it is sent. After a
// timeout, Discord may still have carried out the call.
const RequestTimeout = 15 * time.Second

// FirstPause is the wait before the first retry of a failed call.
const FirstPause = 200 * time.Millisecond

// renewAfter is the number of calls after which discordgo's rate limiter is replaced. The limiter
// keeps an entry for each route and channel and never removes any.
const renewAfter = 50_000

// API makes REST calls to Discord. It sends each call once and leaves retries to the caller. It is
// safe for concurrent use.
type API struct {
	token  string
	client *http.Client
	limits *limits
	sdk    atomic.Pointer[discordgo.Session]
	calls  atomic.Int64
}

func newAPI(token string, carrier http.RoundTripper, l *limits) (*API, error) {
	// transport limits the time of each call
	a := &API{token: token, client: &http.Client{Transport: carrier}, limits: l}
	return a, a.renew()
}

// Session returns a discordgo session that sends its requests through the HTTP client of a. The
// session never waits for rate limits and never retries.
func (a *API) Session() (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + a.token)
	if err != nil {
		return nil, fmt.Errorf("set up the Discord client: %w", err)
	}
	s.Client, s.ShouldRetryOnRateLimit, s.MaxRestRetries = a.client, false, 0
	// the SDK writes to the process's standard log, and returns the same texts as errors
	s.LogLevel = -1
	s.UserAgent = "DiscordBot (https://github.com/footnotehq/footnote, 1)"
	return s, nil
}

func (a *API) renew() error {
	s, err := a.Session()
	if err == nil {
		a.sdk.Store(s)
	}
	return err
}

// HistoryLimit is the number of messages in one page of a channel's history. It is the maximum that
// Discord allows.
const HistoryLimit = 100

// Request describes one REST call to Discord for [API.Do]. Bucket is the key of the rate limit that
// applies to the call.
type Request struct {
	Doing  string // what the call does, for errors: "post a message"
	Method string
	URL    string
	Bucket string
	Body   any
	Paid   bool // the caller already took a request from the rate limit bucket
}

// Do waits until the call's rate limit bucket has room, and then makes the call. It decodes the
// response into out, unless out is nil.
func (a *API) Do(ctx context.Context, r Request, out any) error {
	if !r.Paid {
		if err := a.limits.Wait(ctx, r.Bucket); err != nil {
			return fmt.Errorf("%s: %w", r.Doing, notSentError{err})
		}
	}
	if a.calls.Add(1)%renewAfter == 0 {
		if err := a.renew(); err != nil {
			return err
		}
	}
	body, contentType, err := encode(r.Body)
	if err != nil {
		a.limits.GiveBack(r.Bucket)
		return fmt.Errorf("%s: encode the call: %w", r.Doing, err)
	}
	answer, err := a.sdk.Load().RequestRaw(r.Method, r.URL, contentType, body, r.Bucket, 0,
		discordgo.WithContext(withBucket(ctx, r.Bucket)), discordgo.WithRetryOnRatelimit(false), discordgo.WithRestRetries(0))
	if err != nil {
		return translate(r.Doing, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s: read Discord's answer: %w", r.Doing, err)
	}
	return nil
}

// CreateBucket returns the rate limit key for new messages in a channel. Edits have a separate
// limit and therefore another key, from [EditBucket].
func CreateBucket(channel string) string { return createPrefix + channel }

// EditBucket returns the rate limit key for edits of a channel's messages.
func EditBucket(channel string) string { return editPrefix + channel }

// ReplyBucket returns the rate limit key for replies to an interaction. Discord limits them by the
// interaction's token.
func ReplyBucket(token string) string { return interactionPrefix + token }

const (
	createPrefix = "POST messages "
	editPrefix   = "PATCH messages "
)

func isWrite(key string) bool {
	return strings.HasPrefix(key, createPrefix) || strings.HasPrefix(key, editPrefix)
}

// CallbackBucket returns the rate limit key for the first response to an interaction. Later replies
// have another key, because they wait for that response.
func CallbackBucket(interaction string) string { return interactionPrefix + "callback " + interaction }

// Posted is a message of the bot, reduced to the fields that the adapter reads.
type Posted struct {
	ID          string `json:"id"`
	Author      struct{ ID string }
	Interaction *struct{ ID string } `json:"interaction_metadata"`
}

// MessagesAfter fetches up to limit messages that are newer than the message with the id after. It
// decodes them into out, newest first.
func (a *API) MessagesAfter(ctx context.Context, channel, after string, limit int, out any) error {
	return a.Messages(ctx, channel, url.Values{"limit": {strconv.Itoa(limit)}, "after": {after}}, out)
}

// Messages fetches a page of a channel's messages and decodes it into out, newest first. query
// holds Discord's parameters, such as before and limit.
func (a *API) Messages(ctx context.Context, channel string, query url.Values, out any) error {
	return a.Do(ctx, Request{
		Doing: "read messages", Method: http.MethodGet, URL: discordgo.EndpointChannelMessages(channel) + "?" + query.Encode(),
		Bucket: "GET messages " + channel,
	}, out)
}

// Channel fetches a channel or thread from Discord. The result is never cached.
func (a *API) Channel(ctx context.Context, id string) (*discordgo.Channel, error) {
	var c discordgo.Channel
	err := a.Do(ctx, Request{Doing: "look up a channel", Method: http.MethodGet, URL: discordgo.EndpointChannel(id), Bucket: "GET channel " + id}, &c)
	return &c, err
}

// Typing shows the typing indicator in a channel. It returns thread.ErrNoRoom instead of waiting
// for the channel's rate limit.
func (a *API) Typing(ctx context.Context, channel string) error {
	bucket := "POST typing " + channel
	if !a.limits.Try(bucket, BucketKept) {
		return thread.ErrNoRoom
	}
	return a.Do(ctx, Request{
		Doing: "show that the bot writes", Method: http.MethodPost, URL: discordgo.EndpointChannelTyping(channel), Bucket: bucket, Paid: true,
	}, nil)
}

// ThreadFrom opens a thread from a message. The thread's id equals the message's id.
func (a *API) ThreadFrom(ctx context.Context, channel, message, name string) error {
	return a.Do(ctx, Request{
		Doing: "open a thread", Method: http.MethodPost, URL: discordgo.EndpointChannelMessageThread(channel, message),
		Bucket: openBucket(channel), Body: map[string]any{"name": name, "auto_archive_duration": 1440},
	}, nil)
}

// Unarchive takes a thread out of the archive. Messages in archived threads cannot be edited.
func (a *API) Unarchive(ctx context.Context, thread string) error {
	return a.Do(ctx, Request{
		Doing: "take the thread out of the archive", Method: http.MethodPatch, URL: discordgo.EndpointChannel(thread), Bucket: "PATCH channel " + thread,
		Body: map[string]any{"archived": false},
	}, nil)
}

// Dm opens a direct-message channel with a user and returns its id. If there is one already, it
// returns that.
func (a *API) Dm(ctx context.Context, user string) (string, error) {
	var c struct{ ID string }
	err := a.Do(ctx, Request{
		Doing: "open a direct conversation", Method: http.MethodPost, URL: discordgo.EndpointUserChannels("@me"), Bucket: "POST dm",
		Body: map[string]any{"recipient_id": user},
	}, &c)
	return c.ID, err
}

// Member fetches a member of a server. It returns nil without an error if the person is not in the
// server or the bot has no access to the server.
func (a *API) Member(ctx context.Context, guild, user string) (*discordgo.Member, error) {
	var m discordgo.Member
	err := a.Do(ctx, Request{
		Doing: "look up a member", Method: http.MethodGet, URL: discordgo.EndpointGuildMember(guild, user), Bucket: "GET member " + guild,
	}, &m)
	switch Code(err) {
	case codeUnknownMember, codeUnknownUser:
		return nil, nil
	case CodeUnknownGuild, CodeMissingAccess:
		// the bot left the server, so no one is a member as far as it can see
		return nil, nil
	}
	return &m, err
}

// Reactors returns up to 100 people who reacted to a message with an emoji.
func (a *API) Reactors(ctx context.Context, channel, message string, with discordgo.Emoji) ([]*discordgo.User, error) {
	var users []*discordgo.User
	err := a.Do(ctx, Request{
		Doing: "read who reacted to a message", Method: http.MethodGet, URL: discordgo.EndpointMessageReactions(channel, message, url.PathEscape(with.APIName())) + "?limit=100",
		Bucket: "GET reactions " + channel,
	}, &users)
	return users, err
}

// Message fetches one message. It returns thread.ErrMessageGone if the message does not exist.
func (a *API) Message(ctx context.Context, channel, id string) (*discordgo.Message, error) {
	var m discordgo.Message
	err := a.Do(ctx, Request{
		Doing: "read a message", Method: http.MethodGet, URL: discordgo.EndpointChannelMessage(channel, id), Bucket: "GET message " + channel,
	}, &m)
	return &m, err
}
