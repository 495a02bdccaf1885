package index

import "errors"

// Hooked is a [Connector] whose source sends webhooks.
type Hooked interface {
	Connector
	// Hook verifies the signature of a webhook and returns the subjects that have changed, for
	// [Hints]. There may be none. header returns the value of a header; names are case-insensitive.
	// Hook sends no request. The error wraps ErrUnsigned if the signature is missing or wrong.
	Hook(header func(name string) string, body []byte) (subjects []string, err error)
}

// ErrUnsigned means that a webhook's signature is missing or wrong.
var ErrUnsigned = errors.New("the request is not signed with the secret of the source")
