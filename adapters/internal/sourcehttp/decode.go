package sourcehttp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/footprint"
)

// MaxElements is the maximum number of elements in a JSON response, counted as commas and opening
// brackets. A list of a hundred items has some ten thousand.
const MaxElements = 250_000

// MaxItems is the maximum number of items in one page of a list.
const MaxItems = 1000

// MaxPages is the maximum number of pages of a list. A longer list counts as endless, because a
// server can return new cursors forever.
const MaxPages = 10_000

var answers = boundedjson.Limits{Elements: MaxElements, Depth: 200}

// ErrItems reports a page of a list with more items than were requested.
var ErrItems = errors.New("the answer holds more items than were asked for")

// Decode decodes a JSON body into a value. If the body exceeds a limit, it fails before it decodes
// anything. It waits for memory from a pool that the process shares.
func Decode(ctx context.Context, body []byte, into any) error {
	_, err := Read(ctx, body, func(body []byte) (struct{}, error) { return struct{}{}, json.Unmarshal(body, into) })
	return err
}

// Read is like [Decode], but returns what decode returns for the body.
func Read[T any](ctx context.Context, body []byte, decode func([]byte) (T, error)) (T, error) {
	if err := answers.Check(body); err != nil {
		var none T
		return none, err
	}
	return footprint.Hold(ctx, footprint.JSON, int64(len(body)), func(context.Context) (T, error) { return decode(body) })
}
