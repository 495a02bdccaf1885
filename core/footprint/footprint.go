// Package footprint limits the memory of readers of foreign bytes: files, pages, repositories and
// responses of other servers. Each reader declares a Cost. It holds a grant of the Pool of its Lane
// while it works.
package footprint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Cost is the maximum memory, in bytes, that a parser of untrusted input needs. It grows with the
// size of the input.
type Cost struct {
	Reader  string // the row in deploy/threats.md
	Fixed   int64  // cost of an empty input
	PerByte int64  // additional cost of each input byte, counted after unpacking
	Max     int64  // maximum cost of any input, ensured by the reader's limits
}

// Of returns the maximum memory for an input of n bytes.
func (c Cost) Of(n int64) int64 {
	if c.PerByte > 0 && n > (c.Max-c.Fixed)/c.PerByte {
		return c.Max
	}
	return min(c.Fixed+c.PerByte*n, c.Max)
}

// Pool limits the memory of concurrent parsers. It counts the memory that they declare and
// allocates nothing. It serves requests in order and is safe for concurrent use.
type Pool struct {
	size int64
	free *semaphore.Weighted
}

// NewPool returns a pool of size bytes.
func NewPool(size int64) *Pool {
	return &Pool{size: size, free: semaphore.NewWeighted(size)}
}

// Size returns the number of bytes that all parsers together may hold.
func (p *Pool) Size() int64 { return p.size }

// Size of each of a process's pools: the memory limit divided by shareOfLimit, between smallest and
// largest bytes. The rest of the limit is for the index, turns and garbage.
const (
	shareOfLimit = 4 // a quarter of the runtime's memory limit for each pool
	smallest     = 64 << 20
	largest      = 1 << 30
	unlimited    = 512 << 20 // size of a pool if the runtime has no limit
)

// Lane says for whom a reader works. Each lane has its own pool, because a person waits seconds for
// an answer and one file of a source may take 20 s. A common pool with a priority for people would
// not help: a reader keeps its memory until it ends.
type Lane int

const (
	People  Lane = iota // questions, and all else that is not indexing
	Sources             // documents and permissions for the index
	Lanes               // the number of lanes
)

type sources struct{}

// ForSources returns a context whose readers work in the lane [Sources].
func ForSources(ctx context.Context) context.Context {
	return context.WithValue(ctx, sources{}, true)
}

// LaneOf returns the lane of readers that work for ctx.
func LaneOf(ctx context.Context) Lane {
	if ctx.Value(sources{}) != nil {
		return Sources
	}
	return People
}

// pools are those of the lanes of this process. Their size depends on the runtime's memory limit
// (GOMEMLIMIT) at the first call.
var pools = sync.OnceValue(func() [Lanes]*Pool { return poolsFor(debug.SetMemoryLimit(-1)) })

// poolsFor returns a pool for each lane. If a pool is too small for a PDF file, two such files at
// once could exceed the limit. The lanes then share one pool, and people may wait for sources.
func poolsFor(limit int64) [Lanes]*Pool {
	people := NewPool(sizeFor(limit))
	if people.size < PDF.Fixed {
		return [Lanes]*Pool{people, people}
	}
	return [Lanes]*Pool{people, NewPool(people.size)}
}

func sizeFor(limit int64) int64 {
	if limit == math.MaxInt64 {
		return unlimited
	}
	return min(max(limit/shareOfLimit, smallest), largest)
}

// Prepared returns the pool for documents that are read and not yet stored. It is separate from
// those of the lanes, because a group of prepared documents waits for the readers of its others.
var Prepared = sync.OnceValue(func() *Pool { return NewPool(sizeFor(debug.SetMemoryLimit(-1))) })

// ErrWaiting is the error of a reader that could not begin before ctx was done, because others held
// what it needs. Nothing is known about its input.
var ErrWaiting = errors.New("other readers took all the time")

type granted struct{}

// Acquire blocks until the pool has n free bytes or ctx ends. It returns a context that carries the
// grant of these bytes, and a function that releases them. The function may be called more than
// once. The error wraps the cause of ctx, and [ErrWaiting] if ctx ended meanwhile. A request for
// more than the whole pool gets the whole pool.
//
// If ctx already carries a grant, Acquire returns at once and grants no further bytes. The first
// caller must therefore request enough for nested calls.
func (p *Pool) Acquire(ctx context.Context, n int64) (context.Context, func(), error) {
	if ctx.Value(granted{}) != nil {
		return ctx, func() {}, nil
	}
	if ctx.Err() != nil {
		return ctx, nil, context.Cause(ctx)
	}
	n = min(max(n, 0), p.size)
	if err := p.free.Acquire(ctx, n); err != nil {
		return ctx, nil, fmt.Errorf("%w: %w", ErrWaiting, context.Cause(ctx))
	}
	return context.WithValue(ctx, granted{}, true), sync.OnceFunc(func() { p.free.Release(n) }), nil
}

// Take takes n bytes, or the whole pool if n is more. It returns the number of bytes, which the
// caller must give back to [Pool.Return]. If wait is false and the bytes are not free, ok is false.
func (p *Pool) Take(ctx context.Context, n int64, wait bool) (taken int64, ok bool, err error) {
	n = min(max(n, 0), p.size)
	if !wait {
		return n, p.free.TryAcquire(n), nil
	}
	if err := p.free.Acquire(ctx, n); err != nil {
		return 0, false, context.Cause(ctx)
	}
	return n, true, nil
}

// Return gives bytes back that were taken with [Pool.Take].
func (p *Pool) Return(n int64) { p.free.Release(n) }

// Acquire is [Pool.Acquire] of the pool of ctx's lane.
func Acquire(ctx context.Context, n int64) (context.Context, func(), error) {
	return pools()[LaneOf(ctx)].Acquire(ctx, n)
}

// Hold calls read while it holds the memory for n input bytes in the pool of ctx's lane.
func Hold[T any](ctx context.Context, c Cost, n int64, read func(context.Context) (T, error)) (T, error) {
	ctx, release, err := Acquire(ctx, c.Of(n))
	if err != nil {
		var none T
		return none, err
	}
	defer release()
	return read(ctx)
}
