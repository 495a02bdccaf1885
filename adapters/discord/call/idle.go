package call

import "context"

type idleKey struct{}

// Idle returns a context whose calls have the lowest priority until hurry is closed. At most a
// third of the bot's rate is available to such calls.
func Idle(ctx context.Context, hurry <-chan struct{}) context.Context {
	return context.WithValue(ctx, idleKey{}, hurry)
}

// idleUntil reports whether calls with ctx have the lowest priority now. hurry is closed when they
// get the normal priority.
func idleUntil(ctx context.Context) (hurry <-chan struct{}, idle bool) {
	hurry, idle = ctx.Value(idleKey{}).(<-chan struct{})
	select {
	case <-hurry:
		return nil, false
	default:
		return hurry, idle
	}
}
