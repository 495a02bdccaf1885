package notiontest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Version is the only API version that the server accepts. Every request must name it in a header
// (https://developers.notion.com/reference/versioning).
const Version = "2026-03-11"

// Fault is a failure to inject into requests.
type Fault = servertest.Fault

// Switches make the server imitate peculiarities of Notion. Change them only within Switch.
type Switches struct {
	Short int // maximum entries per page; 0 means as many as requested
	// Omitted lists objects that a search omits, "Search is not guaranteed to return everything".
	// Objects that are connected by hand are not omitted: "any pages or databases that are directly
	// shared with a connection are guaranteed to be returned"
	// (https://developers.notion.com/reference/search-optimizations-and-limitations).
	Omitted map[string]bool
	Most    int  // maximum number of results of one query of a data source; 0: 10,000
	Circle  bool // the last page of a search leads back to the first
	Expired bool // cursors have expired
	PerSpan int  // maximum number of requests per minute; 0: unlimited
}

// Server serves a [World] over HTTP, as Notion's API does for one integration.
type Server struct {
	*World
	servertest.API[Switches]
	Token string

	limit servertest.Limit
}

// NewServer starts a server for a world. The server stops at the end of the test.
func NewServer(t testing.TB, w *World) *Server {
	t.Helper()
	s := &Server{World: w, Token: "ntn_s3cret"}
	s.Serve(t, s.serve)
	s.URL += "/v1/"
	return s
}

// Refuse returns a handler that responds with a status, a code and headers
// (https://developers.notion.com/reference/status-codes). header has names and values in turn.
func Refuse(status int, code string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		servertest.Head(w, status, header)
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "error", "status": status, "code": code, "message": http.StatusText(status), "request_id": "r-1"})
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if name, file := strings.CutPrefix(r.URL.Path, "/files/"); file {
		s.World.Mu.Lock()
		content, found := s.Files[name]
		s.World.Mu.Unlock()
		// the file store rejects requests with a credential
		if !found || r.Header.Get("Authorization") != "" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(content))
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	entry := r.Method + " " + path
	if r.URL.RawQuery != "" {
		entry += "?" + r.URL.RawQuery
	}
	s.Log.Add(entry)
	if s.Fails(w, r, entry, `{"object":"list","results":[`) {
		return
	}
	switches := s.Is()
	switch {
	case s.Revoked() || r.Header.Get("Authorization") != "Bearer "+s.Token:
		Refuse(http.StatusUnauthorized, "unauthorized")(w, r)
		return
	case r.Header.Get("Notion-Version") != Version:
		Refuse(http.StatusBadRequest, "missing_version")(w, r)
		return
	}
	if switches.PerSpan > 0 {
		if wait := s.limit.Within("all", switches.PerSpan, time.Minute, s.Now()); wait > 0 {
			Refuse(http.StatusTooManyRequests, "rate_limited", "Retry-After", strconv.Itoa(int(wait/time.Second)+1))(w, r)
			return
		}
	}
	var body map[string]any
	if r.Method == http.MethodPost {
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			Refuse(http.StatusBadRequest, "invalid_json")(w, r)
			return
		}
	}
	s.World.Mu.Lock()
	status, answer := s.answer(r, path, body, switches)
	text, err := json.Marshal(answer)
	s.World.Mu.Unlock()
	if err != nil {
		panic(err)
	}
	if status != http.StatusOK {
		Refuse(status, map[int]string{http.StatusNotFound: "object_not_found", http.StatusBadRequest: "validation_error"}[status])(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

func (s *Server) answer(r *http.Request, path string, body map[string]any, is Switches) (int, any) {
	parts := strings.Split(path, "/")
	switch {
	case path == "users/me":
		return http.StatusOK, map[string]any{"object": "user", "type": "bot", "name": "Footnote", "bot": map[string]any{"workspace_name": "Acme"}}
	case path == "search" && r.Method == http.MethodPost:
		return s.search(body, is)
	case len(parts) == 3 && parts[0] == "data_sources" && parts[2] == "query" && r.Method == http.MethodPost:
		return s.query(parts[1], body, is)
	case len(parts) == 3 && parts[0] == "blocks" && parts[2] == "children":
		return s.children(r, parts[1], is)
	case len(parts) == 2 && r.Method == http.MethodGet:
		t := s.byID[strings.ReplaceAll(parts[1], "-", "")]
		if t == nil || !s.Shown(t) || parts[0] != "blocks" && parts[0] != t.Object+"s" {
			return http.StatusNotFound, nil
		}
		if parts[0] == "blocks" {
			return http.StatusOK, s.block(t)
		}
		return http.StatusOK, s.object(t)
	}
	return http.StatusBadRequest, nil
}

// part returns the HTTP status, the page of a list that begins at a cursor, and the next cursor.
// The page size is at most 100 (https://developers.notion.com/reference/intro#pagination).
func part[T any](all []T, size any, cursor string, is Switches) (int, []T, string) {
	most := 100
	if n, ok := size.(float64); ok {
		most = int(n)
	}
	if most < 1 || most > 100 {
		return http.StatusBadRequest, nil, ""
	}
	if is.Short > 0 {
		most = min(most, is.Short)
	}
	from := 0
	if cursor != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(cursor, "cursor-"))
		if err != nil || is.Expired {
			return http.StatusBadRequest, nil, ""
		}
		from = min(n, len(all))
	}
	to := min(from+most, len(all))
	next := ""
	if to < len(all) {
		next = fmt.Sprintf("cursor-%d", to)
	}
	return http.StatusOK, all[from:to], next
}

