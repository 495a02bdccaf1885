package index

import "errors"

// Hooked is implemented by connectors whose source sends webhooks.
type Hooked interface {
	Connector
	// Hook verifies the signature of a webhook and returns the subjects of the Hints that it is
	// about, which may be none. header returns the value of a header, whatever the case of its
	// name. Hook sends no request. The error wraps ErrUnsigned where the signature is missing or
	// wrong.
	Hook(header func(name string) string, body []byte) (subjects []string, err error)
}

// ErrUnsigned marks a request that does not show that it comes from the source.
var ErrUnsigned = errors.New("the request is not signed with the secret of the source")
