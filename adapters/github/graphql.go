package github

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

//go:embed query
var queries embed.FS

// texts returns the queries by the names of their files, including the fragments that they use.
var texts = sync.OnceValues(func() (map[string]string, error) {
	files, err := queries.ReadDir("query")
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	for _, f := range files {
		text, err := queries.ReadFile("query/" + f.Name())
		if err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(f.Name(), ".graphql")] = string(text)
	}
	fragments := make(map[string]string)
	for part := range strings.SplitSeq(all["fragments"], "fragment ") {
		if name, _, ok := strings.Cut(part, " "); ok {
			fragments[name] = "fragment " + strings.TrimSpace(part)
		}
	}
	delete(all, "fragments")
	for name, text := range all {
		used := make(map[string]bool)
		for again := true; again; {
			again = false
			for fragment, body := range fragments {
				if !used[fragment] && slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n{}", r) }), "..."+fragment) {
					used[fragment], again = true, true
					text += "\n" + body + "\n"
				}
			}
		}
		all[name] = text
	}
	return all, nil
})

type graphError struct {
	Type    string `json:"type"`
	Path    []any  `json:"path"`
	Message string `json:"message"`
}

type graphErrors []graphError

// Error implements error.
func (e graphErrors) Error() string {
	return fmt.Sprintf("GitHub answered a query with %q", sourcehttp.Short(cmp.Or(e[0].Message, e[0].Type)))
}

// denied reports whether every missing part was refused or does not exist. It returns false if any
// part is missing for another reason.
func (e graphErrors) denied() bool {
	return !slices.ContainsFunc(e, func(one graphError) bool {
		return !slices.Contains([]string{"FORBIDDEN", "NOT_FOUND", "INSUFFICIENT_SCOPES", "SAML"}, one.Type)
	})
}

// errHeavy means that a query took GitHub too long. A smaller query may succeed.
var errHeavy = errors.New("the query was too much for GitHub")

// query sends the GraphQL query with this name and decodes its data into into. partial has the
// parts that are missing because they are refused or do not exist.
func (c *Client) query(ctx context.Context, name string, variables map[string]any, into any) (partial graphErrors, err error) {
	all, err := texts()
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"query": all[name], "variables": variables})
	if err != nil {
		return nil, err
	}
	request := sourcehttp.Request{Method: http.MethodPost, Path: c.graphql, Body: body, Header: http.Header{"Content-Type": {"application/json"}}, Budget: "graphql"}
	for attempt := 0; ; attempt++ {
		answer, err := c.do(ctx, request)
		if status := sourcehttp.Status(err); status == http.StatusBadGateway || status == http.StatusGatewayTimeout {
			return nil, fmt.Errorf("%w (%w)", errHeavy, err)
		}
		if errors.Is(err, sourcehttp.ErrTooLarge) {
			return nil, fmt.Errorf("%w (%w)", errHeavy, err)
		}
		if err != nil {
			return nil, err
		}
		var said struct {
			Data   json.RawMessage `json:"data"`
			Errors graphErrors     `json:"errors"`
		}
		if err := sourcehttp.Decode(ctx, answer.Body, &said); err != nil {
			return nil, fmt.Errorf("GitHub's answer cannot be read: the next run asks again (%w)", err)
		}
		if slices.ContainsFunc(said.Errors, func(e graphError) bool { return e.Type == "RATE_LIMITED" }) && attempt < 3 {
			if err := c.http.Limit(request, answer); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case len(said.Errors) > 0 && !said.Errors.denied():
			if slices.ContainsFunc(said.Errors, func(e graphError) bool { return e.Type == "" || e.Type == "RESOURCE_LIMITS_EXCEEDED" }) {
				return nil, fmt.Errorf("%w (%w)", errHeavy, said.Errors)
			}
			return nil, said.Errors
		case len(said.Data) == 0 || bytes.Equal(said.Data, []byte("null")):
			if len(said.Errors) > 0 {
				return nil, said.Errors
			}
			return nil, errors.New("GitHub answered a query with nothing: the next run asks again")
		}
		if err := sourcehttp.Decode(ctx, said.Data, into); err != nil {
			return nil, fmt.Errorf("GitHub's answer cannot be read: the next run asks again (%w)", err)
		}
		return said.Errors, nil
	}
}

type pageInfo struct {
	HasNextPage bool   `json:"hasNextPage"`
	EndCursor   string `json:"endCursor"`
}

type connection[T any] struct {
	TotalCount int      `json:"totalCount"`
	PageInfo   pageInfo `json:"pageInfo"`
	Nodes      []T      `json:"nodes"`
}

// next returns the cursor of the next page, or "" at the end.
func (c connection[T]) next() string {
	if !c.PageInfo.HasNextPage {
		return ""
	}
	return c.PageInfo.EndCursor
}

// rest returns all items of a list whose first page is known. It requests the later pages with the
// query called name. It stops once it has the maximum number of items (most) or more.
func rest[T any](ctx context.Context, c *Client, name, id string, first connection[T], most int) ([]T, error) {
	all := first.Nodes
	for page := first.PageInfo; page.HasNextPage && len(all) < most; {
		var got struct {
			Node *struct {
				More connection[T] `json:"more"`
			} `json:"node"`
		}
		if _, err := c.query(ctx, name, map[string]any{"id": id, "after": page.EndCursor}, &got); err != nil {
			return nil, err
		}
		if got.Node == nil {
			return nil, fmt.Errorf("it is gone: %w", index.ErrWithdrawn)
		}
		if len(got.Node.More.Nodes) == 0 || got.Node.More.PageInfo.EndCursor == page.EndCursor {
			break
		}
		all = append(all, got.Node.More.Nodes...)
		page = got.Node.More.PageInfo
	}
	return all, nil
}
