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

// Options configures an [Engine]. Zero fields get their defaults.
type Options struct {
	Now func() time.Time // time.Now
}

// Engine reads the documents of a source page by page. It implements [index.Connector].
type Engine struct {
	vendor Vendor
	clock  func() time.Time
	hints  index.Hints
}

var _ index.Resumer = (*Engine)(nil)

// New returns an [Engine] that reads the documents of v.
func New(v Vendor, o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Engine{vendor: v, clock: o.Now}
}

// Listen sets the store from which later runs read hints. A hint reports a change, for example from
// a webhook. Hints have no effect unless the vendor is a [Hinter].
func (e *Engine) Listen(hints index.Hints) { e.hints = hints }

// Source implements index.Connector.
func (e *Engine) Source() document.Source { return e.vendor.Source() }

// Settings implements index.Connector.
func (e *Engine) Settings() string { return e.vendor.Rules() }

// restart is the prefix that [Engine.Restart] adds to a checkpoint. The next run then drops the
// progress of unfinished work and begins it again.
const restart = "restart:"

// checkpoint is what the engine stores as the checkpoint of every source that it has read. It has
// no position, because the state of the source is in [index.Listings]. An empty checkpoint makes a
// run read everything again.
const checkpoint = `{"crawl":1}`

// Restart implements [index.Resumer].
func (e *Engine) Restart(since index.Checkpoint) index.Checkpoint {
	return append(index.Checkpoint(restart), since...)
}

var errStopped = errors.New("no further batch is wanted")

