package confluence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
)

// Check returns a summary such as "3 spaces". The error says what cannot be read, or whose readers
// are unknown, and what to do.
func (c *Connector) Check(ctx context.Context) (string, error) {
	all, err := c.listSpaces(ctx)
	if err != nil {
		return "", err
	}
	for _, key := range c.options.Spaces {
		if !slices.ContainsFunc(all, func(s space) bool { return strings.EqualFold(s.Key, key) }) {
			err = errors.Join(err, fmt.Errorf("the account sees no space %s: check the key, and give the account the right to view the space", key))
		}
	}
	if len(all) == 0 {
		return "", errors.Join(err, errors.New("the account sees no space: give it the right to view those that are to be read"))
	}
	site, siteErr := c.site(ctx)
	if siteErr != nil {
		return "", errors.Join(err, fmt.Errorf("the groups of the site cannot be read, and without them every reader is denied: %w", siteErr))
	}
	if len(site.users) == 0 {
		err = errors.Join(err, errors.New("no group lets people use Confluence by its name, so every reader is denied: name those that do under users"))
	}
	_, known, viewErr := c.viewers(ctx, site, all[0])
	switch {
	case viewErr != nil:
		err = errors.Join(err, viewErr)
	case !known && c.client.Cloud:
		err = errors.Join(err, fmt.Errorf("who may view the space %s is not shown to the account: give the token the scope read:space.permission:confluence", all[0].Key))
	case !known:
		err = errors.Join(err, fmt.Errorf("who may view the space %s is not shown to the account, so it is hidden from everyone here: make the account an administrator of the space. "+
			"Before Confluence 9.1 no REST API tells it: update, or index an export as a folder with a separate access list", all[0].Key))
	}
	if c.client.Cloud {
		err = errors.Join(err, c.tryScopes(ctx))
	}
	return plural.Count(len(all), "space"), err
}

// tryScopes requests a page, a search and a restriction. Each of these needs a separate scope of
// the token. The error names the missing scopes.
func (c *Connector) tryScopes(ctx context.Context) error {
	var found struct {
		Results []listed `json:"results"`
	}
	tries := []struct {
		what, scope string
		do          func() error
	}{
		{"pages", "read:page:confluence", func() error { return c.client.Get(ctx, "api/v2/pages?limit=1&status=current", &found) }},
		{"searches", "search:confluence or read:content-details:confluence", func() error {
			if len(found.Results) == 0 || !isID(string(found.Results[0].ID)) {
				return nil
			}
			asked := atlassian.Query("cql", cqlIDs([]string{string(found.Results[0].ID)}), "limit", "1")
			_, _, err := readPage[content](ctx, c.client, "rest/api/content/search", asked, 0)
			return err
		}},
		{"restrictions of pages", "read:content-details:confluence", func() error {
			if len(found.Results) == 0 || !isID(string(found.Results[0].ID)) {
				return nil
			}
			_, err := c.restrictionOf(ctx, string(found.Results[0].ID))
			return err
		}},
	}
	var all error
	for _, try := range tries {
		err := try.do()
		switch {
		case err == nil:
		case ctx.Err() != nil || errors.Is(err, index.ErrPaused):
			return err
		default:
			all = errors.Join(all, fmt.Errorf("%s cannot be read: give the token the scope %s (%w)", try.what, try.scope, err))
		}
	}
	return all
}

var (
	_ index.NodeReader   = (*Connector)(nil)
	_ index.GroupReader  = (*Connector)(nil)
	_ index.PointChecker = (*Connector)(nil)
)
