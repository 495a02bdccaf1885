package attacktest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

var shapes = []attack{
	{name: "deep values", answer: changed(func(_ *scene, name string, value any) any {
		if _, is := value.(string); is {
			return json.RawMessage(strings.Repeat("[", 500) + strings.Repeat("]", 500))
		}
		return value
	})},
	{name: "null in lists", answer: changed(func(_ *scene, _ string, value any) any {
		if list, is := value.([]any); is {
			return make([]any, len(list))
		}
		return value
	})},
	{name: "null for lists", answer: lists(nil)},
	{name: "objects for lists", answer: lists(map[string]any{})},
	{name: "text for lists", answer: lists("text")},
	{name: "lists without a name", answer: changed(func(_ *scene, _ string, value any) any {
		if object, is := value.(map[string]any); is {
			for name, part := range object {
				if list, is := part.([]any); is && len(list) > 0 {
					delete(object, name)
				}
			}
		}
		return value
	})},
	{name: "empty objects in lists", answer: changed(func(_ *scene, _ string, value any) any {
		if list, is := value.([]any); is {
			empty := make([]any, len(list))
			for i := range empty {
				empty[i] = map[string]any{}
			}
			return empty
		}
		return value
	})},
	{name: "null for texts", answer: changed(func(_ *scene, _ string, value any) any {
		if _, is := value.(string); is {
			return nil
		}
		return value
	})},
	{name: "numbers for texts", answer: changed(func(_ *scene, _ string, value any) any {
		if _, is := value.(string); is {
			return 7
		}
		return value
	})},
	{name: "texts for numbers", answer: changed(func(_ *scene, _ string, value any) any {
		if _, is := value.(json.Number); is {
			return "7"
		}
		return value
	})},
	{name: "large numbers", answer: changed(func(_ *scene, _ string, value any) any {
		if _, is := value.(json.Number); is {
			return json.Number("9223372036854775807")
		}
		return value
	})},
	{name: "negative numbers", answer: changed(func(_ *scene, _ string, value any) any {
		if _, is := value.(json.Number); is {
			return json.Number("-1")
		}
		return value
	})},
	{name: "lists for objects", answer: changed(func(_ *scene, _ string, value any) any {
		if _, is := value.(map[string]any); is {
			return []any{}
		}
		return value
	})},
	{name: "own parent", answer: changed(func(_ *scene, _ string, value any) any {
		object, is := value.(map[string]any)
		if !is || object["id"] == nil {
			return value
		}
		for name, part := range object {
			switch name {
			case "parentId":
				object[name], object["parentType"] = object["id"], "page"
			case "parents":
				object[name] = []any{object["id"]}
			case "ancestors":
				object[name] = []any{map[string]any{"id": object["id"]}, map[string]any{"id": object["id"]}}
			case "parent", "container":
				if within, is := part.(map[string]any); is {
					within["id"] = object["id"]
				}
			}
		}
		return object
	})},
	{name: "group within itself", answer: func(s *scene, w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) bool {
		parts := strings.Split(r.URL.Path, "/")
		id := r.URL.Query().Get("groupId")
		if i := slices.Index(parts, "groups"); i >= 0 && i+2 < len(parts) {
			id = parts[i+1]
		}
		if i := slices.Index(parts, "group"); i >= 0 && i+2 < len(parts) {
			id = parts[i+1]
		}
		return id != "" && changed(func(_ *scene, name string, value any) any {
			list, is := value.([]any)
			if !is || !slices.Contains([]string{"members", "values", "results"}, name) {
				return value
			}
			return append(list, map[string]any{"id": id, "groupId": id, "type": "GROUP", "accountId": id, "name": id})
		})(s, w, r, fake)
	}},
	texts("NUL in ids", isID, func(_ *scene, text string) string { return text + "\x00" }),
	texts("paths for ids", isID, func(_ *scene, _ string) string { return "../../../etc/passwd" }),
	texts("queries for ids", isID, func(_ *scene, text string) string { return text + "?a=b&c=d#e" }),
	texts("lines in ids", isID, func(_ *scene, text string) string { return text + "\r\nX-Evil: 1\x1b[31m" }),
	texts("long ids", isID, func(_ *scene, text string) string { return text + strings.Repeat("9", 100_000) }),
	texts("NUL in titles", isTitle, func(_ *scene, text string) string { return "\x00" + text }),
	texts("paths for titles", isTitle, func(_ *scene, _ string) string { return "../../../etc/passwd" }),
	texts("control characters in titles", isTitle, func(_ *scene, text string) string { return "\x1b]0;x\x07\r\n\u202e" + text }),
	texts("addresses of another host", isAddress, func(s *scene, text string) string {
		at, err := url.Parse(text)
		if err != nil {
			return text
		}
		return s.elsewhere() + at.RequestURI()
	}),
	texts("addresses of scripts", isAddress, func(_ *scene, _ string) string { return "javascript:alert(1)" }),
	texts("addresses with a password", isAddress, func(s *scene, text string) string {
		return strings.Replace(text, "://", "://"+"user@"+strings.TrimPrefix(s.elsewhere(), "http://")+"/", 1)
	}),
	{name: "paths to another host", answer: changed(func(s *scene, name string, value any) any {
		if text, is := value.(string); is && slices.Contains([]string{"webui", "download", "next", "content", "webViewLink", "self"}, name) {
			return "//" + strings.TrimPrefix(s.elsewhere(), "http://") + "/" + strings.TrimPrefix(text, "/")
		}
		return value
	})},
	{name: "next page elsewhere", answer: nextElsewhere},
	{name: "pages with one cursor", answer: pages(func(int) string { return "endless1" })},
	{name: "pages with two cursors", answer: pages(func(n int) string { return "endless" + strconv.Itoa(n%2+1) })},
	{name: "pages with long cursors", answer: pages(func(n int) string { return "endless" + strconv.Itoa(n) + "x" + strings.Repeat("x", 100_000) })},
}

