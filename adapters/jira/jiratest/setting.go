package jiratest

import (
	"cmp"
	"net/http"
	"slices"
)

func (q *request) myself([]string) any {
	shown := q.account(q.user)
	shown["timeZone"] = q.Zone
	return shown
}

func (q *request) serverInfo([]string) any {
	return map[string]any{"baseUrl": "https://acme.example", "deploymentType": map[bool]string{true: "Cloud", false: "Server"}[q.Cloud]}
}

func (q *request) account(u *User) map[string]any {
	if u == nil {
		return nil
	}
	shown := map[string]any{"displayName": u.Name, "active": !u.Inactive}
	if q.Cloud {
		shown["accountId"], shown["accountType"] = u.ID, "atlassian"
	} else {
		shown["key"], shown["name"] = u.ID, u.Login
	}
	if !u.Hidden {
		shown["emailAddress"] = u.Email
	}
	return shown
}

func (q *request) groupOf(g *Group) map[string]any {
	shown := map[string]any{"name": g.Name}
	if q.Cloud {
		shown["groupId"] = g.ID
	}
	return shown
}

func (q *request) visibleProjects() []*Project {
	var all []*Project
	for _, p := range q.Projects {
		if q.mayBrowse(q.user, p) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Project) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

func (q *request) showProject(p *Project) any {
	shown := map[string]any{"id": p.ID, "key": p.Key, "name": p.Name, "archived": p.Archived, "simplified": p.TeamManaged && q.Cloud, "projectTypeKey": "software"}
	if p.Desk {
		shown["projectTypeKey"] = "service_desk"
	}
	if p.Lead != nil && q.values.Get("expand") == "lead" {
		shown["lead"] = q.account(p.Lead)
	}
	return shown
}

// projectSearch serves Cloud's list of projects
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/).
func (q *request) projectSearch([]string) any {
	return paged(q, q.visibleProjects(), 100, "values", q.showProject)
}

// projects serves Data Center's list of projects
// (https://docs.atlassian.com/software/jira/docs/api/REST/9.17.0/#api/2/project-getAllProjects).
func (q *request) projects([]string) any {
	all := []any{}
	for _, p := range q.visibleProjects() {
		all = append(all, q.showProject(p))
	}
	return all
}

func (q *request) project(id string) *Project {
	i := slices.IndexFunc(q.Projects, func(p *Project) bool { return (p.ID == id || p.Key == id) && q.mayBrowse(q.user, p) })
	if i < 0 {
		return nil
	}
	return q.Projects[i]
}

// admin returns the response to a caller who is not an administrator: 403 on Cloud, and 500 on Data
// Center.
func (q *request) admin() any {
	if q.Cloud {
		return refused(http.StatusForbidden)
	}
	return refused(http.StatusInternalServerError)
}

func (q *request) holder(h Holder) map[string]any {
	shown := map[string]any{"type": h.Type}
	set := func(parameter, value string) {
		shown["parameter"] = parameter
		if q.Cloud {
			shown["value"] = cmp.Or(value, parameter)
		}
	}
	switch h.Type {
	case "user":
		set(h.User.ID, "")
		shown["user"] = q.account(h.User)
	case "group":
		set(h.Group.Name, h.Group.ID)
		shown["group"] = q.groupOf(h.Group)
	case "projectRole":
		set(h.Role, "")
		shown["projectRole"] = map[string]any{"id": number(h.Role), "name": "Role " + h.Role}
	case "userCustomField", "groupCustomField":
		set(h.Field, "")
		shown["field"] = map[string]any{"id": h.Field, "name": "Field"}
	case "applicationRole":
		if h.App != "" {
			set(h.App, "")
		}
	}
	return shown
}

// scheme serves the permission scheme of a project, to administrators only
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-permission-schemes/).
func (q *request) scheme(found []string) any {
	p := q.project(found[0])
	switch {
	case p == nil:
		return refused(http.StatusNotFound)
	case q.Switches.NoAdmin:
		return q.admin()
	}
	// a grant that does not allow reading
	all := []any{map[string]any{"id": 1, "permission": "CREATE_ISSUES", "holder": map[string]any{"type": "anyone"}}}
	for i, h := range p.Browse {
		all = append(all, map[string]any{"id": i + 2, "permission": "BROWSE_PROJECTS", "holder": q.holder(h)})
	}
	q.points += 2 * len(all)
	return map[string]any{"id": 1, "name": "scheme", "permissions": all}
}

