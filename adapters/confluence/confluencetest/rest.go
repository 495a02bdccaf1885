package confluencetest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

func number(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "att"))
	return n
}

func (q *request) visibleSpaces() []*Space {
	var all []*Space
	for _, s := range q.Spaces {
		keys := q.value("keys")
		if (s.Archived == (q.value("status") == "archived")) && q.mayView(q.user, s) && (keys == "" || slices.Contains(strings.Split(keys, ","), s.Key)) {
			all = append(all, s)
		}
	}
	return all
}

func typeOf(s *Space) string {
	if s.Personal {
		return "personal"
	}
	return "global"
}

func (q *request) spaces2([]string) any {
	return paged(q, q.visibleSpaces(), 250, func(s *Space) any {
		home := any(nil)
		for _, c := range q.Contents {
			if c.Space == s && c.Type == "page" && c.Parent == nil {
				home = c.ID
				break
			}
		}
		return map[string]any{"id": s.ID, "key": s.Key, "name": s.Name, "type": typeOf(s), "status": "current", "homepageId": home}
	})
}

func (q *request) spaces1([]string) any {
	// "the REST API returns fewer spaces than asked for" (seen by others: 50 at most)
	return paged(q, q.visibleSpaces(), 50, func(s *Space) any {
		return map[string]any{"id": number(s.ID), "key": s.Key, "name": s.Name, "type": typeOf(s), "status": "CURRENT"}
	})
}

func (q *request) space(id string) *Space {
	i := slices.IndexFunc(q.Spaces, func(s *Space) bool { return (s.ID == id || s.Key == id) && q.mayView(q.user, s) })
	if i < 0 {
		return nil
	}
	return q.Spaces[i]
}

