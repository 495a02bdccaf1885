package gdrivetest

import "net/http"

// Customer is the id of the organisation.
const Customer = "C012ab3cd"

// directory serves the Admin SDK. Callers who are not administrators get "403 Not Authorized to
// access this resource/api".
func (q *request) directory(path []string) any {
	denied := refused{http.StatusForbidden, "forbidden"}
	if q.user != q.Admin && !(q.user == q.Bot && q.Switches.NoDelegate) {
		return denied
	}
	show := func(u *User) any {
		return map[string]any{
			"id": u.ID, "primaryEmail": u.Email, "aliases": u.Aliases, "suspended": u.Suspended, "archived": false, "name": map[string]any{"fullName": u.Name},
		}
	}
	if customer := q.value("customer"); len(path) == 1 && customer != Customer && (customer != "my_customer" || q.user == q.Bot) {
		return denied // service accounts "are not part of a Workspace or Cloud Identity domain" (https://github.com/GAM-team/GAM/wiki, "delegated admin service account")
	}
	switch {
	case path[0] == "users" && !q.may("admin.directory.user.readonly"), path[0] == "groups" && len(path) == 1 && !q.may("admin.directory.group.readonly"),
		len(path) == 3 && !q.may("admin.directory.group.member.readonly"):
		return refused{http.StatusForbidden, "insufficientPermissions"}
	case len(path) == 1 && path[0] == "users":
		return orBad(paged(q, q.Users, "users", 500, show))
	case len(path) == 2 && path[0] == "users":
		for _, u := range q.Users {
			if u.ID == path[1] {
				return show(u)
			}
		}
		return notFound
	case len(path) == 1 && path[0] == "groups":
		var all []*Group
		for _, g := range q.Groups {
			if !g.Elsewhere {
				all = append(all, g)
			}
		}
		return orBad(paged(q, all, "groups", 200, func(g *Group) any { return map[string]any{"id": g.ID, "email": g.Email, "name": g.Name} }))
	case len(path) == 3 && path[0] == "groups" && path[2] == "members":
		for _, g := range q.Groups {
			if g.ID == path[1] && !g.Elsewhere {
				all := members(g, q.value("includeDerivedMembership") == "true", make(map[*Group]bool))
				return orBad(paged(q, all, "members", 200, func(m map[string]any) any { return m }))
			}
		}
	}
	return notFound
}

func members(g *Group, derived bool, been map[*Group]bool) []map[string]any {
	been[g] = true
	var all []map[string]any
	for _, m := range g.Members {
		switch m := m.(type) {
		case *User:
			all = append(all, map[string]any{"id": m.ID, "email": m.Email, "type": "USER", "status": "ACTIVE"})
		case *Group:
			all = append(all, map[string]any{"id": m.ID, "email": m.Email, "type": "GROUP", "status": "ACTIVE"})
			if derived && !m.Elsewhere && !been[m] {
				all = append(all, members(m, derived, been)...)
			}
		case Everyone:
			all = append(all, map[string]any{"id": "C0123", "type": "CUSTOMER"})
		}
	}
	return all
}
