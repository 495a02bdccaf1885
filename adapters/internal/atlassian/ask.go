package atlassian

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

// ErrMalformed reports a response that is not the expected JSON, such as a login page.
var ErrMalformed = errors.New("the answer cannot be read")

// Cost returns how many requests this client has sent, and how long it has waited for limits.
func (s *Site) Cost() sourcehttp.Cost { return s.signed.Cost() }

// Get sends a GET request for a path below Base and decodes the JSON response into to. Errors are
// those of [Site.Ask].
func (s *Site) Get(ctx context.Context, path string, to any) error {
	return s.Ask(ctx, sourcehttp.Request{Path: path}, to)
}

// Post sends a POST request with a JSON body and decodes the response into to. It may repeat the
// request, up to the given number of attempts. Use it only for requests that do not change
// anything.
func (s *Site) Post(ctx context.Context, path string, body, to any, attempts int) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r := sourcehttp.Request{Method: http.MethodPost, Path: path, Body: text, Header: http.Header{"Content-Type": {"application/json"}}, Attempts: attempts}
	return s.Ask(ctx, r, to)
}

// Download fetches a file as it is. A 401 status concerns only this file: the host to which Cloud
// redirects downloads, and the download paths of Data Center, may reject a credential that the API
// accepts. The error therefore never wraps index.ErrRevoked.
func (s *Site) Download(ctx context.Context, path string) (*sourcehttp.Response, error) {
	answer, err := s.signed.Do(ctx, sourcehttp.Request{Path: path})
	if sourcehttp.Status(err) == http.StatusUnauthorized && !s.visitor {
		if LacksScope(err) {
			return nil, s.missingScope(path, err)
		}
		return nil, fmt.Errorf("the file cannot be downloaded with this credential: check that the account may download it (%w)", err)
	}
	return answer, err
}

// Ask sends a request to the API and decodes the JSON response into to. The error wraps
// [ErrMalformed] if the response is not the expected JSON. It usually wraps index.ErrRevoked if the
// site rejects the credential.
func (s *Site) Ask(ctx context.Context, r sourcehttp.Request, to any) error {
	answer, err := s.signed.Do(ctx, r)
	if sourcehttp.Status(err) == http.StatusUnauthorized && !s.visitor {
		return s.unauthorized(r.Path, err)
	}
	if err != nil {
		return err
	}
	if err := sourcehttp.Decode(ctx, answer.Body, to); err != nil {
		path, _, _ := strings.Cut(r.Path, "?")
		return fmt.Errorf("%s's answer to %s is not what it should be: check that the address is that of the site itself, and not of a page to log in: %w", s.product.Name, path, ErrMalformed)
	}
	return nil
}

// Learn stores the site's public https address, unless an address is already known or the new one
// is invalid. It reports whether an address is known now.
func (s *Site) Learn(address string) bool {
	at, err := url.Parse(address)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.address == "" && err == nil && at.Scheme == "https" && at.Host != "" {
		s.address = strings.TrimSuffix(address, "/") + "/"
	}
	return s.address != ""
}

// Address returns the public URL of a path of the site. It returns "" if the site's public address
// is unknown.
func (s *Site) Address(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.address == "" {
		return ""
	}
	return s.address + strings.TrimPrefix(path, "/")
}

const mostNames = 50_000

// Meet stores a person's name under each of the person's account ids, for [Site.Called]. It ignores
// empty names and ids. It stores at most 50,000 names.
func (s *Site) Meet(name string, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if id != "" && name != "" && len(s.names) < mostNames {
			s.names[id] = name
		}
	}
}

// Called returns the name that [Site.Meet] stored for a person's account id, or "" if there is
// none.
func (s *Site) Called(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[id]
}

// Query encodes a URL query from alternating names and values. It omits names with an empty value.
func Query(pairs ...string) string {
	values := make(url.Values)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Add(pairs[i], pairs[i+1])
		}
	}
	return values.Encode()
}
