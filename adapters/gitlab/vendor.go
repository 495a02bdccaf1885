package gitlab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pattern"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Connector reads the GitLab projects that [Options] select.
type Connector struct {
	*crawl.Engine
	client  *Client
	options Options
	source  document.Source
}

var (
	_ index.Resumer      = (*Connector)(nil)
	_ index.NodeReader   = (*Connector)(nil)
	_ index.GroupReader  = (*Connector)(nil)
	_ index.Hooked       = (*Connector)(nil)
	_ index.PointChecker = (*Connector)(nil)
	_ index.Waiter       = (*Connector)(nil)
	_ crawl.Hinter       = (*vendor)(nil)
)

// Waited implements index.Waiter. The time is the total for all connectors that share the [Client].
func (c *Connector) Waited() time.Duration { return c.client.Cost().Waited }

// NewConnector returns a connector. It sends no request.
func NewConnector(client *Client, options Options) (*Connector, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up GitLab: %w", err)
	}
	c := &Connector{client: client, options: options, source: SourceOf(options.Name)}
	c.Engine = crawl.New(&vendor{Connector: c}, crawl.Options{Now: client.config.Now})
	return c, nil
}

// vendor implements [crawl.Vendor] for GitLab. It serves one run, and keeps the projects that
// Scopes has read.
type vendor struct {
	*Connector
	of map[string]project // projects by scope id
}

// reading is the version of the rules that convert content to a document. If it is raised,
// everything is read again.
const reading = 1

// Source implements crawl.Vendor.
func (v *vendor) Source() document.Source { return v.source }

// Rules implements crawl.Vendor.
func (v *vendor) Rules() string {
	o := v.options
	return fmt.Sprintf("gitlab %d %v %v %v %q", reading, o.Issues, o.MergeRequests, o.Wiki, o.Files)
}

// Scopes implements crawl.Vendor. A scope is a project.
func (v *vendor) Scopes(ctx context.Context) ([]crawl.Scope, error) {
	list, err := v.projects(ctx)
	if err != nil {
		return nil, err
	}
	v.of = make(map[string]project, len(list))
	scopes := make([]crawl.Scope, len(list))
	for i, p := range list {
		v.of[p.key()] = p
		scopes[i] = crawl.Scope{ID: p.key(), Name: p.Path, Newest: p.Active}
	}
	return scopes, nil
}

// recent and pushes are prefixes of the ids of feeds of changes. The full scan of a feature has an
// id such as "issue/12".
const (
	recent = "recent-" // "recent-issue/groups/acme/": changed issues below a route
	pushes = "pushes/" // "pushes/12": files pushed to the default branch of project 12
)

// Feeds implements crawl.Vendor.
func (v *vendor) Feeds(scopes []crawl.Scope) []crawl.Feed {
	var feeds, scans []crawl.Feed
	var list []project
	for _, s := range scopes {
		p := v.of[s.ID]
		list = append(list, p)
		for _, f := range features {
			if !v.options.reads(f) || !p.has(f) {
				continue
			}
			scan := crawl.Feed{ID: string(f) + "/" + s.ID, Scope: s.ID, Mode: crawl.Scan, Every: v.options.FullEvery}
			switch f {
			case issues, merges:
			case wiki:
				scan.Every = v.options.WikiEvery
			case code:
				feeds = append(feeds, crawl.Feed{ID: pushes + s.ID, Scope: s.ID, List: scan.ID, Mode: crawl.Log})
				scan.After = pushes + s.ID
			}
			scans = append(scans, scan)
		}
	}
	for _, route := range v.routes(list) {
		scope, _ := strings.CutPrefix(strings.TrimSuffix(route, "/"), "projects/")
		p, alone := v.of[scope]
		for _, f := range []feature{issues, merges} {
			if !v.options.reads(f) || alone && !p.has(f) {
				continue
			}
			feed := crawl.Feed{ID: recent + string(f) + "/" + route, Mode: crawl.Recent}
			if alone {
				feed.Scope, feed.List = scope, string(f)+"/"+scope
			}
			feeds = append(feeds, feed)
		}
	}
	return append(feeds, scans...)
}

// Off implements crawl.Switcher. It returns false for a feature whose level is not shown, because
// the token may lack permission to see the level.
func (v *vendor) Off(scope, list string) bool {
	kind, _, _ := strings.Cut(list, "/")
	p, f := v.of[scope], feature(kind)
	return !v.options.reads(f) || p.level(f) == "disabled" || f == code && p.Empty
}

