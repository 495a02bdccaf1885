package thread

import (
	"context"
	"errors"
	"time"
)

// Capabilities are the limits of a [Surface]. Zero means unlimited or not supported.
type Capabilities struct {
	MinEditInterval time.Duration // between two edits of one answer
	// MinAppendInterval is the minimum time between two pieces of a native stream. Zero means
	// MinEditInterval.
	MinAppendInterval time.Duration
	// MaxStreamAge is the maximum age of a native stream. An older stream is closed, and the answer
	// continues in a new message.
	MaxStreamAge time.Duration
	// Deduplicates says that a repeated Post may return the message of the earlier one, with the text
	// of that time.
	Deduplicates bool
}

// Surface posts messages to threads. P is the platform's rendered page. Calls for one thread come
// from one goroutine at a time. A surface must support concurrent calls for different threads.
// Methods return the errors of this package where they apply.
//
// If ctx ends after a call was sent, the surface does not cancel the call, because the platform may
// still carry it out. Each call has a time limit instead.
type Surface[P any] interface {
	// Post creates a message and returns its id. Post never retries. If it is unknown whether the
	// message was posted, the error is ErrOutcomeUnknown.
	Post(ctx context.Context, to Ref, page P) (MessageID, error)
	// Edit replaces a message's content.
	Edit(ctx context.Context, to Ref, id MessageID, page P) error
	// Delete deletes a message. It returns nil if the message no longer exists.
	Delete(ctx context.Context, to Ref, id MessageID) error
	// Own lists the messages in the thread that any process posted for the surface's turn, oldest
	// first. It returns none if the surface cannot find earlier messages.
	Own(ctx context.Context, to Ref) ([]MessageID, error)
	// Reserve reserves one call of this kind for the thread. It returns nil if the call may be made
	// now. All answers share the platform's rate limits, and replicas share them if there is a
	// Redis. With Final and First, it blocks until there is room or ctx is done. With Progress, it
	// returns ErrNoRoom at once, because a later snapshot replaces this one.
	Reserve(ctx context.Context, to Ref, call Call, class Class) error
	// Capabilities returns the limits, which never change.
	Capabilities() Capabilities
}

// Forgetful is embedded by surfaces that cannot find messages of earlier attempts.
type Forgetful struct{}

// Own implements Surface.
func (Forgetful) Own(context.Context, Ref) ([]MessageID, error) { return nil, nil }

// Unpaced is embedded by surfaces whose only rate limits are the intervals in Capabilities.
type Unpaced struct{}

// Reserve implements Surface.
func (Unpaced) Reserve(context.Context, Ref, Call, Class) error { return nil }

// Streamer is implemented by surfaces that can append to a message. Each page contains only new
// content.
type Streamer[P any] interface {
	// Start creates a message. After ErrNoStream, the caller must post and edit the answer instead.
	Start(ctx context.Context, to Ref, page P) (MessageID, error)
	Append(ctx context.Context, to Ref, id MessageID, page P) error
	// Stop appends the last piece and closes the message.
	Stop(ctx context.Context, to Ref, id MessageID, page P) error
	// Split divides a piece into parts, one per message. The first part belongs to the current
	// message. There is always at least one part. end closes the last message if the answer ends
	// with this piece.
	Split(piece P) (parts []P, end P)
	// Renew moves the answer to a new message. last is the last piece of the current message. end
	// completes the current message, and begin starts the next one. more is false if nothing needs
	// to continue.
	Renew(last P) (end, begin P, more bool)
}

// Endless is embedded by Streamers whose messages have no maximum length and no maximum age.
type Endless[P any] struct{}

// Split implements Streamer. The whole piece belongs to the current message.
func (Endless[P]) Split(piece P) (parts []P, end P) { return []P{piece}, end }

// Renew implements Streamer.
func (Endless[P]) Renew(P) (end, begin P, more bool) { return end, begin, false }

// Errors of surfaces. Adapters translate errors of the platform's SDK to these errors.
var (
	ErrOutcomeUnknown = errors.New("the platform did not say whether the message was posted")
	// ErrMessageGone means that a person or a bot deleted the message. Do not post it again.
	ErrMessageGone = errors.New("the message no longer exists")
	// ErrExpired means that the message can no longer be reached, for example because its token
	// expired. Post the content as a new message.
	ErrExpired      = errors.New("the message can no longer be reached")
	ErrNotEditable  = errors.New("the message cannot be edited any more")
	ErrNotPermitted = errors.New("the bot is not permitted to post here")
	ErrNoStream     = errors.New("the answer cannot be streamed here")
	// ErrRefused means that the platform will never accept the message's content. The platform may
	// accept simpler content.
	ErrRefused = errors.New("the platform does not take the message as it is")
	// ErrNoFile means that files cannot be posted here. Post the file's content as messages
	// instead.
	ErrNoFile = errors.New("no file can be posted here")
)

// Lasting reports whether the platform permanently refused the call. A retry would fail too.
func Lasting(err error) bool {
	for _, no := range []error{ErrRefused, ErrNotPermitted, ErrMessageGone, ErrExpired, ErrNotEditable} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// RateLimitError means that the platform asks for a pause of RetryAfter.
type RateLimitError struct{ RetryAfter time.Duration }

// Error implements error.
func (e *RateLimitError) Error() string { return "the platform asks to wait " + e.RetryAfter.String() }
