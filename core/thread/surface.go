package thread

import (
	"context"
	"errors"
	"time"
)

// Capabilities are a surface's limits. Zero means no limit, or not supported.
type Capabilities struct {
	MinEditInterval time.Duration // between two edits of one answer
	// MinAppendInterval is between two pieces of a native stream; zero means MinEditInterval.
	MinAppendInterval time.Duration
	// MaxStreamAge is after which a native stream is closed and goes on in a new message.
	MaxStreamAge time.Duration
}

// Surface posts to one thread. P is the platform's rendered page. Calls for one thread are made
// from one goroutine at a time; a surface serves many threads at once. Errors are this package's
// sentinels and types where they apply.
type Surface[P any] interface {
	// Post creates a message and returns its id. It is never retried by the surface: when the
	// outcome is unknown it says so with ErrOutcomeUnknown.
	Post(ctx context.Context, to Ref, page P) (MessageID, error)
	// Edit replaces a message.
	Edit(ctx context.Context, to Ref, id MessageID, page P) error
	// Delete removes a message; deleting one that has gone is no error.
	Delete(ctx context.Context, to Ref, id MessageID) error
	// Own lists the messages that exist in the thread for the surface's turn, oldest first,
	// whichever process posted them; none where the surface cannot find them.
	Own(ctx context.Context, to Ref) ([]MessageID, error)
	// Reserve returns nil when one more call of this kind for the thread may be made now, and
	// counts it: answers share the platform's rate limits, across replicas where there is a Redis.
	// With Final and First it waits until there is room or ctx ends; with Progress it returns
	// ErrNoRoom at once, since a later snapshot makes this one stale.
	Reserve(ctx context.Context, to Ref, call Call, class Class) error
	// Capabilities are constant for the surface's lifetime.
	Capabilities() Capabilities
}

// Forgetful is embedded by surfaces that cannot find what they wrote.
type Forgetful struct{}

// Own implements Surface.
func (Forgetful) Own(context.Context, Ref) ([]MessageID, error) { return nil, nil }

// Unpaced is embedded by surfaces whose calls nothing limits but their intervals.
type Unpaced struct{}

// Reserve implements Surface.
func (Unpaced) Reserve(context.Context, Ref, Call, Class) error { return nil }

// Streamer is implemented by surfaces that can append to a message while it is being written. Pages
// hold only what is new.
type Streamer[P any] interface {
	// Start creates a message. ErrNoStream says that this answer is to be posted and edited instead.
	Start(ctx context.Context, to Ref, page P) (MessageID, error)
	Append(ctx context.Context, to Ref, id MessageID, page P) error
	// Stop appends the last piece and closes the message.
	Stop(ctx context.Context, to Ref, id MessageID, page P) error
	// Split returns what of a piece belongs to the present message and what to each message after
	// it, and what closes the last of them when the piece is the answer's end. There is always one
	// part.
	Split(piece P) (parts []P, end P)
	// Renew returns what ends the present message, to which last was appended last, and what the
	// next one begins with; more is false when that is nothing.
	Renew(last P) (end, begin P, more bool)
}

// Endless is embedded by Streamers whose messages have no greatest length or age.
type Endless[P any] struct{}

// Split implements Streamer: all of a piece belongs to the present message.
func (Endless[P]) Split(piece P) (parts []P, end P) { return []P{piece}, end }

// Renew implements Streamer.
func (Endless[P]) Renew(P) (end, begin P, more bool) { return end, begin, false }

// Sentinels of sending. Adapters translate their SDK's errors to these.
var (
	ErrOutcomeUnknown = errors.New("the platform did not say whether the message was posted")
	// ErrMessageGone says that a person or a bot deleted the message: it is not posted again.
	ErrMessageGone = errors.New("the message no longer exists")
	// ErrExpired says that the message cannot be reached any more where it was posted, such as through
	// a token that expired: what it is to show is posted as another message.
	ErrExpired      = errors.New("the message can no longer be reached")
	ErrNotEditable  = errors.New("the message cannot be edited any more")
	ErrNotPermitted = errors.New("the bot is not permitted to post here")
	ErrNoStream     = errors.New("the answer cannot be streamed here")
	// ErrRefused says that the platform does not take the message for what it holds, now or later.
	// With less in it, it may.
	ErrRefused = errors.New("the platform does not take the message as it is")
	// ErrNoFile says that no file can be posted here. What it holds can be posted as messages.
	ErrNoFile = errors.New("no file can be posted here")
)

// Lasting reports whether the same call would fail again: the platform understood it and said no.
func Lasting(err error) bool {
	for _, no := range []error{ErrRefused, ErrNotPermitted, ErrMessageGone, ErrExpired, ErrNotEditable} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// RateLimitError says that the platform wants a pause.
type RateLimitError struct{ RetryAfter time.Duration }

// Error implements error.
func (e *RateLimitError) Error() string { return "the platform asks to wait " + e.RetryAfter.String() }
