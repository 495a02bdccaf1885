package sourcehttp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/footprint"
)

// MaxElements is the maximum number of elements (commas and opening brackets) in a response. A
// response with a hundred items, the most that is requested at once, has some ten thousand
// elements.
const MaxElements = 250_000

// MaxItems is the maximum number of items in a page of a list, regardless of the requested number.
const MaxItems = 1000

// MaxPages is the maximum number of pages in a list with a hundred items per page. A longer list
// counts as endless, because a server can return new cursors forever.
const MaxPages = 10_000

var answers = boundedjson.Limits{Elements: MaxElements, Depth: 200}

// ErrItems reports that a page has more items than were requested.
var ErrItems = errors.New("the answer holds more items than were asked for")

// Decode decodes a JSON body. If the body exceeds a limit, Decode fails before it decodes anything.
// It reserves memory from the process's pool.
func Decode(ctx context.Context, body []byte, into any) error {
	_, err := Read(ctx, body, func(body []byte) (struct{}, error) { return struct{}{}, json.Unmarshal(body, into) })
	return err
}

// Read is like Decode, but calls decode with the body.
func Read[T any](ctx context.Context, body []byte, decode func([]byte) (T, error)) (T, error) {
	if err := answers.Check(body); err != nil {
		var none T
		return none, err
	}
	return footprint.Hold(ctx, footprint.JSON, int64(len(body)), func(context.Context) (T, error) { return decode(body) })
}
