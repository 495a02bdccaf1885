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

// page is a part of a list of the API: "startAt", "maxResults", "total", "isLast"
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination). Comments stand under a name of their own.
type page[T any] struct {
	StartAt  int   `json:"startAt"`
	Total    *int  `json:"total"`
	IsLast   *bool `json:"isLast"`
	Values   []T   `json:"values"`
	Comments []T   `json:"comments"`
}

// errCircle marks a list that does not come to an end.
var errCircle = errors.New("the list leads in a circle, and is read again by the next run")

// listAll reads a whole list. An error is one of the whole list: half of one is none. Fewer entries may come than were asked for, and the place that is
// asked for next is counted by what came. "total" may be missing or too large: a part without any entries is the last one.
func listAll[T any](ctx context.Context, c *Client, path string, pairs ...string) ([]T, error) {
	var all []T
	for range sourcehttp.MaxPages {
		var p page[T]
		if err := c.get(ctx, path+"?"+atlassian.Query(append(pairs, "startAt", strconv.Itoa(len(all)))...), &p); err != nil {
			return nil, err
		}
		got := append(p.Values, p.Comments...)
		if p.StartAt != len(all) && len(got) > 0 { // it does not go on where it was asked to
			return nil, fmt.Errorf("Jira's list %s: %w", path, errCircle)
		}
		all = append(all, got...)
		if len(got) == 0 || p.IsLast != nil && *p.IsLast || p.IsLast == nil && p.Total != nil && len(all) >= *p.Total {
			return all, nil
		}
	}
	return nil, fmt.Errorf("Jira's list %s: %w", path, errCircle)
}

// isID reports whether a text is the id of an issue, a project, a level or a file, which may stand in a search and in a path.
func isID(id string) bool {
	number, err := strconv.ParseUint(id, 10, 63)
	return err == nil && number > 0
}

// isField reports whether a text is the id of a field of an issue that may be asked for.
func isField(id string) bool {
	number, custom := strings.CutPrefix(id, "customfield_")
	return custom && isID(number) || id == fieldReporter || id == fieldAssignee
}
