package git

import (
	"context"
	"fmt"
)

// Check asks the server for the branch and returns a text such as "branch main at 0123456789ab". It
// fetches no files.
func (c *Connector) Check(ctx context.Context) (string, error) {
	if c.unknown {
		return "", c.unpublished()
	}
	branch, commit, err := c.mirror.Head(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("branch %s at %s", branch, commit[:12]), nil
}

func (c *Connector) unpublished() error {
	return fmt.Errorf("the address where readers find the files of %s is unknown: say it with --base-url, or base_url: in the configuration file, such as https://%s/group/name/blob/HEAD/",
		c.remote, c.remote.Host)
}
