package notion

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// vendor implements [crawl.Vendor] for Notion. Every run searches for everything that the
// integration sees, and reads edited pages. The search may omit pages, so a run also lists
// databases and requests the stored pages that it did not find
// (https://developers.notion.com/reference/search-optimizations-and-limitations).
type vendor struct {
	*Connector

	// The fields below belong to one run.
	began time.Time
	tree  *tree
}

const (
	feedPages  = "pages"
	feedSource = "rows/" // the id of a data source follows
	// together is the number of pages that are requested one by one between two checkpoints. Notion
	// allows three requests per second.
	together = 8
	// databaseMark is the prefix of the ids of databases that were found on pages.
	databaseMark = "d"
)

type entry struct {
	*object
	root string // id of the root above the page
}

// Source implements crawl.Vendor.
func (v *vendor) Source() document.Source { return v.source }

// Rules implements crawl.Vendor. The rules include the configured pages, because a page's text
// omits the names of pages with other readers.
func (v *vendor) Rules() string {
	return fmt.Sprintf("notion %d %v %s", reading, v.options.Read != nil, strings.Join(slices.Sorted(maps.Keys(v.roots)), " "))
}

// Scopes implements crawl.Vendor. It returns a scope for each configured page, without checking
// that the page exists.
func (v *vendor) Scopes(context.Context) ([]crawl.Scope, error) {
	v.began, v.tree = v.client.config.Now(), v.Connector.tree()
	var scopes []crawl.Scope
	for id := range v.roots {
		scopes = append(scopes, crawl.Scope{ID: id})
	}
	return scopes, nil
}

// Feeds implements crawl.Vendor.
func (v *vendor) Feeds([]crawl.Scope) []crawl.Feed {
	return []crawl.Feed{{ID: feedPages, Mode: crawl.Scan, Confirm: true, Most: together}}
}

// Page implements crawl.Vendor.
func (v *vendor) Page(ctx context.Context, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
	switch source, rows := strings.CutPrefix(f.ID, feedSource); {
	case len(f.Only) > 0:
		return v.only(ctx, f.Only)
	case rows:
		return v.rows(ctx, source, at)
	}
	return v.search(ctx, at)
}

// search returns a page of everything that Notion's search shows. The first page begins with the
// configured pages, because the search may omit them.
func (v *vendor) search(ctx context.Context, at crawl.Place) (p crawl.Page, err error) {
	var all []*object
	if at.Cursor == "" {
		p.Lost = make(map[string]bool, len(v.roots))
		for _, id := range slices.Sorted(maps.Keys(v.roots)) {
			o, err := v.root(ctx, id)
			if err != nil && !absent(err) {
				return p, err
			}
			if p.Lost[id] = err != nil; err == nil { // Nodes reports lost roots
				all = append(all, &o)
			}
		}
	}
	body := map[string]any{"page_size": 100, "sort": map[string]string{"timestamp": "last_edited_time", "direction": "descending"}}
	if at.Cursor != "" {
		body["start_cursor"] = at.Cursor
	}
	var got list
	err = v.client.post(ctx, "search", body, &got)
	switch {
	case sourcehttp.Status(err) == http.StatusForbidden:
		return p, fmt.Errorf("Notion shows nothing to the integration: give it the capability to read content (%w): %w", err, index.ErrRevoked)
	case sourcehttp.Status(err) == http.StatusBadRequest && at.Cursor != "":
		return p, fmt.Errorf("%w: %w", crawl.ErrCursor, err)
	case err != nil:
		return p, err
	}
	objects, err := decoded(got.Results)
	if err != nil {
		return p, err
	}
	p.Next = got.next()
	return p, v.list(ctx, &p, append(all, objects...))
}

