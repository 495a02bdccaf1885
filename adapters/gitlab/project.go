package gitlab

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

// project is a project in the format of GitLab's lists
// (https://docs.gitlab.com/api/projects/#retrieve-a-project).
type project struct {
	ID         int64     `json:"id"`
	Path       string    `json:"path_with_namespace"`
	Visibility string    `json:"visibility"`
	Branch     string    `json:"default_branch"`
	Issues     string    `json:"issues_access_level"`
	Merges     string    `json:"merge_requests_access_level"`
	Wiki       string    `json:"wiki_access_level"`
	Code       string    `json:"repository_access_level"`
	Empty      bool      `json:"empty_repo"`
	Active     time.Time `json:"last_activity_at"`
	// DeletedAt is set if the project is scheduled for deletion.
	DeletedAt string `json:"marked_for_deletion_on"`
}

func (p project) valid() bool { return p.ID > 0 && p.Path != "" && p.Visibility != "" }

func (p project) key() string { return strconv.FormatInt(p.ID, 10) }

// level returns "disabled", "private" or "enabled". It returns "" if the token cannot see the
// level.
func (p project) level(f feature) string {
	return map[feature]string{issues: p.Issues, merges: p.Merges, wiki: p.Wiki, code: p.Code}[f]
}

// has reports whether a feature is enabled and visible to the token. Code also needs a branch with
// a commit.
func (p project) has(f feature) bool {
	level := p.level(f)
	return level != "" && level != "disabled" && (f != code || p.Branch != "" && !p.Empty)
}

func (o Options) reads(f feature) bool {
	return map[feature]bool{issues: o.Issues, merges: o.MergeRequests, wiki: o.Wiki, code: len(o.Files) > 0}[f]
}

func (c *Connector) projects(ctx context.Context) ([]project, error) {
	var found []project
	add := func(path string) error {
		list, err := all(ctx, c.client, path, project.valid)
		found = append(found, list...)
		return err
	}
	for _, group := range c.options.Groups {
		err := add("groups/" + url.PathEscape(group) + "/projects?include_subgroups=true&with_shared=false&order_by=id&sort=asc&per_page=100")
		if err != nil && !unknown(err) {
			return nil, err
		}
	}
	for _, path := range c.options.Projects {
		var p project
		err := c.client.get(ctx, "projects/"+url.PathEscape(path), &p)
		switch {
		case err == nil && p.valid():
			found = append(found, p)
		case err != nil && !unknown(err):
			return nil, err
		}
	}
	if len(c.options.Groups)+len(c.options.Projects) == 0 {
		of := "membership=true&"
		who, err := c.client.self(ctx)
		if err != nil {
			return nil, err
		}
		if who.IsAdmin {
			of = ""
		}
		if err := add("projects?" + of + "pagination=keyset&order_by=id&sort=asc&per_page=100"); err != nil {
			return nil, err
		}
	}
	found = slices.DeleteFunc(found, func(p project) bool { return p.DeletedAt != "" })
	slices.SortStableFunc(found, func(a, b project) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b project) bool { return a.ID == b.ID }), nil
}

// routes returns the paths below which issues and merge requests are listed: those of the groups,
// and of each project that is in none of the groups.
func (c *Connector) routes(list []project) []string {
	var paths []string
	for _, group := range c.options.Groups {
		paths = append(paths, "groups/"+url.PathEscape(group)+"/")
	}
	for _, p := range list {
		if !slices.ContainsFunc(c.options.Groups, func(g string) bool { return below(p.Path, g) }) {
			paths = append(paths, "projects/"+p.key()+"/")
		}
	}
	return paths
}

func below(path, group string) bool {
	return len(path) > len(group) && path[len(group)] == '/' && strings.EqualFold(path[:len(group)], group)
}

