package openai

import (
	"net/http"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
)

// NewHTTPClient returns a client for Endpoint.HTTP, to share between all endpoints of a process. It
// uses the environment's proxy. It trusts the system's certificate authorities and those in the PEM
// file caFile, which may be empty.
func NewHTTPClient(caFile string) (*http.Client, error) {
	return outhttp.New(outhttp.Config{CAFile: caFile, UserAgent: "footnote"})
}
