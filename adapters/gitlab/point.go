package gitlab

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// MayRead implements index.PointChecker. It checks the person's role in the project
// (https://docs.gitlab.com/api/members/). The result is index.CannotAsk if the role does not
// decide:
//
//   - the role is insufficient, but people who are not members may also read.
//   - the role is sufficient, but the issue is confidential.
func (c *Connector) MayRead(ctx context.Context, person string, points []index.Point) map[index.Point]index.Permission {
	ctx = sourcehttp.Small(ctx)
	may := make(map[index.Point]index.Permission)
	known := make(map[string]index.Permission)
	for _, p := range points {
		scope, what, _ := strings.Cut(p.Node, ":")
		if _, err := strconv.ParseInt(scope, 10, 64); err != nil {
			continue
		}
		f := feature(what)
		if strings.HasPrefix(what, "confidential:") {
			f = issues
		}
		key := scope + " " + string(f)
		answer, asked := known[key]
		if !asked {
			answer = c.checkRole(ctx, person, scope, f)
			known[key] = answer
		}
		if answer == index.Allowed && f != feature(what) {
			answer = index.CannotAsk
		}
		if answer != index.CheckFailed {
			may[p] = answer
		}
	}
	return may
}

// checkRole requests a person's role in a project and compares it with the role that a feature
// needs. scope is the number of the project.
func (c *Connector) checkRole(ctx context.Context, person, scope string, f feature) index.Permission {
	var p project
	switch err := c.client.get(ctx, "projects/"+scope, &p); {
	case absent(err):
		return index.Denied
	case err != nil || !p.valid():
		return index.CheckFailed
	case !p.has(f):
		return index.Denied
	}
	var m member
	err := c.client.get(ctx, fmt.Sprintf("projects/%s/members/all/%s", scope, person), &m)
	least := reporter
	if f == issues || f == wiki {
		least = guest
	}
	switch {
	case err != nil && !absent(err):
		return index.CheckFailed
	case err == nil && m.counts(c.client.config.Now()) && m.Level >= least:
		return index.Allowed
	case p.Visibility != "private" && p.level(f) == "enabled":
		return index.CannotAsk
	}
	return index.Denied
}
