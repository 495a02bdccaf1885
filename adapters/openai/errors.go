package openai

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/llm"
)

// responseError is an error response with the provider's own code and message. explain converts it
// to an error of core/llm.
type responseError struct {
	status     int // HTTP status; 0 for an error inside a stream that gives none
	inStream   bool
	page       bool   // the body is a web page
	location   string // target of a redirect
	retryAfter time.Duration
	code       string
	kind       string
	param      string
	message    string
}

// Error implements error. It omits the provider's message, which may contain the key or the prompt.
func (e *responseError) Error() string {
	return "the model endpoint answered HTTP " + strconv.Itoa(e.status)
}

// read parses the body of an error response: {"error":{…}}, {"error":"…"}, {"detail":…},
// {"message":…} or plain text.
func (e *responseError) read(body []byte) {
	var envelope struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
		Param   json.RawMessage `json:"param"`
	}
	if json.Unmarshal(body, &envelope) != nil {
		e.message = string(body)
		return
	}
	e.code, e.kind, e.param = plain(envelope.Code), plain(envelope.Type), plain(envelope.Param)
	e.message = first(plain(envelope.Message), plain(envelope.Detail))
	var detail struct {
		Message json.RawMessage `json:"message"`
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
		Param   json.RawMessage `json:"param"`
	}
	if json.Unmarshal(envelope.Error, &detail) == nil {
		e.code = first(plain(detail.Code), e.code)
		e.kind = first(plain(detail.Type), e.kind)
		e.param = first(plain(detail.Param), e.param)
		e.message = first(plain(detail.Message), e.message)
	} else {
		e.message = first(plain(envelope.Error), e.message)
	}
	if e.status == 0 {
		if n, err := strconv.Atoi(e.code); err == nil && n >= 400 && n < 600 {
			e.status = n
		}
	}
}

func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// says reports whether the response contains one of the phrases, which must be in lower case.
func (e *responseError) says(phrases ...string) bool {
	text := strings.ToLower(e.code + " " + e.kind + " " + e.param + " " + e.message)
	for _, phrase := range phrases {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

func (e *responseError) tooLong() bool {
	return e.status == http.StatusRequestEntityTooLarge || e.says("context_length", "context length", "maximum context", "context window",
		"context size", "exceed_context", "prompt is too long", "input is too long", "too many tokens", "maximum input length", "input_too_long")
}

func (e *responseError) filtered() bool {
	return e.says("content_filter", "content filter", "content_policy", "content management policy", "responsibleai")
}

func (e *responseError) limited() bool {
	return e.status == http.StatusTooManyRequests || e.status == 0 && e.says("rate_limit", "rate limit", "too many requests")
}

func (e *responseError) unpaid() bool {
	return e.status == http.StatusPaymentRequired || e.says("insufficient_quota", "billing_hard_limit", "billing_not_active")
}

// explainer converts errors of requests to errors of core/llm. Their texts tell an operator what to
// do, and never contain the API key or text of the request.
type explainer struct {
	host       string
	model      string
	setting    string // name of the setting for the model
	address    string // name of the setting for the address
	keySetting string // name of the setting for the key
	key        string
	sent       []string // texts of the request; a provider message that repeats one is not shown
}

// explain converts err to an error of core/llm. If ctx is done, it returns the error of ctx.
func (x explainer) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
			return fmt.Errorf("%w: %w", ctx.Err(), cause)
		}
		return ctx.Err()
	}
	var refused *responseError
	var sending *url.Error // the request got no response
	switch {
	case errors.Is(err, llm.ErrNoTools):
		return fmt.Errorf("%w: %s%s", llm.ErrNoTools, x.host, x.quotedRefusal(err))
	case errors.As(err, &refused):
		return x.refusal(refused)
	case errors.Is(err, llm.ErrBadRequest): // found before sending; the text is already complete
		return err
	case errors.Is(err, llm.ErrEndless):
		return fmt.Errorf("%s: %w", x.host, err)
	case errors.Is(err, boundedjson.ErrLimit):
		return fmt.Errorf("%w: %s sent a larger response than requested: %w", llm.ErrBadRequest, x.host, err)
	case errors.Is(err, llm.ErrStalled):
		return fmt.Errorf("%w: %s kept the connection open in silence", llm.ErrStalled, x.host)
	case errors.As(err, &sending):
		return x.unreachable(sending)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errMalformed):
		return fmt.Errorf("%w: %w", llm.ErrIncomplete, err)
	}
	var network net.Error
	if errors.As(err, &network) {
		return fmt.Errorf("%w: the connection to %s broke", llm.ErrIncomplete, x.host)
	}
	if isSDKRefusal(err) {
		return fmt.Errorf("%w: the client library does not send this request to %s: %w", llm.ErrBadRequest, x.model, err)
	}
	return fmt.Errorf("%w: the response of %s is incomplete", llm.ErrIncomplete, x.host)
}

