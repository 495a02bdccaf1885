package confluence

import (
	"context"
	"strconv"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
)

// restriction has the readers that are set on a page itself:
// https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions/. It does
// not include inherited restrictions (CONFSERVER-45609). If a page has no restriction, its parent
// decides.
type restriction struct {
	Restrictions struct {
		User  *subjects `json:"user"`
		Group *subjects `json:"group"`
	} `json:"restrictions"`
}

type subjects struct {
	Results []subject `json:"results"`
	Limit   int       `json:"limit"`
	Size    int       `json:"size"`
	Links   struct {
		Next string `json:"next"`
	} `json:"_links"`
}

type subject struct {
	account
	Type string       `json:"type"`
	ID   atlassian.ID `json:"id"`   // id of a group, on Cloud
	Name string       `json:"name"` // name of a group
}

// cut reports whether there may be more subjects than the response shows: "expansions are cut at 25
// to 200 entries".
func (s subjects) cut() bool {
	return s.Links.Next != "" || s.Limit > 0 && len(s.Results) >= s.Limit || s.Size > len(s.Results)
}

func (r *restriction) complete() bool {
	return r != nil && r.Restrictions.User != nil && r.Restrictions.Group != nil && !r.Restrictions.User.cut() && !r.Restrictions.Group.cut()
}

// readers converts the users and groups of a restriction to principals. It omits subjects of
// unknown kinds.
func (c *Connector) readers(users, groups []subject) access.ACL {
	acl := access.ACL{}
	for _, u := range users {
		if id := u.id(); id != "" {
			acl = append(acl, c.person(id))
		}
	}
	for _, g := range groups {
		if id := c.groupID(g.ID, g.Name); id != "" && g.Type == "group" {
			acl = append(acl, c.group(id))
		}
	}
	return acl
}

// groupID returns the id of a group on Cloud, and its name on Data Center, where groups have no id.
func (c *Connector) groupID(id atlassian.ID, name string) string {
	if c.client.Cloud {
		return string(id)
	}
	return name
}

const mostSubjects = 100_000

// restrictionOf requests the restriction that is set on a page or other content itself. A
// restriction with more than mostSubjects entries denies the content to everyone.
func (c *Connector) restrictionOf(ctx context.Context, id string) (list, error) {
	const limit = 100
	var users, groups []subject
	ctx = sourcehttp.Whole(ctx)
	for start := 0; start < mostSubjects; start += limit {
		var r restriction
		asked := atlassian.Query("start", strconv.Itoa(start), "limit", strconv.Itoa(limit), "expand", "restrictions.user,restrictions.group")
		if err := c.client.Get(ctx, "rest/api/content/"+id+"/restriction/byOperation/read?"+asked, &r); err != nil {
			return list{}, err
		}
		if r.Restrictions.User == nil || r.Restrictions.Group == nil {
			return list{}, atlassian.ErrMalformed
		}
		users, groups = append(users, r.Restrictions.User.Results...), append(groups, r.Restrictions.Group.Results...)
		if len(r.Restrictions.User.Results) < limit && len(r.Restrictions.Group.Results) < limit &&
			r.Restrictions.User.Links.Next == "" && r.Restrictions.Group.Links.Next == "" {
			return c.listOf(users, groups), nil
		}
	}
	return list{state: denied}, nil
}

func (c *Connector) listOf(users, groups []subject) list {
	if len(users)+len(groups) == 0 {
		return list{state: unrestricted}
	}
	return list{state: restricted, readers: c.readers(users, groups)}
}
