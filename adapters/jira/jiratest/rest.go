package jiratest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func number(id string) int {
	n, _ := strconv.Atoi(id)
	return n
}

type ordered struct {
	list    []*Issue
	updated bool // sorted by time of update, newest first; otherwise by creation, oldest first
}

var (
	ofProject = regexp.MustCompile(`^project = (\d+) order by created asc$`)
	changed   = regexp.MustCompile(`^(?:project = (\d+) and |project in \(([\d,]+)\) and )?updated >= "(\d{4}-\d\d-\d\d \d\d:\d\d)" order by updated desc$`)
	byIDs     = regexp.MustCompile(`^id in \(([\d,]+)\)$`)
)

// find returns the issues that match the request's JQL search. It returns false for an invalid or
// unsupported search. Times in a search are in minutes, in the time zone of the account
// (https://support.atlassian.com/jira-software-cloud/docs/jql-fields/).
func (q *request) find() (ordered, bool) {
	var fits func(*Issue) bool
	o := ordered{}
	jql := q.body.JQL
	if m := ofProject.FindStringSubmatch(jql); m != nil {
		if q.project(m[1]) == nil {
			return o, false // "The value '…' does not exist for the field 'project'."
		}
		fits = func(i *Issue) bool { return i.Project.ID == m[1] }
	} else if m := changed.FindStringSubmatch(jql); m != nil {
		zone, err := time.LoadLocation(q.Zone)
		if err != nil {
			zone = time.UTC
		}
		since, err := time.ParseInLocation("2006-01-02 15:04", m[3], zone)
		if err != nil {
			return o, false
		}
		ids := strings.Split(m[2], ",")
		o.updated = true
		fits = func(i *Issue) bool {
			return !i.Updated.Before(since) && (m[1] == "" || m[1] == i.Project.ID) && (m[2] == "" || slices.Contains(ids, i.Project.ID))
		}
	} else if m := byIDs.FindStringSubmatch(jql); m != nil {
		for id := range strings.SplitSeq(m[1], ",") {
			if i := q.byID[id]; i != nil && q.mayRead(q.user, i) && !q.Switches.Unindexed[id] {
				o.list = append(o.list, i)
			} else if !q.Cloud && (q.body.Validate == nil || *q.body.Validate) {
				return o, false // "An issue with key '…' does not exist for field 'id'."
			}
		}
		return o, true
	} else {
		return o, false
	}
	for _, i := range q.Issues {
		if fits(i) && q.mayRead(q.user, i) && !q.Switches.Unindexed[i.ID] {
			o.list = append(o.list, i)
		}
	}
	slices.SortStableFunc(o.list, func(a, b *Issue) int {
		if o.updated {
			return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(number(b.ID), number(a.ID)))
		}
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(number(a.ID), number(b.ID)))
	})
	return o, true
}

// search3 serves Cloud's search. The response has nextPageToken instead of a total. Requests for
// ids alone get up to 5,000 results
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/).
func (q *request) search3([]string) any {
	found, ok := q.find()
	if !ok {
		return refused(http.StatusBadRequest)
	}
	most := 100
	switch {
	case len(q.body.Fields) == 1 && q.body.Fields[0] == "id":
		most = 5000
	case !slices.Contains(q.body.Fields, "description"):
		most = 1000
	}
	limit := min(cmp.Or(q.body.MaxResults, 50), most)
	if q.Switches.Short > 0 {
		limit = min(limit, q.Switches.Short)
	}
	from, hollow := 0, false
	if token := q.body.Next; token != "" {
		var when int64
		var id, flag int
		if _, err := fmt.Sscanf(token, "tok-%d-%d-%d", &when, &id, &flag); err != nil || q.Switches.Expired {
			return refused(http.StatusBadRequest)
		}
		hollow = flag == 1
		from = len(found.list)
		for at, i := range found.list {
			if place(i, found.updated, when, id) > 0 {
				from = at
				break
			}
		}
	}
	to := min(from+limit, len(found.list))
	if hollow {
		to = from
	}
	answer := map[string]any{"issues": q.show(found.list[from:to], q.body.Fields), "isLast": to >= len(found.list)}
	if to < len(found.list) || q.Switches.Circle && len(found.list) > 0 {
		answer["isLast"] = false
		switch {
		case hollow:
			answer["nextPageToken"] = strings.TrimSuffix(q.body.Next, "-1") + "-0"
		case q.Switches.Circle && to >= len(found.list):
			answer["nextPageToken"] = "tok-0-0-0"
			if found.updated {
				answer["nextPageToken"] = "tok-99999999999999-0-0"
			}
		default:
			last := found.list[to-1]
			answer["nextPageToken"] = fmt.Sprintf("tok-%d-%s-%d", when(last, found.updated), last.ID, map[bool]int{true: 1}[q.Switches.Hollow])
		}
	}
	q.points += to - from
	return answer
}

