package jira

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/plural"
)

// Check returns a summary such as "3 projects". The error says what cannot be read, or whose
// readers are unknown, and what to do.
func (c *Connector) Check(ctx context.Context) (string, error) {
	all, err := c.ours(ctx)
	if err != nil {
		return "", err
	}
	for _, key := range c.options.Projects {
		if !slices.ContainsFunc(all, func(p project) bool { return strings.EqualFold(p.Key, key) }) {
			err = errors.Join(err, fmt.Errorf("the account sees no project %s: check the key, and give the account Browse Projects there", key))
		}
	}
	if len(all) == 0 {
		return "", errors.Join(err, errors.New("the account sees no project: give it Browse Projects in those that are to be read"))
	}
	site, siteErr := c.site(ctx)
	switch {
	case siteErr != nil:
		return "", errors.Join(err, fmt.Errorf("who may use Jira cannot be read, and without that every reader is denied: %w", siteErr))
	case site.unlisted:
		err = errors.Join(err, errors.New("who may use Jira is shown to its administrators alone, so every reader is denied: make the account one, or name the groups under users"))
	case len(site.users) == 0:
		err = errors.Join(err, errors.New("no group lets people use Jira, so every reader is denied: name those that do under users"))
	}
	r, schemeErr := c.scheme(ctx, site, all[0])
	switch {
	case schemeErr != nil:
		err = errors.Join(err, schemeErr)
	case r.denied:
		err = errors.Join(err, fmt.Errorf("who may browse the project %s is not shown to the account, so it is hidden from everyone here: give the account Administer Projects there, or make it an administrator of Jira", all[0].Key))
	case r.lost && c.client.Cloud:
		err = errors.Join(err, fmt.Errorf("who belongs to the security levels of the project %s is not shown to the account, so issues with a level are hidden from everyone: make it an administrator of Jira", all[0].Key))
	case r.lost:
		err = errors.Join(err, errors.New("no REST API of Jira Data Center tells who belongs to a security level: issues with one are hidden from everyone here"))
	}
	return plural.Count(len(all), "project"), err
}
