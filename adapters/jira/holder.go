package jira

import (
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/access"
)

// holder is the holder of a permission, or the member of a security level
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permission-schemes/#holder-object).
type holder struct {
	Type      string       `json:"type"`
	Parameter atlassian.ID `json:"parameter"`
	Value     atlassian.ID `json:"value"`
	User      *account     `json:"user"`
	Group     *struct {
		Name    string `json:"name"`
		GroupID string `json:"groupId"`
	} `json:"group"`
	Field *struct {
		ID string `json:"id"`
	} `json:"field"`
	Role *struct {
		ID atlassian.ID `json:"id"`
	} `json:"projectRole"`
}

// grant is a set of people who hold a permission or belong to a security level.
type grant struct {
	fixed  access.ACL // people and groups that are the same for all issues
	fields []string   // issue fields whose people and groups are included
	roles  []string   // ids of roles in the project
	open   bool       // everyone, even without an account
}

// add adds a holder to a grant. It ignores unknown types of holders, such as
// "sd.customer.portal.only", which admits people only to the customer portal.
func (c *Connector) add(g *grant, h holder, all *site, p project) {
	id := string(h.Value)
	if id == "" {
		id = string(h.Parameter)
	}
	switch h.Type {
	case "anyone":
		g.open = true
		g.fixed = append(g.fixed, all.users...)
	case "applicationRole":
		g.fixed = append(g.fixed, all.of(string(h.Parameter))...)
	case "user":
		if !c.client.Cloud {
			id = h.User.id()
		}
		if id != "" {
			g.fixed = append(g.fixed, c.person(id))
		}
	case "group":
		if !c.client.Cloud {
			id = string(h.Parameter)
		} else if h.Value == "" { // not the name, which another group may get later
			id = ""
			if h.Group != nil {
				id = h.Group.GroupID
			}
		}
		if id != "" {
			g.fixed = append(g.fixed, c.group(id))
		}
	case "projectLead":
		if lead := p.Lead.id(); lead != "" {
			g.fixed = append(g.fixed, c.person(lead))
		}
	case "projectRole":
		if h.Role != nil && h.Role.ID != "" {
			id = string(h.Role.ID)
		}
		if isID(id) {
			g.roles = append(g.roles, id)
		}
	case fieldReporter, fieldAssignee:
		g.fields = append(g.fields, h.Type)
	case "userCustomField", "groupCustomField":
		if h.Field != nil && h.Field.ID != "" {
			id = h.Field.ID
		}
		if isID(id) {
			id = "customfield_" + id
		}
		if isField(id) {
			g.fields = append(g.fields, id)
		}
	}
}

// readers returns the people and groups that a grant admits to issues with the given facts. roles
// has the people and groups of each role, by role id. The result is never nil.
func (c *Connector) readers(g grant, f facts, roles map[string]access.ACL) access.ACL {
	acl := slices.Concat(access.ACL{}, g.fixed)
	for _, id := range g.roles {
		acl = append(acl, roles[id]...)
	}
	for _, name := range g.fields {
		for _, id := range f.People[name] {
			acl = append(acl, c.person(id))
		}
		for _, id := range f.Groups[name] {
			acl = append(acl, c.group(id))
		}
	}
	return acl
}
