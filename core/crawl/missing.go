package crawl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func (r *run) finishFeed(ctx context.Context, f Feed, was *feedState) error {
	now, id := was.Reading, f.list()
	list := r.list(id)
	whole := f.Mode == Scan || f.Mode == Window
	if whole && !now.Partial && list.Pass == now.Pass {
		if len(r.pending.then) > 0 { // pending changes of the list
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
		missing, held, err := r.listings.Missing(ctx, id, now.Pass, now.From, now.To)
		if err != nil {
			return err
		}
		l := List{Name: r.nameOf(f), Stored: held, Lost: now.Hidden, Since: fromMicro(list.Since)}
		if now.Exact {
			l.Since = r.at.Add(-Grace)
		}
		if f.Scope == "" {
			l = r.withLost(l)
		}
		if met := held - len(missing); met < now.Count {
			was.Short++
			r.markPartial(f, now, fmt.Errorf("%d of %d documents are listed", met, now.Count))
		} else if err := r.vanish(ctx, l, id, missing); err != nil {
			return err
		} else {
			was.Short = 0
		}
	}
	was.Reading, was.Done, was.Partial = nil, now.Began, now.Partial
	if now.Mark != "" && !now.Partial {
		if was.Mark == "" {
			r.scanAgain(f.Scope) // changes since the last scans are unknown
		}
		was.Mark = now.Mark
	}
	r.markDirty(feedKey(f.ID))
	if now.Log != "" {
		log := r.feed(f.After)
		log.Mark, log.Reading = now.Log, nil
		r.markDirty(feedKey(f.After))
	}
	if whole {
		list.Done = now.Began
		r.markDirty(listKey(id))
	}
	if f.Mode == Scan && f.ID == id {
		delete(r.refused, id) // single documents were refused, not the list
		list.Again, r.head.Strays = list.Again || now.Broken, true
		if !now.Partial {
			list.Full = now.Began
		}
		r.markDirty(headKey)
	}
	r.noteChanges()
	return nil
}

func fromMicro(t int64) time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMicro(t)
}

func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// vanish hides or removes the documents that are missing from a list, or keeps them, as [Vanish]
// decides. id is the id of the list.
func (r *run) vanish(ctx context.Context, l List, id string, missing []document.ID) error {
	missing, err := r.onlyIn(ctx, id, missing)
	if err != nil {
		return err
	}
	var before []document.ID
	if !l.Since.IsZero() {
		if before, err = r.listedIDs(ctx, hidden+id); err != nil {
			return err
		}
		if before, err = r.onlyIn(ctx, id, before); err != nil {
			return err
		}
	}
	l.Stored, l.Missing = l.Stored+len(before), len(missing)+len(before)
	ruling := Vanish(l, r.at)
	if since := micro(ruling.Since); r.list(id).Since != since {
		r.list(id).Since = since
		r.markDirty(listKey(id))
	}
	switch {
	case ruling.Fate == Hide && len(missing) > 0:
		// Add the documents to the list of hidden documents before they leave this list, and store
		// Since first. Without Since, documents that return would stay hidden, and every scan of
		// ids would request them again.
		if err = r.listings.Note(ctx, map[string][]byte{listKey(id): r.encode(listKey(id))}); err != nil {
			return err
		}
		err = r.listings.List(ctx, hidden+id, r.at.UnixMicro(), listedOf(missing))
	case ruling.Fate == Remove:
		missing = append(missing, before...)
	}
	if err != nil {
		return err
	}
	if notice := ruling.Shrunk(l, "give the account back its right to see them"); ruling.Fate == Hide && l.Missing > 0 {
		if l.Lost { // the nodes report it too
			r.skipped = append(r.skipped, notice)
		} else {
			r.notices = append(r.notices, notice)
		}
	}
	if ruling.Fate == Keep || len(missing) == 0 {
		return nil
	}
	of := make(map[document.ID]bool, len(missing))
	for _, id := range missing {
		of[id] = true
	}
	if err := r.send(ctx, index.Batch{Review: func(id document.ID) index.Verdict {
		if of[id] || of[wholeOf(id)] {
			return ruling.Fate.Verdict()
		}
		return index.Verdict{}
	}}); err != nil {
		return err
	}
	if ruling.Fate == Hide {
		r.unlist(id, missing)
	} else if err := r.unlistRemoved(ctx, missing); err != nil {
		return err
	}
	r.noteChanges()
	return nil
}

func listedOf(ids []document.ID) []index.Listed {
	all := make([]index.Listed, len(ids))
	for i, id := range ids {
		all[i].ID = id
	}
	return all
}

// onlyIn returns the documents among ids that are in no other list of the source. It removes the
// rest of ids from the given list.
func (r *run) onlyIn(ctx context.Context, list string, ids []document.ID) ([]document.ID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, err := r.listings.Lists(ctx, ids)
	if err != nil {
		return nil, err
	}
	var alone, moved []document.ID
	for _, id := range ids {
		if inOtherList(in[id], list) {
			moved = append(moved, id)
		} else {
			alone = append(alone, id)
		}
	}
	r.unlist(list, moved)
	r.unlist(hidden+list, moved)
	return alone, nil
}