// Page implements crawl.Vendor.
func (v *vendor) Page(ctx context.Context, f crawl.Feed, at crawl.Place) (page crawl.Page, err error) {
	kind, where, _ := strings.Cut(f.ID, "/")
	p := v.of[f.Scope]
	switch of := feature(strings.TrimPrefix(kind, recent)); {
	case strings.HasPrefix(kind, recent):
		page, err = v.recent(ctx, of, where, at)
	case f.ID == pushes+f.Scope:
		page, err = v.pushed(ctx, p, f, at)
	case of == wiki:
		page, err = v.pages(ctx, p, f)
	case of == code:
		page, err = v.tree(ctx, p, f, at)
	default:
		page, err = v.threads(ctx, of, p, f, at)
	}
	for _, known := range []error{sourcehttp.ErrTooLarge, sourcehttp.ErrIncomplete, sourcehttp.ErrItems, sourcehttp.ErrEndless} {
		if errors.Is(err, known) || absent(err) { // the error concerns one project or group
			return crawl.Page{Partial: err}, nil
		}
	}
	return page, err
}

func segment(f feature) string { return string(f) + "s" }

// recent returns a page of the issues or merge requests below a route that changed since the last
// run. The oldest change is first. In the first run, when at.Mark is empty, it returns no items and
// only the mark for the next run.
func (v *vendor) recent(ctx context.Context, f feature, route string, at crawl.Place) (crawl.Page, error) {
	path := route + segment(f) + "?scope=all&state=all&non_archived=false&"
	if at.Mark == "" { // a scan follows
		items, _, err := page(ctx, v.client, path+"order_by=updated_at&sort=desc&per_page=1", thread.valid)
		mark := time.Unix(0, 0)
		if len(items) > 0 {
			mark = items[0].Updated
		}
		return crawl.Page{Mark: instant(mark)}, err
	}
	cursor := at.Cursor
	if cursor == "" {
		since, err := time.Parse(time.RFC3339Nano, at.Mark)
		if err != nil {
			return crawl.Page{}, fmt.Errorf("%w: the mark %q is no time", crawl.ErrRescan, at.Mark)
		}
		cursor = instant(since.Add(-v.options.Overlap))
	}
	items, next, err := list{path: path, by: "updated"}.next(ctx, v.client, cursor)
	if err != nil {
		return crawl.Page{}, err
	}
	found := crawl.Page{Next: next}
	for _, t := range items {
		if p, ours := v.of[strconv.FormatInt(t.Project, 10)]; ours && p.has(f) {
			found.Items = append(found.Items, v.item(p, f, t))
		}
	}
	if next == "" && len(items) > 0 {
		found.Mark = instant(items[len(items)-1].Updated)
	}
	return found, nil
}

func (v *vendor) threads(ctx context.Context, f feature, p project, feed crawl.Feed, at crawl.Place) (crawl.Page, error) {
	path := "projects/" + p.key() + "/" + segment(f) + "?scope=all&state=all&"
	if len(feed.Only) > 0 {
		return v.only(ctx, f, p, path, feed.Only)
	}
	items, next, err := list{path: path, by: "created"}.next(ctx, v.client, at.Cursor)
	if err != nil {
		return crawl.Page{}, err
	}
	found := crawl.Page{Next: next}
	for _, t := range items {
		if t.Project != p.ID {
			return crawl.Page{}, fmt.Errorf("GitLab lists %s of another project in %s: %w", segment(f), p.Path, sourcehttp.ErrIncomplete)
		}
		found.Items = append(found.Items, v.item(p, f, t))
	}
	return found, nil
}

// only requests issues or merge requests of a project by number. Deleted ones go to Page.Gone.
func (v *vendor) only(ctx context.Context, f feature, p project, path string, ids []document.ID) (crawl.Page, error) {
	var found crawl.Page
	for some := range slices.Chunk(ids, pageSize) {
		asked := path + "per_page=100"
		for _, id := range some {
			iid, _ := v.name(id, p.key(), f)
			asked += "&iids[]=" + url.QueryEscape(iid)
		}
		items, err := all(ctx, v.client, asked, thread.valid)
		if err != nil {
			return crawl.Page{}, err
		}
		there := make(map[document.ID]bool)
		for _, t := range items {
			i := v.item(p, f, t)
			if !slices.Contains(some, i.ID) {
				return crawl.Page{}, fmt.Errorf("GitLab lists %s, which was not asked for: %w", i.ID, sourcehttp.ErrIncomplete)
			}
			found.Items, there[i.ID] = append(found.Items, i), true
		}
		for _, id := range some {
			if !there[id] {
				found.Gone = append(found.Gone, id)
			}
		}
	}
	return found, nil
}

