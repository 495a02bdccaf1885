package githubtest

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// graphql responds to the connector's GraphQL queries, which it recognises by their names. It does
// not parse queries.
func (s *Server) graphql(w *recorded, operation string, variables map[string]any) {
	s.World.Mu.Lock()
	defer s.World.Mu.Unlock()
	id, _ := variables["id"].(string)
	after, _ := variables["after"].(string)
	first := 100
	if n, ok := variables["first"].(float64); ok {
		first = int(n)
	}
	var data any
	switch operation {
	case "Repositories", "Names":
		var nodes []any
		ids, _ := variables["ids"].([]any)
		if len(ids) > 100 {
			w.write(graphError("ARGUMENT_LIMIT", "You may not provide more than 100 node ids; you provided "+strconv.Itoa(len(ids))+"."))
			return
		}
		for _, one := range ids {
			nodes = append(nodes, s.standing(one))
		}
		data = map[string]any{"nodes": nodes}
	case "Issues", "Pulls", "Discussions", "AllIssues", "AllPulls", "AllDiscussions":
		r := s.byNode(id)
		if r == nil {
			w.write(graphError("NOT_FOUND", "Could not resolve to a node with the global id of '"+id+"'"))
			return
		}
		kind := strings.TrimSuffix(strings.ToLower(strings.TrimPrefix(operation, "All")), "s")
		created := variables["by"] == "CREATED_AT"
		data = map[string]any{"node": map[string]any{"found": s.threads(r, kind, strings.HasPrefix(operation, "All"), created, first, after)}}
	case "Issue", "Pull", "Discussion":
		r := s.byNode(id)
		if r == nil {
			w.write(graphError("NOT_FOUND", "Could not resolve to a node with the global id of '"+id+"'"))
			return
		}
		for _, t := range r.Threads {
			if t.Kind == strings.ToLower(operation) && float64(t.Number) == variables["number"] {
				w.write(map[string]any{"data": map[string]any{"node": map[string]any{"one": s.threadJSON(r, t)}}})
				return
			}
		}
		missing := graphError("NOT_FOUND", fmt.Sprintf("Could not resolve to an %s with the number of %v.", operation, variables["number"]))
		missing["data"] = map[string]any{"node": map[string]any{"one": nil}}
		w.write(missing)
		return
	case "Some":
		var nodes []any
		ids, _ := variables["ids"].([]any)
		for _, one := range ids {
			node, _ := one.(string)
			if r, t := s.thread(node); t != nil {
				nodes = append(nodes, s.threadJSON(r, t))
			} else {
				nodes = append(nodes, nil)
			}
		}
		data = map[string]any{"nodes": nodes}
	case "More", "MoreAnswers", "MoreReviews", "MoreThreads":
		data = map[string]any{"node": s.more(operation, id, after)}
	case "People", "Identities":
		login, _ := variables["login"].(string)
		data = map[string]any{"organization": s.organization(operation, login, after)}
	default:
		w.write(graphError("", "unknown query "+operation))
		return
	}
	w.write(map[string]any{"data": data})
}

func graphError(kind, message string) map[string]any {
	e := map[string]any{"message": message}
	if kind != "" {
		e["type"] = kind
	}
	return map[string]any{"data": nil, "errors": []any{e}}
}

// byNode returns the repository with a GraphQL id. It returns nil if the credential does not see
// the repository.
func (s *Server) byNode(id any) *Repo {
	node, _ := id.(string)
	number, err := strconv.ParseInt(strings.TrimPrefix(node, "R_kg"), 10, 64)
	if err != nil {
		return nil
	}
	for _, r := range s.Repos {
		if r.ID == number && !r.Hidden {
			return r
		}
	}
	return nil
}

// standing returns a repository as JSON, with the length and newest change of each of its lists. It
// returns nil if the credential does not see the repository.
func (s *Server) standing(id any) any {
	r := s.byNode(id)
	if r == nil {
		return nil
	}
	m := map[string]any{
		"id": r.node(), "databaseId": r.ID, "nameWithOwner": r.FullName(), "url": s.URL + "/" + r.FullName(), "visibility": strings.ToUpper(r.Visibility),
		"isArchived": r.Archived, "hasIssuesEnabled": !r.NoIssues, "hasDiscussionsEnabled": true, "hasWikiEnabled": r.HasWiki, "pushedAt": instant(r.pushed),
		"defaultBranchRef": nil,
	}
	if r.head != "" {
		m["defaultBranchRef"] = map[string]any{"name": "trunk", "target": map[string]any{"oid": r.head}}
	}
	for field, kind := range map[string]string{"issues": "issue", "pullRequests": "pull", "discussions": "discussion"} {
		total, newest := 0, time.Time{}
		for _, t := range r.Threads {
			if t.Kind == kind {
				total++
				if t.Updated.After(newest) {
					newest = t.Updated
				}
			}
		}
		nodes := []any{}
		if total > 0 {
			nodes = append(nodes, map[string]any{"updatedAt": instant(newest)})
		}
		m[field] = map[string]any{"totalCount": total, "nodes": nodes}
	}
	return m
}

