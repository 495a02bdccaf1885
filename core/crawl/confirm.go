package crawl

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// recordFinding stores the ids of documents that the text of another document names. It must be
// called before that document is stored. Otherwise a killed run would lose the ids.
func (r *run) recordFinding(ctx context.Context, list string, what Finding) error {
	r.loading.Lock()
	r.skippedParts = append(r.skippedParts, what.Skipped...)
	r.loading.Unlock()
	if len(what.IDs) == 0 {
		return nil
	}
	return r.listings.List(ctx, named+list, r.at.UnixMicro(), listedOf(what.IDs))
}

// hasMore reports whether pages of a feed remain to be read. At the end of a feed with
// [Feed].Confirm, it requests documents that the pages may have omitted. The pages with these
// documents must then be read.
func (r *run) hasMore(ctx context.Context, f Feed, now *reading) (bool, error) {
	if len(now.Stack) > 0 || !f.Confirm || len(f.Only) > 0 {
		return len(now.Stack) > 0, nil
	}
	if len(r.pendingOnly) == 0 {
		var err error
		if r.pendingOnly, err = r.omittedIDs(ctx, f.list(), now); err != nil {
			return false, err
		}
	}
	if len(r.pendingOnly) == 0 {
		return false, nil
	}
	most := min(cmp.Or(f.Most, maxOnly), len(r.pendingOnly))
	f.Only, r.pendingOnly = r.pendingOnly[:most], r.pendingOnly[most:]
	// these requests are not part of the pages that maxPages limits
	now.Stack, now.Pages = append(now.Stack, frame{Feed: &f}), 0
	return true, nil
}

// omittedIDs returns the ids of documents that the pages of a list may have omitted. It returns ids
// that texts name but that are not in the list. If there are none, it returns the stored documents
// that no page listed.
func (r *run) omittedIDs(ctx context.Context, list string, now *reading) ([]document.ID, error) {
	// afterwards listed documents are stored, and requested ones are no longer named
	if err := r.flush(ctx); err != nil {
		return nil, err
	}
	all, err := r.listedIDs(ctx, named+list)
	if err != nil {
		return nil, err
	}
	in, err := r.listsOf(ctx, all)
	if err != nil {
		return nil, err
	}
	var listed, ids []document.ID
	for _, id := range all {
		if slices.Contains(in[id], list) { // it was listed, or is missing
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
		away, err := r.listedIDs(ctx, hidden+of)
		if err != nil {
			return nil, err
		}
		ids = append(ids, away...)
	}
	missed := setOf(now.Missed)
	return slices.DeleteFunc(ids, func(id document.ID) bool { return missed[id] }), nil
}

func (r *run) listedIDs(ctx context.Context, list string) ([]document.ID, error) {
	ids, _, err := r.listings.Missing(ctx, list, math.MaxInt64, time.Time{}, time.Time{})
	return ids, err
}

func (now *reading) addMissed(f Feed, p Page) {
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

func (r *run) markLost(id string, lost bool) {
	since := int64(0)
	if lost {
		since = cmp.Or(r.scope(id).Lost, r.at.UnixMicro())
	}
	if r.scope(id).Lost != since {
		r.scope(id).Lost = since
		r.markDirty(scopeKey(id))
	}
}

// withLost sets l.Lost if any scope of the source became invisible less than [Grace] ago. It is for
// lists that span scopes, where the scope of a document is unknown. l.Since becomes the time of the
// newest loss.
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
