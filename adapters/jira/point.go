package jira

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// MayRead implements index.PointChecker. It denies a point if the person may not browse the project
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permissions/). The result
// is index.CannotAsk for issues with fewer readers than the project. On Data Center, and without
// administrator rights, all results are index.CannotAsk.
func (c *Connector) MayRead(ctx context.Context, person string, points []index.Point) map[index.Point]index.Permission {
	ctx = sourcehttp.Small(ctx)
	may := make(map[index.Point]index.Permission)
	var ids []int64
	for _, p := range points {
		if !c.client.Cloud {
			may[p] = index.CannotAsk
			continue
		}
		id, _, _ := strings.Cut(p.Node, ":")
		if number, ok := toNumber(id); ok && !slices.Contains(ids, number) {
			ids = append(ids, number)
		}
	}
	if len(ids) == 0 {
		return may
	}
	var said struct {
		Permissions *[]struct {
			Permission string  `json:"permission"`
			Projects   []int64 `json:"projects"`
		} `json:"projectPermissions"`
	}
	asked := map[string]any{"accountId": person, "projectPermissions": []any{map[string]any{"permissions": []string{"BROWSE_PROJECTS"}, "projects": ids}}}
	err := c.client.post(ctx, "permissions/check", asked, &said, 1)
	mayNotAsk := sourcehttp.Status(err) == http.StatusForbidden && !errors.Is(err, index.ErrPaused)
	if !mayNotAsk && (err != nil || said.Permissions == nil) {
		return may
	}
	for _, p := range points {
		id, level, _ := strings.Cut(p.Node, ":")
		number, ok := toNumber(id)
		if !ok {
			continue
		}
		if mayNotAsk {
			may[p] = index.CannotAsk
			continue
		}
		yes := false
		for _, s := range *said.Permissions {
			yes = yes || s.Permission == "BROWSE_PROJECTS" && slices.Contains(s.Projects, number)
		}
		switch {
		case !yes:
			may[p] = index.Denied
		case level == "":
			may[p] = index.Allowed
		default:
			may[p] = index.CannotAsk
		}
	}
	return may
}

func toNumber(id string) (int64, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	return n, err == nil && n > 0
}
