package openai

import (
	"net/http"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
)

// NewHTTPClient returns a client for Endpoint.HTTP. All endpoints of a process should share one
// client. The client uses the proxy from the environment. It trusts the certificate authorities of
// the system and those in the PEM file caFile. caFile may be empty.
func NewHTTPClient(caFile string) (*http.Client, error) {
	return outhttp.New(outhttp.Config{CAFile: caFile, UserAgent: "footnote"})
}
