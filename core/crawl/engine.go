package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Options of an Engine. Zero fields get their defaults.
type Options struct {
	Now func() time.Time // time.Now
}

// Engine reads the documents of a source.
type Engine struct {
	vendor Vendor
	now    func() time.Time
	hints  index.Hints
}

var _ index.Resumer = (*Engine)(nil)

// New returns an engine over a vendor.
func New(v Vendor, o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Engine{vendor: v, now: o.Now}
}

// Listen makes runs follow hints about the source, if the vendor is a Hinter.
func (e *Engine) Listen(hints index.Hints) { e.hints = hints }

// Source implements index.Connector.
func (e *Engine) Source() document.Source { return e.vendor.Source() }

// Settings implements index.Connector.
func (e *Engine) Settings() string { return e.vendor.Rules() }

// restart stands before the checkpoint of a run that must not resume the one before.
const restart = "restart:"

// checkpoint is stored for a source that has none. What the engine knows is in index.Listings. A
// checkpoint of another binary is stored again as it is. An empty one means that everything is to
// be read from the beginning.
const checkpoint = `{"crawl":1}`

// Restart implements index.Resumer.
func (e *Engine) Restart(since index.Checkpoint) index.Checkpoint {
	return append(index.Checkpoint(restart), since...)
}

// errStopped says that no further batch is wanted.
var errStopped = errors.New("no further batch is wanted")

// Sync implements index.Connector. ctx has to carry the index.Listings of the source.
func (e *Engine) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		stopped := false
		r := &run{Engine: e, at: e.now(), sent: make(map[document.ID]time.Time), emit: func(b index.Batch) error {
			if stopped = stopped || !yield(b, nil); stopped {
				return errStopped
			}
			return nil
		}}
		err := r.open(ctx, since)
		if err == nil {
			err = r.read(ctx)
		}
		if err == nil || stopped {
			return
		}
		// Pages that brought nothing new were handed on with no batch. They are noted now: under a
		// limit the next run would come no further otherwise.
		if r.state != nil && ctx.Err() == nil && len(r.due.notes)+len(r.due.then) > 0 {
			if failed := r.send(ctx, index.Batch{}); stopped {
				return
			} else if failed != nil {
				err = errors.Join(err, failed)
			}
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		yield(index.Batch{}, err)
	}
}

// run is one Sync.
type run struct {
	*Engine
	*state
	at      time.Time
	resumed bool
	next    index.Checkpoint
	emit    func(index.Batch) error
	due     stored // what to store once the next batch was taken
	notices []index.Notice
	skipped []index.Notice
	asking  []document.ID             // what the main scan that is read asks for next (Feed.Confirm)
	left    []index.Notice            // parts of documents that are left out; guarded by loading
	sent    map[document.ID]time.Time // no version of a document is yielded twice
	scopes  []Scope
	byID    map[string]Scope
	total   int // Scope.Size of all
	feeds   []Feed
	mains   map[string]Feed // main scans by list
	scans   map[string]Feed // scans by the log whose mark they fetch
	logs    map[string]ahead
	refused map[string]bool // lists whose scope is not shown (ErrRefused)
}

// stored is what is stored once the documents before it are.
type stored struct {
	notes   map[string][]byte
	then    []func(context.Context) error
	leaving map[document.ID]bool // documents that are taken out of a list then
}

// open loads what is known of the source.
func (r *run) open(ctx context.Context, since index.Checkpoint) (err error) {
	from, again := strings.CutPrefix(string(since), restart)
	if r.state, err = load(ctx); err != nil {
		return err
	}
	r.next = index.Checkpoint(from)
	if from == "" {
		r.next = index.Checkpoint(checkpoint)
		r.beginAgain()
	}
	if again {
		r.abandon()
	}
	if rules := r.vendor.Rules(); r.head.Rules != rules {
		r.abandon()
		for list := range r.lists {
			r.list(list).Again = true
			r.change(listKey(list))
		}
		r.head.Rules = rules
	}
	r.resumed, r.head.Open = r.head.Open, true
	r.change(headKey)
	return nil
}

