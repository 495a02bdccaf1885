package discord

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

// requestTimeout bounds one call from when it is sent. A create whose answer does not come has an unknown outcome then.
const requestTimeout = 15 * time.Second

// firstPause is before what failed is tried again for the first time.
const firstPause = 200 * time.Millisecond

// renewAfter is the number of calls after which discordgo's limiter is replaced: it keeps an entry for each route and channel for ever.
const renewAfter = 50_000

// api makes the REST calls that the bot needs. Each is made once: what to do about a failure is the caller's to say. It is safe for
// concurrent use.
type api struct {
	token  string
	client *http.Client
	limits *limits
	sdk    atomic.Pointer[discordgo.Session]
	calls  atomic.Int64
}

func newAPI(token string, carrier http.RoundTripper, l *limits) (*api, error) {
	a := &api{token: token, client: &http.Client{Transport: carrier}, limits: l} // which bounds each call by itself
	return a, a.renew()
}

// session returns an SDK session that uses the process's transport and never waits or retries by itself.
func (a *api) session() (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + a.token)
	if err != nil {
		return nil, fmt.Errorf("set up the Discord client: %w", err)
	}
	s.Client, s.ShouldRetryOnRateLimit, s.MaxRestRetries = a.client, false, 0
	s.LogLevel = -1 // it writes to the process's standard log, and what it says is returned as errors too
	s.UserAgent = "DiscordBot (https://github.com/footnotehq/footnote, 1)"
	return s, nil
}

func (a *api) renew() error {
	s, err := a.session()
	if err == nil {
		a.sdk.Store(s)
	}
	return err
}

// historyLimit is how many messages are read at once. It is the platform's limit of one call.
const historyLimit = 100

// request is one call.
type request struct {
	doing  string // for errors: "post a message"
	method string
	url    string
	bucket string
	body   any
	paid   bool // a request of the bucket was taken already
}

// do makes a call, as soon as its bucket has room, and decodes its answer into out unless that is nil.
func (a *api) do(ctx context.Context, r request, out any) error {
	if !r.paid {
		if err := a.limits.wait(ctx, r.bucket); err != nil {
			return fmt.Errorf("%s: %w", r.doing, notSentError{err})
		}
	}
	if a.calls.Add(1)%renewAfter == 0 {
		if err := a.renew(); err != nil {
			return err
		}
	}
	body, contentType, err := encode(r.body)
	if err != nil {
		a.limits.giveBack(r.bucket)
		return fmt.Errorf("%s: encode the call: %w", r.doing, err)
	}
	answer, err := a.sdk.Load().RequestRaw(r.method, r.url, contentType, body, r.bucket, 0,
		discordgo.WithContext(withBucket(ctx, r.bucket)), discordgo.WithRetryOnRatelimit(false), discordgo.WithRestRetries(0))
	if err != nil {
		return translate(r.doing, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s: read Discord's answer: %w", r.doing, err)
	}
	return nil
}

// Keys of buckets. Create and edit are limited each by itself, and in each channel by itself; interactions by their token, which the
// SDK would lump together.
func createBucket(channel string) string { return createPrefix + channel }
func editBucket(channel string) string   { return editPrefix + channel }
func replyBucket(token string) string    { return interactionPrefix + token }

const (
	createPrefix = "POST messages "
	editPrefix   = "PATCH messages "
)

// isWrite reports whether a bucket is one of messages.
func isWrite(key string) bool {
	return strings.HasPrefix(key, createPrefix) || strings.HasPrefix(key, editPrefix)
}

// callbackBucket is of the first response to an interaction, for which the answer that is written by its token waits.
func callbackBucket(interaction string) string { return interactionPrefix + "callback " + interaction }

// posted is what is read of a message that the bot wrote.
type posted struct {
	ID          string          `json:"id"`
	Nonce       json.RawMessage `json:"nonce"` // a string, or a number of another client
	Author      struct{ ID string }
	Interaction *struct{ ID string } `json:"interaction_metadata"`
}

// messagesAfter reads messages that are newer than one, newest first.
func (a *api) messagesAfter(ctx context.Context, channel, after string, limit int, out any) error {
	return a.messages(ctx, channel, url.Values{"limit": {strconv.Itoa(limit)}, "after": {after}}, out)
}

func (a *api) messages(ctx context.Context, channel string, query url.Values, out any) error {
	return a.do(ctx, request{
		doing: "read messages", method: http.MethodGet, url: discordgo.EndpointChannelMessages(channel) + "?" + query.Encode(),
		bucket: "GET messages " + channel,
	}, out)
}

func (a *api) channel(ctx context.Context, id string) (*discordgo.Channel, error) {
	var c discordgo.Channel
	err := a.do(ctx, request{doing: "look up a channel", method: http.MethodGet, url: discordgo.EndpointChannel(id), bucket: "GET channel " + id}, &c)
	return &c, err
}

// typing shows that the bot writes, where there is room for what is no answer.
func (a *api) typing(ctx context.Context, channel string) error {
	bucket := "POST typing " + channel
	if !a.limits.try(bucket, bucketKept) {
		return thread.ErrNoRoom
	}
	return a.do(ctx, request{
		doing: "show that the bot writes", method: http.MethodPost, url: discordgo.EndpointChannelTyping(channel), bucket: bucket, paid: true,
	}, nil)
}

// threadFrom opens a thread from a message, which gives the thread its id.
func (a *api) threadFrom(ctx context.Context, channel, message, name string) error {
	return a.do(ctx, request{
		doing: "open a thread", method: http.MethodPost, url: discordgo.EndpointChannelMessageThread(channel, message),
		bucket: openBucket(channel), body: map[string]any{"name": name, "auto_archive_duration": 1440},
	}, nil)
}

// unarchive takes a thread out of the archive, in which nothing can be edited.
func (a *api) unarchive(ctx context.Context, thread string) error {
	return a.do(ctx, request{
		doing: "take the thread out of the archive", method: http.MethodPatch, url: discordgo.EndpointChannel(thread), bucket: "PATCH channel " + thread,
		body: map[string]any{"archived": false},
	}, nil)
}

// dm returns the direct conversation with somebody.
func (a *api) dm(ctx context.Context, user string) (string, error) {
	var c struct{ ID string }
	err := a.do(ctx, request{
		doing: "open a direct conversation", method: http.MethodPost, url: discordgo.EndpointUserChannels("@me"), bucket: "POST dm",
		body: map[string]any{"recipient_id": user},
	}, &c)
	return c.ID, err
}

// member looks somebody up in a server; nil when the person is not there.
func (a *api) member(ctx context.Context, guild, user string) (*discordgo.Member, error) {
	var m discordgo.Member
	err := a.do(ctx, request{
		doing: "look up a member", method: http.MethodGet, url: discordgo.EndpointGuildMember(guild, user), bucket: "GET member " + guild,
	}, &m)
	switch code(err) {
	case codeUnknownMember, codeUnknownUser:
		return nil, nil
	case codeUnknownGuild, codeMissingAccess: // the bot is not there any more, so that nobody is anything there
		return nil, nil
	}
	return &m, err
}

// message reads one message.
func (a *api) message(ctx context.Context, channel, id string) (*discordgo.Message, error) {
	var m discordgo.Message
	err := a.do(ctx, request{
		doing: "read a message", method: http.MethodGet, url: discordgo.EndpointChannelMessage(channel, id), bucket: "GET message " + channel,
	}, &m)
	return &m, err
}