func (v *vendor) item(p project, f feature, t thread) crawl.Item {
	return crawl.Item{
		ID: v.id(p.ID, f, strconv.FormatInt(t.IID, 10)), List: string(f) + "/" + p.key(), ModifiedAt: t.version(p), Size: int64(len(t.Text)),
		Wait: loadWait, ACL: v.acl(t.node(f)), Data: threadOf{p, f, t},
	}
}

// pages returns all pages of a wiki, or only those in feed.Only. GitLab has no dates for wiki
// pages, so a page's version is a hash of its text.
func (v *vendor) pages(ctx context.Context, p project, feed crawl.Feed) (crawl.Page, error) {
	var found crawl.Page
	add := func(w wikiPage) {
		found.Items = append(found.Items, crawl.Item{
			ID: v.id(p.ID, wiki, w.Slug), ModifiedAt: stamp(w.Title + "\n" + w.Content + "\n" + p.Path), Size: int64(len(w.Content)),
			ACL: v.acl(node(p.ID, wiki)), Data: pageOf{p, w},
		})
	}
	path := "projects/" + p.key() + "/wikis"
	for _, id := range feed.Only {
		var w wikiPage
		slug, _ := v.name(id, p.key(), wiki)
		switch err := v.client.get(ctx, path+"/"+url.PathEscape(slug), &w); {
		case sourcehttp.Status(err) == http.StatusNotFound:
			found.Gone = append(found.Gone, id)
		case err != nil:
			return found, err
		case w.Slug == slug:
			add(w)
		}
	}
	if len(feed.Only) > 0 {
		return found, nil
	}
	var list []wikiPage
	if err := v.client.get(ctx, path+"?with_content=1", &list); err != nil {
		return found, err
	}
	if err := sourcehttp.CheckItems(list, sourcehttp.MaxElements, wikiPage.valid); err != nil {
		return found, err
	}
	for _, w := range list {
		add(w)
	}
	return found, nil
}

func (v *vendor) wanted(path string) bool {
	return pattern.List(v.options.Files).Match(path) && (v.options.Wanted == nil || v.options.Wanted(path))
}

func (v *vendor) file(p project, path, blob string, size int64) crawl.Item {
	return crawl.Item{
		ID: v.id(p.ID, code, path), ModifiedAt: stamp(blob + " " + p.Path + " " + p.Branch), Size: size, Wait: loadWait,
		ACL: v.acl(node(p.ID, code)), Data: fileOf{p, path},
	}
}

type entry struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Path string `json:"path"`
	Mode string `json:"mode"`
}

func (e entry) valid() bool { return e.ID != "" && e.Type != "" && e.Path != "" }

const symlink = "120000"

// tree returns a page of the files of the default branch, or only those in feed.Only. All pages of
// the list come from one commit, which the cursor contains.
func (v *vendor) tree(ctx context.Context, p project, feed crawl.Feed, at crawl.Place) (crawl.Page, error) {
	if len(feed.Only) > 0 {
		paths := make([]string, len(feed.Only))
		for i, id := range feed.Only {
			paths[i], _ = v.name(id, p.key(), code)
		}
		return v.files(ctx, p, "HEAD", paths)
	}
	path := at.Cursor
	if path == "" {
		head, err := v.head(ctx, p)
		if err != nil {
			return crawl.Page{}, err
		}
		path = "projects/" + p.key() + "/repository/tree?recursive=true&pagination=keyset&per_page=100&ref=" + url.QueryEscape(head)
	}
	entries, next, err := page(ctx, v.client, path, entry.valid)
	if sourcehttp.Status(err) == http.StatusNotFound && at.Cursor != "" {
		return crawl.Page{}, crawl.ErrCursor
	}
	found := crawl.Page{Next: next}
	for _, e := range entries {
		if e.Type == "blob" && e.Mode != symlink && v.wanted(e.Path) {
			found.Items = append(found.Items, v.file(p, e.Path, e.ID, 0))
		}
	}
	return found, err
}

// files reads the metadata of files from response headers. Missing files go to Page.Gone.
func (v *vendor) files(ctx context.Context, p project, ref string, paths []string) (crawl.Page, error) {
	var found crawl.Page
	for _, path := range paths {
		answer, err := v.client.http.Do(ctx, sourcehttp.Request{Method: http.MethodHead, Path: p.file(path, "", ref)})
		switch {
		case sourcehttp.Status(err) == http.StatusNotFound:
			found.Gone = append(found.Gone, v.id(p.ID, code, path))
			continue
		case err != nil:
			return found, err
		}
		size, err := strconv.ParseInt(answer.Header.Get("X-Gitlab-Size"), 10, 64)
		if blob := answer.Header.Get("X-Gitlab-Blob-Id"); err == nil && blob != "" && v.wanted(path) {
			found.Items = append(found.Items, v.file(p, path, blob, size))
		}
	}
	return found, nil
}

