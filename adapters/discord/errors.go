package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/gorilla/websocket"
)

// Codes of the platform that mean something to the core, as its documentation lists them.
const (
	codeUnknownChannel     = 10003
	codeUnknownGuild       = 10004
	codeUnknownMember      = 10007
	codeUnknownMessage     = 10008
	codeUnknownUser        = 10013
	codeUnknownWebhook     = 10015
	codeUnknownInteraction = 10062
	codeOldEdits           = 30046
	codeAcknowledged       = 40060
	codeMissingAccess      = 50001
	codeOtherAuthor        = 50005
	codeCannotDM           = 50007
	codeMissingPermission  = 50013
	codeWebhookToken       = 50027
	codeInvalidForm        = 50035
	codeArchived           = 50083
	codeNoReply            = 160002 // without permission to read message history
	codeThreadExists       = 160004
	codeThreadLocked       = 160005
)

// errTokenOver says that an interaction can no longer be answered through its token.
var errTokenOver = errors.New("the interaction can no longer be answered")

// apiError is an error that the platform stated. It wraps the core's sentinel where there is one.
type apiError struct {
	doing  string
	status int
	code   int
	text   string
	is     error
}

func (e *apiError) Error() string {
	s := fmt.Sprintf("%s: Discord says %q (status %d, code %d)", e.doing, e.text, e.status, e.code)
	if hint := hints[e.code]; hint != "" {
		s += "; " + hint
	}
	return s
}

func (e *apiError) Unwrap() error { return e.is }

// lacking names what the bot lacks in a channel when the platform says that it lacks something there.
func (c *Client) lacking(ctx context.Context, channel string, err error) error {
	if code(err) != codeMissingPermission && code(err) != codeMissingAccess {
		return err
	}
	p, known := c.directory.peek(channel)
	if known && p.thread {
		p, known = c.directory.peek(p.parent)
	}
	if !known {
		return err
	}
	list, asked := c.Lacking(ctx, p.guild, []string{p.id})
	if asked != nil || len(list) == 0 {
		return err
	}
	names := make([]string, len(list[0].Permissions))
	for i, lacks := range list[0].Permissions {
		names[i] = lacks.Name
	}
	return &barredError{error: err, place: "#" + p.name, lacks: strings.Join(names, ", ")}
}

// barredError says what the bot lacks where it was to write.
type barredError struct {
	error
	place, lacks string
}

func (e *barredError) Error() string {
	return fmt.Sprintf("%v; in %s the bot's role lacks: %s", e.error, e.place, e.lacks)
}

func (e *barredError) Unwrap() error { return e.error }

// Barred returns a sentence for somebody whose question cannot be answered where it was asked, and whether an error says so.
func Barred(err error) (sentence string, yes bool) {
	var barred *barredError
	switch {
	case errors.Is(err, stream.ErrUnsaid):
		return "Discord refused my answer to your question, and did not take a word instead of it. Ask in other words, or ask me here.", true
	case code(err) == codeThreadLocked, code(err) == codeArchived && errors.Is(err, thread.ErrNotPermitted):
		return "The thread was locked before my answer was complete, and I can finish it nowhere else. Ask whoever moderates the server to unlock the thread, or ask me here.", true
	case errors.As(err, &barred):
		return fmt.Sprintf("I may not answer your question in %s, because my role lacks: %s. Ask whoever manages the server to grant that, or ask me here.",
			EscapeText(barred.place), barred.lacks), true
	}
	return "I may not answer your question where you asked it. Ask whoever manages the server to let me write there, or ask me here.",
		errors.Is(err, thread.ErrNotPermitted) && code(err) != codeUnknownChannel
}

// hints say what an operator can do.
var hints = map[int]string{
	codeMissingAccess:     "let the bot's role view the channel",
	codeMissingPermission: "give the bot's role View Channel, Send Messages, Send Messages in Threads, Create Public Threads, Read Message History and Attach Files here",
	codeThreadLocked:      "the thread is locked; unlock it",
	codeCannotDM:          "the person does not accept direct messages from the bot",
}

// sentinels translate codes to what the core knows.
var sentinels = map[int]error{
	codeUnknownChannel:     thread.ErrNotPermitted, // there is no such place any more
	codeUnknownMessage:     thread.ErrMessageGone,
	codeUnknownWebhook:     errTokenOver,
	codeUnknownInteraction: errTokenOver,
	codeWebhookToken:       errTokenOver,
	codeOldEdits:           thread.ErrNotEditable,
	codeOtherAuthor:        thread.ErrNotEditable,
	codeArchived:           thread.ErrNotEditable,
	codeMissingAccess:      thread.ErrNotPermitted,
	codeCannotDM:           thread.ErrNotPermitted,
	codeMissingPermission:  thread.ErrNotPermitted,
	codeThreadLocked:       thread.ErrNotPermitted,
}

