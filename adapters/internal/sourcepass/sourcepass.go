// Package sourcepass contains common code of connectors that read a source in passes. It provides
// batches, which stop when the caller wants no more, and checkpoints, from which the next run
// resumes. Each connector decides what it reads, in which order, and what a checkpoint contains.
package sourcepass

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// ErrBroken reports that the caller wants no more batches.
var ErrBroken = errors.New("the caller has broken off")

// Batches yields the documents, nodes or groups that read emits. emit returns ErrBroken if the
// caller wants no more batches. read must then return that error. Any other error of read, or the
// cause of ctx, is yielded last.
func Batches[B any](ctx context.Context, read func(emit func(B) error) error) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		broken := false
		err := read(func(b B) error {
			if broken = broken || !yield(b, nil); broken {
				return ErrBroken
			}
			return nil
		})
		if err == nil || broken {
			return
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		var none B
		yield(none, err)
	}
}

// Encode encodes a state as a checkpoint. It cannot fail, because a state contains only strings,
// numbers, and sets and maps of these.
func Encode(state any) index.Checkpoint {
	text, err := json.Marshal(state)
	if err != nil {
		panic(err)
	}
	return text
}

// Decode decodes a state from a checkpoint. An invalid checkpoint counts as empty. The source is
// then read again, so no data is lost.
func Decode[S any](since index.Checkpoint) (state S) {
	if json.Unmarshal(since, &state) != nil {
		var none S
		return none
	}
	return state
}

// Seconds returns a time as states store it, in seconds since 1970. The zero time becomes 0.
func Seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// Time reverses Seconds.
func Time(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}
