package llm

import (
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

// Errors of model calls, for use with errors.Is. Providers wrap them with a description of the
// failure.
var (
	ErrAuth           = errors.New("the model endpoint refused the credentials")
	ErrNotFound       = errors.New("the model endpoint does not know this model or address")
	ErrContextTooLong = errors.New("the prompt is longer than the model's window")
	ErrBadRequest     = errors.New("the model endpoint refused the request")
	ErrUnavailable    = errors.New("the model endpoint is not available")
	ErrIncomplete     = errors.New("the model's stream ended before it was finished")
	ErrStalled        = errors.New("the model stopped sending")
	ErrEmpty          = errors.New("the model returned an empty answer")
	ErrRefused        = errors.New("the model declined to answer")
	// ErrNoTools means that the endpoint does not accept requests with tools. Info then reports no
	// NativeTools, and the caller can describe the tools in the prompt instead.
	ErrNoTools = errors.New("the model endpoint takes no tools")
	// ErrBudget means that a call was not made because its cost could exceed the remaining budget.
	ErrBudget = errors.New("the budget for models is used up")
)

// RateLimitError means that the provider asked for a pause.
type RateLimitError struct {
	RetryAfter time.Duration // 0 when the provider does not say
}

// Error implements error.
func (e *RateLimitError) Error() string {
	if e.RetryAfter > 0 {
		return fmt.Sprintf("the model endpoint asks to wait %s", e.RetryAfter)
	}
	return "the model endpoint asks to slow down"
}

// Retryable reports whether a retry of the same request may succeed.
func Retryable(err error) bool {
	var limited *RateLimitError
	return errors.As(err, &limited) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrIncomplete) || errors.Is(err, ErrStalled)
}

// RetryAfter returns how long to wait at least before the same request is sent again. It returns
// sleep.Never if a retry would fail too.
func RetryAfter(err error) time.Duration {
	if limited := (*RateLimitError)(nil); errors.As(err, &limited) {
		return limited.RetryAfter
	}
	if !Retryable(err) {
		return sleep.Never
	}
	return 0
}
