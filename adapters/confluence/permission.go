package confluence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

type site struct {
	users     access.ACL      // who may use Confluence
	anonymous map[string]bool // ids of the spaces that visitors see
	// roles has the ids of the roles that allow viewing a space. It is nil if the site has no
	// role-based access.
	roles map[string]bool
}

func (c *Connector) site(ctx context.Context) (*site, error) {
	groups, err := c.groups(ctx)
	if err != nil {
		return nil, fmt.Errorf("the groups of the site cannot be read: %w", err)
	}
	s := &site{users: access.ACL{}, anonymous: make(map[string]bool)}
	for _, g := range groups {
		if c.isUsers(g.Name) {
			s.users = append(s.users, c.group(g.ID))
		}
	}
	if c.options.Anonymous != "" {
		if s.anonymous, err = c.visible(ctx); err != nil {
			return nil, fmt.Errorf("the spaces that visitors see cannot be read: %w", err)
		}
	}
	if c.client.Cloud {
		if s.roles, err = c.viewerRoles(ctx); err != nil {
			return nil, fmt.Errorf("the roles of the site's spaces cannot be read: %w", err)
		}
	}
	return s, nil
}

// usersPrefix is the prefix of the names of the groups that Confluence creates for its users. The
// groups are "confluence-users" on Data Center and "confluence-users-SITE" on Cloud
// (https://support.atlassian.com/user-management/docs/default-groups-and-permissions/).
const usersPrefix = "confluence-users"

func (c *Connector) isUsers(name string) bool {
	if len(c.options.Users) > 0 {
		return slices.Contains(c.options.Users, name)
	}
	return strings.HasPrefix(name, usersPrefix)
}

// visible returns the spaces that a visitor without an account sees. It sends requests without a
// credential, because the APIs do not show the settings on which that depends.
func (c *Connector) visible(ctx context.Context) (map[string]bool, error) {
	all, err := c.spaces(ctx, c.client.visitor())
	open := make(map[string]bool, len(all))
	for _, s := range all {
		open[string(s.ID)] = true
	}
	switch {
	case err == nil:
		return open, nil
	case ctx.Err() != nil || errors.Is(err, index.ErrPaused):
		return nil, err
	case sourcehttp.Status(err) != 0 || errors.Is(err, atlassian.ErrMalformed):
		// visitors are refused or sent to a login page
		return map[string]bool{}, nil
	}
	return nil, err
}

// viewerRoles returns the ids of the roles that allow viewing a space, or nil if the site has no
// roles (https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-space-roles/).
//
// A missing scope is an error. The mode decides which of two lists is in force, and Atlassian does
// not document what the list of permissions shows on a site with roles.
func (c *Connector) viewerRoles(ctx context.Context) (map[string]bool, error) {
	var mode struct {
		Mode string `json:"mode"`
	}
	err := c.client.Get(ctx, "api/v2/space-role-mode", &mode)
	if err != nil && !atlassian.Absent(err) && sourcehttp.Status(err) != http.StatusBadRequest {
		return nil, err
	}
	if mode.Mode != "ROLES" {
		return nil, nil
	}
	all, err := listAll[struct {
		ID          string   `json:"id"`
		Permissions []string `json:"spacePermissions"`
	}](ctx, c.client, "api/v2/space-roles", atlassian.Query("limit", "250"))
	roles := make(map[string]bool)
	for _, r := range all {
		if slices.Contains(r.Permissions, "read/space") {
			roles[r.ID] = true
		}
	}
	return roles, err
}

// viewers returns who may view a space according to the space's settings. If the account cannot see
// the settings, known is false and no one may view the space. Principals other than people and
// groups, such as roles, access classes and apps, are ignored.
func (c *Connector) viewers(ctx context.Context, all *site, s space) (acl access.ACL, known bool, err error) {
	switch {
	case !c.client.Cloud:
		acl, err = c.viewersOfKey(ctx, s)
	case all.roles != nil:
		acl, err = c.viewersByRole(ctx, all, s)
	default:
		acl, err = c.viewersByPermission(ctx, s)
	}
	// 500 instead of 403 (CONFSERVER-99908)
	if err != nil && !atlassian.Final(ctx, err) && (atlassian.Refused(ctx, err) && !atlassian.LacksScope(err) || sourcehttp.Status(err) == http.StatusInternalServerError) {
		return nil, false, nil
	}
	return acl, err == nil, err
}