func lists(instead any) func(*scene, http.ResponseWriter, *http.Request, http.HandlerFunc) bool {
	return changed(func(_ *scene, _ string, value any) any {
		if list, is := value.([]any); is && len(list) > 0 {
			return instead
		}
		return value
	})
}

func nextElsewhere(s *scene, w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) bool {
	answer := record(r, fake)
	if _, err := decode(answer.Body.Bytes()); err != nil || answer.Code != http.StatusOK || r.Method != http.MethodGet {
		send(w, answer, answer.Body.Bytes())
		return false
	}
	answer.Header().Set("Link", "<"+other(s, r)+`>; rel="next"`)
	send(w, answer, answer.Body.Bytes())
	return true
}

var places = []string{"cursor", "pageToken", "nextPageToken", "page", "start", "startAt", "after"}

func rewind(r *http.Request, body []byte) *http.Request {
	first := r.Clone(r.Context())
	q := first.URL.Query()
	for _, name := range places {
		if strings.HasPrefix(q.Get(name), "endless") || name == "start" || name == "startAt" || name == "page" {
			q.Del(name)
		}
	}
	first.URL.RawQuery = q.Encode()
	var asked map[string]any
	if json.Unmarshal(body, &asked) == nil {
		variables, is := asked["variables"].(map[string]any)
		if !is {
			variables = asked
		}
		for _, name := range places {
			if _, there := variables[name]; there && name == "after" {
				variables[name] = nil
			} else {
				delete(variables, name)
			}
		}
		if other, err := json.Marshal(asked); err == nil {
			body = other
		}
	}
	first.Body = readCloser(body)
	first.ContentLength = int64(len(body))
	return first
}

// pages returns an attack that makes lists endless. It always sends the first page, with a link to
// a further page. cursor returns the cursor in the n-th link. Lists without cursors stay unchanged.
func pages(cursor func(n int) string) func(*scene, http.ResponseWriter, *http.Request, http.HandlerFunc) bool {
	return func(s *scene, w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) bool {
		_, asked := targetOf(r)
		first := rewind(r, asked)
		_, body := targetOf(first)
		key := r.Method + first.URL.String() + string(body) + r.Header.Get("Authorization")
		s.mu.Lock()
		answer := s.answers[key]
		s.fresh++
		n := s.fresh
		s.followed = s.followed || strings.Contains(r.URL.RawQuery+string(asked), "endless")
		s.mu.Unlock()
		if answer == nil {
			answer = record(first, fake)
			s.mu.Lock()
			s.answers[key] = answer
			s.mu.Unlock()
		}
		value, err := decode(answer.Body.Bytes())
		if err != nil || answer.Code != http.StatusOK {
			send(w, answer, answer.Body.Bytes())
			return false
		}
		struck := false
		value = each(value, "", func(name string, value any) any {
			object, is := value.(map[string]any)
			if !is {
				return value
			}
			if _, there := object["hasNextPage"]; there {
				object["hasNextPage"], object["endCursor"], struck = true, cursor(n), true
			}
			counted := object["start"] != nil && !strings.Contains(r.URL.Path, "search")
			if links, is := object["_links"].(map[string]any); is && object["results"] != nil && !counted {
				q := first.URL.Query()
				q.Set("cursor", cursor(n))
				links["next"], struck = r.URL.Path+"?"+q.Encode(), true
			}
			for _, list := range []string{"files", "changes", "drives", "users", "groups", "members", "permissions", "issues"} {
				if _, there := object[list].([]any); there && (list != "issues" || object["startAt"] == nil) {
					object["nextPageToken"], struck = cursor(n), true
					delete(object, "newStartPageToken")
					delete(object, "isLast")
				}
			}
			return object
		})
		text, err := json.Marshal(value)
		if err != nil {
			s.t.Error(err)
		}
		if list, is := value.([]any); is && len(list) > 0 || strings.Contains(string(text), `"repositories":`) {
			q := r.URL.Query()
			q.Set("page", cursor(n))
			w.Header().Set("Link", "<"+s.URL+r.URL.Path+"?"+q.Encode()+`>; rel="next"`)
			struck = true
		}
		send(w, answer, text)
		return struck
	}
}
