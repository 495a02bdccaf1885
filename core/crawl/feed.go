package crawl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/document"
)

const (
	// maxRestarts is the maximum number of restarts of a list that changes while it is read.
	maxRestarts = 3
	// maxPages is the maximum number of pages of a feed. maxCursor is the maximum length of a
	// cursor in bytes. maxFrames is the maximum number of feeds that were found on pages and not
	// yet read.
	maxPages  = 10_000
	maxCursor = 16 << 10
	maxFrames = 10_000
)

// errEndless marks a list whose cursors form a cycle or never end.
var errEndless = errors.New("the list leads back to a page that was read, or does not end")

// cursors is the set of cursors that a feed has returned, as hashes.
type cursors map[[sha256.Size]byte]bool

// check adds a cursor to the set. It returns errEndless if the cursor was there before or is too
// long, or if the feed has too many pages.
func (c cursors) check(f Feed, cursor string, pages int) error {
	if cursor == "" {
		return nil
	}
	key := sha256.Sum256([]byte(f.ID + "\x00" + cursor))
	if c[key] || pages >= maxPages || len(cursor) > maxCursor {
		return errEndless
	}
	c[key] = true
	return nil
}

// unseen returns the feeds in found that no earlier page returned, and adds them to the set.
func (c cursors) unseen(found []Feed) []Feed {
	return slices.DeleteFunc(found, func(f Feed) bool {
		key := sha256.Sum256([]byte(f.ID + "\x00"))
		was := c[key]
		c[key] = true
		return was
	})
}

func (r *run) readFeed(ctx context.Context, f Feed) error {
	was := r.feed(f.ID)
	once := len(f.Only) > 0
	if once { // does not affect a reading in progress
		was = &feedState{Mark: was.Mark}
	}
	if was.Reading == nil {
		if page, err := r.beginFeed(ctx, f, was); errors.Is(err, ErrRefused) {
			return r.refuse(f, was, page)
		} else if err != nil {
			return err
		}
	}
	now, seen := was.Reading, make(cursors)
	for {
		if more, err := r.hasMore(ctx, f, now); err != nil {
			return err
		} else if !more {
			break
		}
		top := &now.Stack[len(now.Stack)-1]
		of := f
		if top.Feed != nil {
			of = *top.Feed
		}
		page, err := r.fetch(ctx, of, Place{Cursor: top.Cursor, Mark: was.Mark, Loose: now.Loose, First: r.list(f.list()).Full == 0})
		switch {
		case errors.Is(err, ErrRescan):
			return r.rescan(ctx, f, was)
		case errors.Is(err, ErrRefused):
			return r.refuse(f, was, page)
		case errors.Is(err, ErrCursor):
			page = Page{}
		case err != nil:
			return err
		}
		now.Pages++
		if err == nil {
			err = seen.check(of, page.Next, now.Pages)
		}
		page.More = seen.unseen(page.More)
		if err == nil && len(now.Stack)+len(page.More) > maxFrames {
			err = errEndless
		}
		if page.Partial != nil {
			r.markPartial(of, now, page.Partial)
		}
		if page.Mark != "" {
			now.Mark = page.Mark
		}
		asked := top.Feed != nil && len(of.Only) > 0 && err == nil
		if asked {
			now.addMissed(of, page)
		}
		if !page.From.IsZero() {
			now.From, now.To = page.From, page.To
		}
		if page.Count > 0 && (now.Count == 0 || page.Count < now.Count) {
			now.Count = page.Count
		}
		now.Exact, now.Hidden = now.Exact || page.Exact, now.Hidden || page.Hidden
		if page.Stale {
			r.list(f.list()).Again = true
			r.markDirty(listKey(f.list()))
		}
		switch {
		case err == nil:
			now.advance(of, page)
		case now.Again < maxRestarts:
			*now = reading{Began: now.Began, Pass: now.Pass, Log: now.Log, Again: now.Again + 1, Stack: []frame{{}}}
			seen, r.pendingOnly = make(cursors), nil
		case !now.Loose && errors.Is(err, ErrCursor):
			now.Loose = true
			r.markPartial(of, now, err)
		default:
			now.Stack, now.Broken = nil, errors.Is(err, ErrCursor)
			r.pendingOnly = nil
			r.markPartial(of, now, err)
		}
		if !once {
			r.markDirty(feedKey(f.ID))
		}
		err = r.applyPage(ctx, of, now, page)
		if err == nil && asked {
			r.unlist(named+of.list(), of.Only)
		}
		if err == nil { // else the next run reads the page again
			r.noteChanges()
		}
		if page.Close != nil {
			if err == nil {
				err = r.flush(ctx)
			}
			page.Close()
		}
		if err != nil {
			return err
		}
	}
	if once {
		return nil
	}
	return r.finishFeed(ctx, f, was)
}

