// Package sourcepass is what connectors have in common that read a source in passes: batches, which
// end when nobody wants another one, and checkpoints, from which the next run goes on. What is
// read, and in which order, is the connector's to know, and what a checkpoint holds as well.
package sourcepass

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// ErrBroken says that nobody wants another batch.
var ErrBroken = errors.New("the caller has broken off")

// Batches are what a function emits: documents, nodes or groups. emit returns ErrBroken once nobody
// wants another batch, and read then returns it. Any other error of read comes last, or the cause
// for which ctx has ended.
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

// Encode writes a state as a checkpoint. The state holds texts, numbers, and sets and maps of them,
// which can always be written.
func Encode(state any) index.Checkpoint {
	text, err := json.Marshal(state)
	if err != nil {
		panic(err)
	}
	return text
}

// Decode reads a state from a checkpoint. One that cannot be read is as none: nothing is lost by
// reading again.
func Decode[S any](since index.Checkpoint) (state S) {
	if json.Unmarshal(since, &state) != nil {
		var none S
		return none
	}
	return state
}

// Seconds is how states write a time: in seconds since 1970, 0 for never.
func Seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// Time is the time that Seconds wrote.
func Time(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}
