package conversation

import (
	"context"
	"sync"
	"time"
)

const (
	// errandTimeout limits a background task.
	errandTimeout = 10 * time.Second
	maxErrands    = 64
)

// errands runs background tasks of events, such as a notice to a person or a lookup. An event does
// not wait for its tasks. Tasks are not durable, because a lost task does not justify a redelivery.
// The zero value is ready for use.
type errands struct {
	once    sync.Once
	slots   chan struct{}
	running sync.WaitGroup
}

// run calls do in a new goroutine. If maxErrands tasks are already running, it calls do in the
// goroutine of the caller.
func (e *errands) run(ctx context.Context, do func(context.Context)) {
	e.once.Do(func() { e.slots = make(chan struct{}, maxErrands) })
	select {
	case e.slots <- struct{}{}:
	default:
		do(ctx)
		return
	}
	e.running.Go(func() {
		defer func() { <-e.slots }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), errandTimeout)
		defer cancel()
		do(ctx)
	})
}

// wait returns when all tasks are done.
func (e *errands) wait() { e.running.Wait() }
