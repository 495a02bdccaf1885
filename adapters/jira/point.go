package jira

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// MayRead implements index.PointChecker on Cloud: "Returns … for a list of projects, the projects for which the user has the permission"; other people are
// asked about by administrators alone (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permissions/). Whoever may not browse a project may read
// none of its issues. Whoever may is known to read those alone that nothing else limits: of the others nothing is known. Data Center cannot be asked.
func (c *Connector) MayRead(ctx context.Context, person string, nodes []string) map[string]bool {
	may := make(map[string]bool)
	if !c.client.Cloud {
		return may
	}
	var ids []int64
	for _, n := range nodes {
		id, _, _ := strings.Cut(n, ":")
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
	if err := c.client.post(ctx, "permissions/check", asked, &said, 1); err != nil || said.Permissions == nil {
		return may
	}
	for _, n := range nodes {
		id, more, _ := strings.Cut(n, ":")
		number, ok := toNumber(id)
		if !ok {
			continue
		}
		yes := false
		for _, p := range *said.Permissions {
			yes = yes || p.Permission == "BROWSE_PROJECTS" && slices.Contains(p.Projects, number)
		}
		if !yes || more == "" {
			may[n] = yes
		}
	}
	return may
}

// toNumber reads an id that is asked for as a number.
func toNumber(id string) (int64, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	return n, err == nil && n > 0
}
