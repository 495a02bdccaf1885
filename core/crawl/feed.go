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
	// mostRestarts is how often a list that changes while it is read is started again.
	mostRestarts = 3
	// mostPages is how many pages of a feed are read, mostPlace how many bytes a cursor has, and
	// mostFrames how many feeds wait that were found on the way.
	mostPages  = 10_000
	mostPlace  = 16 << 10
	mostFrames = 10_000
)

// errEndless marks a list that does not end.
var errEndless = errors.New("the list leads back to a page that was read, or does not end")

// cursors are those of a feed that were seen.
type cursors map[[sha256.Size]byte]bool

// check returns an error for a cursor that leads to no new page.
func (c cursors) check(f Feed, cursor string, pages int) error {
	if cursor == "" {
		return nil
	}
	key := sha256.Sum256([]byte(f.ID + "\x00" + cursor))
	if c[key] || pages >= mostPages || len(cursor) > mostPlace {
		return errEndless
	}
	c[key] = true
	return nil
}

// more returns those of the feeds found on a page that were not found before.
func (c cursors) more(found []Feed) []Feed {
	return slices.DeleteFunc(found, func(f Feed) bool {
		key := sha256.Sum256([]byte(f.ID + "\x00"))
		was := c[key]
		c[key] = true
		return was
	})
}

