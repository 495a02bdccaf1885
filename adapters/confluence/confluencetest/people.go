package confluencetest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

func (q *request) groups([]string) any {
	all := slices.Clone(q.Groups)
	slices.SortFunc(all, func(a, b *Group) int { return cmp.Compare(a.Name, b.Name) })
	return paged(q, all, 200, func(g *Group) any {
		shown := map[string]any{"type": "group", "name": g.Name}
		if q.Cloud {
			shown["id"] = g.ID
		}
		return shown
	})
}

func (q *request) members(found []string) any {
	i := slices.IndexFunc(q.Groups, func(g *Group) bool { return g.ID == found[0] && q.Cloud || g.Name == found[0] && !q.Cloud })
	if i < 0 {
		return refused(http.StatusNotFound)
	}
	return paged(q, q.Groups[i].Members, 200, q.shown)
}

func (q *request) permissions2(found []string) any {
	s := q.space(found[0])
	if s == nil {
		return refused(http.StatusNotFound)
	}
	type entry struct {
		kind, id string
	}
	var all []entry
	for _, v := range s.View {
		switch v := v.(type) {
		case *User:
			all = append(all, entry{"user", v.ID})
		case *Group:
			all = append(all, entry{"group", v.ID})
		case Odd:
			all = append(all, entry{strings.ToLower(string(v)), "odd-1"})
		}
	}
	if q.Roles {
		all = nil
	}
	return paged(q, append(all, entry{"user", ""}), 250, func(e entry) any {
		operation := map[string]any{"key": "read", "targetType": "space"}
		if e.id == "" { // an entry about comments, which does not grant viewing
			e.id, operation = "acc-commentator", map[string]any{"key": "create", "targetType": "comment"}
		}
		return map[string]any{"id": "1", "principal": map[string]any{"type": e.kind, "id": e.id}, "operation": operation}
	})
}

func (q *request) roleMode([]string) any {
	return map[string]any{"mode": map[bool]string{true: "ROLES", false: "PRE_ROLES"}[q.Roles]}
}

func (q *request) roleList([]string) any {
	roles := []map[string]any{
		{"id": "role-viewer", "type": "SYSTEM", "name": "Viewer", "spacePermissions": []string{"read/space"}},
		{"id": "role-odd", "type": "CUSTOM", "name": "Odd", "spacePermissions": []string{"create/comment"}},
	}
	return paged(q, roles, 250, func(r map[string]any) any { return r })
}

func (q *request) roles(found []string) any {
	s := q.space(found[0])
	if s == nil || !q.Roles {
		return refused(http.StatusNotFound)
	}
	all := []map[string]any{{"principal": map[string]any{"principalType": "USER", "principalId": "acc-commentator"}, "roleId": "role-odd"}}
	for _, v := range s.View {
		principal := map[string]any{}
		switch v := v.(type) {
		case *User:
			principal["principalType"], principal["principalId"] = "USER", v.ID
		case *Group:
			principal["principalType"], principal["principalId"] = "GROUP", v.ID
		case Odd:
			principal["principalType"], principal["principalId"] = string(v), "odd-1"
		}
		all = append(all, map[string]any{"principal": principal, "roleId": "role-viewer"})
	}
	return paged(q, all, 250, func(r map[string]any) any { return r })
}

// permissions1 serves the permissions of a space on Data Center 9.1 or later
// (https://developer.atlassian.com/server/confluence/rest/v910/api-group-other-operations/).
// Without the right to manage the space, the status is 500 (CONFSERVER-99908).
func (q *request) permissions1(found []string) any {
	s := q.space(found[0])
	switch {
	case s == nil || q.Switches.Before91:
		return refused(http.StatusNotFound)
	case q.Switches.NoAdmin:
		return refused(http.StatusInternalServerError)
	}
	all := []any{}
	for _, v := range s.View {
		subject := map[string]any{}
		switch v := v.(type) {
		case *User:
			subject["type"], subject["userKey"], subject["displayName"] = "user", v.ID, v.Name
		case *Group:
			subject["type"], subject["name"], subject["displayName"] = "group", v.Name, v.Name
		case Odd:
			subject["type"], subject["displayName"] = string(v), "odd"
		}
		all = append(all, map[string]any{"operation": map[string]any{"targetType": "space", "operationKey": "read"}, "subject": subject, "spaceKey": s.Key})
	}
	return append(all, map[string]any{
		"operation": map[string]any{"targetType": "comment", "operationKey": "create"}, "subject": map[string]any{"type": "user", "userKey": "acc-commentator"}, "spaceKey": s.Key,
	})
}