func listed(status int, results []any, next string) (int, map[string]any) {
	answer := map[string]any{"object": "list", "results": results, "has_more": next != "", "next_cursor": nil, "type": "page_or_data_source"}
	if results == nil {
		answer["results"] = []any{}
	}
	if next != "" {
		answer["next_cursor"] = next
	}
	return status, answer
}

func cursorOf(body map[string]any) string {
	cursor, _ := body["start_cursor"].(string)
	return cursor
}

// search returns pages and data sources, the most recently edited first
// (https://developers.notion.com/reference/post-search).
func (s *Server) search(body map[string]any, is Switches) (int, any) {
	var all []*Thing
	for _, t := range s.Things {
		if (t.Object == "page" || t.Object == "data_source") && s.Shown(t) && !t.Trashed && (t.Connected || !is.Omitted[t.ID]) {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *Thing) int { return b.Edited.Compare(a.Edited) })
	status, some, next := part(all, body["page_size"], cursorOf(body), is)
	if is.Circle && next == "" && len(all) > 0 {
		next = "cursor-0"
	}
	var results []any
	for _, t := range some {
		results = append(results, s.object(t))
	}
	return listed(status, results, next)
}

func (s *Server) query(id string, body map[string]any, is Switches) (int, any) {
	source := s.byID[strings.ReplaceAll(id, "-", "")]
	if source == nil || source.Object != "data_source" || !s.Shown(source) {
		return http.StatusNotFound, nil
	}
	var since time.Time
	if filter, ok := body["filter"].(map[string]any); ok {
		created, _ := filter["created_time"].(map[string]any)
		at, _ := created["on_or_after"].(string)
		var err error
		if since, err = time.Parse(time.RFC3339, at); err != nil {
			return http.StatusBadRequest, nil
		}
	}
	var all []*Thing
	for _, t := range s.Things {
		if t.Object == "page" && t.Parent == source && !t.Trashed && !t.Deleted && !t.Created.Truncate(time.Minute).Before(since) {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *Thing) int { return a.Created.Compare(b.Created) })
	most := cmp.Or(is.Most, 10_000)
	cut := len(all) > most
	status, some, next := part(all[:min(most, len(all))], body["page_size"], cursorOf(body), is)
	var results []any
	for _, t := range some {
		results = append(results, s.object(t))
	}
	status, answer := listed(status, results, next)
	if cut {
		answer["request_status"] = map[string]any{"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}
	}
	return status, answer
}

// children lists the child blocks of a page or block. For a copy of a synced block, it lists those
// of the original.
func (s *Server) children(r *http.Request, id string, is Switches) (int, any) {
	t := s.byID[strings.ReplaceAll(id, "-", "")]
	if t == nil || !s.Shown(t) {
		return http.StatusNotFound, nil
	}
	if t.Type == "unsupported" || t.Type == "ai_block" { // "The API rejects these requests" (https://github.com/n8n-io/n8n/pull/26188)
		return http.StatusBadRequest, nil
	}
	in := t
	if from, synced := t.Held["synced_from"].(map[string]any); synced {
		first, _ := from["block_id"].(string)
		if in = s.byID[strings.ReplaceAll(first, "-", "")]; in == nil || !s.Shown(in) {
			return http.StatusNotFound, nil
		}
	}
	var all []any
	for _, b := range s.within(in) {
		all = append(all, s.block(b))
	}
	size, err := strconv.ParseFloat(cmp.Or(r.URL.Query().Get("page_size"), "100"), 64)
	if err != nil {
		return http.StatusBadRequest, nil
	}
	status, some, next := part(all, size, r.URL.Query().Get("start_cursor"), is)
	return listed(status, some, next)
}

func (s *Server) within(in *Thing) []*Thing {
	var all []*Thing
	for _, t := range s.Things {
		if t.Parent == in && !t.Deleted && !t.Trashed && (t.Object == "block" || t.Object == "page" && in.Object != "data_source" || t.Object == "database") {
			all = append(all, t)
		}
	}
	return all
}

func minute(t time.Time) string {
	return t.Truncate(time.Minute).Format("2006-01-02T15:04:05.000Z")
}

func (s *Server) object(t *Thing) map[string]any {
	o := map[string]any{
		"object": t.Object, "id": dashed(t.ID), "created_time": minute(t.Created), "last_edited_time": minute(t.Edited), "in_trash": t.Trashed,
		"parent": s.parent(t.Parent), "url": t.address(),
	}
	switch t.Object {
	case "page":
		properties := map[string]any{"Name": map[string]any{"id": "title", "type": "title", "title": t.title()}}
		for name, p := range t.Props {
			properties[name] = p
		}
		o["properties"] = properties
	case "data_source":
		o["title"], o["properties"] = t.title(), map[string]any{"Name": map[string]any{"id": "title", "type": "title", "title": map[string]any{}}}
		o["database_parent"] = s.parent(t.Parent.Parent)
	case "database":
		var sources []any
		for _, d := range s.Things {
			if d.Object == "data_source" && d.Parent == t {
				sources = append(sources, map[string]any{"id": dashed(d.ID), "name": d.Title})
			}
		}
		o["title"], o["data_sources"] = t.title(), sources
	}
	return o
}

func (s *Server) parent(above *Thing) map[string]any {
	if above == nil {
		return map[string]any{"type": "workspace", "workspace": true}
	}
	kind := above.Object + "_id"
	p := map[string]any{"type": kind, kind: dashed(above.ID)}
	if above.Object == "data_source" {
		p["database_id"] = dashed(above.Parent.ID)
	}
	return p
}

func (s *Server) block(t *Thing) map[string]any {
	b := map[string]any{
		"object": "block", "id": dashed(t.ID), "in_trash": t.Trashed, "last_edited_time": minute(t.Edited), "parent": s.parent(t.Parent), "has_children": len(s.within(t)) > 0,
	}
	switch t.Object {
	case "block":
		b["type"], b[t.Type] = t.Type, t.Held
		if _, synced := t.Held["synced_from"].(map[string]any); synced {
			b["has_children"] = true
		}
	default:
		// "title": "The plain text title of the page"
		// (https://developers.notion.com/reference/block#child-page)
		kind := "child_" + t.Object
		b["type"], b[kind] = kind, map[string]any{"title": t.Title}
	}
	return b
}
