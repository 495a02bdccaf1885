package confluence

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// vendor implements [crawl.Vendor] for Confluence. Each run reads the spaces, the latest changes
// and, on Cloud, the latest deletions. Every Options.SweepEvery it scans each space for changes
// that those lists omit: moves, restrictions, permanent deletions.
type vendor struct {
	*Connector

	// The fields below belong to one run.
	spaces map[string]space // by space id
	tree   *tree
}

// feedChanges and feedTrash are ids of feeds across spaces. feedSpace is the prefix of the id of a
// space's feed: "space/12".
const (
	feedChanges = "changes"
	feedTrash   = "trash"
	feedSpace   = "space/"
)

// Source implements crawl.Vendor.
func (v *vendor) Source() document.Source { return v.source }

// Rules implements crawl.Vendor.
func (v *vendor) Rules() string {
	return fmt.Sprintf("confluence %d %v %v", reading, v.options.Comments, v.options.Attachments)
}

// Scopes implements crawl.Vendor.
func (v *vendor) Scopes(ctx context.Context) ([]crawl.Scope, error) {
	all, err := v.listSpaces(ctx)
	if err != nil {
		return nil, err
	}
	v.spaces, v.tree = make(map[string]space, len(all)), v.Connector.tree()
	scopes := make([]crawl.Scope, len(all))
	for i, s := range all {
		v.spaces[string(s.ID)] = s
		scopes[i] = crawl.Scope{ID: string(s.ID), Name: s.Key}
	}
	return scopes, nil
}

// Feeds implements crawl.Vendor. The trash is read before the changes, which list content that was
// restored meanwhile. Data Center has no trash across spaces, so a scan finds deletions there.
func (v *vendor) Feeds(scopes []crawl.Scope) (all []crawl.Feed) {
	if len(scopes) == 0 {
		return nil
	}
	if v.client.Cloud {
		all = append(all, crawl.Feed{ID: feedTrash, Mode: crawl.Recent})
	}
	all = append(all, crawl.Feed{ID: feedChanges, Mode: crawl.Recent, Batch: mostBodies})
	for _, s := range scopes {
		all = append(all, crawl.Feed{ID: feedSpace + s.ID, Scope: s.ID, Mode: crawl.Scan, Every: v.options.SweepEvery, Batch: mostBodies})
	}
	return all
}

// Page implements crawl.Vendor. The first run scans everything. Later runs also read the changes
// since the first run.
func (v *vendor) Page(ctx context.Context, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
	switch {
	case len(f.Only) > 0:
		return v.only(ctx, f)
	case f.Mode == crawl.Scan:
		return v.scan(ctx, v.spaces[f.Scope], at)
	case at.Mark == "":
		return crawl.Page{Mark: v.client.Config.Now().UTC().Format(time.RFC3339)}, nil
	case f.ID == feedTrash:
		return v.trash(ctx, at)
	}
	return v.changes(ctx, at)
}

func (c *Connector) sorts() []contentSort {
	all := []contentSort{pages, posts}
	if c.options.Comments {
		all = append(all, comments)
	}
	if c.options.Attachments {
		all = append(all, attachments)
	}
	return all
}

// scan returns a page of the list of everything in a space, one kind after the other. A cursor has
// the kind and the query of the next page.
func (v *vendor) scan(ctx context.Context, s space, at crawl.Place) (p crawl.Page, err error) {
	sorts := v.sorts()
	of, asked, _ := strings.Cut(at.Cursor, " ")
	now := max(slices.Index(sorts, contentSort(of)), 0)
	if now+1 < len(sorts) {
		p.Next = string(sorts[now+1])
	}
	entries, next, err := v.tree.listing(ctx, s, sorts[now], asked)
	switch {
	case err == nil:
	case asked == "" && lacks(ctx, err): // the space is gone, or the kind is invisible
		p.Partial = fmt.Errorf("its %ss: %w", sorts[now], err)
	default:
		return p, stale(ctx, asked, err)
	}
	if next != "" {
		p.Next = string(sorts[now]) + " " + next
	}
	return p, v.list(ctx, &p, entries)
}

// lacks reports whether err means that a list, or a position in a list, does not exist.
func lacks(ctx context.Context, err error) bool {
	return !atlassian.Final(ctx, err) && (atlassian.Absent(err) || sourcehttp.Status(err) == http.StatusBadRequest)
}

// stale wraps err in crawl.ErrCursor if a cursor has expired or the pages of a list repeat. It
// returns other errors unchanged.
func stale(ctx context.Context, asked string, err error) error {
	if asked != "" && lacks(ctx, err) || errors.Is(err, sourcehttp.ErrEndless) {
		return errors.Join(crawl.ErrCursor, err)
	}
	return err
}

// only returns the contents that exist and are visible. Contents for which the search is refused
// stay unchanged, because they may exist.
func (v *vendor) only(ctx context.Context, f crawl.Feed) (p crawl.Page, err error) {
	var ids []string
	for _, d := range f.Only {
		if _, id, ok := v.placeOf(d); ok && isID(id) {
			ids = append(ids, id)
		}
	}
	var entries []entry
	left, err := v.tree.bulk(ctx, ids, expandListed, func(k content) {
		if e := v.tree.entry(k); e.space == f.Scope {
			entries = append(entries, e)
		}
	})
	if err != nil {
		return p, err
	}
	for _, d := range f.Only {
		_, id, _ := v.placeOf(d)
		if why := left[id]; why != nil {
			p.Items = append(p.Items, crawl.Item{ID: d, Keep: true})
			p.Notices = append(p.Notices, index.Notice{Name: string(d), Sentence: fmt.Sprintf("Whether it still exists could not be read (%v). It stays as it is, and a later run tries again.", why)})
		}
	}
	return p, v.list(ctx, &p, entries)
}

