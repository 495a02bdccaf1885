package localembed

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// blocks is how many parts work is cut into. It does not depend on the machine, and each part's result is used in order, so that training
// gives the same model on one core and on many.
const blocks = 64

// parallel calls f for every part of 0…n on all cores and waits. It stops early, with the context's error, when ctx ends.
func parallel(ctx context.Context, n int, f func(block, from, to int)) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), blocks) {
		wait.Go(func() {
			for ctx.Err() == nil {
				block := int(next.Add(1)) - 1
				if block >= blocks {
					return
				}
				if from, to := block*n/blocks, (block+1)*n/blocks; from < to {
					f(block, from, to)
				}
			}
		})
	}
	wait.Wait()
	return ctx.Err()
}
