package conversation

import (
	"context"
	"sync"
	"time"
)

const (
	errandTimeout = 10 * time.Second
	maxErrands    = 64
)

// errands runs background tasks of events, such as a notice to a person. They are not durable,
// because a lost task does not justify a redelivery of the event. The zero value is ready for use.
type errands struct {
	once    sync.Once
	slots   chan struct{}
	running sync.WaitGroup
}

// run calls do in a new goroutine. If maxErrands tasks are already running, it calls do before it
// returns.
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

func (e *errands) wait() { e.running.Wait() }