func (q *request) contents(fits func(*Content) bool) []*Content {
	var all []*Content
	for _, c := range q.Contents {
		if fits(c) && q.sees(c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *Content) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	return all
}

// containers are the types of content without text that may be above pages. Searches do not find
// them.
var containers = []string{"folder", "whiteboard", "database", "embed"}

func (c *Content) searched() bool { return c.there() && !slices.Contains(containers, c.Type) }

func (q *request) typeOfPath() string {
	switch {
	case strings.Contains(q.path, "/blogposts"):
		return "blogpost"
	}
	for _, of := range containers {
		if strings.Contains(q.path, "/"+of+"s/") {
			return of
		}
	}
	return "page"
}

func (q *request) pagesOf(found []string) any {
	s := q.space(found[0])
	if s == nil {
		return refused(http.StatusNotFound)
	}
	of, statuses := q.typeOfPath(), strings.Split(q.value("status"), ",")
	return paged(q, q.contents(func(c *Content) bool {
		return c.Space == s && c.Type == of && slices.Contains(statuses, c.Status) && (c.Status != "current" || c.there())
	}), 250, q.show2)
}

func (q *request) pages2([]string) any {
	of, statuses, ids := q.typeOfPath(), strings.Split(q.value("status"), ","), q.values["id"]
	all := q.contents(func(c *Content) bool {
		return c.Type == of && slices.Contains(statuses, c.Status) && (len(ids) == 0 || slices.Contains(ids, c.ID))
	})
	if q.value("sort") == "-modified-date" {
		slices.SortStableFunc(all, func(a, b *Content) int { return b.When.Compare(a.When) })
	}
	return paged(q, all, 250, q.show2)
}

func (q *request) show2(c *Content) any {
	shown := map[string]any{
		"id": c.ID, "status": c.Status, "title": c.Title, "spaceId": c.Space.ID, "parentId": nil, "parentType": nil,
		"version": map[string]any{"number": c.Version, "createdAt": c.When.Format("2006-01-02T15:04:05.000Z")},
		"_links":  map[string]any{"webui": webUI(c)},
	}
	if c.Parent != nil {
		shown["parentId"], shown["parentType"] = c.Parent.ID, c.Parent.Type
	}
	return shown
}

func webUI(c *Content) string { return "/spaces/" + c.Space.Key + "/pages/" + c.ID }

func (q *request) find(id string) *Content {
	if c := q.byID[id]; c != nil && q.sees(c) {
		return c
	}
	return nil
}

func (q *request) page2(found []string) any {
	c := q.find(found[0])
	if c == nil || c.Type != q.typeOfPath() {
		return refused(http.StatusNotFound)
	}
	shown := q.show2(c).(map[string]any)
	switch form := q.value("body-format"); {
	case form == "storage" && c.Document != "":
		return refused(http.StatusInternalServerError)
	case form == "storage":
		shown["body"] = map[string]any{"storage": map[string]any{"value": c.Body, "representation": form}}
	case form == "atlas_doc_format":
		shown["body"] = map[string]any{form: map[string]any{"value": c.Document, "representation": form}}
	}
	if q.value("include-labels") == "true" {
		shown["labels"] = labels(c)
	}
	return shown
}

func labels(c *Content) any {
	results := []any{}
	for _, l := range c.Labels {
		results = append(results, map[string]any{"name": l, "prefix": "global"})
	}
	return map[string]any{"results": results}
}

func (q *request) contents1([]string) any {
	s := q.space(q.value("spaceKey"))
	if s == nil {
		return refused(http.StatusNotFound)
	}
	return paged(q, q.contents(func(c *Content) bool {
		return c.Space == s && c.Type == q.value("type") && c.Status == cmp.Or(q.value("status"), "current") && c.there()
	}), 200, q.show1)
}

func (q *request) content1(found []string) any {
	if c := q.find(found[0]); c != nil {
		return q.show1(c)
	}
	return refused(http.StatusNotFound)
}

func (q *request) show1(c *Content) any {
	expand := q.value("expand")
	if q.Switches.Poisoned[c.ID] && (strings.Contains(expand, "restrictions") || strings.Contains(expand, "body")) {
		return refused(http.StatusInternalServerError)
	}
	shown := map[string]any{"id": c.ID, "type": c.Type, "status": c.Status, "title": c.Title}
	links := map[string]any{"webui": webUI(c)}
	shown["_links"] = links
	if c.Type == "attachment" {
		shown["extensions"] = map[string]any{"fileSize": len(c.Data), "mediaType": "text/plain"}
		links["download"] = "/download/attachments/" + c.ID
	}
	for part := range strings.SplitSeq(expand, ",") {
		switch {
		case part == "version":
			shown["version"] = map[string]any{"number": c.Version, "when": c.When.Format("2006-01-02T15:04:05.000Z"), "by": q.account(c.Author)}
		case part == "history":
			shown["history"] = map[string]any{"createdBy": q.account(c.Author), "createdDate": c.When.Format(time.RFC3339)}
		case part == "space":
			shown["space"] = map[string]any{"id": number(c.Space.ID), "key": c.Space.Key, "name": c.Space.Name}
		case part == "container" && c.Parent != nil && (c.Type == "comment" || c.Type == "attachment"):
			shown["container"] = map[string]any{"id": c.Parent.ID, "type": c.Parent.Type, "title": c.Parent.Title}
		case part == "ancestors":
			var above []any
			for at := c.Parent; at != nil; at = at.Parent {
				above = append([]any{map[string]any{"id": at.ID, "type": at.Type}}, above...)
			}
			shown["ancestors"] = above
		case part == "body.storage" && c.Document == "":
			shown["body"] = map[string]any{"storage": map[string]any{"value": c.Body, "representation": "storage"}}
		case part == "metadata.labels":
			properties := map[string]any{}
			if c.NewEditor {
				properties["editor"] = map[string]any{"value": "v2"}
			}
			shown["metadata"] = map[string]any{"labels": labels(c), "properties": properties}
		case strings.HasPrefix(part, "restrictions.read"):
			shown["restrictions"] = map[string]any{"read": q.restrictionOf(c, 0, cmp.Or(q.Switches.Cut, 200))}
		}
	}
	return shown
}

func (q *request) account(u *User) map[string]any {
	if u == nil {
		u = q.Bot
	}
	shown := map[string]any{"type": "known", "displayName": u.Name}
	if q.Cloud {
		shown["accountId"], shown["accountType"] = u.ID, "atlassian"
	} else {
		shown["userKey"], shown["username"] = u.ID, u.Name
	}
	return shown
}

// restrictionOf returns "only the restrictions that are set directly on the content"
// (CONFSERVER-45609), without inherited restrictions.
func (q *request) restrictionOf(c *Content, start, limit int) any {
	users, groups := []any{}, []any{}
	for _, s := range c.Read {
		switch s := s.(type) {
		case *User:
			users = append(users, q.account(s))
		case *Group:
			shown := map[string]any{"type": "group", "name": s.Name}
			if q.Cloud {
				shown["id"] = s.ID
			}
			groups = append(groups, shown)
		case Odd:
			groups = append(groups, map[string]any{"type": string(s), "name": "odd", "id": "odd-1"})
		}
	}
	part := func(all []any) any {
		from, to := min(start, len(all)), min(start+limit, len(all))
		return map[string]any{"results": all[from:to], "start": from, "limit": limit, "size": to - from}
	}
	return map[string]any{"operation": "read", "restrictions": map[string]any{"user": part(users), "group": part(groups)}}
}

func (q *request) restriction(found []string) any {
	c := q.find(found[0])
	if c == nil {
		return refused(http.StatusNotFound)
	}
	if status := q.Switches.Odd[c.ID]; status != 0 {
		return refused(status)
	}
	start, _ := strconv.Atoi(q.value("start"))
	limit, _ := strconv.Atoi(cmp.Or(q.value("limit"), "25"))
	return q.restrictionOf(c, start, limit)
}

var (
	byID    = regexp.MustCompile(`^id in \(([a-z0-9,]+)\)$`)
	bySpace = regexp.MustCompile(`^space = "([^"]+)" and type = (\w+) order by created$`)
	newest  = regexp.MustCompile(`^type in \(([a-z, ]+)\)(?: and space in \(([^)]+)\))? order by lastmodified desc$`)
)

// search serves CQL searches of the forms that the connector uses
// (https://developer.atlassian.com/cloud/confluence/advanced-searching-using-cql/).
func (q *request) search([]string) any {
	cql := q.value("cql")
	var all []*Content
	indexed := func(fits func(*Content) bool) []*Content {
		return q.contents(func(c *Content) bool {
			return c.searched() && !q.Switches.Unindexed[c.ID] && fits(c)
		})
	}
	if m := byID.FindStringSubmatch(cql); m != nil {
		for id := range strings.SplitSeq(m[1], ",") {
			if c := q.find(id); c != nil && c.searched() && !q.Switches.Unindexed[id] {
				if status := q.Switches.Odd[id]; status != 0 {
					return refused(status)
				}
				all = append(all, c)
			}
		}
	} else if m := bySpace.FindStringSubmatch(cql); m != nil {
		all = indexed(func(c *Content) bool { return c.Space.Key == m[1] && c.Type == m[2] })
	} else if m := newest.FindStringSubmatch(cql); m != nil {
		types := strings.Split(m[1], ", ")
		all = indexed(func(c *Content) bool {
			return slices.Contains(types, c.Type) && (m[2] == "" || strings.Contains(m[2], `"`+c.Space.Key+`"`))
		})
		slices.SortStableFunc(all, func(a, b *Content) int { return b.When.Compare(a.When) })
	} else {
		return refused(http.StatusBadRequest)
	}
	most := 1000
	if strings.Contains(q.value("expand"), "body") {
		most = 50
	} else if q.value("expand") != "" {
		most = 100
	}
	return paged(q, all, most, q.show1)
}

func (q *request) download(found []string) any {
	if c := q.find(found[0]); c != nil {
		return c.Data
	}
	return refused(http.StatusNotFound)
}

// locate "redirects the client to a URL that serves an attachment's binary data". 404: "The
// specified content does not contain an attachment with the specified attachment ID"
// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content---attachments/).
func (q *request) locate(found []string) any {
	c := q.find(found[1])
	if c == nil || c.Type != "attachment" || c.Parent == nil || c.Parent.ID != found[0] {
		return refused(http.StatusNotFound)
	}
	return redirect(q.site() + "/media/" + c.ID)
}

func (q *request) version([]string) any {
	return map[string]any{"version": map[bool]string{true: "8.5.4", false: "9.2.1"}[q.Switches.Before91]}
}

func (s *Server) post(q *request) any {
	if _, ok := servertest.Match("api/v2/users-bulk", q.path); ok && s.Cloud {
		var asked struct{ AccountIDs []string }
		if json.NewDecoder(q.Body).Decode(&asked) != nil || len(asked.AccountIDs) > 250 {
			return refused(http.StatusBadRequest)
		}
		results := []any{}
		for _, u := range s.Users {
			if slices.Contains(asked.AccountIDs, u.ID) {
				results = append(results, q.shown(u))
			}
		}
		return map[string]any{"results": results}
	}
	if found, ok := servertest.Match("rest/api/content/*/permission/check", q.path); ok && s.Cloud {
		var asked struct {
			Subject   struct{ Type, Identifier string }
			Operation string
		}
		c := q.find(found[0])
		if json.NewDecoder(q.Body).Decode(&asked) != nil || asked.Operation != "read" || asked.Subject.Type != "user" {
			return refused(http.StatusBadRequest)
		}
		i := slices.IndexFunc(s.Users, func(u *User) bool { return u.ID == asked.Subject.Identifier })
		if c == nil || i < 0 {
			return refused(http.StatusNotFound)
		}
		return map[string]any{"hasPermission": s.mayRead(s.Users[i], c)}
	}
	return refused(http.StatusNotFound)
}

// shown returns a person in the format of lists of people. It contains the address "depending on
// the user's privacy settings".
func (q *request) shown(u *User) any {
	shown := q.account(u)
	shown["accountStatus"], shown["isExternalCollaborator"] = "active", u.External
	if u.Inactive {
		shown["accountStatus"] = "inactive"
	}
	if !u.Hidden {
		shown["email"] = u.Email
	}
	return shown
}