func when(i *Issue, updated bool) int64 {
	if updated {
		return i.Updated.UnixMilli()
	}
	return i.Created.UnixMilli()
}

func place(i *Issue, updated bool, at int64, id int) int {
	if updated {
		return cmp.Or(cmp.Compare(at, when(i, true)), cmp.Compare(id, number(i.ID)))
	}
	return cmp.Or(cmp.Compare(when(i, false), at), cmp.Compare(number(i.ID), id))
}

// search2 serves Data Center's search:
// https://docs.atlassian.com/software/jira/docs/api/REST/9.17.0/#api/2/search-searchUsingSearchRequest.
// It returns at most 1,000 results.
func (q *request) search2([]string) any {
	found, ok := q.find()
	if !ok {
		return refused(http.StatusBadRequest)
	}
	limit := min(cmp.Or(q.body.MaxResults, 50), 1000)
	if q.Switches.Short > 0 && !byIDs.MatchString(q.body.JQL) {
		limit = min(limit, max(q.Switches.Short, 2))
	}
	start := q.body.StartAt
	if q.Switches.Circle && len(found.list) > 0 && start >= len(found.list)-1 {
		start = 0
	}
	total := len(found.list)
	if q.Switches.Cut > 0 && !byIDs.MatchString(q.body.JQL) {
		found.list = found.list[:min(q.Switches.Cut, total)]
	}
	from, to := min(start, len(found.list)), min(start+limit, len(found.list))
	if q.Switches.Circle {
		total += limit
	}
	for _, i := range found.list[from:to] {
		if q.Switches.Poisoned[i.ID] && slices.Contains(q.body.Fields, "description") {
			return refused(http.StatusInternalServerError)
		}
	}
	return map[string]any{"startAt": start, "maxResults": limit, "total": total, "issues": q.show(found.list[from:to], q.body.Fields)}
}

// bulk serves requests for several issues by id, at most 100
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/). Issues that do
// not exist are listed under issueErrors.
func (q *request) bulk([]string) any {
	if len(q.body.IDs) > 100 {
		return refused(http.StatusBadRequest)
	}
	var list []*Issue
	errors := []any{}
	for _, id := range q.body.IDs {
		i := q.byID[id]
		switch {
		case i == nil || !q.mayRead(q.user, i):
			errors = append(errors, map[string]any{"id": id, "errorMessage": "not found"})
		case q.Switches.Poisoned[id]:
			return refused(http.StatusInternalServerError)
		default:
			list = append(list, i)
		}
	}
	q.points += len(list)
	return map[string]any{"issues": q.show(list, q.body.Fields), "issueErrors": errors}
}

func (q *request) one(found []string) any {
	i := q.byID[found[0]]
	switch {
	case i == nil || !q.mayRead(q.user, i):
		return refused(http.StatusNotFound)
	case q.Switches.Poisoned[i.ID]:
		return refused(http.StatusInternalServerError)
	}
	return q.show([]*Issue{i}, strings.Split(q.values.Get("fields"), ","))[0]
}

func (q *request) comments(found []string) any {
	i := q.byID[found[0]]
	if i == nil || !q.mayRead(q.user, i) {
		return refused(http.StatusNotFound)
	}
	return paged(q, i.Comments, 100, "comments", q.comment)
}

func (q *request) comment(c *Comment) any {
	shown := map[string]any{"id": c.ID, "author": q.account(c.Author), "body": q.text(c.Text), "created": stamp(c.When)}
	switch {
	case q.Cloud:
		shown["jsdPublic"] = !c.Internal
	case q.values.Get("expand") == "properties": // "… it would be actually possible to extract the data on the comment's status" (https://github.com/pycontribs/jira/issues/1011)
		shown["properties"] = []any{}
		if c.Internal {
			shown["properties"] = []any{map[string]any{"key": "sd.public.comment", "value": map[string]any{"internal": true}}}
		}
	}
	switch {
	case c.Role != "":
		shown["visibility"] = map[string]any{"type": "role", "value": c.Role, "identifier": "10002"}
	case c.Group != "":
		shown["visibility"] = map[string]any{"type": "group", "value": c.Group, "identifier": "g-1"}
	}
	return shown
}

