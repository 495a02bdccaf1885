package call

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// These are the error codes of Discord that the adapter distinguishes.
const (
	CodeUnknownChannel     = 10003
	CodeUnknownGuild       = 10004
	codeUnknownMember      = 10007
	codeUnknownMessage     = 10008
	codeUnknownUser        = 10013
	CodeUnknownWebhook     = 10015
	codeUnknownInteraction = 10062
	codeOldEdits           = 30046
	CodeAcknowledged       = 40060
	CodeMissingAccess      = 50001
	codeOtherAuthor        = 50005
	codeCannotDM           = 50007
	CodeMissingPermission  = 50013
	codeWebhookToken       = 50027
	CodeInvalidForm        = 50035
	CodeArchived           = 50083
	CodeNoReply            = 160002 // a reply without the permission to read the message history
	CodeThreadExists       = 160004
	CodeThreadLocked       = 160005
)

// ErrTokenOver reports that an interaction's token has expired. The interaction can no longer be
// answered.
var ErrTokenOver = errors.New("the interaction can no longer be answered")

// APIError is an error response of Discord. It wraps the matching error of package thread, such as
// thread.ErrNotPermitted, if there is one.
type APIError struct {
	doing  string
	Status int
	code   int
	text   string
	is     error
}

// Error implements error.
func (e *APIError) Error() string {
	s := fmt.Sprintf("%s: Discord says %q (status %d, code %d)", e.doing, e.text, e.Status, e.code)
	if hint := hints[e.code]; hint != "" {
		s += "; " + hint
	}
	return s
}

// Unwrap returns the matching error of package thread, or nil.
func (e *APIError) Unwrap() error { return e.is }

var hints = map[int]string{
	CodeMissingAccess:     "let the bot's role view the channel",
	CodeMissingPermission: "give the bot's role View Channel, Send Messages, Send Messages in Threads, Create Public Threads, Read Message History and Attach Files here",
	CodeThreadLocked:      "the thread is locked; unlock it",
	codeCannotDM:          "the person does not accept direct messages from the bot",
}

var sentinels = map[int]error{
	CodeUnknownChannel:     thread.ErrNotPermitted, // the channel does not exist any more
	codeUnknownMessage:     thread.ErrMessageGone,
	CodeUnknownWebhook:     ErrTokenOver,
	codeUnknownInteraction: ErrTokenOver,
	codeWebhookToken:       ErrTokenOver,
	codeOldEdits:           thread.ErrNotEditable,
	codeOtherAuthor:        thread.ErrNotEditable,
	CodeArchived:           thread.ErrNotEditable,
	CodeMissingAccess:      thread.ErrNotPermitted,
	codeCannotDM:           thread.ErrNotPermitted,
	CodeMissingPermission:  thread.ErrNotPermitted,
	CodeThreadLocked:       thread.ErrNotPermitted,
}

// translate converts an error of discordgo to an [APIError] or a thread.RateLimitError.
func translate(doing string, err error) error {
	if err == nil {
		return nil
	}
	var limited *discordgo.RateLimitError
	if errors.As(err, &limited) {
		if limited.Message == oldEdits {
			return &APIError{doing: doing, Status: http.StatusTooManyRequests, code: codeOldEdits, text: "too many edits of old messages", is: thread.ErrNotEditable}
		}
		return fmt.Errorf("%s: %w", doing, &thread.RateLimitError{RetryAfter: limited.RetryAfter})
	}
	var rest *discordgo.RESTError
	if !errors.As(err, &rest) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	e := &APIError{doing: doing, Status: rest.Response.StatusCode, text: http.StatusText(rest.Response.StatusCode)}
	if rest.Message != nil {
		e.code, e.text = rest.Message.Code, rest.Message.Message
	}
	switch {
	case sentinels[e.code] != nil:
		e.is = sentinels[e.code]
	case e.Status == http.StatusForbidden, e.Status == http.StatusUnauthorized:
		e.is = thread.ErrNotPermitted
	case Lasting(e) && rest.Message != nil:
		// only Discord's own refusals count; an error of a proxy may be temporary
		e.is = thread.ErrRefused
	}
	return e
}

// Code returns the error code in Discord's response, or 0 if err has none.
func Code(err error) int {
	var e *APIError
	if errors.As(err, &e) {
		return e.code
	}
	return 0
}

// Status returns the HTTP status of an error response, or 0 if there was no response.
func Status(err error) int {
	var e *APIError
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// Lasting reports whether Discord refused a call for a reason that a retry would not change.
func Lasting(err error) bool {
	s := Status(err)
	return s >= http.StatusBadRequest && s < http.StatusInternalServerError && s != http.StatusTooManyRequests && s != http.StatusRequestTimeout
}

// RetryAfter returns how long to wait at least before a failed call is repeated. It returns
// sleep.Never if a retry would fail too.
func RetryAfter(err error) time.Duration {
	var limited *thread.RateLimitError
	switch {
	case Lasting(err):
		return sleep.Never
	case errors.As(err, &limited):
		return limited.RetryAfter
	default:
		return 0
	}
}

// Certain reports whether a failed call certainly had no effect. That is so if Discord refused the
// call or it was never sent.
func Certain(err error) bool {
	var limited *thread.RateLimitError
	var unsent notSentError
	var stated *APIError
	return errors.As(err, &limited) || errors.As(err, &unsent) || errors.As(err, &stated) && stated.Status < http.StatusInternalServerError
}

// FatalError reports that the bot cannot connect until an operator changes something. Its text is a
// sentence that tells the operator what to change.
type FatalError struct {
	Sentence string
	Code     int // the gateway's close code
}

// Error implements error.
func (e *FatalError) Error() string { return e.Sentence }

// FatalSentences maps the gateway's close codes to the sentences of a [FatalError]. After these
// codes, a client must not reconnect unchanged.
var FatalSentences = map[int]string{
	CloseNotAuthenticated: "Discord does not accept the bot token. Copy it again from the Developer Portal (Bot → Reset Token) into DISCORD_BOT_TOKEN.",
	4010:                  "Discord does not accept the shard. This is a fault of the configuration of shards.",
	CloseShardingRequired: "Discord wants this bot to be sharded, because it is in too many servers for one connection.",
	4012:                  "Discord no longer speaks this version of the gateway. Update Footnote.",
	4013:                  "Discord does not know the intents that were asked for. Update Footnote.",
	CloseDisallowedIntent: "Discord refuses a privileged intent that is not enabled for this bot. Enable %s in the Developer Portal " +
		"(Bot → Privileged Gateway Intents)%s.",
}

// These are the close codes of Discord's gateway that the adapter distinguishes.
const (
	CloseInvalidSeq       = 4007
	CloseTimedOut         = 4009
	CloseNotAuthenticated = 4004
	CloseShardingRequired = 4011
	CloseDisallowedIntent = 4014
)