// translate makes an error of the SDK one of the core's.
func translate(doing string, err error) error {
	if err == nil {
		return nil
	}
	var limited *discordgo.RateLimitError
	if errors.As(err, &limited) {
		if limited.Message == oldEdits {
			return &apiError{doing: doing, status: http.StatusTooManyRequests, code: codeOldEdits, text: "too many edits of old messages", is: thread.ErrNotEditable}
		}
		return fmt.Errorf("%s: %w", doing, &thread.RateLimitError{RetryAfter: limited.RetryAfter})
	}
	var rest *discordgo.RESTError
	if !errors.As(err, &rest) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	e := &apiError{doing: doing, status: rest.Response.StatusCode, text: http.StatusText(rest.Response.StatusCode)}
	if rest.Message != nil {
		e.code, e.text = rest.Message.Code, rest.Message.Message
	}
	switch {
	case sentinels[e.code] != nil:
		e.is = sentinels[e.code]
	case e.status == http.StatusForbidden, e.status == http.StatusUnauthorized:
		e.is = thread.ErrNotPermitted
	case lasting(e) && rest.Message != nil: // in the platform's own words: what a proxy says in between may pass
		e.is = thread.ErrRefused
	}
	return e
}

// fileRefused makes the error of a write that had a file one that says that less may be taken: the permission to attach files is one of its
// own, a file has limits of its own, and there are servers that take no message in several parts.
func fileRefused(p Page, err error) error {
	if p.Attachment == "" || !lasting(err) || errors.Is(err, errTokenOver) || errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotEditable) ||
		slices.Contains([]int{codeThreadLocked, codeUnknownChannel, codeMissingAccess}, code(err)) {
		return err
	}
	return fmt.Errorf("%w: %w", thread.ErrRefused, err)
}

// code returns the platform's code of an error; 0 when it has none.
func code(err error) int {
	var e *apiError
	if errors.As(err, &e) {
		return e.code
	}
	return 0
}

// status returns the status of an answer that was an error; 0 when there was no answer.
func status(err error) int {
	var e *apiError
	if errors.As(err, &e) {
		return e.status
	}
	return 0
}

// lasting reports whether the same call would fail again: the platform understood it and said no.
func lasting(err error) bool {
	s := status(err)
	return s >= http.StatusBadRequest && s < http.StatusInternalServerError && s != http.StatusTooManyRequests && s != http.StatusRequestTimeout
}

// certain reports whether an error leaves no doubt that a call had no effect: the platform refused it, or it was never sent.
func certain(err error) bool {
	var limited *thread.RateLimitError
	var unsent notSentError
	var stated *apiError
	return errors.As(err, &limited) || errors.As(err, &unsent) || errors.As(err, &stated) && stated.status < http.StatusInternalServerError
}

// FatalError is why the bot cannot be connected until somebody changes something. Its text is a sentence that says what.
type FatalError struct {
	Sentence string
	Code     int // with which the gateway closed the connection
}

// Error implements error.
func (e *FatalError) Error() string { return e.Sentence }

// fatalSentences are for the codes after which a client must not connect again as it is.
var fatalSentences = map[int]string{
	closeNotAuthenticated: "Discord does not accept the bot token. Copy it anew from the Developer Portal (Bot → Reset Token) into DISCORD_BOT_TOKEN.",
	4010:                  "Discord does not accept the shard. This is a fault of the configuration of shards.",
	closeShardingRequired: "Discord wants this bot to be sharded, because it is in too many servers for one connection.",
	4012:                  "Discord no longer speaks this version of the gateway. Update Footnote.",
	4013:                  "Discord does not know the intents that were asked for. Update Footnote.",
	closeDisallowedIntent: "Discord refuses a privileged intent that is not enabled for this bot. Enable %s in the Developer Portal " +
		"(Bot → Privileged Gateway Intents)%s.",
}

// fatal returns the FatalError of a closed gateway connection, or nil.
func (g *Gateway) fatal(err error) error {
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || fatalSentences[closed.Code] == "" {
		return nil
	}
	sentence := fatalSentences[closed.Code]
	if closed.Code == closeDisallowedIntent {
		sentence = fmt.Sprintf(sentence, g.config.privileged(), g.config.without())
	}
	return &FatalError{Sentence: sentence, Code: closed.Code}
}
