package crawl

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// found notes what the text of a document says, before the document is stored: a run that is killed
// in between does not read it again.
func (r *run) found(ctx context.Context, list string, what Finding) error {
	r.loading.Lock()
	r.left = append(r.left, what.Skipped...)
	r.loading.Unlock()
	if len(what.IDs) == 0 {
		return nil
	}
	return r.listings.List(ctx, named+list, r.at.UnixMicro(), listedOf(what.IDs))
}

// further reports whether a page of a feed is left to read. Once all pages of a main scan are read
// that may omit documents, it has some of these asked for.
func (r *run) further(ctx context.Context, f Feed, now *reading) (bool, error) {
	if len(now.Stack) > 0 || !f.Confirm || len(f.Only) > 0 {
		return len(now.Stack) > 0, nil
	}
	if len(r.asking) == 0 {
		var err error
		if r.asking, err = r.omitted(ctx, f.list(), now); err != nil {
			return false, err
		}
	}
	if len(r.asking) == 0 {
		return false, nil
	}
	most := min(cmp.Or(f.Most, mostOnly), len(r.asking))
	f.Only, r.asking = r.asking[:most], r.asking[most:]
	now.Stack, now.Pages = append(now.Stack, frame{Feed: &f}), 0 // no list of the vendor's leads here
	return true, nil
}

// omitted returns the documents that the pages of a list may have left out: those that texts name,
// or, where there are none, those that are stored and were not met.
func (r *run) omitted(ctx context.Context, list string, now *reading) ([]document.ID, error) {
	if err := r.flush(ctx); err != nil { // what was met is stored, and what was asked for is not named
		return nil, err
	}
	all, err := r.all(ctx, named+list)
	if err != nil {
		return nil, err
	}
	in, err := r.holding(ctx, all)
	if err != nil {
		return nil, err
	}
	var listed, ids []document.ID
	for _, id := range all {
		if slices.Contains(in[id], list) { // it was met, or is missing
			listed = append(listed, id)
		} else {
			ids = append(ids, id)
		}
	}
	r.unlist(named+list, listed)
	if len(ids) > 0 || now.Partial || r.list(list).Pass != now.Pass {
		return ids, nil
	}
	if ids, _, err = r.listings.Missing(ctx, list, now.Pass, time.Time{}, time.Time{}); err != nil {
		return nil, err
	}
	strays, err := r.listings.Strays(ctx)
	if err != nil {
		return nil, err
	}
	ids = append(ids, strays...)
	for _, of := range []string{list, ""} {
		if r.list(of).Since == 0 {
			continue
		}
		away, err := r.all(ctx, hidden+of)
		if err != nil {
			return nil, err
		}
		ids = append(ids, away...)
	}
	missed := setOf(now.Missed)
	return slices.DeleteFunc(ids, func(id document.ID) bool { return missed[id] }), nil
}

// all returns the documents of a list.
func (r *run) all(ctx context.Context, list string) ([]document.ID, error) {
	ids, _, err := r.listings.Missing(ctx, list, math.MaxInt64, time.Time{}, time.Time{})
	return ids, err
}

// miss notes which documents that were asked for are not on the page.
func (now *reading) miss(f Feed, p Page) {
	there := make(map[document.ID]bool, len(p.Items))
	for _, it := range p.Items {
		there[it.ID] = it.List == "" || it.List == f.list()
	}
	for _, id := range f.Only {
		if !there[id] {
			now.Missed = append(now.Missed, id)
		}
	}
}

func setOf(ids []document.ID) map[document.ID]bool {
	set := make(map[document.ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// lose notes whether a scope is not shown.
func (r *run) lose(id string, lost bool) {
	since := int64(0)
	if lost {
		since = cmp.Or(r.scope(id).Lost, r.at.UnixMicro())
	}
	if r.scope(id).Lost != since {
		r.scope(id).Lost = since
		r.change(scopeKey(id))
	}
}

// withLost is a list across scopes of which one may be lost. The newest loss counts: which
// documents were in which scope is not known.
func (r *run) withLost(l List) List {
	var newest time.Time
	for _, s := range r.scopes {
		if at := fromMicro(r.scope(s.ID).Lost); !at.IsZero() && r.at.Sub(at) < Grace && at.After(newest) {
			newest = at
		}
	}
	if !newest.IsZero() {
		l.Lost, l.Since = true, newest
	}
	return l
}
