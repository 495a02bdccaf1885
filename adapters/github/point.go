package github

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// MayRead implements index.PointChecker. It first looks up the current names of the person and the
// repositories by id, because GitHub checks permissions by name.
func (c *Connector) MayRead(ctx context.Context, person string, points []index.Point) map[index.Point]index.Permission {
	out := make(map[index.Point]index.Permission)
	id, err := strconv.ParseInt(person, 10, 64)
	if err != nil {
		return out
	}
	who, err := list(ctx, c.client, "user/"+strconv.FormatInt(id, 10), one, account.valid)
	if err != nil || len(who) != 1 || who[0].ID != id || who[0].Login == "" {
		if absent(err) { // no account has this number
			for _, p := range points {
				out[p] = index.Denied
			}
		}
		return out
	}
	nodes := make([]string, len(points))
	for i, p := range points {
		nodes[i] = p.Node
	}
	ids, err := c.nodeIDs(ctx, nodes)
	if err != nil {
		return out
	}
	now, err := c.names(ctx, slices.Collect(maps.Values(ids)))
	if err != nil {
		return out
	}
	for _, p := range points {
		number, err := strconv.ParseInt(p.Node, 10, 64)
		if err != nil {
			continue
		}
		is, there := now[number]
		switch {
		case !there:
			out[p] = index.Denied
		case is.Visibility == "PUBLIC" && c.options.Public != PublicReaders:
			out[p] = index.Allowed
		default:
			may, err := c.client.permission(ctx, is.Name, who[0])
			switch {
			case sourcehttp.Status(err) == http.StatusForbidden && !errors.Is(err, index.ErrPaused):
				out[p] = index.CannotAsk // "Must have push access to view collaborator permission"
			case err == nil && may:
				out[p] = index.Allowed
			case err == nil || absent(err):
				out[p] = index.Denied
			}
		}
	}
	return out
}

// permission reports whether a person may read a repository. It returns false if another person has
// the login name now
// (https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user).
func (c *Client) permission(ctx context.Context, repository string, who account) (bool, error) {
	answer, err := c.do(ctx, sourcehttp.Request{Path: "repos/" + repository + "/collaborators/" + who.Login + "/permission", Budget: "core"})
	if err != nil {
		return false, err
	}
	var said struct {
		Permission string  `json:"permission"`
		User       account `json:"user"`
	}
	if err := sourcehttp.Decode(ctx, answer.Body, &said); err != nil {
		return false, err
	}
	return said.User.ID == who.ID && said.Permission != "" && said.Permission != "none", nil
}

func one(body []byte) ([]account, error) {
	var a account
	err := json.Unmarshal(body, &a)
	return []account{a}, err
}

// nodeIDs returns the GraphQL ids of repositories, by numeric id. It lists the repositories if an
// id is not cached.
func (c *Connector) nodeIDs(ctx context.Context, nodes []string) (map[int64]string, error) {
	out := make(map[int64]string, len(nodes))
	for listed := false; ; listed = true {
		lacking := false
		c.client.mu.Lock()
		for _, n := range nodes {
			id, err := strconv.ParseInt(n, 10, 64)
			node, ok := c.client.nodes[id]
			if ok && err == nil {
				out[id] = node
			} else {
				lacking = true
			}
		}
		c.client.mu.Unlock()
		if !lacking || listed {
			return out, nil
		}
		if _, err := c.repositories(ctx); err != nil {
			return nil, err
		}
	}
}

// chosen reports whether the source reads the repository with a name such as "acme/handbook".
func (c *Connector) chosen(name string) bool {
	owner, _, _ := strings.Cut(name, "/")
	return c.options.Organization != "" && strings.EqualFold(owner, c.options.Organization) ||
		slices.ContainsFunc(c.options.Repositories, func(n string) bool { return strings.EqualFold(n, name) })
}
