package confluence

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// MayRead implements index.PointChecker. On Cloud it requests a check that includes "the required
// site permissions, space permissions and content restrictions"
// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-permissions/). On
// Data Center the result is index.CannotAsk.
//
// It checks a point's document and not its node, which may be out of date.
func (c *Connector) MayRead(ctx context.Context, person string, points []index.Point) map[index.Point]index.Permission {
	ctx = sourcehttp.Small(ctx)
	may := make(map[index.Point]index.Permission)
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, p := range points { // the client limits concurrent requests
		if !c.client.Cloud {
			may[p] = index.CannotAsk
			continue
		}
		_, content, ok := c.placeOf(p.Document)
		if !ok || !isID(content) {
			continue
		}
		all.Go(func() {
			said := c.permission(ctx, person, content)
			mu.Lock()
			defer mu.Unlock()
			if said != index.CheckFailed {
				may[p] = said
			}
		})
	}
	all.Wait()
	return may
}

func (c *Connector) permission(ctx context.Context, person, content string) index.Permission {
	asked := map[string]any{"subject": map[string]string{"type": "user", "identifier": person}, "operation": "read"}
	var said struct {
		Has *bool `json:"hasPermission"`
	}
	err := c.client.Post(ctx, "rest/api/content/"+content+"/permission/check", asked, &said, 1)
	switch {
	case sourcehttp.Status(err) == http.StatusForbidden && !errors.Is(err, index.ErrPaused):
		return index.CannotAsk
	case atlassian.Absent(err): // no such content or person
		return index.Denied
	case err != nil || said.Has == nil:
		return index.CheckFailed
	case *said.Has:
		return index.Allowed
	}
	return index.Denied
}