// markPartial marks the reading of a feed as incomplete. It adds a notice for the operator only the
// first time.
func (r *run) markPartial(f Feed, now *reading, why error) {
	if !now.Partial {
		r.notices = append(r.notices, Incomplete(r.nameOf(f), why))
	}
	now.Partial = true
}

// beginFeed begins to read a feed. A scan gets a new pass number, which is stored at once so that
// no other pass uses it. After an error, the returned page has notices for the operator.
func (r *run) beginFeed(ctx context.Context, f Feed, was *feedState) (Page, error) {
	now := &reading{Began: r.at.UnixMicro(), Stack: []frame{{}}}
	r.pendingOnly = nil
	if f.After != "" && len(f.Only) == 0 { // later changes are in the log
		log, err := r.vendor.Page(ctx, r.feedOf(f.After), Place{})
		if err != nil {
			return log, err
		}
		if now.Log = log.Mark; now.Log == "" {
			r.markPartial(f, now, cmp.Or(log.Partial, errNoMark))
		}
	}
	list := r.list(f.list())
	switch {
	case len(f.Only) > 0:
		now.Pass = list.Pass
	case f.Mode == Scan || f.Mode == Window:
		list.Pass = max(list.Pass+1, now.Began)
		list.Name, list.Scope = r.nameOf(f), f.Scope
		if f.Mode == Scan && f.ID == f.list() { // later requests need another scan
			list.Again = false
		}
		now.Pass = list.Pass
		r.markDirty(listKey(f.list()))
	default:
		now.Pass = list.Pass
	}
	was.Reading = now
	if len(f.Only) > 0 || f.Mode != Scan && f.Mode != Window {
		return Page{}, nil
	}
	// Store the pass number at once, so that no other pass uses it.
	r.markDirty(feedKey(f.ID))
	r.noteChanges()
	return Page{}, r.listings.Note(ctx, map[string][]byte{listKey(f.list()): r.encode(listKey(f.list())), feedKey(f.ID): r.encode(feedKey(f.ID))})
}

var errNoMark = errors.New("its log of changes names no place to go on from")

func (r *run) feedOf(feed string) Feed {
	if i := slices.IndexFunc(r.feeds, func(f Feed) bool { return f.ID == feed }); i >= 0 {
		return r.feeds[i]
	}
	return Feed{ID: feed, Mode: Log}
}

func (now *reading) advance(of Feed, page Page) {
	last := len(now.Stack) - 1
	if page.Next == "" {
		now.Stack = now.Stack[:last]
	} else {
		now.Stack[last].Cursor = page.Next
	}
	for _, more := range page.More {
		if more.Mode == "" {
			more.Mode = of.Mode
		}
		if more.List == "" {
			more.List = of.list()
		}
		if more.Scope == "" {
			more.Scope = of.Scope
		}
		now.Stack = append(now.Stack, frame{Feed: &more})
	}
}