// readFeed reads a feed to its end, from where an earlier run has left it.
func (r *run) readFeed(ctx context.Context, f Feed) error {
	was := r.feed(f.ID)
	once := len(f.Only) > 0
	if once { // a reading that is under way stays as it is
		was = &feedState{Mark: was.Mark}
	}
	if was.Reading == nil {
		if page, err := r.begin(ctx, f, was); errors.Is(err, ErrRefused) {
			return r.refuse(f, was, page)
		} else if err != nil {
			return err
		}
	}
	now, seen := was.Reading, make(cursors)
	for {
		if more, err := r.further(ctx, f, now); err != nil {
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
		page.More = seen.more(page.More)
		if err == nil && len(now.Stack)+len(page.More) > mostFrames {
			err = errEndless
		}
		if page.Partial != nil {
			r.partial(of, now, page.Partial)
		}
		if page.Mark != "" {
			now.Mark = page.Mark
		}
		asked := top.Feed != nil && len(of.Only) > 0 && err == nil
		if asked {
			now.miss(of, page)
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
			r.change(listKey(f.list()))
		}
		switch {
		case err == nil:
			now.advance(of, page)
		case now.Again < mostRestarts:
			*now = reading{Began: now.Began, Pass: now.Pass, Log: now.Log, Again: now.Again + 1, Stack: []frame{{}}}
			seen, r.asking = make(cursors), nil
		case !now.Loose && errors.Is(err, ErrCursor):
			now.Loose = true
			r.partial(of, now, err)
		default:
			now.Stack, now.Broken = nil, errors.Is(err, ErrCursor)
			r.asking = nil
			r.partial(of, now, err)
		}
		if !once {
			r.change(feedKey(f.ID))
		}
		err = r.take(ctx, of, now, page)
		if err == nil && asked {
			r.unlist(named+of.list(), of.Only)
		}
		if err == nil { // else the next run reads the page again
			r.note()
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
	return r.ended(ctx, f, was)
}

// partial notes that a feed leaves something out.
func (r *run) partial(f Feed, now *reading, why error) {
	if !now.Partial {
		r.notices = append(r.notices, Incomplete(r.nameOf(f), why))
	}
	now.Partial = true
}

// begin starts to read a feed. With an error comes the page that says more about it.
func (r *run) begin(ctx context.Context, f Feed, was *feedState) (Page, error) {
	now := &reading{Began: r.at.UnixMicro(), Stack: []frame{{}}}
	r.asking = nil
	if f.After != "" && len(f.Only) == 0 { // what changes from now on is in the log
		log, err := r.vendor.Page(ctx, r.feedOf(f.After), Place{})
		if err != nil {
			return log, err
		}
		if now.Log = log.Mark; now.Log == "" {
			r.partial(f, now, cmp.Or(log.Partial, errNoMark))
		}
	}
	list := r.list(f.list())
	switch {
	case len(f.Only) > 0:
		now.Pass = list.Pass
	case f.Mode == Scan || f.Mode == Window:
		list.Pass = max(list.Pass+1, now.Began)
		list.Name, list.Scope = r.nameOf(f), f.Scope
		if f.Mode == Scan && f.ID == f.list() { // what is said from now on asks for another scan
			list.Again = false
		}
		now.Pass = list.Pass
		r.change(listKey(f.list()))
	default:
		now.Pass = list.Pass
	}
	was.Reading = now
	if len(f.Only) > 0 || f.Mode != Scan && f.Mode != Window {
		return Page{}, nil
	}
	// The number is stored at once: what this pass meets must not count for another one.
	r.change(feedKey(f.ID))
	r.note()
	return Page{}, r.listings.Note(ctx, map[string][]byte{listKey(f.list()): r.encode(listKey(f.list())), feedKey(f.ID): r.encode(feedKey(f.ID))})
}

// errNoMark marks a log that cannot be read from now on.
var errNoMark = errors.New("its log of changes names no place to go on from")

func (r *run) feedOf(feed string) Feed {
	if i := slices.IndexFunc(r.feeds, func(f Feed) bool { return f.ID == feed }); i >= 0 {
		return r.feeds[i]
	}
	return Feed{ID: feed, Mode: Log}
}

// advance moves to the page after one of the feed on top.
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

// refuse ends the reading of a feed whose scope is not shown. It stays due.
func (r *run) refuse(f Feed, was *feedState, p Page) error {
	r.notices, r.skipped = append(r.notices, p.Notices...), append(r.skipped, p.Skipped...)
	r.refused[f.list()] = true
	if was.Reading != nil && len(f.Only) == 0 {
		r.list(f.list()).Again = true
		r.change(listKey(f.list()))
	}
	was.Reading = nil
	r.change(feedKey(f.ID))
	r.note()
	return nil
}

// rescan has the lists of a feed scanned, since it cannot go on.
func (r *run) rescan(ctx context.Context, f Feed, was *feedState) error {
	was.Reading, was.Mark = nil, ""
	r.change(feedKey(f.ID))
	r.scanAgain(f.Scope)
	r.note()
	if main, ok := r.mains[f.list()]; ok && f.Mode == Scan && main.ID != f.ID {
		return r.readFeed(ctx, main) // in the order of the vendor
	}
	return nil
}

// scanAgain has the lists of a scope scanned, or of all scopes.
func (r *run) scanAgain(scope string) {
	for id, main := range r.mains {
		if main.Mode == Scan && (scope == "" || main.Scope == scope) {
			r.list(id).Again = true
			r.change(listKey(id))
		}
	}
}

// ahead is the first page of a log that was fetched together with those of other logs.
type ahead struct {
	page Page
	err  error
}

// mostAhead is how many logs are asked side by side.
const mostAhead = 64

// fetch returns a page of a feed. First pages of logs are fetched together: in most of them there
// is nothing new, and an answer takes longer than what is done with it.
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

// fetchLogs fetches the first page of each log that is due, from a feed on.
func (r *run) fetchLogs(ctx context.Context, from Feed) {
	at := slices.IndexFunc(r.feeds, func(f Feed) bool { return f.ID == from.ID })
	if at < 0 {
		return
	}
	var due []Feed
	for i := at; i < len(r.feeds) && len(due) < mostAhead; i++ {
		f := r.feeds[i]
		_, fetched := r.logs[f.ID]
		if f.Mode == Log && !fetched && (i == at || r.feed(f.ID).Reading == nil && r.isDue(f)) {
			due = append(due, f)
		}
	}
	got := make([]ahead, len(due))
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

// mostOnly is how many documents a page is asked for with Feed.Only, unless Feed.Most says
// otherwise.
const mostOnly = 100

// retry asks again for documents that could not be loaded.
func (r *run) retry(ctx context.Context) error {
	lists := make(map[string][]document.ID)
	for id, f := range r.head.Failed {
		if _, main := r.mains[f.List]; !main {
			delete(r.head.Failed, id)
			continue
		}
		r.change(headKey)
		if f.Times++; f.Times > mostTimes {
			delete(r.head.Failed, id)
			continue
		}
		r.head.Failed[id] = f // also where the page does not list it
		lists[f.List] = append(lists[f.List], cmp.Or(f.Of, id))
	}
	for _, f := range r.feeds {
		ids := lists[f.ID]
		slices.Sort(ids)
		for some := range slices.Chunk(slices.Compact(ids), cmp.Or(f.Most, mostOnly)) {
			f.Only = some
			if err := r.readFeed(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}
