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

// ErrBroken reports that the consumer of [Batches] wants no more batches.
var ErrBroken = errors.New("the caller has broken off")

// Batches returns a sequence of the values that read passes to emit. emit returns [ErrBroken] if
// the consumer has stopped, and read must then return that error. Any other error of read is
// yielded last, or the cause of ctx if ctx is done.
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

// Encode encodes a state as JSON for a checkpoint. It panics if the state cannot be encoded.
func Encode(state any) index.Checkpoint {
	text, err := json.Marshal(state)
	if err != nil {
		panic(err)
	}
	return text
}

// Decode decodes a state that [Encode] has encoded. It returns the zero value for an invalid
// checkpoint, so that the source is read again from the beginning.
func Decode[S any](since index.Checkpoint) (state S) {
	if json.Unmarshal(since, &state) != nil {
		var none S
		return none
	}
	return state
}

// Seconds returns a time in seconds since 1970, as checkpoints store it. The zero time becomes 0.
func Seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