// rows lists the pages of a data source, oldest first. A query returns at most 10,000 pages, so
// rows then starts a new query at the last creation date. A cursor consists of that date and
// Notion's cursor (https://developers.notion.com/guides/data-apis/query-large-data-sources).
func (v *vendor) rows(ctx context.Context, id string, at crawl.Place) (p crawl.Page, err error) {
	from, cursor, _ := strings.Cut(at.Cursor, " ")
	body := map[string]any{"page_size": 100, "sorts": []any{map[string]string{"timestamp": "created_time", "direction": "ascending"}}}
	if cursor != "" {
		body["start_cursor"] = cursor
	}
	if from != "" {
		body["filter"] = map[string]any{"timestamp": "created_time", "created_time": map[string]string{"on_or_after": from}}
	}
	var got list
	switch err := v.client.post(ctx, "data_sources/"+id+"/query", body, &got); {
	case absent(err) && at.Cursor == "":
		return p, nil // the data source is no longer visible
	case absent(err):
		return p, fmt.Errorf("%w: %w", crawl.ErrCursor, err)
	case err != nil:
		return p, err
	}
	objects, err := decoded(got.Results)
	if err != nil {
		return p, err
	}
	last := from
	for _, o := range objects {
		if !o.Created.IsZero() {
			last = o.Created.UTC().Format(time.RFC3339)
		}
	}
	switch next := got.next(); {
	case next != "":
		p.Next = from + " " + next
	case got.RequestStatus.Type == "incomplete" && last > from:
		p.Next = last + " "
	case got.RequestStatus.Type == "incomplete":
		p.Skipped = append(p.Skipped, index.Notice{Name: id, Sentence: "More than 10,000 pages of a database were made in one minute, of which Notion shows no more. Move some of them into another database."})
	}
	return p, v.list(ctx, &p, objects)
}

// only requests the given pages and databases, and adds those that are visible. A database is added
// as a feed of its pages.
func (v *vendor) only(ctx context.Context, ids []document.ID) (p crawl.Page, err error) {
	var there []*object
	for _, d := range ids {
		at := place{page, v.pageOf(d)}
		if id, is := strings.CutPrefix(at.id, databaseMark); is && len(at.id) > 32 {
			at = place{database, id}
		}
		o := new(object)
		err := v.client.get(ctx, string(at.kind)+"/"+at.id, o)
		if absent(err) { // deleted, not shown, or a view of another database
			continue
		}
		if err != nil {
			return p, err
		}
		there = append(there, o)
	}
	return p, v.list(ctx, &p, there)
}

func decoded(results []json.RawMessage) ([]*object, error) {
	all := make([]*object, 0, len(results))
	for _, raw := range results {
		o := new(object)
		if err := json.Unmarshal(raw, o); err != nil {
			return nil, fmt.Errorf("Notion's answer names something that is not understood: %w", err)
		}
		all = append(all, o)
	}
	return all, nil
}

// list converts pages with readers to items, and databases to feeds. All other pages count as gone.
func (v *vendor) list(ctx context.Context, p *crawl.Page, objects []*object) error {
	for _, o := range objects {
		v.tree.recordParents(o)
	}
	for _, o := range objects {
		id := bareID(o.ID)
		at := place{database, id}
		switch o.Object {
		case "page":
			at.kind = page
		case "data_source":
			at.kind = dataSource
		}
		root, err := v.tree.root(ctx, at)
		switch {
		case err != nil:
			return err
		case root == "" && at.kind == page:
			p.Gone = append(p.Gone, v.id(id))
		case root == "":
		case at.kind == page:
			p.Items = append(p.Items, crawl.Item{
				ID: v.id(id), ModifiedAt: v.version(o), Wait: longest, ACL: access.ACL{v.node(root)}, Data: entry{o, root},
			})
		case at.kind == dataSource:
			p.More = append(p.More, crawl.Feed{ID: feedSource + id})
		default:
			for _, d := range o.DataSources {
				p.More = append(p.More, crawl.Feed{ID: feedSource + bareID(d.ID)})
			}
		}
	}
	return nil
}

// version returns a time that changes with each edit of a page. Notion's time is exact only to the
// minute. For a page that was edited in the last two minutes, every run therefore returns a new
// version.
func (v *vendor) version(o *object) time.Time {
	if o.Edited.After(v.began.Add(-2 * time.Minute)) {
		// different from all dates of Notion
		return v.began.Truncate(time.Millisecond).Add(time.Microsecond)
	}
	return o.Edited
}
