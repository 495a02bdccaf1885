package confluence

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

type space struct {
	ID       atlassian.ID `json:"id"`
	Key      string       `json:"key"`
	Name     string       `json:"name"`
	Type     string       `json:"type"`
	Status   string       `json:"status"`
	HomePage atlassian.ID `json:"homepageId"`
}

// known reports whether the space has an id and a key that is safe in a path.
func (s space) known() bool {
	return isID(string(s.ID)) && s.Key != "" && len(s.Key) <= 255 && !strings.ContainsFunc(s.Key, func(r rune) bool {
		return unicode.IsControl(r) || strings.ContainsRune("/?#", r)
	})
}

func (s space) node() string { return spaceNode + string(s.ID) }

// within returns the [index.Node] id of a restricted page, or of the space if content is "".
// Content that moves to another space gets a new node, which has no readers until it is read.
func (s space) within(content string) string {
	if content == "" {
		return s.node()
	}
	return string(s.ID) + ":" + content
}

// listSpaces lists the spaces of the source that the account sees. Its errors say what the operator
// can do.
func (c *Connector) listSpaces(ctx context.Context) ([]space, error) {
	all, err := c.spaces(ctx, c.client)
	switch sourcehttp.Status(err) {
	case http.StatusForbidden:
		return nil, fmt.Errorf("Confluence shows no spaces to the credential: give it the rights that footnote sources add confluence lists (%w): %w", err, index.ErrRevoked)
	case http.StatusNotFound:
		return nil, fmt.Errorf("there is no Confluence at %s: check the address of the source (%w)", c.client.Config.URL, err)
	}
	return all, err
}

func (c *Connector) spaces(ctx context.Context, as *Client) ([]space, error) {
	path, asked := "rest/api/space", atlassian.Query("limit", "100", "status", "current")
	if as.Cloud {
		path, asked = "api/v2/spaces", atlassian.Query("limit", "250", "status", "current")
		if n := len(c.options.Spaces); n > 0 && n <= 100 {
			asked += "&" + atlassian.Query("keys", strings.Join(c.options.Spaces, ","))
		}
	}
	all, err := listAll[space](ctx, as, path, asked)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s space) bool { return s.ID == "" || !keyForm.MatchString(s.Key) || !c.chosen(s) })
	slices.SortFunc(all, func(a, b space) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(all, func(a, b space) bool { return a.ID == b.ID }), nil
}

func (c *Connector) chosen(s space) bool {
	if s.Status != "" && !strings.EqualFold(s.Status, "current") {
		return false
	}
	if len(c.options.Spaces) > 0 {
		return slices.ContainsFunc(c.options.Spaces, func(key string) bool { return strings.EqualFold(key, s.Key) })
	}
	return c.options.Personal || !strings.EqualFold(s.Type, "personal")
}
