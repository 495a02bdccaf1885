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

// RequestTimeout bounds one call from when it is sent. A create whose answer does not come has an
// unknown outcome then.
const RequestTimeout = 15 * time.Second

// FirstPause is before what failed is tried again for the first time.
const FirstPause = 200 * time.Millisecond

// renewAfter is the number of calls after which discordgo's limiter is replaced: it keeps an entry
// for each route and channel for ever.
const renewAfter = 50_000

// API makes the REST calls that the bot needs. Each is made once: what to do about a failure is the
// caller's to say. It is safe for concurrent use.
type API struct {
	token  string
	client *http.Client
	limits *limits
	sdk    atomic.Pointer[discordgo.Session]
	calls  atomic.Int64
}

func newAPI(token string, carrier http.RoundTripper, l *limits) (*API, error) {
	// which bounds each call by itself
	a := &API{token: token, client: &http.Client{Transport: carrier}, limits: l}
	return a, a.renew()
}

// Session returns an SDK session that uses the process's transport and never waits or retries by
// itself.
func (a *API) Session() (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + a.token)
	if err != nil {
		return nil, fmt.Errorf("set up the Discord client: %w", err)
	}
	s.Client, s.ShouldRetryOnRateLimit, s.MaxRestRetries = a.client, false, 0
	// it writes to the process's standard log, and what it says is returned as errors too
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

// HistoryLimit is how many messages are read at once. It is the platform's limit of one call.
const HistoryLimit = 100

// Request is one call.
type Request struct {
	Doing  string // for errors: "post a message"
	Method string
	URL    string
	Bucket string
	Body   any
	Paid   bool // a request of the bucket was taken already
}

// Do makes a call, as soon as its bucket has room, and decodes its answer into out unless that is
// nil.
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

// CreateBucket is the key of the bucket of new messages in a channel. Create and edit are limited
// each by itself, and in each channel by itself; interactions by their token, which the SDK would
// lump together.
func CreateBucket(channel string) string { return createPrefix + channel }

// EditBucket is that of the edits of a channel's messages.
func EditBucket(channel string) string { return editPrefix + channel }

// ReplyBucket is that of what is answered through an interaction's token.
func ReplyBucket(token string) string { return interactionPrefix + token }

const (
	createPrefix = "POST messages "
	editPrefix   = "PATCH messages "
)

// isWrite reports whether a bucket is one of messages.
func isWrite(key string) bool {
	return strings.HasPrefix(key, createPrefix) || strings.HasPrefix(key, editPrefix)
}

// CallbackBucket is of the first response to an interaction, for which the answer that is written
// by its token waits.
func CallbackBucket(interaction string) string { return interactionPrefix + "callback " + interaction }

// Posted is what is read of a message that the bot wrote.
type Posted struct {
	ID          string          `json:"id"`
	Nonce       json.RawMessage `json:"nonce"` // a string, or a number of another client
	Author      struct{ ID string }
	Interaction *struct{ ID string } `json:"interaction_metadata"`
}

// MessagesAfter reads messages that are newer than one, newest first.
func (a *API) MessagesAfter(ctx context.Context, channel, after string, limit int, out any) error {
	return a.Messages(ctx, channel, url.Values{"limit": {strconv.Itoa(limit)}, "after": {after}}, out)
}

// Messages reads messages of a channel, newest first.
func (a *API) Messages(ctx context.Context, channel string, query url.Values, out any) error {
	return a.Do(ctx, Request{
		Doing: "read messages", Method: http.MethodGet, URL: discordgo.EndpointChannelMessages(channel) + "?" + query.Encode(),
		Bucket: "GET messages " + channel,
	}, out)
}

// Channel looks a channel, or a thread, up.
func (a *API) Channel(ctx context.Context, id string) (*discordgo.Channel, error) {
	var c discordgo.Channel
	err := a.Do(ctx, Request{Doing: "look up a channel", Method: http.MethodGet, URL: discordgo.EndpointChannel(id), Bucket: "GET channel " + id}, &c)
	return &c, err
}

// Typing shows that the bot writes, where there is room for what is no answer.
func (a *API) Typing(ctx context.Context, channel string) error {
	bucket := "POST typing " + channel
	if !a.limits.Try(bucket, BucketKept) {
		return thread.ErrNoRoom
	}
	return a.Do(ctx, Request{
		Doing: "show that the bot writes", Method: http.MethodPost, URL: discordgo.EndpointChannelTyping(channel), Bucket: bucket, Paid: true,
	}, nil)
}

// ThreadFrom opens a thread from a message, which gives the thread its id.
func (a *API) ThreadFrom(ctx context.Context, channel, message, name string) error {
	return a.Do(ctx, Request{
		Doing: "open a thread", Method: http.MethodPost, URL: discordgo.EndpointChannelMessageThread(channel, message),
		Bucket: openBucket(channel), Body: map[string]any{"name": name, "auto_archive_duration": 1440},
	}, nil)
}

// Unarchive takes a thread out of the archive, in which nothing can be edited.
func (a *API) Unarchive(ctx context.Context, thread string) error {
	return a.Do(ctx, Request{
		Doing: "take the thread out of the archive", Method: http.MethodPatch, URL: discordgo.EndpointChannel(thread), Bucket: "PATCH channel " + thread,
		Body: map[string]any{"archived": false},
	}, nil)
}

// Dm returns the direct conversation with someone.
func (a *API) Dm(ctx context.Context, user string) (string, error) {
	var c struct{ ID string }
	err := a.Do(ctx, Request{
		Doing: "open a direct conversation", Method: http.MethodPost, URL: discordgo.EndpointUserChannels("@me"), Bucket: "POST dm",
		Body: map[string]any{"recipient_id": user},
	}, &c)
	return c.ID, err
}

// Member looks someone up in a server; nil when the person is not there.
func (a *API) Member(ctx context.Context, guild, user string) (*discordgo.Member, error) {
	var m discordgo.Member
	err := a.Do(ctx, Request{
		Doing: "look up a member", Method: http.MethodGet, URL: discordgo.EndpointGuildMember(guild, user), Bucket: "GET member " + guild,
	}, &m)
	switch Code(err) {
	case codeUnknownMember, codeUnknownUser:
		return nil, nil
	case CodeUnknownGuild, CodeMissingAccess:
		// the bot is not there any more, so that no one is anything there
		return nil, nil
	}
	return &m, err
}

// Message reads one message.
func (a *API) Message(ctx context.Context, channel, id string) (*discordgo.Message, error) {
	var m discordgo.Message
	err := a.Do(ctx, Request{
		Doing: "read a message", Method: http.MethodGet, URL: discordgo.EndpointChannelMessage(channel, id), Bucket: "GET message " + channel,
	}, &m)
	return &m, err
}
