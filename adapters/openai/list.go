package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxListing is the maximum number of bytes that Lists reads. The description of a model is far
// smaller.
const maxListing = 64 << 10

// Lists reports whether an endpoint knows a model. It sends GET /models/{model}, which is free of
// charge. It returns false for any error, because some endpoints do not support the request.
func Lists(ctx context.Context, e Endpoint, model string) bool {
	base := e.BaseURL
	if base == "" {
		base = defaultBaseURL
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/models/"+url.PathEscape(model), nil)
	if err != nil {
		return false
	}
	if e.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+e.APIKey)
	}
	client := e.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close() // only the relevant part is read
	var found struct {
		ID string `json:"id"`
	}
	err = json.NewDecoder(io.LimitReader(res.Body, maxListing)).Decode(&found)
	return err == nil && res.StatusCode == http.StatusOK && found.ID == model
}