func (x explainer) unreachable(err *url.Error) error {
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("%w: the certificate of %s is not trusted; if it is your own, name its certificate authority in the settings", llm.ErrUnavailable, x.host)
	case errors.As(err, &name):
		return fmt.Errorf("%w: the name of %s could not be resolved; check %s and the network", llm.ErrUnavailable, x.host, x.address)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w: nothing listens at %s; start the server there, or correct %s", llm.ErrUnavailable, x.host, x.address)
	}
	return fmt.Errorf("%w: no answer from %s (%w); check that it runs and that %s is right", llm.ErrUnavailable, x.host, err.Err, x.address)
}

func isSDKRefusal(err error) bool {
	for _, refusal := range []error{
		sdk.ErrChatCompletionInvalidModel, sdk.ErrReasoningModelMaxTokensDeprecated, sdk.ErrReasoningModelLimitationsOther,
		sdk.ErrReasoningToolsRequireResponses, sdk.ErrReasoningSamplingUnsupported, sdk.ErrReasoningEffortUnsupported, sdk.ErrContentFieldsMisused,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

func (x explainer) quotedRefusal(err error) string {
	var refused *responseError
	if !errors.As(err, &refused) {
		return ""
	}
	return x.quoteSuffix(refused)
}

func (x explainer) refusal(e *responseError) error {
	words := x.quoteSuffix(e)
	switch {
	case e.page && e.status < 500:
		return fmt.Errorf("%w: %s answered with a web page (HTTP %d); check %s, which usually ends in /v1", llm.ErrNotFound, x.host, e.status, x.address)
	case e.location != "" && e.status/100 == 3:
		return fmt.Errorf("%w: %s redirects elsewhere (HTTP %d); set %s to the final address", llm.ErrNotFound, x.host, e.status, x.address)
	case e.unpaid():
		return fmt.Errorf("%w: the account at %s has no quota left; check its plan and billing", llm.ErrAuth, x.host)
	case e.tooLong():
		return fmt.Errorf("%w: %s refuses it; send less, or correct the window or chunk size in the settings", llm.ErrContextTooLong, x.model)
	case e.filtered():
		return fmt.Errorf("%w: the provider's content filter blocked the request; ask differently", llm.ErrRefused)
	case e.limited():
		return fmt.Errorf("%s: %w", x.host, &llm.RateLimitError{RetryAfter: e.retryAfter})
	case e.status == http.StatusUnauthorized:
		return fmt.Errorf("%w: %s does not accept the key (HTTP 401); set %s to a valid one", llm.ErrAuth, x.host, x.keySetting)
	case e.status == http.StatusForbidden:
		return fmt.Errorf("%w: the key has no access to %s at %s (HTTP 403); check the key's rights or %s", llm.ErrAuth, x.model, x.host, x.setting)
	case e.status == http.StatusNotFound, e.status == http.StatusMethodNotAllowed, e.says("model_not_found"):
		return fmt.Errorf("%w: %s knows no model %q; check %s and %s (HTTP %d)%s", llm.ErrNotFound, x.host, x.model, x.setting, x.address, e.status, words)
	case e.status >= 500, e.status == http.StatusRequestTimeout, e.status == http.StatusConflict, e.status == 0:
		// 529 and 503 may have a retry time too.
		if e.retryAfter > 0 {
			return fmt.Errorf("%w: %s answered HTTP %d: %w", llm.ErrUnavailable, x.host, e.status, &llm.RateLimitError{RetryAfter: e.retryAfter})
		}
		return fmt.Errorf("%w: %s reports an internal fault%s; try again later%s", llm.ErrUnavailable, x.host, status(e.status), words)
	}
	return fmt.Errorf("%w: %s answered HTTP %d%s; check %s and its settings", llm.ErrBadRequest, x.host, e.status, words, x.setting)
}

func status(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (HTTP %d)", n)
}

const (
	maxQuotedRunes = 200 // maximum length of a quoted provider message
	// minEchoBytes is the minimum length of text that counts as a repetition of the request.
	// Shorter text may match by chance.
	minEchoBytes = 16
)

// quoteSuffix returns ": " and the provider's message, shortened to maxQuotedRunes. It returns ""
// if there is no message, or if the message repeats the key or text of the request.
func (x explainer) quoteSuffix(e *responseError) string {
	message := strings.Join(strings.Fields(strings.ToValidUTF8(e.message, "")), " ")
	if x.key != "" && strings.Contains(message, x.key) {
		return ""
	}
	if utf8.RuneCountInString(message) > maxQuotedRunes {
		message = string([]rune(message)[:maxQuotedRunes]) + "…"
	}
	if message == "" || x.echoes(message) {
		return ""
	}
	return ": " + message
}

// echoes reports whether a message repeats text of the request, as some servers do in validation
// errors. Such a message must not be shown, because it would write a person's question to the log.
func (x explainer) echoes(message string) bool {
	for _, text := range x.sent {
		text = strings.Join(strings.Fields(text), " ")
		if text != "" && len(text) < minEchoBytes && strings.Contains(message, text) && len(text) > 3 {
			return true
		}
		for i := 0; i+minEchoBytes <= len(message); i++ {
			if strings.Contains(text, message[i:i+minEchoBytes]) {
				return true
			}
		}
	}
	return false
}
