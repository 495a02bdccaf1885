package confluence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
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
		return "", errors.Join(err, fmt.Errorf("every reader is denied: %w", siteErr))
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
		err = errors.Join(err, c.tryScopes(ctx, all[0]))
	}
	return plural.Count(len(all), "space"), err
}

// probed is the id of a content that need not exist. The API gateway checks the scope of a token
// before Confluence looks for the content.
const probed = "1"

// tryScopes sends a request for each scope that the token needs, except those that Check has tried.
// The error names the missing scopes.
func (c *Connector) tryScopes(ctx context.Context, in space) error {
	var found struct {
		Results []listed `json:"results"`
	}
	ask := func(path string) func() error {
		return func() error { return c.client.Get(ctx, path, new(struct{})) }
	}
	first := func(do func(id string) error) func() error {
		return func() error {
			if len(found.Results) == 0 || !isID(string(found.Results[0].ID)) {
				return nil
			}
			return do(string(found.Results[0].ID))
		}
	}
	tries := []struct {
		what     string
		do       func() error
		tolerant bool // only a missing scope is an error
	}{
		{"pages", func() error { return c.client.Get(ctx, "api/v2/pages?limit=1&status=current", &found) }, false},
		{"blog posts", ask("api/v2/blogposts?limit=1&status=current"), false},
		{"searches", first(func(id string) error {
			_, _, err := readPage[content](ctx, c.client, "rest/api/content/search", atlassian.Query("cql", cqlIDs([]string{id}), "limit", "1"), 0)
			return err
		}), false},
		{"restrictions of pages", first(func(id string) error {
			_, err := c.restrictionOf(ctx, id)
			return err
		}), false},
		{"attached files", func() error { return c.tryFile(ctx, in) }, false},
		{"folders", ask("api/v2/folders/" + probed), true},
		{"whiteboards", ask("api/v2/whiteboards/" + probed), true},
		{"databases", ask("api/v2/databases/" + probed), true},
		{"Smart Links", ask("api/v2/embeds/" + probed), true},
		{"people", func() error {
			return c.client.Post(ctx, "api/v2/users-bulk", map[string]any{"accountIds": []string{probed}}, new(struct{}), 1)
		}, true},
		{"permissions of one person", func() error {
			asked := map[string]any{"subject": map[string]string{"type": "user", "identifier": probed}, "operation": "read"}
			return c.client.Post(ctx, "rest/api/content/"+probed+"/permission/check", asked, new(struct{}), 1)
		}, true},
	}
	var all error
	for _, try := range tries {
		err := try.do()
		switch {
		case err == nil || try.tolerant && !atlassian.Final(ctx, err) && !atlassian.LacksScope(err):
		case ctx.Err() != nil || errors.Is(err, index.ErrPaused):
			return err
		default:
			all = errors.Join(all, fmt.Errorf("%s cannot be read: %w", try.what, err))
		}
	}
	return all
}

// tryFile downloads one attached file of a space, if files are read.
func (c *Connector) tryFile(ctx context.Context, in space) error {
	if !c.options.Attachments {
		return nil
	}
	path, asked := c.first(in, attachments)
	got, _, err := readPage[content](ctx, c.client, path, asked, 0)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(got, func(k content) bool { return k.Container != nil && isID(string(k.Container.ID)) })
	if i < 0 {
		return nil
	}
	_, err = c.client.Download(sourcehttp.Small(ctx), c.downloadPath(got[i]))
	if errors.Is(err, sourcehttp.ErrTooLarge) {
		return nil
	}
	return err
}

var (
	_ index.NodeReader   = (*Connector)(nil)
	_ index.GroupReader  = (*Connector)(nil)
	_ index.PointChecker = (*Connector)(nil)
)
