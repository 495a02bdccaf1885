package crawl

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Prefixes of lists that the engine keeps in addition to each list of the source. A hidden list has
// missing documents that are hidden. An arriving list has documents that are loaded for the first
// time. A named list has documents that texts name.
const (
	hidden   = "~hidden/"
	arriving = "~arriving/"
	named    = "~named/"
)

// wholeOf returns the part of an id before its last colon, or "" if it has no colon. If the id is
// that of an attachment, the result is the id of the document with this attachment (Item.Of).
func wholeOf(id document.ID) document.ID {
	if i := strings.LastIndexByte(string(id), ':'); i >= 0 {
		return id[:i]
	}
	return ""
}

type findings struct {
	readers map[document.ID]access.ACL
	gone    map[document.ID]bool
	whole   map[document.ID]bool // the page lists all of their parts
	parts   map[document.ID]bool
}

func newFindings() findings {
	return findings{make(map[document.ID]access.ACL), make(map[document.ID]bool), make(map[document.ID]bool), make(map[document.ID]bool)}
}

func (f findings) verdict(id document.ID) index.Verdict {
	of := wholeOf(id)
	if f.gone[id] || f.gone[of] || f.whole[of] && !f.parts[id] {
		return index.Verdict{Gone: true}
	}
	if acl, hides := f.readers[of]; hides && len(acl) == 0 {
		return index.Verdict{ACL: acl}
	}
	return index.Verdict{ACL: f.readers[id]}
}

func (r *run) applyPage(ctx context.Context, f Feed, now *reading, p Page) error {
	if p.Note != "" && r.scope(f.Scope).Note != p.Note {
		r.scope(f.Scope).Note = p.Note
		r.markDirty(scopeKey(f.Scope))
	}
	for id, lost := range p.Lost {
		r.markLost(id, lost)
	}
	if slices.ContainsFunc(p.Items, func(it Item) bool { return r.pending.leaving[it.ID] }) {
		// the documents must leave the list before they are added again
		if err := r.send(ctx, index.Batch{}); err != nil {
			return err
		}
	}
	gone := make([]document.ID, 0, len(p.Gone))
	for _, id := range p.Gone {
		if _, listed := r.sent[id]; listed { // another feed listed it in this run
			p.Left = append(p.Left, id)
		} else {
			gone = append(gone, id)
		}
	}
	left, err := r.leavingIDs(ctx, f.list(), p.Left)
	if err != nil {
		return err
	}
	p.Left = left
	items, bare := r.splitBare(f, p.Items)
	news, err := r.resolveBare(ctx, f, now, bare)
	if err != nil {
		return err
	}
	if f.Confirm && len(f.Only) > 0 { // no later page lists them
		items, news.Items = nil, items
	}
	if err := r.addToLists(ctx, now, items, ""); err != nil {
		return err
	}
	// New documents are listed once they are stored, so that an interrupted run finds them again.
	if err := r.addToLists(ctx, now, news.Items, arriving); err != nil {
		return err
	}
	r.notices = append(append(r.notices, p.Notices...), news.Notices...)
	r.skipped = append(append(r.skipped, p.Skipped...), news.Skipped...)
	found := newFindings()
	gone = append(gone, news.Gone...)
	if err := r.hide(ctx, f.list(), p.Left, found); err != nil {
		return err
	}
	in, err := r.listsOf(ctx, gone)
	if err != nil {
		return err
	}
	// only listed documents have parts, which need a review of all documents
	var unlisted []document.ID
	for _, id := range gone {
		if len(in[id]) > 0 {
			found.gone[id] = true
		} else {
			unlisted = append(unlisted, id)
		}
	}
	b := index.Batch{Deleted: unlisted, Documents: append(r.loadItems(f, items, found), r.loadItems(r.mains[f.list()], news.Items, found)...)}
	if len(found.readers)+len(found.gone)+len(found.whole) > 0 {
		b.Review = found.verdict
	}
	if len(b.Documents)+len(b.Deleted) > 0 || b.Review != nil {
		if err := r.send(ctx, b); err != nil {
			return err
		}
	}
	r.listArrived(now, news.Items)
	r.unhide(append(items, news.Items...))
	r.unlistAll(gone, in)
	for _, id := range p.Left {
		r.head.Left[id] = struct{}{}
		r.markDirty(headKey)
	}
	r.unlist(f.list(), p.Left)
	return nil
}

// splitBare separates items of which only the id is known (Item.Bare) from complete items. It drops
// changes to a list before the list's first scan, because that scan will list the documents.
func (r *run) splitBare(f Feed, all []Item) (items []Item, bare []document.ID) {
	for _, it := range all {
		if it.List == "" {
			it.List = f.list()
		}
		main, scanned := r.mains[it.List]
		changes := (f.Mode == Recent || f.Mode == Log) && len(f.Only) == 0
		switch {
		case it.Bare:
			bare = append(bare, it.ID)
		case changes && scanned && main.Mode == Scan && r.list(it.List).Pass == 0:
			// the first scan of its list will list it
		default:
			items = append(items, it)
		}
	}
	return items, bare
}

func (r *run) hide(ctx context.Context, list string, left []document.ID, found findings) error {
	if len(left) == 0 {
		return nil
	}
	in, err := r.listings.Lists(ctx, left)
	if err != nil {
		return err
	}
	for _, id := range left {
		if slices.Contains(in[id], list) && !inOtherList(in[id], list) {
			found.readers[id] = access.ACL{}
		}
	}
	return nil
}

// leavingIDs returns the ids of documents that may leave the given list, which are in this list or
// in none. It omits documents that are only in other lists, because a log may report them too.
func (r *run) leavingIDs(ctx context.Context, list string, ids []document.ID) ([]document.ID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, err := r.listings.Lists(ctx, ids)
	return slices.DeleteFunc(ids, func(id document.ID) bool { return len(in[id]) > 0 && !slices.Contains(in[id], list) }), err
}

