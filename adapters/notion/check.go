package notion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
)

const firstParts = 3

// Check returns a summary of the configured pages and their readers. It returns an error if none of
// them can be read. The error also lists visible pages for which no readers are configured.
func (c *Connector) Check(ctx context.Context) (string, error) {
	var me struct {
		Bot struct {
			Workspace string `json:"workspace_name"`
		} `json:"bot"`
	}
	if err := c.client.get(ctx, "users/me", &me); err != nil {
		return "", err
	}
	var roots []string
	var faults []error
	for _, id := range slices.Sorted(maps.Keys(c.roots)) {
		o, err := c.root(ctx, id)
		switch {
		case absent(err), err == nil && o.InTrash:
			faults = append(faults, fmt.Errorf("the page %s is not shown to the integration: open it in Notion, and add the integration under ••• → Connections", id))
		case err != nil:
			return "", err
		default:
			roots = append(roots, fmt.Sprintf("%s (read by %s)", o.name(), said(c.roots[id])))
		}
	}
	unnamed, err := c.unnamed(ctx)
	if err != nil {
		return "", errors.Join(append(faults, err)...)
	}
	if len(unnamed) > 0 {
		faults = append(faults, fmt.Errorf("NO ONE may read what is on %s: the integration is shown it, and Notion does not tell who may read it. "+
			"Name each of these pages under readers with who may read it, or with nothing behind it to hide it from everyone", strings.Join(unnamed, ", ")))
	}
	if len(roots) == 0 {
		return "", errors.Join(append(faults, errors.New("the integration is shown none of the pages that are named"))...)
	}
	what := strings.Join(roots, ", ")
	if me.Bot.Workspace != "" {
		what = "the workspace " + me.Bot.Workspace + ": " + what
	}
	return what, errors.Join(faults...)
}

func said(readers access.ACL) string {
	if len(readers) == 0 {
		return "NO ONE"
	}
	names := make([]string, len(readers))
	for i, p := range readers {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

const mostUnnamed = 10

// unnamed returns the names of visible pages and databases for which no readers are configured. It
// reads only the first search results, and omits objects below other visible objects.
func (c *Connector) unnamed(ctx context.Context) ([]string, error) {
	t := c.tree()
	var all []*object
	cursor := ""
	for range firstParts {
		body := map[string]any{"page_size": 100}
		if cursor != "" {
			body["start_cursor"] = cursor
		}
		var got list
		err := c.client.post(ctx, "search", body, &got)
		if sourcehttp.Status(err) == http.StatusForbidden {
			return nil, fmt.Errorf("the integration may not read content: give it that capability in its settings (%w)", err)
		}
		if err != nil {
			return nil, err
		}
		objects, err := decoded(got.Results)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			t.recordParents(o)
		}
		all = append(all, objects...)
		if cursor = got.next(); cursor == "" {
			break
		}
	}
	var names []string
	for _, o := range all {
		at := place{page, bareID(o.ID)}
		if o.Object == "data_source" {
			at.kind = dataSource
		}
		root, err := t.root(ctx, at)
		if err != nil {
			return nil, err
		}
		if root != "" || o.InTrash {
			continue
		}
		if highest, err := t.highest(ctx, o.Parent.place()); err != nil || !highest {
			if err != nil {
				return nil, err
			}
			continue
		}
		if len(names) == mostUnnamed {
			names = append(names, "and others")
			break
		}
		names = append(names, fmt.Sprintf("%q (%s)", o.name(), o.address()))
	}
	return names, nil
}

// highest reports whether an object has no ancestor that the integration can see. above is the
// object's parent. A database and its data source count as one object.
func (t *tree) highest(ctx context.Context, above place) (bool, error) {
	if above.kind == database {
		s, err := t.spot(ctx, above)
		if err != nil {
			return false, err
		}
		above = s.above
	}
	if above.kind == atTop {
		return true, nil
	}
	s, err := t.spot(ctx, above)
	return s.gone, err
}
