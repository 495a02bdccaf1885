package confluence

import (
	"context"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
)

// MayRead implements index.PointChecker on Cloud: "Check if a user or a group can perform an operation to the specified content. … the user has the
// required site permissions, space permissions and content restrictions"
// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-permissions/). Of a space it is asked whether its first page may be read: whoever may
// do that may view the space, and of whoever may not nothing is known, since that page may be restricted itself. Data Center cannot be asked.
func (c *Connector) MayRead(ctx context.Context, person string, nodes []string) map[string]bool {
	may := make(map[string]bool)
	if !c.client.Cloud {
		return may
	}
	homes := make(map[string]string)
	for _, n := range nodes {
		if strings.HasPrefix(n, spaceNode) {
			all, err := c.spaces(ctx, c.client)
			if err != nil {
				break
			}
			for _, s := range all {
				homes[s.node()] = string(s.HomePage)
			}
			break
		}
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, n := range nodes { // the client bounds how many are under way at once
		id, isSpace := homes[n]
		if !isSpace {
			_, id, _ = strings.Cut(n, ":")
		}
		if !isID(id) {
			continue
		}
		all.Go(func() {
			yes, known := c.hasPermission(ctx, person, id)
			if !known || isSpace && !yes {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			may[n] = yes
		})
	}
	all.Wait()
	return may
}

func (c *Connector) hasPermission(ctx context.Context, person, content string) (yes, known bool) {
	asked := map[string]any{"subject": map[string]string{"type": "user", "identifier": person}, "operation": "read"}
	var said struct {
		Has *bool `json:"hasPermission"`
	}
	if err := c.client.Post(ctx, "rest/api/content/"+content+"/permission/check", asked, &said, 1); err != nil {
		return false, atlassian.Absent(err) // what is not there, or nobody by this id
	}
	return said.Has != nil && *said.Has, said.Has != nil
}