// send hands on a batch, and stores what was due before it.
func (r *run) send(ctx context.Context, b index.Batch) error {
	r.loading.Lock()
	r.skipped, r.left = append(r.skipped, r.left...), nil
	r.loading.Unlock()
	b.Next, b.Resumed = r.next, r.resumed
	if r.total > 0 { // some sorts of documents may not be counted
		b.Total = max(r.total, len(r.sent))
	}
	b.Failures, b.Skipped = append(r.notices, b.Failures...), append(r.skipped, b.Skipped...)
	due := r.due
	r.notices, r.skipped, r.due = nil, nil, stored{}
	if err := r.emit(b); err != nil {
		return err
	}
	// What went before b is stored now (index.Connector), and so is what is known of it, even if the
	// run was stopped meanwhile: otherwise short runs would never come further.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storing)
	defer cancel()
	for _, then := range due.then {
		if err := then(ctx); err != nil {
			return err
		}
	}
	if len(due.notes) == 0 {
		return nil
	}
	return r.listings.Note(ctx, due.notes)
}

// storing bounds the time for storing what is known.
const storing = 10 * time.Second

// later does something once all that was sent so far is stored.
func (r *run) later(do func(context.Context) error) { r.due.then = append(r.due.then, do) }

// unlist takes documents out of a list once all that was sent so far is stored.
func (r *run) unlist(list string, ids []document.ID) {
	if len(ids) == 0 {
		return
	}
	r.later(func(ctx context.Context) error { return r.listings.Unlist(ctx, list, ids) })
	if r.due.leaving == nil {
		r.due.leaving = make(map[document.ID]bool)
	}
	for _, id := range ids {
		r.due.leaving[id] = true
	}
}

// note has the notes that changed stored once all that was sent so far is.
func (r *run) note() { r.due.notes = r.changed(r.due.notes) }

// flush waits until all that was sent is stored.
func (r *run) flush(ctx context.Context) error {
	r.note()
	return r.send(ctx, index.Batch{})
}