// thread is an issue or a merge request (https://docs.gitlab.com/api/issues/,
// https://docs.gitlab.com/api/merge_requests/).
type thread struct {
	IID          int64     `json:"iid"`
	Project      int64     `json:"project_id"`
	Title        string    `json:"title"`
	Text         string    `json:"description"`
	State        string    `json:"state"`
	Confidential bool      `json:"confidential"`
	Draft        bool      `json:"draft"`
	Created      time.Time `json:"created_at"`
	Updated      time.Time `json:"updated_at"`
	Labels       []string  `json:"labels"`
	Author       *account  `json:"author"`
	Assignees    []account `json:"assignees"`
	Notes        int       `json:"user_notes_count"`
	Milestone    *struct {
		Title string `json:"title"`
	} `json:"milestone"`
}

func (t thread) valid() bool {
	return t.IID > 0 && t.Project > 0 && !t.Created.IsZero() && !t.Updated.IsZero()
}

// version returns a time that changes whenever the document changes. It includes the number of
// comments, because deleting a comment may not change GitLab's date. It also includes the project's
// path, which is part of the document.
func (t thread) version(p project) time.Time {
	return t.Updated.UTC().Truncate(time.Second).Add(sum(fmt.Sprintf("%d %d %s", t.Updated.UnixMicro(), t.Notes, p.Path)) % time.Second)
}

// sum hashes a text to a duration. The duration is in whole microseconds and at most 71 years.
func sum(text string) time.Duration {
	of := fnv.New64a()
	_, _ = of.Write([]byte(text)) // writing to a hash never fails
	return time.Duration(of.Sum64()%(1<<51)) * time.Microsecond
}

// stamp hashes a text to a time, as the version of an item that has no date.
func stamp(text string) time.Time { return time.Unix(0, 0).UTC().Add(sum(text)) }

// people returns the author and the assignees, in the order of their numbers.
func (t thread) people() []int64 {
	var ids []int64
	if t.Author != nil && t.Author.ID > 0 {
		ids = append(ids, t.Author.ID)
	}
	for _, a := range t.Assignees {
		if a.ID > 0 {
			ids = append(ids, a.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// list reads issues or merge requests in the order of one of their dates, oldest first. Each page
// begins at the last date of the page before. GitLab's page numbers are used only among entries
// with the same date, because a deletion shifts them.
type list struct {
	path string // "projects/12/issues?scope=all&"
	by   string // "created" or "updated"
}

// next reads the page at a cursor. following is the cursor of the next page, or "" at the end. A
// cursor is a date, or a date with a page number and the last entry. The error wraps ErrEndless if
// the page repeats the page before.
func (l list) next(ctx context.Context, c *Client, cursor string) (items []thread, following string, err error) {
	var date, before string
	number := 1
	if parts := strings.Fields(cursor); len(parts) > 0 {
		date = parts[0]
		if len(parts) == 3 {
			number, _ = strconv.Atoi(parts[1]) // our own cursor; 0 also means the first page
			before = parts[2]
		}
	}
	path := fmt.Sprintf("%sorder_by=%s_at&sort=asc&per_page=%d&page=%d", l.path, l.by, pageSize, number)
	if date != "" {
		path += "&" + l.by + "_after=" + url.QueryEscape(date)
	}
	items, more, err := page(ctx, c, path, thread.valid)
	if err != nil || more == "" || len(items) == 0 {
		return items, "", err
	}
	last := items[len(items)-1]
	at := instant(last.Created)
	if l.by == "updated" {
		at = instant(last.Updated)
	}
	key := fmt.Sprintf("%d/%d", last.Project, last.IID)
	switch {
	case at > date:
		return items, at, nil // the next page repeats the last entry
	case key != before && number < mostPages:
		return items, fmt.Sprintf("%s %d %s", date, number+1, key), nil
	}
	return nil, "", fmt.Errorf("the list %s of GitLab: %w", place(l.path), sourcehttp.ErrEndless)
}

// mostPages is the maximum number of pages of entries with the same date.
const mostPages = 100

const pageSize = 100

// instant formats a time in UTC, to the millisecond. The texts sort in the order of the times.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
