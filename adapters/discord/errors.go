package discord

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/thread"
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

// Codes with which the gateway closes a connection.
const (
	closeInvalidSeq       = 4007
	closeTimedOut         = 4009
	closeNotAuthenticated = 4004
	closeShardingRequired = 4011
	closeDisallowedIntent = 4014
)
