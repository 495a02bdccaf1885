package call

import (
	"context"
	"errors"
	"net/http"
)

// ErrTooLarge means that a download was cancelled because the file exceeds the limit from
// WithLimit.
var ErrTooLarge = errors.New("the file is larger than Slack said")

// WithLimit returns a context that limits the size of downloads. A download fails with
// [ErrTooLarge] if its stated length exceeds bytes.
func WithLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, mostKey{}, bytes)
}

type mostKey struct{}

type measured struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (m *measured) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := m.next.RoundTrip(r)
	if most, ok := r.Context().Value(mostKey{}).(int64); err == nil && ok && res.ContentLength > most {
		_ = res.Body.Close() // the file is not used
		return nil, ErrTooLarge
	}
	return res, err
}
