package thread

import (
	"context"
	"errors"
	"time"
)

// Capabilities are a surface's limits. Zero means unlimited or not supported.
type Capabilities struct {
	MinEditInterval time.Duration // between two edits of one answer
	// MinAppendInterval is the minimum time between two pieces of a native stream; zero means
	// MinEditInterval.
	MinAppendInterval time.Duration
	// MaxStreamAge is the age at which a native stream is closed and continues in a new message.
	MaxStreamAge time.Duration
}

// Surface posts to threads. P is the platform's rendered page. Calls for one thread come from one
// goroutine at a time, but a surface serves many threads concurrently. It returns this package's
// errors where they apply.
type Surface[P any] interface {
	// Post creates a message and returns its id. The surface never retries it. If the outcome is
	// unknown, the error is ErrOutcomeUnknown.
	Post(ctx context.Context, to Ref, page P) (MessageID, error)
	// Edit replaces a message's content.
	Edit(ctx context.Context, to Ref, id MessageID, page P) error
	// Delete deletes a message. It is no error if the message no longer exists.
	Delete(ctx context.Context, to Ref, id MessageID) error
	// Own lists the messages in the thread that any process posted for the surface's turn, oldest
	// first. It returns none if the surface cannot find them.
	Own(ctx context.Context, to Ref) ([]MessageID, error)
	// Reserve counts one call of this kind for the thread and returns nil if it may be made now.
	// Answers share the platform's rate limits, across replicas if there is a Redis. With Final and
	// First it waits until there is room or ctx is done. With Progress it returns ErrNoRoom at
	// once, because a later snapshot replaces this one.
	Reserve(ctx context.Context, to Ref, call Call, class Class) error
	// Capabilities returns the limits, which never change.
	Capabilities() Capabilities
}

// Forgetful is embedded by surfaces that cannot find their earlier messages.
type Forgetful struct{}

// Own implements Surface.
func (Forgetful) Own(context.Context, Ref) ([]MessageID, error) { return nil, nil }

// Unpaced is embedded by surfaces that have no rate limits except their intervals.
type Unpaced struct{}

// Reserve implements Surface.
func (Unpaced) Reserve(context.Context, Ref, Call, Class) error { return nil }

// Streamer is implemented by surfaces that can append to a message while it is written. Its pages
// contain only new content.
type Streamer[P any] interface {
	// Start creates a message. ErrNoStream means: post and edit this answer instead.
	Start(ctx context.Context, to Ref, page P) (MessageID, error)
	Append(ctx context.Context, to Ref, id MessageID, page P) error
	// Stop appends the last piece and closes the message.
	Stop(ctx context.Context, to Ref, id MessageID, page P) error
	// Split divides a piece into the part for the current message and a part for each message after
	// it. There is always at least one part. end closes the last message if the piece ends the
	// answer.
	Split(piece P) (parts []P, end P)
	// Renew returns the end of the current message, whose last piece is last, and the beginning of
	// the next. more is false if nothing needs to continue.
	Renew(last P) (end, begin P, more bool)
}

// Endless is embedded by Streamers whose messages have no maximum length or age.
type Endless[P any] struct{}

// Split implements Streamer. The whole piece belongs to the current message.
func (Endless[P]) Split(piece P) (parts []P, end P) { return []P{piece}, end }

// Renew implements Streamer.
func (Endless[P]) Renew(P) (end, begin P, more bool) { return end, begin, false }

// Errors of sending. Adapters translate their SDK's errors to these.
var (
	ErrOutcomeUnknown = errors.New("the platform did not say whether the message was posted")
	// ErrMessageGone reports that a person or a bot deleted the message. Do not post it again.
	ErrMessageGone = errors.New("the message no longer exists")
	// ErrExpired reports that the message can no longer be reached, for example because its token
	// expired. Post its content as another message.
	ErrExpired      = errors.New("the message can no longer be reached")
	ErrNotEditable  = errors.New("the message cannot be edited any more")
	ErrNotPermitted = errors.New("the bot is not permitted to post here")
	ErrNoStream     = errors.New("the answer cannot be streamed here")
	// ErrRefused reports that the platform will never accept the message's content. It may accept
	// simpler content.
	ErrRefused = errors.New("the platform does not take the message as it is")
	// ErrNoFile reports that no file can be posted here. Post its content as messages instead.
	ErrNoFile = errors.New("no file can be posted here")
)

// Lasting reports whether the platform understood and refused the call, so that a retry would fail
// too.
func Lasting(err error) bool {
	for _, no := range []error{ErrRefused, ErrNotPermitted, ErrMessageGone, ErrExpired, ErrNotEditable} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// RateLimitError reports that the platform asks for a pause.
type RateLimitError struct{ RetryAfter time.Duration }

// Error implements error.
func (e *RateLimitError) Error() string { return "the platform asks to wait " + e.RetryAfter.String() }