func (r *run) refuse(f Feed, was *feedState, p Page) error {
	r.notices, r.skipped = append(r.notices, p.Notices...), append(r.skipped, p.Skipped...)
	r.refused[f.list()] = true
	if was.Reading != nil && len(f.Only) == 0 {
		r.list(f.list()).Again = true
		r.markDirty(listKey(f.list()))
	}
	was.Reading = nil
	r.markDirty(feedKey(f.ID))
	r.noteChanges()
	return nil
}

// rescan makes a feed start again after it could not continue. It deletes the feed's progress and
// mark, and makes the main scans of the feed's scope due. If the feed is a scan, but not the main
// scan of its list, that main scan runs at once.
func (r *run) rescan(ctx context.Context, f Feed, was *feedState) error {
	was.Reading, was.Mark = nil, ""
	r.markDirty(feedKey(f.ID))
	r.scanAgain(f.Scope)
	r.noteChanges()
	if main, ok := r.mains[f.list()]; ok && f.Mode == Scan && main.ID != f.ID {
		return r.readFeed(ctx, main) // in the order of the vendor
	}
	return nil
}

// scanAgain marks the main scans of a scope as due. An empty scope means all scopes.
func (r *run) scanAgain(scope string) {
	for id, main := range r.mains {
		if main.Mode == Scan && (scope == "" || main.Scope == scope) {
			r.list(id).Again = true
			r.markDirty(listKey(id))
		}
	}
}

type firstPage struct {
	page Page
	err  error
}

const maxAhead = 64

// fetch returns a page of a feed. When it needs the first page of a [Log] feed, it fetches those of
// several logs at once, because most of them are empty.
func (r *run) fetch(ctx context.Context, f Feed, at Place) (Page, error) {
	if f.Mode != Log || at.Cursor != "" || len(f.Only) > 0 {
		return r.vendor.Page(ctx, f, at)
	}
	if _, fetched := r.logs[f.ID]; !fetched {
		r.fetchLogs(ctx, f)
	}
	first, fetched := r.logs[f.ID]
	if !fetched {
		return r.vendor.Page(ctx, f, at)
	}
	delete(r.logs, f.ID)
	return first.page, first.err
}

// fetchLogs fetches the first page of the log from, and those of due logs after it. It fetches at
// most maxAhead pages, concurrently, and puts them into r.logs.
func (r *run) fetchLogs(ctx context.Context, from Feed) {
	at := slices.IndexFunc(r.feeds, func(f Feed) bool { return f.ID == from.ID })
	if at < 0 {
		return
	}
	var due []Feed
	for i := at; i < len(r.feeds) && len(due) < maxAhead; i++ {
		f := r.feeds[i]
		_, fetched := r.logs[f.ID]
		if f.Mode == Log && !fetched && (i == at || r.feed(f.ID).Reading == nil && r.isDue(f)) {
			due = append(due, f)
		}
	}
	got := make([]firstPage, len(due))
	var all sync.WaitGroup
	for i, f := range due {
		place := Place{Mark: r.feed(f.ID).Mark}
		all.Go(func() { got[i].page, got[i].err = r.vendor.Page(ctx, f, place) })
	}
	all.Wait()
	for i, f := range due {
		r.logs[f.ID] = got[i]
	}
}

// maxOnly is the maximum number of documents in [Feed].Only unless Feed.Most sets another.
const maxOnly = 100

func (r *run) retryFailed(ctx context.Context) error {
	lists := make(map[string][]document.ID)
	for id, f := range r.head.Failed {
		if _, main := r.mains[f.List]; !main {
			delete(r.head.Failed, id)
			continue
		}
		r.markDirty(headKey)
		if f.Times++; f.Times > maxAttempts {
			delete(r.head.Failed, id)
			continue
		}
		r.head.Failed[id] = f // kept even if the page does not list it
		lists[f.List] = append(lists[f.List], cmp.Or(f.Of, id))
	}
	for _, f := range r.feeds {
		ids := lists[f.ID]
		slices.Sort(ids)
		for some := range slices.Chunk(slices.Compact(ids), cmp.Or(f.Most, maxOnly)) {
			f.Only = some
			if err := r.readFeed(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}
