package jiratest

import "slices"

// MayRead reports whether a user may read an issue. A nil user is a visitor without an account.
//
//   - "To view an issue … you need the Browse Projects permission for the project". If the issue has
//     a security level, the user must belong to it: "Issue security levels … restrict who can see
//     issues … on top of" the permission
//     (https://support.atlassian.com/jira-cloud-administration/docs/configure-issue-level-security/).
//   - The permission scheme names the holders of Browse Projects: people, groups, roles in the
//     project, users of an application, and the project's lead. For a single issue they may be its
//     reporter, its assignee, or the people in a custom field
//     (https://support.atlassian.com/jira-cloud-administration/docs/manage-project-permissions/). See
//     https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permission-schemes/#holder-object
//     for the types.
//   - A user without access to an application of the site sees only what visitors see: "Anyone on
//     the web".
//   - In a team-managed project "you can restrict an issue to certain roles" too
//     (https://support.atlassian.com/jira-software-cloud/docs/restrict-access-to-an-issue-in-a-team-managed-project/).
func (w *World) MayRead(u *User, i *Issue) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.mayRead(u, i)
}

func (w *World) mayRead(u *User, i *Issue) bool {
	if i.Deleted || i.Project.Archived {
		return false
	}
	if u == nil || !w.mayUse(u) {
		open := func(h Holder) bool { return h.Type == "anyone" }
		return w.Anonymous && slices.ContainsFunc(i.Project.Browse, open) && i.Level == nil && len(i.Restricted) == 0 && !i.RestrictedOddly
	}
	if !w.any(u, i.Project.Browse, i.Project, i) {
		return false
	}
	if i.Level != nil && !w.any(u, i.Level.Members, i.Project, i) {
		return false
	}
	if i.RestrictedOddly {
		return false
	}
	return len(i.Restricted) == 0 || slices.ContainsFunc(i.Restricted, func(role string) bool { return plays(u, i.Project, role) })
}

// mayBrowse reports whether a user may browse a project. It returns true if the permission depends
// on the issue, for example on its reporter.
func (w *World) mayBrowse(u *User, p *Project) bool {
	if p.Archived {
		return false
	}
	return slices.ContainsFunc(p.Browse, func(h Holder) bool {
		switch h.Type {
		case "anyone":
			return u != nil || w.Anonymous
		case "reporter", "assignee", "userCustomField", "groupCustomField":
			return u != nil && w.mayUse(u)
		}
		return u != nil && w.mayUse(u) && w.holds(u, h, p, nil)
	})
}

func (w *World) mayUse(u *User) bool {
	return u != nil && !u.Inactive && slices.ContainsFunc(w.Apps, func(a *App) bool { return uses(u, a) })
}

func uses(u *User, a *App) bool {
	return slices.ContainsFunc(a.Groups, func(g *Group) bool { return slices.Contains(g.Members, u) })
}

func plays(u *User, p *Project, role string) bool {
	return slices.ContainsFunc(p.Roles[role], func(actor any) bool {
		switch actor := actor.(type) {
		case *User:
			return actor == u
		case *Group:
			return slices.Contains(actor.Members, u)
		}
		return false
	})
}

func (w *World) any(u *User, holders []Holder, p *Project, i *Issue) bool {
	return slices.ContainsFunc(holders, func(h Holder) bool { return w.holds(u, h, p, i) })
}

// holds reports whether a user is a holder of a permission in a project. If i is nil, it returns
// false for holders that depend on the issue.
func (w *World) holds(u *User, h Holder, p *Project, i *Issue) bool {
	switch h.Type {
	case "anyone":
		return true
	case "applicationRole":
		return slices.ContainsFunc(w.Apps, func(a *App) bool { return (h.App == "" || h.App == a.Key) && uses(u, a) })
	case "user":
		return h.User == u
	case "group":
		return slices.Contains(h.Group.Members, u)
	case "projectLead":
		return p.Lead == u
	case "projectRole":
		return plays(u, p, h.Role)
	}
	if i == nil {
		return false
	}
	switch h.Type {
	case "reporter":
		return i.Reporter == u
	case "assignee":
		return i.Assignee == u
	case "userCustomField", "groupCustomField":
		switch stands := i.Custom[h.Field].(type) {
		case *User:
			return stands == u
		case []*User:
			return slices.Contains(stands, u)
		case *Group:
			return slices.Contains(stands.Members, u)
		}
	}
	return false
}