// Sync implements [index.Connector]. ctx must carry the [index.Listings] of the source.
func (e *Engine) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		stopped := false
		r := &run{Engine: e, at: e.clock(), sent: make(map[document.ID]time.Time), emit: func(b index.Batch) error {
			if stopped = stopped || !yield(b, nil); stopped {
				return errStopped
			}
			return nil
		}}
		err := r.open(ctx, since)
		if err == nil {
			err = r.readSource(ctx)
		}
		if err == nil || stopped {
			return
		}
		// Pages without changes produced no batch. Store their notes now, otherwise the next run of
		// a rate-limited source would get no further.
		if r.state != nil && ctx.Err() == nil && len(r.pending.notes)+len(r.pending.then) > 0 {
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

type run struct {
	*Engine
	*state
	at      time.Time
	resumed bool
	next    index.Checkpoint
	emit    func(index.Batch) error
	pending pendingStore // state to store after the next batch
	notices []index.Notice
	skipped []index.Notice
	// documents that the engine requests next for the current main scan (Feed.Confirm)
	pendingOnly  []document.ID
	skippedParts []index.Notice // omitted parts of documents; guarded by loading
	// ModifiedAt of each yielded document; no version is yielded twice
	sent    map[document.ID]time.Time
	scopes  []Scope
	byID    map[string]Scope
	total   int // sum of Scope.Size
	feeds   []Feed
	mains   map[string]Feed // main scans by list
	scans   map[string]Feed // scans by the log whose mark they fetch (Feed.After)
	logs    map[string]firstPage
	refused map[string]bool // lists with a refused scope (ErrRefused)
}

// pendingStore holds changes of the state that may be stored only after the batches sent so far.
type pendingStore struct {
	notes   map[string][]byte
	then    []func(context.Context) error
	leaving map[document.ID]bool // documents to be removed from a list
}

// open loads the stored state of the source at the beginning of a run. It drops the progress of
// unfinished work if the run is a restart or the vendor's rules have changed.
func (r *run) open(ctx context.Context, since index.Checkpoint) (err error) {
	from, again := strings.CutPrefix(string(since), restart)
	if r.state, err = load(ctx); err != nil {
		return err
	}
	r.next = index.Checkpoint(from)
	if from == "" {
		r.next = index.Checkpoint(checkpoint)
		r.reset()
	}
	if again {
		r.abandon()
	}
	if rules := r.vendor.Rules(); r.head.Rules != rules {
		r.abandon()
		for list := range r.lists {
			r.list(list).Again = true
			r.markDirty(listKey(list))
		}
		r.head.Rules = rules
	}
	r.resumed, r.head.Open = r.head.Open, true
	r.markDirty(headKey)
	return nil
}

// send passes a batch to the consumer and waits until the consumer asks for the next one. All
// batches before b are stored by then. send therefore stores the state that belongs to them.
func (r *run) send(ctx context.Context, b index.Batch) error {
	r.loading.Lock()
	r.skipped, r.skippedParts = append(r.skipped, r.skippedParts...), nil
	r.loading.Unlock()
	b.Next, b.Resumed = r.next, r.resumed
	if r.total > 0 { // the vendor may not count all kinds of documents
		b.Total = max(r.total, len(r.sent))
	}
	b.Failures, b.Skipped = append(r.notices, b.Failures...), append(r.skipped, b.Skipped...)
	due := r.pending
	r.notices, r.skipped, r.pending = nil, nil, pendingStore{}
	if err := r.emit(b); err != nil {
		return err
	}
	// Everything before b is stored now (index.Connector). Store the state that belongs to it even
	// if the run was cancelled: otherwise short runs would never make progress.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
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

const storeTimeout = 10 * time.Second

// afterStored registers do to run once all batches sent so far are stored.
func (r *run) afterStored(do func(context.Context) error) {
	r.pending.then = append(r.pending.then, do)
}

// unlist removes documents from a list once all batches sent so far are stored.
func (r *run) unlist(list string, ids []document.ID) {
	if len(ids) == 0 {
		return
	}
	r.afterStored(func(ctx context.Context) error { return r.listings.Unlist(ctx, list, ids) })
	if r.pending.leaving == nil {
		r.pending.leaving = make(map[document.ID]bool)
	}
	for _, id := range ids {
		r.pending.leaving[id] = true
	}
}

func (r *run) noteChanges() { r.pending.notes = r.dirtyNotes(r.pending.notes) }

// flush waits until all batches sent so far, and the state that belongs to them, are stored.
func (r *run) flush(ctx context.Context) error {
	r.noteChanges()
	return r.send(ctx, index.Batch{})
}

// readSource reads the source once, in this order: retries, hints, logs and recent changes, scans.
func (r *run) readSource(ctx context.Context) (err error) {
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
	if err := r.indexFeeds(); err != nil {
		return err
	}
	if err := r.retryFailed(ctx); err != nil {
		return err
	}
	if err := r.followHints(ctx); err != nil {
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

// indexFeeds fills the maps by which a run finds feeds, such as the main scan of each list. It
// returns an error if two feeds have the same id, or if a list has no main scan.
func (r *run) indexFeeds() error {
	r.mains, r.scans, r.logs, r.refused = make(map[string]Feed), make(map[string]Feed), make(map[string]firstPage), make(map[string]bool)
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
				r.markDirty(listKey(f.ID))
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

func (r *run) scopeOf(f Feed) Scope {
	return r.byID[f.Scope]
}

func (r *run) nameOf(f Feed) string {
	if name := r.scopeOf(f).Name; name != "" {
		return name
	}
	return r.Source().Name
}

func (r *run) isDue(f Feed) bool {
	was := r.feed(f.ID)
	if f.Mode != Scan {
		s := r.scopeOf(f)
		scan, scanned := r.scans[f.ID]
		same := s.State != "" && s.State == r.scope(s.ID).State && was.Done != 0 && !was.Partial
		switch {
		case f.Mode == Log && scanned && (was.Mark == "" || r.isDue(scan)):
			return false // the scan fetches the mark and lists everything
		case was.Reading != nil:
			return true
		}
		return !same && (was.Done == 0 || r.elapsed(was.Done) >= f.Every)
	}
	list := r.list(f.list())
	if main := f.ID == f.list(); main {
		every := f.Every
		if was.Partial {
			retry := cmp.Or(f.Retry, partialRetry)
			if was.Short >= maxShort {
				retry = max(retry, partialRetry)
			}
			every = min(every, retry)
		}
		return was.Reading != nil || list.Again || was.Done == 0 || r.elapsed(was.Done) >= every
	}
	if was.Reading != nil && was.Reading.Pass != list.Pass { // a later scan of the list has begun
		was.Reading = nil
		r.markDirty(feedKey(f.ID))
	}
	return was.Reading != nil || r.elapsed(list.Done) >= f.Every
}

// maxShort is the number of consecutive incomplete scans after which the vendor's Page.Count is
// assumed to be wrong. Further scans of the list are then at least partialRetry apart.
const maxShort = 3

// partialRetry is the default of Feed.Retry, the delay before an incomplete scan is repeated.
const partialRetry = time.Hour

// elapsed returns the time since micros, in microseconds since 1970. If micros is in the future
// because the clock was set back, it returns the maximum duration, so that work is due at once.
func (r *run) elapsed(micros int64) time.Duration {
	if ago := r.at.Sub(time.UnixMicro(micros)); ago >= -clockSkew {
		return max(ago, 0)
	}
	return math.MaxInt64
}

// clockSkew is the tolerated difference between the clocks of two replicas.
const clockSkew = 5 * time.Minute

func (r *run) followHints(ctx context.Context) error {
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
	r.afterStored(func(ctx context.Context) error { return r.hints.Followed(ctx, r.Source().ID, heard) })
	return r.flush(ctx)
}

const mostHints = 100

func (r *run) finish(ctx context.Context) error {
	if err := r.removeDeparted(ctx); err != nil {
		return err
	}
	if err := r.removeLists(ctx); err != nil {
		return err
	}
	if err := r.removeStrays(ctx); err != nil {
		return err
	}
	for _, s := range r.scopes {
		if was := r.scope(s.ID); was.State != s.State {
			was.State = s.State
			r.markDirty(scopeKey(s.ID))
		}
	}
	r.head.Open = false
	r.markDirty(headKey)
	return r.flush(ctx)
}
