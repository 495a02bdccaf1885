package confluence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/index"
)

// Check says what there is to be read in a few words, or why nothing can be, or who may read it cannot be found out. It asks for the spaces, the groups, and
// the settings of one space.
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
		return "", errors.Join(err, fmt.Errorf("the groups of the site cannot be read, without which nobody may read anything: %w", siteErr))
	}
	if len(site.users) == 0 {
		err = errors.Join(err, errors.New("no group lets people use Confluence by its name, so that nobody may read anything: name those that do under users"))
	}
	_, known, viewErr := c.viewers(ctx, site, all[0])
	switch {
	case viewErr != nil:
		err = errors.Join(err, viewErr)
	case !known && c.client.Cloud:
		err = errors.Join(err, fmt.Errorf("who may view the space %s is not shown to the account: give the token the scope read:space.permission:confluence", all[0].Key))
	case !known:
		err = errors.Join(err, fmt.Errorf("who may view the space %s is not shown to the account, so that nobody may read it here: make the account an administrator of the space. "+
			"Before Confluence 9.1 no REST API tells it: update, or index an export as a folder with an access list of its own", all[0].Key))
	}
	return fmt.Sprintf("%d spaces", len(all)), err
}

var (
	_ index.NodeReader   = (*Connector)(nil)
	_ index.GroupReader  = (*Connector)(nil)
	_ index.PointChecker = (*Connector)(nil)
)
