package call

import (
	"context"
	"errors"
	"net/http"
)

// ErrTooLarge says that a download was given up, because it is larger than WithLimit allows.
var ErrTooLarge = errors.New("the file is larger than Slack said")

// WithLimit is a context in which a download ends that says itself that it is larger than so many
// bytes.
func WithLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, mostKey{}, bytes)
}

// mostKey is the key of a context under which a download finds how many bytes are worth fetching.
type mostKey struct{}

// measured fetches no file that says itself that it is too large.
type measured struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (m *measured) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := m.next.RoundTrip(r)
	if most, ok := r.Context().Value(mostKey{}).(int64); err == nil && ok && res.ContentLength > most {
		_ = res.Body.Close() // of a file that is not wanted
		return nil, ErrTooLarge
	}
	return res, err
}