func (c *Connector) viewersByPermission(ctx context.Context, s space) (access.ACL, error) {
	all, err := listAll[struct {
		Principal struct {
			Type string `json:"type"`
			ID   string `json:"id"`
		} `json:"principal"`
		Operation struct {
			Key    string `json:"key"`
			Target string `json:"targetType"`
		} `json:"operation"`
	}](ctx, c.client, "api/v2/spaces/"+string(s.ID)+"/permissions", atlassian.Query("limit", "250"))
	acl := access.ACL{}
	for _, p := range all {
		if p.Operation.Key != "read" || p.Operation.Target != "space" || p.Principal.ID == "" {
			continue
		}
		switch p.Principal.Type {
		case "user":
			acl = append(acl, c.person(p.Principal.ID))
		case "group":
			acl = append(acl, c.group(p.Principal.ID))
		}
	}
	return acl, err
}

func (c *Connector) viewersByRole(ctx context.Context, site *site, s space) (access.ACL, error) {
	all, err := listAll[struct {
		Principal struct {
			Type string `json:"principalType"`
			ID   string `json:"principalId"`
		} `json:"principal"`
		Role string `json:"roleId"`
	}](ctx, c.client, "api/v2/spaces/"+string(s.ID)+"/role-assignments", atlassian.Query("limit", "250"))
	acl := access.ACL{}
	for _, p := range all {
		if !site.roles[p.Role] || p.Principal.ID == "" {
			continue
		}
		switch p.Principal.Type {
		case "USER":
			acl = append(acl, c.person(p.Principal.ID))
		case "GROUP":
			acl = append(acl, c.group(p.Principal.ID))
		}
	}
	return acl, err
}

// viewersOfKey requests the viewers of a space from a Data Center of version 9.1 or later
// (https://developer.atlassian.com/server/confluence/rest/v910/api-group-other-operations/). The
// response identifies people by user key.
func (c *Connector) viewersOfKey(ctx context.Context, s space) (access.ACL, error) {
	var raw json.RawMessage
	if err := c.client.Get(ctx, "rest/api/space/"+s.Key+"/permissions", &raw); err != nil {
		return nil, err
	}
	var all []struct {
		Operation struct {
			Target string `json:"targetType"`
			Key    string `json:"operationKey"`
		} `json:"operation"`
		Subject struct {
			Type    string `json:"type"`
			UserKey string `json:"userKey"`
			Name    string `json:"name"`
		} `json:"subject"`
	}
	if json.Unmarshal(raw, &all) != nil {
		return nil, atlassian.ErrMalformed
	}
	acl := access.ACL{}
	for _, p := range all {
		if p.Operation.Key != "read" || p.Operation.Target != "space" {
			continue
		}
		switch {
		case p.Subject.UserKey != "" && (p.Subject.Type == "user" || p.Subject.Type == "known"):
			acl = append(acl, c.person(p.Subject.UserKey))
		case p.Subject.Name != "" && p.Subject.Type == "group":
			acl = append(acl, c.group(p.Subject.Name))
		}
	}
	return acl, nil
}

// clauses returns the conditions for reading a space. A reader must be allowed to use the site and
// to view the space, and must be in Options.ACL if it is set.
func (c *Connector) clauses(all *site, s space, viewers access.ACL) []access.ACL {
	users, viewers := slices.Clone(all.users), slices.Clone(viewers)
	if all.anonymous[string(s.ID)] {
		users, viewers = append(users, c.options.Anonymous), append(viewers, c.options.Anonymous)
	}
	clauses := []access.ACL{users, viewers}
	if c.options.ACL != nil {
		clauses = append(clauses, c.options.ACL)
	}
	return clauses
}
