// Package footprint bounds the memory of readers of foreign bytes: files, pages, repositories and
// answers of other servers. Each reader declares its Cost and holds a grant of the process's Pool
// while it works.
package footprint

import (
	"context"
	"math"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Cost is the most memory that a reader holds, in bytes, as a function of the bytes that it reads.
type Cost struct {
	Reader  string // the row in deploy/threats.md
	Fixed   int64  // for an empty input
	PerByte int64  // for each input byte, unpacked where the reader unpacks
	Max     int64  // for any input; the limits of the reader keep it there
}

// Of returns the cost of an input of n bytes.
func (c Cost) Of(n int64) int64 {
	if c.PerByte > 0 && n > (c.Max-c.Fixed)/c.PerByte {
		return c.Max
	}
	return min(c.Fixed+c.PerByte*n, c.Max)
}

// Pool grants memory to readers. It counts what readers declare and allocates nothing. It is safe
// for concurrent use and first in, first out.
type Pool struct {
	size int64
	free *semaphore.Weighted
}

// NewPool returns a pool of size bytes.
func NewPool(size int64) *Pool {
	return &Pool{size: size, free: semaphore.NewWeighted(size)}
}

// Size returns the bytes that all readers together may hold.
func (p *Pool) Size() int64 { return p.size }

// Sizes of the process's pool. The rest of a limit is for the program: index, turns, garbage.
const (
	shareOfLimit = 3 // a third of the runtime's memory limit
	smallest     = 64 << 20
	largest      = 1 << 30
	unlimited    = 512 << 20 // where the runtime has no limit
)

// Process returns the pool of this process. The runtime's memory limit (GOMEMLIMIT) at the first
// call decides its size.
var Process = sync.OnceValue(func() *Pool { return NewPool(sizeFor(debug.SetMemoryLimit(-1))) })

func sizeFor(limit int64) int64 {
	if limit == math.MaxInt64 {
		return unlimited
	}
	return min(max(limit/shareOfLimit, smallest), largest)
}

// granted marks a context whose work holds a grant.
type granted struct{}

// Acquire waits until the pool has n bytes. It returns a context that carries the grant, and a
// function that releases it, which may be called more than once. A reader that asks for more than
// the whole pool gets all of it and works alone. A reader whose context carries a grant does not
// wait: the outer grant covers it, so the outer reader declares what both need. The error is the
// cause of ctx.
func (p *Pool) Acquire(ctx context.Context, n int64) (context.Context, func(), error) {
	if ctx.Value(granted{}) != nil {
		return ctx, func() {}, nil
	}
	n = min(max(n, 0), p.size)
	if err := p.free.Acquire(ctx, n); err != nil {
		return ctx, nil, context.Cause(ctx)
	}
	return context.WithValue(ctx, granted{}, true), sync.OnceFunc(func() { p.free.Release(n) }), nil
}

// Hold calls read while it holds the cost of n input bytes from the process's pool.
func Hold[T any](ctx context.Context, c Cost, n int64, read func(context.Context) (T, error)) (T, error) {
	ctx, release, err := Process().Acquire(ctx, c.Of(n))
	if err != nil {
		var none T
		return none, err
	}
	defer release()
	return read(ctx)
}