const mostKeys = 50

const expandListed = "version,container,space,ancestors"

// changes returns a page of the latest changes, newest first. It ends at the date of the newest
// change that the last run has read (at.Mark), minus Options.Overlap.
func (v *vendor) changes(ctx context.Context, at crawl.Place) (p crawl.Page, err error) {
	mark, err := time.Parse(time.RFC3339, at.Mark)
	if err != nil {
		return p, errors.Join(crawl.ErrRescan, err)
	}
	asked := at.Cursor
	if asked == "" {
		asked = atlassian.Query("cql", v.recent(), "limit", strconv.Itoa(mostExpanded), "expand", expandListed)
	}
	got, next, err := readPage[content](ctx, v.client, "rest/api/content/search", asked, 0)
	if err != nil {
		return p, stale(ctx, at.Cursor, err)
	}
	newest, until, entries := mark, mark.Add(-v.options.Overlap), make([]entry, 0, len(got))
	for _, k := range got {
		e := v.tree.entry(k)
		when := e.when.Truncate(time.Second)
		if when.Before(until) {
			next = ""
			continue
		}
		if _, ours := v.spaces[e.space]; !ours {
			continue
		}
		entries = append(entries, e)
		if when.After(newest) {
			newest = when
		}
	}
	if p.Next = next; at.Cursor == "" {
		p.Mark = newest.UTC().Format(time.RFC3339)
	}
	return p, v.list(ctx, &p, entries)
}

func (v *vendor) recent() string {
	var sorts, keys []string
	for _, of := range v.sorts() {
		sorts = append(sorts, string(of))
	}
	cql := "type in (" + strings.Join(sorts, ", ") + ")"
	if len(v.spaces) <= mostKeys {
		for _, s := range v.spaces {
			keys = append(keys, quoted(s.Key))
		}
		slices.Sort(keys)
		cql += " and space in (" + strings.Join(keys, ", ") + ")"
	}
	return cql + " order by lastmodified desc"
}

// trash returns the latest deleted pages, and on the next page the latest deleted blog posts. The
// API lists only those that the account can see.
func (v *vendor) trash(ctx context.Context, at crawl.Place) (p crawl.Page, err error) {
	of := contentSort(at.Cursor)
	if of == "" {
		of, p.Next = pages, string(posts)
	}
	asked := atlassian.Query("status", "trashed", "sort", "-modified-date", "limit", strconv.Itoa(mostExpanded))
	got, _, err := readPage[listed](ctx, v.client, "api/v2/"+string(of)+"s", asked, 0)
	if err != nil && !lacks(ctx, err) {
		return p, err
	}
	for _, l := range got {
		if _, ours := v.spaces[string(l.Space)]; ours && isID(string(l.ID)) {
			p.Gone = append(p.Gone, v.id(string(l.Space), string(l.ID)))
		}
	}
	return p, nil
}

type found struct {
	entry
	in space
}

// list adds entries to p.Items. If it cannot find out who may read an entry, the stored document
// stays unchanged.
func (v *vendor) list(ctx context.Context, p *crawl.Page, entries []entry) error {
	entries = v.tree.valid(entries, "")
	if err := v.tree.load(ctx, ancestryStarts(entries)); err != nil {
		return err
	}
	for _, e := range entries {
		if e.of == attachments && !v.options.Takes(e.title, e.size) {
			continue
		}
		s := v.spaces[e.space]
		it := crawl.Item{
			ID: v.id(e.space, e.id), List: feedSpace + e.space, ModifiedAt: e.stamp(), Size: e.size, Data: found{e, s},
		}
		node, sure := v.tree.nearest(e.ancestryStart())
		if it.Keep = !sure; sure {
			it.ACL = access.ACL{v.node(s.within(node))}
			if err := v.tree.refused[node]; err != nil {
				delete(v.tree.refused, node)
				p.Notices = append(p.Notices, index.Notice{Name: e.title, Sentence: fmt.Sprintf("It, or content above it, is refused, so everything below that is hidden from everyone: %v", err)})
			}
		} else {
			p.Notices = append(p.Notices, index.Notice{Name: e.title, Sentence: "Who may read it could not be read. It stays as it is, and the next run tries again."})
		}
		p.Items = append(p.Items, it)
	}
	return nil
}

// id returns "SOURCE:SPACE:CONTENT".
func (c *Connector) id(space, content string) document.ID {
	return document.ID(string(c.source.ID) + ":" + space + ":" + content)
}

// placeOf splits a document id into the ids of the space and the content. ok is false if the
// document is not of this source.
func (c *Connector) placeOf(id document.ID) (space, content string, ok bool) {
	rest, ok := strings.CutPrefix(string(id), string(c.source.ID)+":")
	space, content, parted := strings.Cut(rest, ":")
	return space, content, ok && parted
}
