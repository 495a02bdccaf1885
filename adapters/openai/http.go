package openai

import (
	"net/http"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
)

// NewHTTPClient returns a client for Endpoint.HTTP, which all endpoints of a process should share.
// It uses the proxy of the environment. It trusts the system's certificates and, unless caFile is
// empty, those in the PEM file caFile.
func NewHTTPClient(caFile string) (*http.Client, error) {
	return outhttp.New(outhttp.Config{CAFile: caFile, UserAgent: "footnote"})
}