// role serves the members of a project role
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-roles/). Data
// Center returns login names of people.
func (q *request) role(found []string) any {
	p := q.project(found[0])
	switch {
	case p == nil:
		return refused(http.StatusNotFound)
	case q.Switches.NoAdmin:
		return q.admin()
	}
	actors := []any{}
	for _, a := range p.Roles[found[1]] {
		shown := map[string]any{"id": 1}
		switch a := a.(type) {
		case *User:
			shown["type"], shown["displayName"] = "atlassian-user-role-actor", a.Name
			if q.Cloud {
				shown["actorUser"] = map[string]any{"accountId": a.ID}
			} else {
				shown["name"] = a.Login
			}
		case *Group:
			shown["type"], shown["displayName"], shown["name"] = "atlassian-group-role-actor", a.Name, a.Name
			if q.Cloud {
				shown["actorGroup"] = map[string]any{"name": a.Name, "displayName": a.Name, "groupId": a.ID}
			}
		default:
			shown["type"] = "atlassian-odd-role-actor"
		}
		actors = append(actors, shown)
	}
	q.points += 2 * len(actors)
	return map[string]any{"id": number(found[1]), "name": "Role " + found[1], "actors": actors}
}

func (q *request) security(found []string) any {
	p := q.project(found[0])
	switch {
	case p == nil || p.Security == nil:
		return refused(http.StatusNotFound)
	case q.Switches.NoAdmin:
		return q.admin()
	}
	list := []any{}
	for _, l := range p.Security.Levels {
		list = append(list, map[string]any{"id": l.ID, "name": l.Name})
	}
	return map[string]any{"id": number(p.Security.ID), "name": "levels", "levels": list}
}

// levelMembers lists the members of security levels for callers with "Administer Jira"
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-security-schemes/).
func (q *request) levelMembers([]string) any {
	if q.Switches.NoAdmin || q.Switches.NoLevels {
		return refused(http.StatusForbidden)
	}
	type member struct {
		level  string
		holder Holder
	}
	var all []member
	told := make(map[string]bool)
	for _, p := range q.Projects {
		if p.Security == nil || p.Security.ID != q.values.Get("schemeId") || told[p.Security.ID] {
			continue
		}
		told[p.Security.ID] = true
		for _, l := range p.Security.Levels {
			for _, h := range l.Members {
				all = append(all, member{l.ID, h})
			}
		}
	}
	return paged(q, all, 100, "values", func(m member) any {
		return map[string]any{"id": "1", "issueSecurityLevelId": m.level, "issueSecuritySchemeId": q.values.Get("schemeId"), "holder": q.holder(m.holder)}
	})
}

// apps lists application roles for callers with "Administer Jira"
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-application-roles/).
func (q *request) apps([]string) any {
	if q.Switches.NoAdmin {
		return refused(http.StatusForbidden)
	}
	all := []any{}
	for _, a := range q.Apps {
		names, details := []string{}, []any{}
		for _, g := range a.Groups {
			names, details = append(names, g.Name), append(details, q.groupOf(g))
		}
		shown := map[string]any{"key": a.Key, "groups": names, "name": a.Key}
		if q.Cloud {
			shown["groupDetails"] = details
		}
		all = append(all, shown)
	}
	return all
}

func (q *request) sortedGroups() []*Group {
	all := slices.Clone(q.Groups)
	slices.SortFunc(all, func(a, b *Group) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (q *request) groups([]string) any {
	return paged(q, q.sortedGroups(), 50, "values", func(g *Group) any { return q.groupOf(g) })
}

// picker serves Data Center's list of groups
// (https://docs.atlassian.com/software/jira/docs/api/REST/9.17.0/#api/2/groups-findGroups).
func (q *request) picker([]string) any {
	all := []any{}
	for _, g := range q.sortedGroups() {
		all = append(all, q.groupOf(g))
	}
	return map[string]any{"header": "Showing groups", "total": len(all), "groups": all}
}

// members serves the members of a group, at most 50 per page. It omits inactive users unless
// "includeInactiveUsers" is set
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/).
func (q *request) members([]string) any {
	name := q.values.Get("groupname")
	if q.Cloud {
		name = q.values.Get("groupId")
	}
	i := slices.IndexFunc(q.Groups, func(g *Group) bool { return q.Cloud && g.ID == name || !q.Cloud && g.Name == name })
	if i < 0 {
		return refused(http.StatusNotFound)
	}
	var active []*User
	for _, u := range q.Groups[i].Members {
		if !u.Inactive || q.values.Get("includeInactiveUsers") == "true" {
			active = append(active, u)
		}
	}
	return paged(q, active, 50, "values", func(u *User) any { return q.account(u) })
}

// check serves the permissions of any person: which of the requested projects the person may
// browse. Only administrators may ask
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permissions/).
func (q *request) check([]string) any {
	if q.Switches.NoAdmin {
		return refused(http.StatusForbidden)
	}
	i := slices.IndexFunc(q.Users, func(u *User) bool { return u.ID == q.body.AccountID })
	if i < 0 {
		return refused(http.StatusBadRequest)
	}
	answer := []any{}
	for _, asked := range q.body.ProjectGrants {
		may := []int{}
		for _, id := range asked.Projects {
			for _, p := range q.Projects {
				if number(p.ID) == id && q.mayBrowse(q.Users[i], p) {
					may = append(may, id)
				}
			}
		}
		answer = append(answer, map[string]any{"permission": asked.Permissions[0], "projects": may, "issues": []int{}})
	}
	return map[string]any{"projectPermissions": answer, "globalPermissions": []string{}}
}
