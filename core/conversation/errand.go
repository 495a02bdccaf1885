package conversation

import (
	"context"
	"sync"
	"time"
)

const (
	// errandLimit bounds what is done in addition to answers.
	errandLimit = 10 * time.Second
	maxErrands  = 64
)

// errands are what a platform is asked or told because of an event, and what the event's
// acknowledgement does not wait for: a word to a person, a look at who a person is. They are not
// kept: what is lost with a process is not worth a second delivery. The zero value is ready for
// use.
type errands struct {
	once  sync.Once
	room  chan struct{}
	under sync.WaitGroup
}

// run does something soon. When very much is going on it is done at once, and waited for.
func (e *errands) run(ctx context.Context, do func(context.Context)) {
	e.once.Do(func() { e.room = make(chan struct{}, maxErrands) })
	select {
	case e.room <- struct{}{}:
	default:
		do(ctx)
		return
	}
	e.under.Go(func() {
		defer func() { <-e.room }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), errandLimit)
		defer cancel()
		do(ctx)
	})
}

// wait returns when all are done.
func (e *errands) wait() { e.under.Wait() }