// connectionJSON returns the page after a cursor, which identifies the last item of the previous
// page. The list must be sorted by key.
func connectionJSON[T any](all []T, first int, after string, key func(T) string, show func(T) any) map[string]any {
	from := 0
	if place, err := base64.StdEncoding.DecodeString(after); err == nil && after != "" {
		from, _ = slices.BinarySearchFunc(all, string(place), func(one T, to string) int { return cmp.Compare(key(one), to) })
		if from < len(all) && key(all[from]) == string(place) {
			from++
		}
	}
	page := all[from:min(from+first, len(all))]
	nodes := []any{}
	end := any(nil)
	for _, one := range page {
		nodes = append(nodes, show(one))
		end = base64.StdEncoding.EncodeToString([]byte(key(one)))
	}
	return map[string]any{"totalCount": len(all), "pageInfo": map[string]any{"hasNextPage": from+len(page) < len(all), "endCursor": end}, "nodes": nodes}
}

// threads returns a page of a repository's threads of one kind, ordered by the newest change. If
// created is true, the newest thread is first. If oldest is true, the oldest thread is first, and
// texts are omitted.
func (s *Server) threads(r *Repo, kind string, oldest, created bool, first int, after string) any {
	var all []*Thread
	for _, t := range r.Threads {
		if t.Kind == kind {
			all = append(all, t)
		}
	}
	key := func(t *Thread) string { return fmt.Sprintf("%020d %012d", 1<<50-t.Updated.Unix(), t.ID) }
	if created {
		key = func(t *Thread) string { return fmt.Sprintf("%020d %012d", 1<<50-t.Created.Unix(), 1<<39-t.ID) }
	}
	show := func(t *Thread) any { return s.threadJSON(r, t) }
	if oldest {
		key = func(t *Thread) string { return fmt.Sprintf("%020d %012d", t.Created.Unix(), t.ID) }
		show = func(t *Thread) any {
			count := func(n int) any { return map[string]any{"totalCount": n} }
			return map[string]any{"id": t.node(), "number": t.Number, "updatedAt": instant(t.Updated), "comments": count(len(t.Comments)), "reviews": count(len(t.Reviews)),
				"reviewThreads": count(len(t.Places)), "answers": count(len(t.Comments))}
		}
		if kind == "discussion" {
			light := show
			show = func(t *Thread) any {
				m := light(t).(map[string]any) //nolint:forcetypeassert // from above
				delete(m, "comments")
				return m
			}
		} else {
			light := show
			show = func(t *Thread) any {
				m := light(t).(map[string]any) //nolint:forcetypeassert // from above
				delete(m, "answers")
				return m
			}
		}
	}
	slices.SortFunc(all, func(a, b *Thread) int { return cmp.Compare(key(a), key(b)) })
	return connectionJSON(all, first, after, key, show)
}

func (s *Server) thread(node string) (*Repo, *Thread) {
	for _, r := range s.Repos {
		for _, t := range r.Threads {
			if t.node() == node && !r.Hidden {
				return r, t
			}
		}
	}
	return nil, nil
}

func author(u *User) any {
	if u == nil {
		return nil
	}
	return map[string]any{"login": u.Login}
}

