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

// ErrMalformed marks an answer that cannot be read.
var ErrMalformed = errors.New("the answer cannot be read")

// Cost returns what was asked of the site so far.
func (s *Site) Cost() sourcehttp.Cost { return s.Signed.Cost() }

// Get asks for a path below Base, and reads the answer into to.
func (s *Site) Get(ctx context.Context, path string, to any) error {
	return s.Ask(ctx, sourcehttp.Request{Path: path}, to)
}

// Post asks with a body, so many times. It is for requests that read, which may be repeated.
func (s *Site) Post(ctx context.Context, path string, body, to any, attempts int) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r := sourcehttp.Request{Method: http.MethodPost, Path: path, Body: text, Header: http.Header{"Content-Type": {"application/json"}}, Attempts: attempts}
	return s.Ask(ctx, r, to)
}

// Ask asks, and reads the answer into to.
func (s *Site) Ask(ctx context.Context, r sourcehttp.Request, to any) error {
	answer, err := s.Signed.Do(ctx, r)
	if sourcehttp.Status(err) == http.StatusUnauthorized && !s.visitor {
		return unauthorized(s.product.Name, s.direct, err)
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

// Learn takes the address where people open things from an answer, where the site is asked through
// another. It reports whether it is known then.
func (s *Site) Learn(address string) bool {
	at, err := url.Parse(address)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.address == "" && err == nil && at.Scheme == "https" && at.Host != "" {
		s.address = strings.TrimSuffix(address, "/") + "/"
	}
	return s.address != ""
}

// Address is where people open what has a path below the site; empty until that is known.
func (s *Site) Address(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.address == "" {
		return ""
	}
	return s.address + strings.TrimPrefix(path, "/")
}

// mostNames bounds how many people's names are remembered.
const mostNames = 50_000

// Meet remembers what someone is called, by their ids.
func (s *Site) Meet(name string, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if id != "" && name != "" && len(s.names) < mostNames {
			s.names[id] = name
		}
	}
}

// Called is what someone is called, where that is known.
func (s *Site) Called(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[id]
}

// Query writes a query: names and values in turns. What has no value is left out.
func Query(pairs ...string) string {
	values := make(url.Values)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Add(pairs[i], pairs[i+1])
		}
	}
	return values.Encode()
}
