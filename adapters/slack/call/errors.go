package call

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// unsaidPause is the wait after a "ratelimited" response without a Retry-After header.
const unsaidPause = 5 * time.Second

// codeLocked is Slack's error code for a thread in which only its managers may write.
const codeLocked = "restricted_action_thread_locked"

// These are Slack's error codes, grouped by the error that [Translate] returns. They apply to all
// methods.
var (
	codesGone    = []string{"message_not_found"}
	codesFixed   = []string{"cant_update_message", "cant_delete_message", "edit_window_closed", "is_inactive", "block_mismatch"}
	codesLimited = []string{"ratelimited", "rate_limited"}
	codesDown    = []string{"streaming_state_conflict", "internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"}
	codesDenied  = []string{
		"channel_not_found", "not_in_channel", "is_archived", "restricted_action", "restricted_action_read_only_channel",
		"restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", codeLocked, "no_permission",
		"missing_scope", "access_denied", "ekm_access_denied", "team_access_not_granted", "thread_not_found", "messages_tab_disabled",
		"message_limit_exceeded", "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired",
		"not_allowed_token_type", "org_login_required", "user_not_in_channel",
	}
)

// Translate converts an error of the Slack library to an error of package thread. what describes
// the call. If create is set and the result of the call is unknown, the error wraps
// thread.ErrOutcomeUnknown.
func Translate(what string, err error, create bool) error {
	if err == nil {
		return nil
	}
	var limited *api.RateLimitedError
	if errors.As(err, &limited) {
		return fmt.Errorf("%s: %w", what, &thread.RateLimitError{RetryAfter: limited.RetryAfter})
	}
	var refused api.SlackErrorResponse
	if errors.As(err, &refused) {
		in := func(codes []string) bool { return slices.Contains(codes, refused.Err) }
		switch {
		case in(codesLimited):
			return fmt.Errorf("%s: %w", what, &thread.RateLimitError{RetryAfter: unsaidPause})
		case in(codesGone):
			return fmt.Errorf("%s: %w", what, thread.ErrMessageGone)
		case in(codesFixed):
			return fmt.Errorf("%s: %w: %s", what, thread.ErrNotEditable, refused.Err)
		case in(codesDenied):
			return fmt.Errorf("%w: %w", thread.ErrNotPermitted, Explain(what, err))
		case in(codesDown) && create:
			return fmt.Errorf("%s: %w: %s", what, thread.ErrOutcomeUnknown, refused.Err)
		case in(codesDown):
			return fmt.Errorf("%s: Slack answered %s", what, refused.Err)
		default:
			// Slack understood the call and refuses it: invalid_blocks, msg_too_long and others
			return fmt.Errorf("%s: %w: Slack answered %s", what, thread.ErrRefused, refused.Err)
		}
	}
	if create && !Unsent(err) {
		return fmt.Errorf("%s: %w: %w", what, thread.ErrOutcomeUnknown, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Unsent reports whether a failed request certainly had no effect in Slack.
func Unsent(err error) bool {
	var status api.StatusCodeError
	if errors.As(err, &status) {
		return status.Code < 500
	}
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// Code returns the error code in Slack's response. It returns "" for errors that do not come from
// Slack.
func Code(err error) string {
	var refused api.SlackErrorResponse
	if errors.As(err, &refused) {
		return refused.Err
	}
	return ""
}

type fault struct {
	sentence string
	cause    error
}

func (f *fault) Error() string { return f.sentence }
func (f *fault) Unwrap() error { return f.cause }

// Explain converts an error to a sentence that tells an operator what to do.
func Explain(what string, err error) error {
	say := func(format string, a ...any) error { return &fault{what + ": " + fmt.Sprintf(format, a...), err} }
	var refused api.SlackErrorResponse
	if !errors.As(err, &refused) {
		var status api.StatusCodeError
		switch {
		case errors.As(err, &status):
			return say("Slack answered %s; if SLACK_API_URL is set, check that it is right", status.Status)
		case errors.Is(err, context.DeadlineExceeded):
			return say("Slack did not answer in time; check the network, and HTTPS_PROXY where there is a proxy")
		default:
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	switch refused.Err {
	case "invalid_auth", "not_authed":
		return say("Slack does not know the token (%s): copy it again from your app's settings, SLACK_BOT_TOKEN from OAuth & Permissions and SLACK_APP_TOKEN from Basic Information", refused.Err)
	case "token_revoked", "account_inactive", "token_expired":
		return say("the token is no longer valid (%s): install the app to the workspace again and copy the new token", refused.Err)
	case "not_allowed_token_type":
		return say("the token is of the wrong kind: SLACK_BOT_TOKEN takes the xoxb- token and SLACK_APP_TOKEN the xapp- token")
	case "missing_scope":
		if refused.Needed == "" && what == openSocket { // the only scope of its token
			refused.Needed = AppScope
		}
		if refused.Needed == "" { // Slack names it; some proxies leave that out
			return say("the app lacks a scope, and Slack does not say which: footnote doctor does; %s", AddScope(""))
		}
		return say("the app lacks the scope %s%s: %s", refused.Needed, reason(refused.Needed), AddScope(refused.Needed))
	case "not_in_channel", "channel_not_found":
		return say("the bot is not in the channel (%s): invite it there", refused.Err)
	default:
		return say("Slack answered %s", refused.Err)
	}
}

// Barred reports whether err means that the bot cannot post the answer in the question's channel or
// thread. sentence is the message for the asker.
func Barred(err error) (sentence string, yes bool) {
	switch {
	case errors.Is(err, stream.ErrNoNotice):
		return "Slack refused my answer to your question, and did not take a word instead of it. Ask in other words, or ask me in a direct message.", true
	case Code(err) == codeLocked:
		return "The thread was locked before my answer was complete. Ask whoever manages the channel to unlock it, or ask me in a direct message.", true
	default:
		return "I may not write where you asked, so my answer is not complete there. Ask whoever manages the channel to let me write, or ask me in a direct message.",
			errors.Is(err, thread.ErrNotPermitted)
	}
}

// Transient reports whether the same call may succeed later, because Slack was busy or did not
// respond.
func Transient(err error) bool {
	if errors.Is(err, access.ErrPending) {
		return false // the worker waits for it
	}
	if errors.Is(err, thread.ErrNoRoom) { // the call has already waited long enough
		return false
	}
	var status api.StatusCodeError
	if errors.As(err, &status) && status.Code >= 400 && status.Code < 500 && status.Code != http.StatusTooManyRequests {
		return false
	}
	refusal := Code(err)
	return err != nil && (refusal == "" || slices.Contains(codesLimited, refusal) || slices.Contains(codesDown, refusal))
}

// Hopeless reports whether a reconnect with the same settings is certain to fail again.
func Hopeless(err error) bool {
	return slices.Contains([]string{
		"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope", "not_allowed_token_type",
		"forbidden_team", "access_denied", "org_login_required",
	}, Code(err))
}