func (p project) file(path, what, ref string) string {
	return "projects/" + p.key() + "/repository/files/" + url.PathEscape(path) + what + "?ref=" + url.QueryEscape(ref)
}

func (v *vendor) head(ctx context.Context, p project) (string, error) {
	var branch struct {
		Commit struct {
			ID string `json:"id"`
		} `json:"commit"`
	}
	err := v.client.get(ctx, "projects/"+p.key()+"/repository/branches/"+url.PathEscape(p.Branch), &branch)
	if err == nil && branch.Commit.ID == "" {
		err = fmt.Errorf("GitLab names no commit of the branch %s of %s: %w", p.Branch, p.Path, sourcehttp.ErrIncomplete)
	}
	return branch.Commit.ID, err
}

// mostDiffs is the maximum number of files in a comparison, unless an administrator raises the
// limit: "Max diff files: 1000" (https://docs.gitlab.com/administration/diff_limits/).
const mostDiffs = 1000

// pushed returns the files that changed between the commit in at.Mark and the newest commit. The
// error wraps crawl.ErrRescan if GitLab cannot compare the commits completely.
func (v *vendor) pushed(ctx context.Context, p project, feed crawl.Feed, at crawl.Place) (crawl.Page, error) {
	head, err := v.head(ctx, p)
	if err != nil || at.Mark == "" || at.Mark == head {
		return crawl.Page{Mark: head}, err
	}
	var told struct {
		Timeout bool `json:"compare_timeout"`
		Diffs   *[]struct {
			Old string `json:"old_path"`
			New string `json:"new_path"`
		} `json:"diffs"`
	}
	err = v.client.get(ctx, fmt.Sprintf("projects/%s/repository/compare?straight=true&from=%s&to=%s", p.key(), url.QueryEscape(at.Mark), url.QueryEscape(head)), &told)
	if absent(err) || errors.Is(err, sourcehttp.ErrTooLarge) || err == nil && (told.Diffs == nil || told.Timeout || len(*told.Diffs) >= mostDiffs) {
		return crawl.Page{}, fmt.Errorf("%w: GitLab does not compare all of %s", crawl.ErrRescan, p.Path)
	}
	if err != nil {
		return crawl.Page{}, err
	}
	var paths []string
	for _, d := range *told.Diffs {
		for _, path := range []string{d.Old, d.New} {
			if path != "" && v.wanted(path) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	found, err := v.files(ctx, p, head, slices.Compact(paths))
	found.Mark = head
	return found, err
}

// Load implements crawl.Vendor. It reuses content that the list already included.
func (v *vendor) Load(ctx context.Context, batch []crawl.Item) (map[document.ID]crawl.Read, error) {
	found := make(map[document.ID]crawl.Read)
	for _, i := range batch {
		switch of := i.Data.(type) {
		case threadOf:
			found[i.ID] = func(ctx context.Context) (document.Document, error) { return v.thread(ctx, i, of) }
		case pageOf:
			found[i.ID] = func(ctx context.Context) (document.Document, error) { return v.page(ctx, i, of) }
		case fileOf:
			answer, err := v.client.do(ctx, of.file(of.path, "/raw", "HEAD"))
			switch {
			case sourcehttp.Status(err) == http.StatusNotFound:
				continue
			case err != nil:
				return nil, err
			}
			found[i.ID] = func(ctx context.Context) (document.Document, error) { return v.content(ctx, i, of, answer.Body) }
		}
	}
	return found, nil
}

// Hint implements crawl.Hinter.
func (v *vendor) Hint(subject string) []crawl.Feed {
	word, rest, _ := strings.Cut(subject, " ")
	scope, name, _ := strings.Cut(rest, " ")
	p, ours := v.of[scope]
	f := feature(word)
	if !ours || !slices.Contains(features, f) || !v.options.reads(f) || !p.has(f) {
		return nil
	}
	feed := crawl.Feed{ID: word + "/" + scope, Scope: scope, Mode: crawl.Scan}
	switch {
	case f == code:
		feed = crawl.Feed{ID: pushes + scope, Scope: scope, List: feed.ID, Mode: crawl.Log}
	case name != "":
		feed.Only = []document.ID{v.id(p.ID, f, name)}
	}
	return []crawl.Feed{feed}
}