// removeDeparted removes documents that left their list (Page.Left) and are in no other list.
func (r *run) removeDeparted(ctx context.Context) error {
	if len(r.head.Left) == 0 {
		return nil
	}
	// afterwards listed documents are stored, and documents that left are unlisted
	if err := r.flush(ctx); err != nil {
		return err
	}
	left := slices.Sorted(maps.Keys(r.head.Left))
	clear(r.head.Left)
	r.markDirty(headKey)
	left, err := r.onlyIn(ctx, "", left)
	if err != nil || len(left) == 0 {
		return err
	}
	if err := r.send(ctx, index.Batch{Deleted: left}); err != nil {
		return err
	}
	return r.unlistRemoved(ctx, left)
}

// removeLists hides the documents of lists that are no longer read, and removes them after [Grace].
// These are lists that no feed names, and lists whose scope the vendor refuses ([ErrRefused]). If
// the settings switch off a list or its scope, its documents are removed at once.
func (r *run) removeLists(ctx context.Context) error {
	named := map[string]bool{"": true}
	for _, f := range r.feeds {
		named[f.list()] = true
	}
	for _, id := range slices.Sorted(maps.Keys(r.lists)) {
		list := r.list(id)
		lost := List{Name: list.Name, Lost: true, Since: fromMicro(list.Lost)}
		if named[id] && !r.refused[id] {
			if list.Lost != 0 {
				list.Lost = 0
				r.markDirty(listKey(id))
			}
			continue
		}
		_, listed := r.byID[list.Scope]
		if !named[id] && r.isOff(list.Scope, id, listed) {
			lost.Since = r.at.Add(-Grace)
		}
		ruling := Vanish(lost, r.at)
		if since := micro(ruling.Since); ruling.Fate != Remove {
			if list.Lost != since {
				list.Lost = since
				r.markDirty(listKey(id))
			}
			if named[id] || !listed { // its nodes hide the documents
				continue
			}
		}
		ids, err := r.listedIDs(ctx, id)
		if err != nil {
			return err
		}
		if err := r.vanish(ctx, lost, id, ids); err != nil {
			return err
		}
		switch {
		case ruling.Fate != Remove:
		case named[id]: // it stays lost until it is visible again
			if list.Pass != 0 || list.Full != 0 {
				list.Pass, list.Full = 0, 0
				r.markDirty(listKey(id))
			}
		default:
			r.forgetList(id)
		}
	}
	return nil
}

// isOff reports whether the settings exclude a scope, or whether a list of the scope is switched
// off. listed says that Vendor.Scopes returned the scope.
func (r *run) isOff(scope, list string, listed bool) bool {
	if x, ok := r.vendor.(Switcher); ok && listed {
		return x.Off(scope, list)
	}
	x, ok := r.vendor.(Excluder)
	return ok && scope != "" && !listed && x.Excluded(scope)
}

// forgetList deletes the stored state of a list. It also deletes the state of all feeds and scopes
// that no longer exist.
func (r *run) forgetList(id string) {
	delete(r.lists, id)
	r.markDirty(listKey(id))
	for feed := range r.reads {
		if !slices.ContainsFunc(r.feeds, func(f Feed) bool { return f.ID == feed }) {
			delete(r.reads, feed)
			r.markDirty(feedKey(feed))
		}
	}
	for scope := range r.known {
		if !slices.ContainsFunc(r.scopes, func(s Scope) bool { return s.ID == scope }) {
			delete(r.known, scope)
			r.markDirty(scopeKey(scope))
		}
	}
}

// removeStrays removes stored documents that are in no list, once every list was scanned.
func (r *run) removeStrays(ctx context.Context) error {
	if !r.head.Strays {
		return nil
	}
	for id, main := range r.mains {
		list := r.list(id)
		removed := list.Lost != 0 && r.at.Sub(fromMicro(list.Lost)) >= Grace
		if main.Mode == Scan && list.Full == 0 && !removed {
			return nil
		}
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	r.head.Strays = false
	r.markDirty(headKey)
	strays, err := r.listings.Strays(ctx)
	if err != nil {
		return err
	}
	wholes := make([]document.ID, len(strays))
	for i, id := range strays {
		wholes[i] = wholeOf(id)
	}
	in, err := r.listings.Lists(ctx, wholes)
	if err != nil {
		return err
	}
	strays = slices.DeleteFunc(strays, func(id document.ID) bool { return len(in[wholeOf(id)]) > 0 })
	if len(strays) == 0 && r.list("").Since == 0 {
		return nil
	}
	l := List{Name: r.Source().Name, Stored: len(strays), Since: fromMicro(r.list("").Since)}
	for id := range r.lists {
		_, held, err := r.listings.Missing(ctx, id, 0, time.Time{}, time.Time{})
		if err != nil {
			return err
		}
		l.Stored += held
	}
	return r.vanish(ctx, r.withLost(l), "", strays)
}
