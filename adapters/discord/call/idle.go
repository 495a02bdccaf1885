package call

import "context"

// idleKey is the context key of calls that come after all others.
type idleKey struct{}

// Idle has the calls of a context made after all others, until hurry is closed. At most a third of
// the bot's share is theirs.
func Idle(ctx context.Context, hurry <-chan struct{}) context.Context {
	return context.WithValue(ctx, idleKey{}, hurry)
}

// idleUntil reports whether the calls of a context come after all others, and what ends that.
func idleUntil(ctx context.Context) (hurry <-chan struct{}, idle bool) {
	hurry, idle = ctx.Value(idleKey{}).(<-chan struct{})
	select {
	case <-hurry:
		return nil, false
	default:
		return hurry, idle
	}
}
