package openai

import (
	"net/http"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
)

// NewHTTPClient returns a client for Endpoint.HTTP that honours the proxy of the environment and
// trusts, in addition to the system's, the certificate authorities of a PEM file; caFile may be
// empty. It is shared by all endpoints of a process.
func NewHTTPClient(caFile string) (*http.Client, error) {
	return outhttp.New(outhttp.Config{CAFile: caFile, UserAgent: "footnote"})
}
