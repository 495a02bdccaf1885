package jira

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

// page is a page of a list. The entries are in Values, or in Comments for a list of comments
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination).
type page[T any] struct {
	StartAt  int   `json:"startAt"`
	Total    *int  `json:"total"`
	IsLast   *bool `json:"isLast"`
	Values   []T   `json:"values"`
	Comments []T   `json:"comments"`
}

var errCircle = errors.New("the list leads in a circle, and is read again by the next run")

// listAll reads all pages of a list. The list ends at an empty page, or at the page with isLast. If
// pages lack isLast, it ends once the number of entries reaches total.
func listAll[T any](ctx context.Context, c *Client, path string, pairs ...string) ([]T, error) {
	var all []T
	ctx = sourcehttp.Whole(ctx)
	err := sourcehttp.EachPage("Jira's list "+path, "0", func(start string) (string, error) {
		var p page[T]
		if err := c.get(ctx, path+"?"+atlassian.Query(append(pairs, "startAt", start)...), &p); err != nil {
			return "", err
		}
		got := p.Values
		if p.Comments != nil {
			got = p.Comments
		}
		if err := checkItems(path, got); err != nil {
			return "", err
		}
		if p.StartAt != len(all) && len(got) > 0 { // not the requested position
			return "", fmt.Errorf("Jira's list %s: %w", path, errCircle)
		}
		all = append(all, got...)
		if len(got) == 0 || p.IsLast != nil && *p.IsLast || p.IsLast == nil && p.Total != nil && len(all) >= *p.Total {
			return "", nil
		}
		return strconv.Itoa(len(all)), nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// checkItems returns an error if a page has no list, or an item without an id.
func checkItems[T any](path string, items []T) error {
	err := sourcehttp.CheckItems(items, sourcehttp.MaxElements, func(item T) bool {
		named, is := any(item).(interface{ known() bool })
		return !is || named.known()
	})
	if err != nil {
		return fmt.Errorf("Jira's list %s cannot be read: the next run tries again (%w)", path, err)
	}
	return nil
}

// isID reports whether id is a positive number, as are the ids of issues, projects, levels and
// files. Such an id is safe in a search and in a path.
func isID(id string) bool {
	number, err := strconv.ParseUint(id, 10, 63)
	return err == nil && number > 0
}

// isField reports whether id is "reporter", "assignee" or a custom field such as
// "customfield_10001". Only these fields can have people or groups.
func isField(id string) bool {
	number, custom := strings.CutPrefix(id, "customfield_")
	return custom && isID(number) || id == fieldReporter || id == fieldAssignee
}