func (s *Server) threadJSON(r *Repo, t *Thread) map[string]any {
	places := map[string]string{"issue": "issues", "pull": "pull", "discussion": "discussions"}
	url := fmt.Sprintf("%s/%s/%s/%d", s.URL, r.FullName(), places[t.Kind], t.Number)
	labels := []any{}
	for _, l := range t.Labels {
		labels = append(labels, map[string]any{"name": l})
	}
	m := map[string]any{
		"__typename": map[string]string{"issue": "Issue", "pull": "PullRequest", "discussion": "Discussion"}[t.Kind], "id": t.node(), "number": t.Number,
		"title": t.Title, "body": t.Body, "url": url, "createdAt": instant(t.Created), "updatedAt": instant(t.Updated), "author": author(t.Author),
		"labels": map[string]any{"nodes": labels}, "assignees": map[string]any{"nodes": []any{}}, "milestone": nil,
	}
	switch t.Kind {
	case "issue":
		m["issueState"], m["stateReason"] = t.State, nil
		m["comments"] = comments(t.Comments, url+"#issuecomment-", 100, "")
	case "pull":
		m["pullState"], m["isDraft"] = t.State, false
		m["comments"] = comments(t.Comments, url+"#issuecomment-", 100, "")
		m["reviews"] = comments(t.Reviews, url+"#pullrequestreview-", 50, "")
		m["reviewThreads"] = placesJSON(t, url, "")
	case "discussion":
		m["closed"], m["isAnswered"], m["category"] = false, false, map[string]any{"name": "Q&A"}
		m["answers"] = comments(t.Comments, url+"#discussioncomment-", 50, "")
	}
	return m
}

func placesJSON(t *Thread, url, after string) any {
	return connectionJSON(t.Places, 50, after, func(p *Place) string { return fmt.Sprintf("%012d", p.ID) }, func(p *Place) any {
		return map[string]any{"id": p.node(), "path": p.Path, "line": p.Line, "isResolved": false, "comments": comments(p.Comments, url+"#discussion_r", 50, "")}
	})
}

func comments(all []*Comment, url string, first int, after string) any {
	return connectionJSON(all, first, after, func(c *Comment) string { return fmt.Sprintf("%012d", c.ID) }, func(c *Comment) any {
		m := map[string]any{"id": c.node(), "author": author(c.Author), "body": c.Body, "url": url + strconv.FormatInt(c.ID, 10), "createdAt": instant(c.Created),
			"isMinimized": c.Hidden, "isAnswer": c.Answer}
		if c.State != "" {
			m["state"] = c.State
		}
		if strings.HasSuffix(url, "#discussioncomment-") {
			m["replies"] = comments(c.Replies, strings.TrimSuffix(url, "-")+"-", 50, "")
		}
		return m
	})
}

func (s *Server) more(operation, id, after string) any {
	for _, r := range s.Repos {
		if r.Hidden {
			continue
		}
		for _, t := range r.Threads {
			url, _ := s.threadJSON(r, t)["url"].(string)
			if t.node() == id {
				switch operation {
				case "More":
					return map[string]any{"more": comments(t.Comments, url+"#issuecomment-", 100, after)}
				case "MoreAnswers":
					return map[string]any{"more": comments(t.Comments, url+"#discussioncomment-", 50, after)}
				case "MoreReviews":
					return map[string]any{"more": comments(t.Reviews, url+"#pullrequestreview-", 50, after)}
				default:
					return map[string]any{"more": placesJSON(t, url, after)}
				}
			}
			for _, p := range t.Places {
				if p.node() == id {
					return map[string]any{"more": comments(p.Comments, url+"#discussion_r", 50, after)}
				}
			}
			for _, c := range t.Comments {
				if c.node() == id {
					return map[string]any{"more": comments(c.Replies, url+"#discussioncomment-", 100, after)}
				}
			}
		}
	}
	return nil
}

func (s *Server) organization(operation, login, after string) any {
	at := slices.IndexFunc(s.Orgs, func(o *Org) bool { return strings.EqualFold(o.Login, login) })
	if at < 0 {
		return nil
	}
	o := s.Orgs[at]
	var members []*User
	for _, u := range s.Users {
		if o.Member[u] {
			members = append(members, u)
		}
	}
	key := func(u *User) string { return fmt.Sprintf("%012d", u.ID) }
	if operation == "People" {
		return map[string]any{"membersWithRole": connectionJSON(members, 100, after, key, func(u *User) any {
			return map[string]any{"databaseId": u.ID, "login": u.Login, "name": u.Login, "organizationVerifiedDomainEmails": append([]string{}, u.Verified...)}
		})}
	}
	if !o.HasSSO {
		return map[string]any{"samlIdentityProvider": nil}
	}
	return map[string]any{"samlIdentityProvider": map[string]any{"externalIdentities": connectionJSON(members, 100, after, key, func(u *User) any {
		if u.SAML == "" {
			return map[string]any{"samlIdentity": nil, "user": map[string]any{"databaseId": u.ID, "login": u.Login}}
		}
		return map[string]any{"samlIdentity": map[string]any{"nameId": u.SAML}, "user": map[string]any{"databaseId": u.ID, "login": u.Login}}
	})}}
}
