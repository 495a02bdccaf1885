package call

import "context"

type idleKey struct{}

// Idle returns a copy of ctx that gives API calls the lowest priority until hurry is closed. At
// most a third of the bot's rate is available to such calls.
func Idle(ctx context.Context, hurry <-chan struct{}) context.Context {
	return context.WithValue(ctx, idleKey{}, hurry)
}

// idleUntil reports whether ctx gives calls the lowest priority, as set by [Idle]. If so, the
// priority becomes normal when hurry is closed.
func idleUntil(ctx context.Context) (hurry <-chan struct{}, idle bool) {
	hurry, idle = ctx.Value(idleKey{}).(<-chan struct{})
	select {
	case <-hurry:
		return nil, false
	default:
		return hurry, idle
	}
}
