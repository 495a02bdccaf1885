package index

import (
	"errors"
	"net/http"
)

// Hooked is implemented by connectors whose source tells of changes by requests to us.
type Hooked interface {
	Connector
	// Hook checks that a request comes from the source, and returns the subjects of Hints that it is about; none where it is about nothing that is
	// read. It asks nobody, and returns at once. The error wraps ErrUnsigned where the request's signature is missing or wrong.
	Hook(header http.Header, body []byte) (subjects []string, err error)
}

// ErrUnsigned marks a request that does not show that it comes from the source.
var ErrUnsigned = errors.New("the request is not signed with the secret of the source")
