package gitlabtest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// self returns the caller (https://docs.gitlab.com/api/users/#retrieve-the-current-user). Only
// administrators see "is_admin".
func (q *request) self([]string) any { return q.account(q.Bot) }

// token serves information about the token (https://docs.gitlab.com/api/personal_access_tokens/).
func (q *request) token([]string) any {
	scopes := []string{"read_api"}
	if q.switches.NoScope {
		scopes = []string{"read_repository"}
	}
	return map[string]any{
		"id": 4, "name": "footnote", "scopes": scopes, "user_id": q.Bot.ID, "active": true, "revoked": false,
		"expires_at": orNull(q.switches.Expires),
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func brief(u *User) map[string]any {
	state := "active"
	if u.Blocked {
		state = "blocked"
	}
	return map[string]any{"id": u.ID, "username": u.Username, "name": u.Name, "state": state, "locked": false}
}

// account returns an account as the token may see it. Only administrators see "email",
// "confirmed_at", "external" and "is_admin" (https://docs.gitlab.com/api/users/).
func (q *request) account(u *User) any {
	shown := brief(u)
	if q.Bot.Admin {
		shown["email"], shown["external"], shown["is_admin"] = u.Email, u.External, u.Admin
		shown["confirmed_at"] = nil
		if !u.Unconfirmed {
			shown["confirmed_at"] = "2020-01-01T00:00:00.000Z"
		}
	}
	return shown
}

// users serves the list of users (https://docs.gitlab.com/api/users/#list-all-users). "active"
// omits blocked users.
func (q *request) users([]string) any {
	all := slices.Clone(q.Users)
	if q.values.Get("active") == "true" {
		all = slices.DeleteFunc(all, func(u *User) bool { return u.Blocked })
	}
	if q.values.Get("pagination") == "keyset" {
		return keyset(q, "id_after", all, func(u *User) string { return strconv.Itoa(u.ID) }, q.account)
	}
	return offset(q, all, q.account)
}

func (q *request) visible() []*Project {
	return slices.DeleteFunc(slices.Clone(q.Projects), func(p *Project) bool { return !q.maySee(q.Bot, p) })
}

// projects serves the list of projects that the token sees. If membership is set, it lists only
// projects of which the caller is a member. Keyset pagination needs order_by=id and sort=asc
// (https://docs.gitlab.com/api/projects/#list-all-projects).
func (q *request) projects([]string) any {
	all := q.visible()
	if q.values.Get("membership") == "true" {
		all = slices.DeleteFunc(all, func(p *Project) bool { return q.level(q.Bot, p) < Guest })
	}
	if q.values.Get("pagination") == "keyset" {
		if q.values.Get("order_by") != "id" || q.values.Get("sort") != "asc" {
			// "order_by and sort are both mandatory"
			return refused(http.StatusMethodNotAllowed)
		}
		return keyset(q, "id_after", all, func(p *Project) string { return strconv.Itoa(p.ID) }, q.project)
	}
	return offset(q, all, q.project)
}

// project returns a project in GitLab's format
// (https://docs.gitlab.com/api/projects/#retrieve-a-project).
func (q *request) project(p *Project) any {
	return map[string]any{
		"id": p.ID, "name": p.Name, "path": p.Path, "path_with_namespace": p.FullPath(), "name_with_namespace": p.FullPath(),
		"web_url": q.URL + "/" + p.FullPath(), "visibility": p.Visibility, "archived": p.Archived, "default_branch": orNull(p.Branch),
		"empty_repo": len(p.history) == 0, "last_activity_at": instant(q.Time.Truncate(time.Hour)),
		"issues_access_level": p.IssuesLevel, "merge_requests_access_level": p.MergeLevel,
		"wiki_access_level": p.WikiLevel, "repository_access_level": p.Code,
		"namespace": map[string]any{"id": p.Group.ID, "full_path": p.Group.FullPath(), "kind": "group"},
	}
}

// find returns a project by id or path. It returns nil if the project is invisible to the token.
func (q *request) find(id string) *Project {
	for _, p := range q.visible() {
		if strconv.Itoa(p.ID) == id || strings.EqualFold(p.FullPath(), id) {
			return p
		}
	}
	return nil
}

func (q *request) one(parts []string) any {
	if p := q.find(parts[0]); p != nil {
		return q.project(p)
	}
	return refused(http.StatusNotFound)
}

// members serves the list of a project's members, including inherited and invited members. A person
// with several memberships is listed once, with the highest role
// (https://docs.gitlab.com/api/members/).
func (q *request) members(parts []string) any {
	p := q.find(parts[0])
	if p == nil || q.switches.NoMembers {
		return refused(http.StatusNotFound)
	}
	var all []map[string]any
	for _, u := range q.Users {
		if shown := q.membership(u, p); shown != nil {
			all = append(all, shown)
		}
	}
	return offset(q, all, func(m map[string]any) any { return m })
}

func (q *request) membership(u *User, p *Project) map[string]any {
	level, expires := q.level(u, p), ""
	for _, m := range p.Members {
		if m.User == u && m.Level >= level && (q.current(m.Expires) || q.switches.Lagging) {
			level, expires = m.Level, m.Expires
		}
	}
	if level == NoAccess {
		return nil
	}
	shown := brief(u)
	shown["access_level"], shown["membership_state"], shown["expires_at"] = level, "active", orNull(expires)
	return shown
}

// member serves the membership of one person in a project, which may be inherited or by invitation
// (https://docs.gitlab.com/api/members/).
func (q *request) member(parts []string) any {
	p := q.find(parts[0])
	if p == nil || q.switches.NoMembers {
		return refused(http.StatusNotFound)
	}
	for _, u := range q.Users {
		if strconv.Itoa(u.ID) == parts[1] {
			if shown := q.membership(u, p); shown != nil {
				return shown
			}
		}
	}
	return refused(http.StatusNotFound)
}

func (q *request) findGroup(id string) *Group {
	for _, g := range q.Groups {
		if strconv.Itoa(g.ID) != id && !strings.EqualFold(g.FullPath(), id) {
			continue
		}
		if q.Bot.Admin || g.Visibility == Public || q.inGroup(q.Bot, g) > NoAccess {
			return g
		}
	}
	return nil
}

// group serves a group (https://docs.gitlab.com/api/groups/#retrieve-a-group).
func (q *request) group(parts []string) any {
	g := q.findGroup(parts[0])
	if g == nil {
		return refused(http.StatusNotFound)
	}
	return map[string]any{"id": g.ID, "path": g.Path, "full_path": g.FullPath(), "visibility": g.Visibility, "web_url": q.URL + "/groups/" + g.FullPath()}
}

// groupProjects serves the list of a group's projects. include_subgroups adds those of subgroups.
// Projects that were shared with the group are included unless with_shared is false
// (https://docs.gitlab.com/api/groups/#list-projects).
func (q *request) groupProjects(parts []string) any {
	g := q.findGroup(parts[0])
	if g == nil {
		return refused(http.StatusNotFound)
	}
	all := slices.DeleteFunc(q.visible(), func(p *Project) bool {
		below := p.Group == g || q.values.Get("include_subgroups") == "true" && p.Group.within(g)
		shared := q.values.Get("with_shared") != "false" && slices.ContainsFunc(p.Shares, func(s *Share) bool { return s.Group == g })
		return !below && !shared
	})
	return offset(q, all, q.project)
}

// list returns the issues or merge requests that the token may read. The route selects the whole
// instance, a group or a project. The filters and their defaults are those of GitLab
// (https://docs.gitlab.com/api/issues/).
func (q *request) list(kind Kind, parts []string, route string) ([]*Thing, bool) {
	var within func(*Thing) bool
	archived := q.values.Get("non_archived") == "false"
	switch {
	case len(parts) == 0:
		within = func(t *Thing) bool { return q.values.Get("scope") == "all" || t.Author == q.Bot }
	case strings.HasPrefix(route, "/api/v4/groups/"):
		g := q.findGroup(parts[0])
		if g == nil {
			return nil, false
		}
		within = func(t *Thing) bool { return t.Project.Group.within(g) }
	default:
		p := q.find(parts[0])
		if p == nil || !q.offers(p, kind) {
			return nil, false
		}
		archived = true
		within = func(t *Thing) bool { return t.Project == p }
	}
	updated, fine := q.since("updated_after")
	created, fineToo := q.since("created_after")
	if !fine || !fineToo {
		return nil, false
	}
	var all []*Thing
	for _, t := range q.Things {
		hidden := t.Kind != kind || t.Deleted || !within(t) || t.Project.Archived && !archived || !q.mayRead(q.Bot, t)
		confidential := q.values.Get("confidential")
		if hidden || t.Updated.Before(updated) || t.Created.Before(created) || confidential != "" && confidential != strconv.FormatBool(t.Confidential) {
			continue
		}
		if iids := q.values["iids[]"]; len(iids) > 0 && !slices.Contains(iids, strconv.Itoa(t.IID)) {
			continue
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b *Thing) int {
		by := cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
		if q.values.Get("order_by") == "updated_at" {
			by = cmp.Or(a.Updated.Compare(b.Updated), cmp.Compare(a.ID, b.ID))
		}
		if q.values.Get("sort") == "asc" {
			return by
		}
		return -by
	})
	return all, true
}

func (q *request) since(name string) (at time.Time, ok bool) {
	text := q.values.Get(name)
	if text == "" {
		return at, true
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	return at, err == nil
}

func (q *request) offers(p *Project, kind Kind) bool {
	level, role := p.IssuesLevel, Guest
	switch kind {
	case Issue:
	case Merge:
		level, role = p.MergeLevel, Reporter
	case Page:
		level = p.WikiLevel
	case File:
		level, role = p.Code, Reporter
	}
	return q.mayUse(q.Bot, p, level, role)
}

func (q *request) things(kind Kind, parts []string) any {
	all, ok := q.list(kind, parts, q.path)
	if !ok {
		return refused(http.StatusForbidden)
	}
	return offset(q, all, q.thing)
}

func (q *request) issues(parts []string) any { return q.things(Issue, parts) }
func (q *request) merges(parts []string) any { return q.things(Merge, parts) }

func (q *request) thing(t *Thing) any {
	assignees := []any{}
	for _, u := range t.Assignees {
		assignees = append(assignees, brief(u))
	}
	count := 0
	for _, n := range t.Notes {
		if !n.System {
			count++
		}
	}
	path := "/-/issues/"
	if t.Kind == Merge {
		path = "/-/merge_requests/"
	}
	shown := map[string]any{
		"id": t.ID, "iid": t.IID, "project_id": t.Project.ID, "title": t.Title, "description": orNull(t.Text), "state": t.State,
		"created_at": instant(t.Created), "updated_at": instant(t.Updated), "labels": append([]string{}, t.Labels...),
		"author": brief(t.Author), "assignees": assignees, "user_notes_count": count,
		"web_url": q.URL + "/" + t.Project.FullPath() + path + strconv.Itoa(t.IID),
	}
	if t.Kind == Issue {
		shown["confidential"] = t.Confidential
		shown["moved_to_id"] = nil
		if t.MovedTo != 0 {
			shown["moved_to_id"] = t.MovedTo
		}
	}
	return shown
}

// numbered returns an issue or merge request by its number in a project, which GitLab calls iid. It
// returns nil if the token may not read it.
func (q *request) numbered(kind Kind, project, iid string) *Thing {
	p := q.find(project)
	if p == nil {
		return nil
	}
	for _, t := range q.Things {
		if t.Kind == kind && t.Project == p && strconv.Itoa(t.IID) == iid && q.mayRead(q.Bot, t) {
			return t
		}
	}
	return nil
}

func (q *request) single(kind Kind, parts []string) any {
	if t := q.numbered(kind, parts[0], parts[1]); t != nil {
		return q.thing(t)
	}
	return refused(http.StatusNotFound)
}

func (q *request) issue(parts []string) any { return q.single(Issue, parts) }
func (q *request) merge(parts []string) any { return q.single(Merge, parts) }

// notes serves the list of comments of an issue or merge request, newest first unless sort=asc
// (https://docs.gitlab.com/api/notes/).
func (q *request) notes(kind Kind, parts []string) any {
	t := q.numbered(kind, parts[0], parts[1])
	if t == nil {
		return refused(http.StatusNotFound)
	}
	all := slices.Clone(t.Notes)
	if q.values.Get("sort") != "asc" {
		slices.Reverse(all)
	}
	return offset(q, all, func(n *Note) any {
		return map[string]any{
			"id": n.ID, "body": n.Text, "author": brief(n.Author), "system": n.System, "internal": n.Internal, "confidential": n.Internal,
			"created_at": instant(n.Created), "updated_at": instant(n.Updated), "noteable_iid": t.IID,
		}
	})
}

func (q *request) issueNotes(parts []string) any { return q.notes(Issue, parts) }
func (q *request) mergeNotes(parts []string) any { return q.notes(Merge, parts) }
