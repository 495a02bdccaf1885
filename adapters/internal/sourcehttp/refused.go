package sourcehttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
)

// Refused reports a response with an unexpected status.
type Refused struct {
	Name, Method, Path string
	Status             int
	Said               string // source's message, truncated
	RequestID          string // vendor's id of the request, for support
	Header             http.Header
	Body               []byte
}

// Error implements error.
func (e *Refused) Error() string {
	text := fmt.Sprintf("%s answered %d to %s %s", e.Name, e.Status, e.Method, e.Path)
	if e.Said != "" {
		text += fmt.Sprintf(" (%q)", e.Said)
	}
	if e.RequestID != "" {
		text += ", request " + e.RequestID
	}
	return text
}

// Status returns the HTTP status of an error that wraps [Refused], and 0 for any other error.
func Status(err error) int {
	var refused *Refused
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

const mostSaid = 200

var requestIDs = []string{"X-GitHub-Request-Id", "Atl-Traceid", "X-Arequestid", "X-Request-Id", "Request-Id", "X-Notion-Request-Id"}

var small = boundedjson.Limits{Bytes: 1 << 20, Elements: 10_000, Depth: 50}

// Short truncates a source's message to 200 bytes, for use in an error.
func Short(said string) string {
	if len(said) <= mostSaid {
		return said
	}
	return strings.ToValidUTF8(said[:mostSaid], "") + "…"
}

func (c *Client) refusal(method string, place *url.URL, r *Response) *Refused {
	e := &Refused{Name: c.config.Name, Method: method, Path: path(place), Status: r.Status, Header: r.Header, Body: r.Body}
	var said struct {
		Message       string
		ErrorMessages []string
		Error         json.RawMessage
		Errors        json.RawMessage
	}
	if small.Unmarshal(r.Body, &said) == nil {
		e.Said = said.Message
		if e.Said == "" && len(said.ErrorMessages) > 0 {
			e.Said = said.ErrorMessages[0]
		}
		var inner struct{ Message string }
		var plain string
		// {"errors": [{"status": 400, "code": "…", "title": "…", "detail": null}]}
		// (https://developer.atlassian.com/cloud/confluence/rest/v2/)
		var list []struct{ Title, Detail string }
		switch {
		case e.Said != "":
		case said.Error != nil && json.Unmarshal(said.Error, &plain) == nil:
			e.Said = plain
		case said.Error != nil && json.Unmarshal(said.Error, &inner) == nil:
			e.Said = inner.Message
		case said.Errors != nil && json.Unmarshal(said.Errors, &list) == nil && len(list) > 0:
			e.Said = strings.TrimSuffix(strings.TrimPrefix(list[0].Title+": "+list[0].Detail, ": "), ": ")
		}
	}
	e.Said = Short(e.Said)
	for _, name := range requestIDs {
		if id := r.Header.Get(name); id != "" && len(id) <= mostSaid {
			e.RequestID = id
			break
		}
	}
	return e
}
