package sourcehttp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/footprint"
)

// MaxElements is how many elements (commas and opening brackets) an answer may have. A hundred
// items, the most that is asked for at once, have some ten thousand.
const MaxElements = 250_000

// MaxItems is how many items a page of a list may have, whatever was asked for.
const MaxItems = 1000

// MaxPages is how many pages of a list are read. A list of a hundred items a page that has more
// does not end: a server can name a new cursor for ever.
const MaxPages = 10_000

var answers = boundedjson.Limits{Elements: MaxElements, Depth: 200}

// ErrItems marks a page with more items than were asked for.
var ErrItems = errors.New("the answer holds more items than were asked for")

// Decode decodes the body of an answer, which is JSON. A body that exceeds the limits of an answer
// is an error before anything of it is decoded. The memory comes from the process's pool.
func Decode(ctx context.Context, body []byte, into any) error {
	_, err := Read(ctx, body, func(body []byte) (struct{}, error) { return struct{}{}, json.Unmarshal(body, into) })
	return err
}

// Read is Decode by a function.
func Read[T any](ctx context.Context, body []byte, decode func([]byte) (T, error)) (T, error) {
	if err := answers.Check(body); err != nil {
		var none T
		return none, err
	}
	return footprint.Hold(ctx, footprint.JSON, int64(len(body)), func(context.Context) (T, error) { return decode(body) })
}