func stamp(t time.Time) string {
	return t.In(time.FixedZone("", 2*3600)).Format("2006-01-02T15:04:05.000-0700")
}

// text returns a text in the format of the API: ADF on Cloud, unchanged on Data Center. A text that
// begins with "{" is ADF already and stays unchanged.
func (q *request) text(text string) any {
	switch {
	case text == "":
		return nil
	case !q.Cloud:
		return text
	case strings.HasPrefix(text, `{"`):
		return json.RawMessage(text)
	}
	var paragraphs []any
	for part := range strings.SplitSeq(text, "\n\n") {
		paragraphs = append(paragraphs, map[string]any{"type": "paragraph", "content": []any{map[string]any{"type": "text", "text": part}}})
	}
	return map[string]any{"type": "doc", "version": 1, "content": paragraphs}
}

func (q *request) show(list []*Issue, asked []string) []any {
	shown := make([]any, 0, len(list))
	for _, i := range list {
		one := map[string]any{"id": i.ID, "key": i.Key}
		if len(asked) != 1 || asked[0] != "id" {
			fields := make(map[string]any)
			for _, name := range asked {
				if value, known := q.field(i, name); known {
					fields[name] = value
				}
			}
			one["fields"] = fields
		}
		shown = append(shown, one)
	}
	return shown
}

func (q *request) field(i *Issue, name string) (value any, known bool) {
	named := func(name string) any { return map[string]any{"name": name} }
	switch name {
	case "project":
		return map[string]any{"id": i.Project.ID, "key": i.Project.Key, "name": i.Project.Name}, true
	case "summary":
		return i.Summary, true
	case "description":
		return q.text(i.Text), true
	case "updated":
		return stamp(i.Updated), true
	case "created":
		return stamp(i.Created), true
	case "issuetype":
		return named(i.Type), true
	case "status":
		return named(i.Status), true
	case "labels":
		return append([]string{}, i.Labels...), true
	case "reporter":
		return q.account(i.Reporter), true
	case "assignee":
		return q.account(i.Assignee), true
	case "security", "issuerestriction":
		if q.Switches.Blind {
			return nil, false
		}
	}
	switch name {
	case "security":
		if i.Level == nil {
			return nil, true
		}
		return map[string]any{"id": i.Level.ID, "name": i.Level.Name}, true
	case "issuerestriction":
		by := make(map[string]any)
		if len(i.Restricted) > 0 {
			var roles []any
			for _, id := range i.Restricted {
				roles = append(roles, map[string]any{"id": id})
			}
			by["projectrole"] = roles
		}
		if i.RestrictedOddly {
			by["team"] = []any{map[string]any{"id": "7"}}
		}
		return map[string]any{"issuerestrictions": by, "shouldDisplay": i.Project.TeamManaged}, i.Project.TeamManaged
	case "parent":
		if i.Parent == nil {
			return nil, false
		}
		return map[string]any{"key": i.Parent.Key, "fields": map[string]any{"summary": i.Parent.Summary}}, true
	case "issuelinks":
		if i.Blocks == nil {
			return []any{}, true
		}
		return []any{map[string]any{
			"type":         map[string]any{"name": "Blocks", "inward": "is blocked by", "outward": "blocks"},
			"outwardIssue": map[string]any{"key": i.Blocks.Key, "fields": map[string]any{"summary": i.Blocks.Summary}},
		}}, true
	case "comment":
		first := make([]any, 0, 20)
		for _, c := range i.Comments[:min(len(i.Comments), 20)] {
			first = append(first, q.comment(c))
		}
		return map[string]any{"comments": first, "total": len(i.Comments), "maxResults": 20, "startAt": 0}, true
	case "attachment":
		files := []any{}
		for _, f := range i.Files {
			files = append(files, map[string]any{
				"id": f.ID, "filename": f.Name, "size": len(f.Data), "created": stamp(f.When), "content": q.URL + "/secure/attachment/" + f.ID + "/" + f.Name,
			})
		}
		return files, true
	}
	if strings.HasPrefix(name, "customfield_") {
		switch stands := i.Custom[name].(type) {
		case *User:
			return q.account(stands), true
		case []*User:
			all := []any{}
			for _, u := range stands {
				all = append(all, q.account(u))
			}
			return all, true
		case *Group:
			return q.groupOf(stands), true
		}
		return nil, true
	}
	return nil, false
}

func (q *request) content(found []string) any {
	for _, i := range q.Issues {
		for _, f := range i.Files {
			if f.ID == found[0] && q.mayRead(q.user, i) {
				return f.Data
			}
		}
	}
	return refused(http.StatusNotFound)
}
