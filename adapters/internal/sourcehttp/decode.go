package sourcehttp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/footprint"
)

// MaxElements is the maximum number of elements (commas and opening brackets) in a response. A
// hundred items, the most that is requested at once, have some ten thousand.
const MaxElements = 250_000

// MaxItems is the maximum number of items in a page of a list, whatever was requested.
const MaxItems = 1000

// MaxPages is the maximum number of pages in a list of a hundred items a page. A longer list is
// treated as endless, because a server can return new cursors forever.
const MaxPages = 10_000

var answers = boundedjson.Limits{Elements: MaxElements, Depth: 200}

// ErrItems reports a page with more items than were requested.
var ErrItems = errors.New("the answer holds more items than were asked for")

// Decode decodes a JSON body. A body that exceeds the limits fails before any of it is decoded. The
// memory comes from the process's pool.
func Decode(ctx context.Context, body []byte, into any) error {
	_, err := Read(ctx, body, func(body []byte) (struct{}, error) { return struct{}{}, json.Unmarshal(body, into) })
	return err
}

// Read is Decode with a function instead of a target.
func Read[T any](ctx context.Context, body []byte, decode func([]byte) (T, error)) (T, error) {
	if err := answers.Check(body); err != nil {
		var none T
		return none, err
	}
	return footprint.Hold(ctx, footprint.JSON, int64(len(body)), func(context.Context) (T, error) { return decode(body) })
}