// inOtherList reports whether lists has a list other than except. It ignores the engine's own
// lists.
func inOtherList(lists []string, except string) bool {
	return slices.ContainsFunc(lists, func(list string) bool {
		return list != except && !strings.HasPrefix(list, hidden) && !strings.HasPrefix(list, arriving) && !strings.HasPrefix(list, named)
	})
}

// addToLists adds items to their lists in the store. It puts the prefix next before the name of
// each list. It skips items that are parts of documents.
func (r *run) addToLists(ctx context.Context, now *reading, items []Item, next string) error {
	met := make(map[string][]index.Listed)
	for _, it := range items {
		if it.Of == "" {
			met[it.List] = append(met[it.List], index.Listed{ID: it.ID, Made: it.Made})
		}
	}
	for list, all := range met {
		if err := r.listings.List(ctx, next+list, max(now.Pass, r.list(list).Pass), all); err != nil {
			return err
		}
	}
	return nil
}

// resolveBare requests the documents in bare from the vendor, unless the feed's list already has
// them. It returns them as a page. For the others, it records that this pass listed them.
func (r *run) resolveBare(ctx context.Context, f Feed, now *reading, bare []document.ID) (news Page, err error) {
	if len(bare) == 0 {
		return news, nil
	}
	list := f.list()
	known, err := r.listings.Lists(ctx, bare)
	if err != nil {
		return news, err
	}
	var there []Item
	var ids []document.ID
	for _, id := range bare {
		if in := known[id]; slices.Contains(in, list) && !slices.Contains(in, hidden+list) {
			there = append(there, Item{ID: id, List: list})
		} else {
			ids = append(ids, id)
		}
	}
	if err := r.addToLists(ctx, now, there, ""); err != nil {
		return news, err
	}
	slices.Sort(ids)
	for some := range slices.Chunk(ids, cmp.Or(r.mains[list].Most, maxOnly)) {
		main := r.mains[list]
		main.Only = some
		got, err := r.vendor.Page(ctx, main, Place{})
		if err != nil {
			return news, err
		}
		if got.Next != "" {
			return news, fmt.Errorf("%s does not list %d documents on one page", r.Source().Name, len(some))
		}
		items, _ := r.splitBare(main, got.Items)
		news.Items, news.Gone = append(news.Items, items...), append(news.Gone, got.Gone...)
		news.Notices, news.Skipped = append(news.Notices, got.Notices...), append(news.Skipped, got.Skipped...)
	}
	return news, nil
}

func (r *run) loadItems(f Feed, items []Item, found findings) []index.Item {
	var all []index.Item
	var g *group
	for _, it := range items {
		if it.Of != "" {
			found.parts[it.ID] = true
		}
		if it.Whole {
			found.whole[it.ID] = true
		}
		if it.Keep {
			continue
		}
		if len(it.ACL) > 0 {
			found.readers[it.ID] = it.ACL
		}
		modified, again := r.sent[it.ID]
		if again && modified.Equal(it.ModifiedAt) {
			continue
		}
		r.sent[it.ID] = it.ModifiedAt
		it.Found = func(ctx context.Context, what Finding) error { return r.recordFinding(ctx, it.List, what) }
		to := g
		switch {
		case it.Of != "":
			to = newGroup(r.vendor)
		case g == nil || len(g.items) >= max(f.Batch, 1):
			g = newGroup(r.vendor)
			to = g
		}
		to.items = append(to.items, it)
		all = append(all, index.Item{
			ID: it.ID, ModifiedAt: it.ModifiedAt, Size: it.Size, Wait: it.Wait, Again: again,
			Load: func(ctx context.Context) (document.Document, error) {
				d, err := to.load(ctx, it)
				r.recordLoad(it, err)
				return d, err
			},
		})
	}
	return all
}

func (r *run) listArrived(now *reading, items []Item) {
	if len(items) == 0 {
		return
	}
	r.afterStored(func(ctx context.Context) error { return r.addToLists(ctx, now, items, "") })
	lists := make(map[string][]document.ID)
	for _, it := range items {
		lists[it.List] = append(lists[it.List], it.ID)
	}
	for list, ids := range lists {
		r.unlist(arriving+list, ids)
	}
}

func (r *run) unlistRemoved(ctx context.Context, ids []document.ID) error {
	in, err := r.listsOf(ctx, ids)
	if err == nil {
		r.unlistAll(ids, in)
	}
	return err
}

func (r *run) listsOf(ctx context.Context, ids []document.ID) (map[document.ID][]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return r.listings.Lists(ctx, ids)
}

func (r *run) unlistAll(ids []document.ID, in map[document.ID][]string) {
	if len(ids) == 0 {
		return
	}
	for _, id := range ids {
		delete(r.head.Failed, id)
		delete(r.head.Left, id)
	}
	maps.DeleteFunc(r.head.Failed, func(_ document.ID, f failure) bool { return slices.Contains(ids, f.Of) })
	r.markDirty(headKey)
	lists := make(map[string][]document.ID)
	for id, names := range in {
		for _, list := range names {
			lists[list] = append(lists[list], id)
		}
	}
	for list, ids := range lists {
		r.unlist(list, ids)
	}
}

func (r *run) unhide(items []Item) {
	lists := make(map[string][]document.ID)
	for _, it := range items {
		if it.Of == "" && r.list(it.List).Since != 0 {
			lists[it.List] = append(lists[it.List], it.ID)
		}
	}
	for list, ids := range lists {
		r.unlist(hidden+list, ids)
	}
}