// read reads the source once.
func (r *run) read(ctx context.Context) (err error) {
	if r.scopes, err = r.vendor.Scopes(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(r.scopes, func(a, b Scope) int { return b.Newest.Compare(a.Newest) })
	r.byID = make(map[string]Scope, len(r.scopes))
	for i := range r.scopes {
		r.scopes[i].Note = r.scope(r.scopes[i].ID).Note
		r.byID[r.scopes[i].ID] = r.scopes[i]
		r.total += r.scopes[i].Size
	}
	r.feeds = r.vendor.Feeds(r.scopes)
	if err := r.know(); err != nil {
		return err
	}
	if err := r.retry(ctx); err != nil {
		return err
	}
	if err := r.follow(ctx); err != nil {
		return err
	}
	for _, f := range r.feeds {
		if f.Mode != Scan && r.isDue(f) {
			if err := r.readFeed(ctx, f); err != nil {
				return err
			}
		}
	}
	for _, f := range r.feeds {
		if f.Mode == Scan && r.isDue(f) {
			if err := r.readFeed(ctx, f); err != nil {
				return err
			}
		}
	}
	return r.finish(ctx)
}

// know takes note of the lists that feeds name.
func (r *run) know() error {
	r.mains, r.scans, r.logs, r.refused = make(map[string]Feed), make(map[string]Feed), make(map[string]ahead), make(map[string]bool)
	ids := make(map[string]bool)
	for _, f := range r.feeds {
		if ids[f.ID] {
			return fmt.Errorf("two feeds of %s are called %q", r.Source().Name, f.ID)
		}
		ids[f.ID] = true
		if f.After != "" {
			r.scans[f.After] = f
		}
		if f.ID == f.list() {
			r.mains[f.ID] = f
			if l := r.lists[f.ID]; l != nil && l.Lost != 0 && l.Since != 0 { // its documents are hidden
				l.Again = true
				r.change(listKey(f.ID))
			}
		}
	}
	for _, f := range r.feeds {
		if _, main := r.mains[f.list()]; !main && f.List != "" {
			return fmt.Errorf("the feed %q of %s names the list %q, which has no main scan", f.ID, r.Source().Name, f.List)
		}
	}
	return nil
}

// scopeOf returns the scope of a feed.
func (r *run) scopeOf(f Feed) Scope {
	return r.byID[f.Scope]
}

// nameOf is what an operator calls a feed.
func (r *run) nameOf(f Feed) string {
	if name := r.scopeOf(f).Name; name != "" {
		return name
	}
	return r.Source().Name
}

// isDue reports whether a feed is read by this run.
func (r *run) isDue(f Feed) bool {
	was := r.feed(f.ID)
	if f.Mode != Scan {
		s := r.scopeOf(f)
		scan, scanned := r.scans[f.ID]
		same := s.State != "" && s.State == r.scope(s.ID).State && was.Done != 0 && !was.Partial
		switch {
		case f.Mode == Log && scanned && (was.Mark == "" || r.isDue(scan)):
			return false // the scan fetches the mark, and lists everything
		case was.Reading != nil:
			return true
		}
		return !same && (was.Done == 0 || r.since(was.Done) >= f.Every)
	}
	list := r.list(f.list())
	if main := f.ID == f.list(); main {
		every := f.Every
		if was.Partial {
			retry := cmp.Or(f.Retry, partialAgain)
			if was.Short >= shortAgain {
				retry = max(retry, partialAgain)
			}
			every = min(every, retry)
		}
		return was.Reading != nil || list.Again || was.Done == 0 || r.since(was.Done) >= every
	}
	if was.Reading != nil && was.Reading.Pass != list.Pass { // another scan of the list began later
		was.Reading = nil
		r.change(feedKey(f.ID))
	}
	return was.Reading != nil || r.since(list.Done) >= f.Every
}

// shortAgain is after how many scans in a row that met fewer than their Page.Count the vendor is
// taken to count otherwise. Such a list is read again after partialAgain, whatever Feed.Retry says.
const shortAgain = 3

// partialAgain is after how long a scan is due again that left something out (Feed.Retry).
const partialAgain = time.Hour

// since is for how long something has been done. What was done in the future, by a clock that was
// set back since, was done long ago: otherwise nothing would be due until then.
func (r *run) since(micros int64) time.Duration {
	if ago := r.at.Sub(time.UnixMicro(micros)); ago >= -clockSkew {
		return max(ago, 0)
	}
	return math.MaxInt64
}

// clockSkew is by how much the clocks of two replicas may differ.
const clockSkew = 5 * time.Minute

// follow reads what hints name.
func (r *run) follow(ctx context.Context) error {
	hinter, ok := r.vendor.(Hinter)
	if !ok || r.hints == nil {
		return nil
	}
	heard, err := r.hints.Heard(ctx, r.Source().ID, mostHints)
	if err != nil || len(heard) == 0 {
		return err
	}
	for _, h := range heard {
		for _, f := range hinter.Hint(h.Subject) {
			if err := r.readFeed(ctx, f); err != nil {
				return err
			}
		}
	}
	r.later(func(ctx context.Context) error { return r.hints.Followed(ctx, r.Source().ID, heard) })
	return r.flush(ctx)
}

// mostHints is how many hints one run follows.
const mostHints = 100

// finish removes what has left its list and is in no other, and ends the run.
func (r *run) finish(ctx context.Context) error {
	if err := r.dropLeft(ctx); err != nil {
		return err
	}
	if err := r.dropLists(ctx); err != nil {
		return err
	}
	if err := r.dropStrays(ctx); err != nil {
		return err
	}
	for _, s := range r.scopes {
		if was := r.scope(s.ID); was.State != s.State {
			was.State = s.State
			r.change(scopeKey(s.ID))
		}
	}
	r.head.Open = false
	r.change(headKey)
	return r.flush(ctx)
}
