package gdrivetest

import (
	"crypto/md5"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

type request struct {
	*Server
	*http.Request
	Switches Switches
	user     *User
	scopes   []string
	values   map[string][]string
}

func (q *request) value(name string) string {
	if v := q.values[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func (q *request) may(scope string) bool {
	return slices.Contains(q.scopes, "https://www.googleapis.com/auth/"+scope)
}

func (q *request) answer() any {
	path := strings.Split(strings.Trim(q.Request.URL.Path, "/"), "/")
	switch {
	case len(path) > 2 && path[0] == "drive" && path[1] == "v3" && q.may("drive.readonly"):
		return q.drive(path[2:])
	case len(path) > 3 && path[0] == "admin" && path[1] == "directory" && path[2] == "v1":
		return q.directory(path[3:])
	case len(path) == 3 && path[0] == "v1" && path[1] == "documents" && q.may("drive.readonly"):
		return q.document(path[2])
	case len(path) == 3 && (path[0] == "v4" && path[1] == "spreadsheets" || path[0] == "v1" && path[1] == "presentations") && q.may("drive.readonly"):
		return q.parts(path[2])
	case path[0] == "drive" || path[0] == "v1" || path[0] == "v4":
		return refused{http.StatusForbidden, "insufficientPermissions"}
	}
	return notFound
}

func (q *request) drive(path []string) any {
	switch {
	case len(path) == 1 && path[0] == "drives":
		return q.drives()
	case len(path) == 1 && path[0] == "files":
		return q.list()
	case len(path) == 1 && path[0] == "changes":
		return q.changes()
	case len(path) == 2 && path[0] == "changes" && path[1] == "startPageToken":
		corpus, ok := q.corpus()
		if !ok {
			return notFound
		}
		return map[string]any{"startPageToken": place(corpus, q.logOf(corpus).at)}
	case len(path) == 3 && path[0] == "files" && path[2] == "permissions":
		return q.permissions(path[1])
	case len(path) >= 2 && path[0] == "files":
		f := q.World.files[path[1]]
		if path[1] == "root" {
			f = q.user.Root
		}
		for _, d := range q.Drives {
			if d.ID == path[1] && q.member(d) { // "The ID of a shared drive is the ID of its top folder"
				return map[string]any{"id": d.ID, "driveId": d.ID, "mimeType": Folder, "capabilities": map[string]any{"canListChildren": true}}
			}
		}
		if f == nil || !q.sees(f) || f.Drive != nil && q.value("supportsAllDrives") != "true" && len(path) == 2 {
			return notFound
		}
		switch {
		case len(path) == 3 && path[2] == "export":
			return q.export(f)
		case q.value("alt") == "media":
			if f.NoDownload {
				return refused{http.StatusForbidden, "cannotDownloadFile"}
			}
			if strings.HasPrefix(f.Type, "application/vnd.google-apps.") {
				return refused{http.StatusForbidden, "fileNotDownloadable"}
			}
			return f.Data
		}
		return q.show(f)
	}
	return notFound
}

func (q *request) sees(f *File) bool { return q.World.sees(q.user, f) }

func (q *request) member(d *Drive) bool {
	return slices.ContainsFunc(d.Members, func(g Grant) bool { return q.lets(g, q.user) })
}

// paged returns one page of a list under the key name. most limits the page size. It returns nil
// for an invalid page token.
func paged[T any](q *request, all []T, name string, most int, show func(T) any) map[string]any {
	size := 100
	for _, key := range []string{"pageSize", "maxResults"} {
		if n, err := strconv.Atoi(q.value(key)); err == nil {
			size = n
		}
	}
	if size = min(size, most); q.Switches.Short > 0 {
		size = min(size, q.Switches.Short)
	}
	from := 0
	if token := q.value("pageToken"); token != "" {
		if _, err := fmt.Sscanf(token, "p%d~", &from); err != nil || q.Switches.Expired && name == "files" {
			return nil
		}
	}
	from = min(from, len(all))
	to := min(from+size, len(all))
	shown := make([]any, 0, to-from)
	for _, one := range all[from:to] {
		shown = append(shown, show(one))
	}
	answer := map[string]any{name: shown}
	switch {
	case to < len(all):
		answer["nextPageToken"] = fmt.Sprintf("p%d~", to)
	case q.Switches.Circle && name == "files" && len(all) > 0:
		answer["nextPageToken"] = "p0~"
	}
	return answer
}

var badToken = refused{http.StatusBadRequest, "invalid"}

func orBad(answer map[string]any) any {
	if answer == nil {
		return badToken
	}
	return answer
}

func (q *request) drives() any {
	var all []*Drive
	for _, d := range q.Drives {
		if q.member(d) {
			all = append(all, d)
		}
	}
	return orBad(paged(q, all, "drives", 100, func(d *Drive) any {
		return map[string]any{"id": d.ID, "name": d.Name, "restrictions": map[string]any{"driveMembersOnly": d.Closed}}
	}))
}

// list serves files.list for one shared drive (corpora=drive) or for the caller's files
// (corpora=user).
func (q *request) list() any {
	shared := q.value("corpora") == "drive"
	if shared && (q.value("includeItemsFromAllDrives") != "true" || q.value("supportsAllDrives") != "true") {
		return refused{http.StatusForbidden, "teamDrivesParentLimit"}
	}
	if corpora := q.value("corpora"); !shared && corpora != "user" {
		return refused{http.StatusBadRequest, "invalid"}
	}
	if shared && !slices.ContainsFunc(q.Drives, func(d *Drive) bool { return d.ID == q.value("driveId") && q.member(d) }) {
		return notFound
	}
	fits, ok := q.condition(q.value("q"))
	if !ok {
		return refused{http.StatusBadRequest, "invalid"}
	}
	if fits == nil {
		return notFound
	}
	var all []*File
	for _, f := range q.Files {
		if shared == (f.Drive != nil) && (!shared || f.Drive.ID == q.value("driveId")) && fits(f) && q.sees(f) && (f.Owner == nil || f != f.Owner.Root) {
			all = append(all, f)
		}
	}
	most := 1000
	if strings.Contains(q.value("fields"), "permissions(") {
		most = 100
	}
	answer := paged(q, all, "files", most, func(f *File) any { return q.show(f) })
	if answer != nil {
		answer["incompleteSearch"] = q.Switches.Incomplete
	}
	return orBad(answer)
}

// condition parses the search in the parameter q of files.list. ok is false if the search is not
// supported. fits is nil if the search names a folder that does not exist.
func (q *request) condition(text string) (fits func(*File) bool, ok bool) {
	if strings.Contains(text, " or ") || strings.HasSuffix(text, " in parents") {
		parents := make(map[string]bool)
		for one := range strings.SplitSeq(text, " or ") {
			id, found := strings.CutSuffix(one, "' in parents")
			if !found {
				return nil, false
			}
			id = strings.TrimPrefix(id, "'")
			f := q.World.files[id]
			if f == nil || !q.sees(f) {
				return nil, true
			}
			parents[id] = true
		}
		return func(f *File) bool { return f.Parent != nil && parents[f.Parent.ID] }, true
	}
	var all []func(*File) bool
	for one := range strings.SplitSeq(text, " and ") {
		switch one {
		case "trashed = false":
			all = append(all, func(f *File) bool { return !q.trashed(f) })
		case "'me' in owners":
			all = append(all, func(f *File) bool { return f.Owner == q.user })
		case "mimeType = '" + Folder + "'":
			all = append(all, func(f *File) bool { return f.Type == Folder })
		default:
			return nil, false
		}
	}
	return func(f *File) bool {
		return !slices.ContainsFunc(all, func(fits func(*File) bool) bool { return !fits(f) })
	}, true
}

func (q *request) show(f *File) any {
	shown := map[string]any{
		"id": f.ID, "name": f.Name, "mimeType": f.Type, "trashed": q.trashed(f), "modifiedTime": f.Modified.Format(time.RFC3339Nano),
		"webViewLink": q.link(f), "inheritedPermissionsDisabled": f.Limited,
		"capabilities": map[string]any{"canListChildren": f.Type == Folder && q.mayOpen(q.user, f)},
	}
	if f.Type != Folder && !strings.HasPrefix(f.Type, "application/vnd.google-apps.") {
		shown["size"] = strconv.FormatInt(f.Size, 10)
		shown["md5Checksum"] = fmt.Sprintf("%x", md5.Sum([]byte(f.Data)))
	}
	switch {
	case f.Drive != nil && f.Parent == nil:
		shown["parents"] = []string{f.Drive.ID}
	case f.Parent != nil && q.sees(f.Parent):
		shown["parents"] = []string{f.Parent.ID}
	}
	// "owners … isn't populated for items in shared drives", "permissions … isn't populated for
	// items in shared drives"
	if f.Drive != nil {
		shown["driveId"] = f.Drive.ID
		shown["hasAugmentedPermissions"] = len(f.Grants) > 0
		return shown
	}
	shown["owners"] = []any{map[string]any{"emailAddress": f.Owner.Email}}
	if !q.shares(f) { // "only available if the requesting user can share the file"
		return shown
	}
	all := q.effective(f)
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i], _ = p["id"].(string)
	}
	if shown["permissionIds"] = ids; !q.Switches.NoLists {
		shown["permissions"] = all
	}
	return shown
}

func (q *request) link(f *File) string {
	switch f.Type {
	case Doc:
		return "https://docs.google.com/document/d/" + f.ID + "/edit?usp=drivesdk"
	case Sheet:
		return "https://docs.google.com/spreadsheets/d/" + f.ID + "/edit?usp=drivesdk"
	case Slides:
		return "https://docs.google.com/presentation/d/" + f.ID + "/edit?usp=drivesdk"
	}
	return "https://drive.google.com/file/d/" + f.ID + "/view?usp=drivesdk"
}

// shares reports whether the caller may share a file, as owners, organizers, fileOrganizers and
// writers may. Only such callers see the file's grants.
func (q *request) shares(f *File) bool {
	may := []string{"owner", "organizer", "fileOrganizer", "writer"}
	for at := f; at != nil; at = at.Parent {
		if at.Owner == q.user && at.Owner != nil {
			return true
		}
		for _, g := range at.Grants {
			if slices.Contains(may, g.Role) && q.lets(g, q.user) {
				return true
			}
		}
		if at.Limited {
			return at.Drive != nil && q.manages(q.user, at.Drive)
		}
	}
	return f.Drive != nil && q.runs(f.Drive)
}

func (q *request) runs(d *Drive) bool {
	return slices.ContainsFunc(d.Members, func(g Grant) bool {
		return (g.Role == "organizer" || g.Role == "fileOrganizer") && q.lets(g, q.user)
	})
}

func (q *request) effective(f *File) []map[string]any {
	var all []map[string]any
	show := func(g Grant, from string, view string) {
		p := map[string]any{"role": g.Role}
		name := ""
		switch to := g.To.(type) {
		case *User:
			p["type"], p["emailAddress"], name = "user", to.Email, "u"+to.ID
			// "whether the account … has been deleted"
			p["deleted"] = strings.HasSuffix(to.Email, "@"+q.Domain) && to.Root != nil && !slices.Contains(q.Users, to)
		case *Group:
			p["type"], p["emailAddress"], name = "group", to.Email, "g"+to.ID
			p["deleted"] = !slices.Contains(q.Groups, to)
		case Domain:
			p["type"], p["domain"], p["allowFileDiscovery"], name = "domain", string(to), g.Find, "d"+string(to)
		case Everyone:
			p["type"], p["allowFileDiscovery"], name = "anyone", g.Find, "anyone"
		default:
			p["type"], name = fmt.Sprint(to), "odd"
		}
		p["id"] = name + from
		if !g.Expires.IsZero() {
			p["expirationTime"] = g.Expires.Format(time.RFC3339)
		}
		if view != "" {
			p["view"] = view
		}
		if !g.Bare && (!q.Bare || f.Drive != nil) {
			p["permissionDetails"] = []any{map[string]any{"permissionType": "file", "role": g.Role, "inherited": from != ""}}
		}
		all = append(all, p)
	}
	barred := false
	for at := f; at != nil; at = at.Parent {
		from := ""
		if at != f {
			from = "-" + at.ID
		}
		view := func(g Grant) string {
			if barred {
				return "metadata" // "sees that a folder with limited access is there"
			}
			return g.View
		}
		if at.Owner != nil {
			show(Grant{To: at.Owner, Role: "owner"}, from, view(Grant{}))
		}
		for _, g := range at.Grants {
			show(g, from, view(g))
		}
		barred = barred || at.Limited
	}
	if f.Drive != nil {
		for _, g := range f.Drive.Members {
			view := g.View
			if barred && g.Role != "organizer" {
				view = "metadata"
			}
			show(g, "-"+f.Drive.ID, view)
		}
	}
	return all
}

// permissions serves permissions.list. It responds with 403 if the caller may not share the file.
func (q *request) permissions(id string) any {
	show := func(p map[string]any) any { return p }
	for _, d := range q.Drives {
		if d.ID != id {
			continue
		}
		switch {
		case !q.member(d):
			return notFound
		case !q.runs(d):
			return refused{http.StatusForbidden, "insufficientFilePermissions"}
		}
		return orBad(paged(q, q.effective(&File{Drive: d}), "permissions", 100, show))
	}
	f := q.World.files[id]
	switch {
	case f == nil || !q.sees(f):
		return notFound
	case !q.shares(f):
		return refused{http.StatusForbidden, "insufficientFilePermissions"}
	}
	return orBad(paged(q, q.effective(f), "permissions", 100, show))
}

// export serves files.export. It responds with 403 for content of more than 10 MB, as Google does
// (https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export).
func (q *request) export(f *File) any {
	mime := q.value("mimeType")
	switch {
	case !strings.HasPrefix(f.Type, "application/vnd.google-apps."):
		return refused{http.StatusForbidden, "fileNotExportable"}
	case f.NoDownload:
		return refused{http.StatusForbidden, "cannotExportFile"}
	case f.Huge && mime != Text || len(f.Data) > 10<<20:
		return refused{http.StatusForbidden, "exportSizeLimitExceeded"}
	case mime == "text/html":
		return []byte(f.HTML)
	}
	return f.Data
}

func (q *request) parts(id string) any {
	f := q.World.files[id]
	if q.Switches.NoDocs {
		return refused{http.StatusForbidden, "SERVICE_DISABLED"}
	}
	if f == nil || !q.mayOpen(q.user, f) {
		return notFound
	}
	var sheets, slides []any
	for i, name := range f.Parts {
		sheets = append(sheets, map[string]any{"properties": map[string]any{"sheetId": 100 * i, "title": name}})
		slides = append(slides, map[string]any{"objectId": name})
	}
	if f.Type == Slides {
		return map[string]any{"slides": slides}
	}
	return map[string]any{"sheets": sheets}
}

func (q *request) document(id string) any {
	f := q.World.files[id]
	switch {
	case q.Switches.NoDocs:
		return refused{http.StatusForbidden, "SERVICE_DISABLED"}
	case f == nil || !q.mayOpen(q.user, f):
		return notFound
	case f.Type != Doc || f.Tabs == nil:
		return refused{http.StatusBadRequest, "failedPrecondition"}
	}
	return map[string]any{"documentId": f.ID, "title": f.Name, "tabs": f.Tabs}
}
