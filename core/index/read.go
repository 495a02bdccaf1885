package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"golang.org/x/sync/errgroup"
)

type step struct {
	entries   []Entry
	unchanged int
	shared    int // of the unchanged documents, those with a new access list
	failures  []Notice
	skipped   []Notice
	partly    []Notice // documents that are indexed without the keys they contain
	remove    []document.ID
	checked   []document.ID // unchanged documents to record as checked
	access    []Access      // new access lists of stored documents
	review    func(document.ID) Verdict
	resumed   bool
	total     int
	slow      []document.ID // documents that took too long to read
	cut       []document.ID // documents that were being read when the run was paused
	advanced  bool          // documents were read that the rest of the pass will not read again
	delayed   []Item        // loaded documents that come first in the next step
	memory    *reservation  // of the entries; nil without entries
	next      Checkpoint    // set on the last step of a batch
}

// readBatches sends the batches of the connector to steps until ctx or storing ends. storing is the
// context of the goroutine that receives them.
func (r *run) readBatches(ctx, storing context.Context, since Checkpoint, steps chan<- step) error {
	for batch, err := range r.connector.Sync(ctx, since) {
		if err != nil {
			return fmt.Errorf("read %s: %w", r.state.Source.Name, ShortError(err))
		}
		r.complete, r.missing, r.resumed = batch.Complete, batch.Missing, batch.Resumed
		first := step{review: batch.Review, failures: storableNotices(batch.Failures), skipped: storableNotices(batch.Skipped), total: batch.Total,
			remove: slices.DeleteFunc(slices.Clone(batch.Deleted), func(id document.ID) bool { return !storable(id) })}
		items := r.unseen(batch.Documents, &first)
		for {
			s, n, paused, err := r.prepare(ctx, items[:r.groupLength(items)])
			if err != nil {
				return err
			}
			items = append(s.delayed, items[n:]...)
			s.review = first.review
			s.failures = append(first.failures, s.failures...)
			s.remove = append(first.remove, s.remove...)
			s.skipped = append(first.skipped, s.skipped...)
			s.total, s.resumed = batch.Total, batch.Resumed
			first = step{}
			if len(items) == 0 && paused == nil {
				s.next = batch.Next
			}
			select {
			case steps <- s:
			case <-storing.Done():
				s.memory.free()
				return context.Cause(storing)
			}
			if paused != nil {
				return paused
			}
			if len(items) == 0 {
				break
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// groupBytes is the maximum size, in bytes, of several documents that are prepared together. It
// applies to the sizes that the connector states. Once the prepared text exceeds it, no further
// document is added.
const groupBytes = 8 << 20

func (r *run) groupLength(items []Item) int {
	n, size := 0, int64(0)
	for n < min(len(items), r.config.Group) && (n == 0 || size+items[n].Size <= groupBytes) {
		size += items[n].Size
		n++
	}
	return n
}

// unseen returns the items that this run sees for the first time, or that are marked as repeated
// (Item.Again). It records the others, and items with an id that cannot be stored, as failures in
// s.
func (r *run) unseen(items []Item, s *step) []Item {
	fresh := make([]Item, 0, len(items))
	for _, item := range items {
		if !storable(item.ID) {
			s.failures = append(s.failures, unstorable(item.ID))
			continue
		}
		if _, twice := r.seen[item.ID]; twice && !item.Again {
			s.failures = append(s.failures, Notice{Name: string(item.ID), Sentence: "The source names two documents like this; only the first is indexed. Rename one of them."})
			continue
		}
		r.seen[item.ID] = struct{}{}
		fresh = append(fresh, item)
	}
	return fresh
}

// prepare reads and cuts the changed documents of a group concurrently. It returns the number of
// items that it handled. That is less than all if the documents are much larger than their stated
// sizes. If the run is paused meanwhile, paused is the reason, and the step has the documents that
// were read before.
func (r *run) prepare(ctx context.Context, items []Item) (s step, taken int, paused, err error) {
	if len(items) == 0 {
		return s, 0, nil, nil
	}
	ids := make([]document.ID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	known, err := r.store.Known(ctx, r.tenant, r.state.Source.ID, ids)
	if err != nil {
		return s, 0, nil, fmt.Errorf("compare %d documents with the index: %w", len(items), err)
	}
	// in order, so that runs are reproducible
	entries := make([]*Entry, len(items))
	var mu sync.Mutex
	ending := ctx
	s.memory = new(reservation)
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(r.config.Workers)
	var held atomic.Int64
	var full atomic.Bool
	for i, item := range items {
		if held.Load() > groupBytes || full.Load() {
			break
		}
		taken++
		workers.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			stamp, stored := known[item.ID]
			entry, change, loaded, err := r.makeEntry(ctx, item, s.memory, stamp, stored)
			if err != nil && ctx.Err() != nil {
				if ending.Err() != nil && !loaded {
					mu.Lock()
					defer mu.Unlock()
					s.cut = append(s.cut, item.ID)
				}
				return context.Cause(ctx)
			}
			// the error concerns the source, not this document
			if errors.Is(err, ErrPaused) || errors.Is(err, ErrRevoked) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			var wait *delayed
			if change != nil {
				s.access = append(s.access, *change)
			}
			switch {
			case errors.As(err, &wait):
				item.Load = func(context.Context) (document.Document, error) { return wait.document, nil }
				s.delayed = append(s.delayed, item)
				full.Store(true)
			case err != nil:
				if errors.Is(err, ErrTooLong) {
					s.slow = append(s.slow, item.ID)
				}
				s.refuse(item.ID, err, stored)
			case entry == nil:
				s.unchanged++
				if change != nil && !slices.Equal(change.ACL, stamp.ACL) {
					s.shared++
				}
				s.advanced = s.advanced || loaded && !item.ModifiedAt.IsZero()
				if loaded || r.resumer {
					s.checked = append(s.checked, item.ID)
				}
			default:
				if entry.secret != "" {
					s.partly = append(s.partly, Notice{Name: string(item.ID), Secret: true,
						Sentence: fmt.Sprintf("it holds %s, and is read without: take it out, and change what it opens if others could read it", entry.secret)})
				}
				entries[i], s.advanced = entry, true
				for _, text := range entry.SearchText {
					held.Add(int64(len(text)))
				}
			}
			return nil
		})
	}
	if err := workers.Wait(); errors.Is(err, ErrPaused) {
		paused = err
	} else if err != nil {
		s.memory.free()
		return s, 0, nil, err
	}
	for _, e := range entries {
		if e != nil {
			s.entries = append(s.entries, *e)
		}
	}
	return s, taken, paused, nil
}

func (s *step) refuse(id document.ID, err error, stored bool) {
	notice := Notice{Name: string(id), Sentence: Shorten(cleanText(err.Error())), Secret: errors.Is(err, errSecret)}
	if errors.Is(err, ErrSkipped) {
		s.skipped = append(s.skipped, notice)
	} else {
		s.failures = append(s.failures, notice)
	}
	if stored && (errors.Is(err, ErrSkipped) || errors.Is(err, ErrWithdrawn)) {
		s.remove = append(s.remove, id)
	}
}

// makeEntry prepares a document for the store. e is nil if the stored version is current. change is
// a new access list for the stored version, or nil. The memory of e is reserved. loaded reports
// whether the document was read and cut.
func (r *run) makeEntry(ctx context.Context, item Item, memory *reservation, stamp Stamp, stored bool) (e *Entry, change *Access, loaded bool, err error) {
	// already handled in this pass
	done := r.state.Continues && !stamp.CheckedAt.Before(r.state.PassStartedAt)
	// the stored version may stay
	same := stored && (done || !r.config.Again)
	cut := stamp.Chunking >= Chunking
	modified := item.ModifiedAt.UTC().Truncate(time.Microsecond) // the precision of databases
	old := item.Again || item.MaxAge > 0 && r.last.StartedAt.Sub(stamp.CheckedAt) > item.MaxAge
	if same && cut && !old && (r.trustTimes || done) && !item.ModifiedAt.IsZero() && modified.Equal(stamp.UpdatedAt) {
		return nil, nil, false, nil
	}
	d, err := r.load(ctx, item)
	if err != nil {
		return nil, nil, false, err
	}
	reserved, ok, err := memory.add(ctx, &d)
	if err != nil {
		return nil, nil, true, err
	}
	if !ok {
		return nil, nil, false, &delayed{d}
	}
	defer func() {
		if e == nil {
			memory.release(reserved)
		}
	}()
	d.ID, d.Source, d.Kind, d.ACL = item.ID, r.state.Source.ID, r.state.Source.Kind, storableACL(sorted(d.ACL))
	clean(&d)
	secret, err := cutSecrets(&d)
	if err != nil {
		return nil, nil, true, err
	}
	settings := r.settings()
	if rules := rulesOf(&d); rules > 1 {
		settings = fmt.Sprintf("%s|chunking %d", settings, rules)
	}
	sum := fingerprint(&d, item.ModifiedAt, settings)
	if same && (sum == stamp.Hash || stamp.Hash == earlierFingerprint(&d, item.ModifiedAt, settings, stamp.ACL)) {
		return nil, accessChange(&d, sum, stamp), true, nil
	}
	chunks, err := r.cut(ctx, &d)
	if err != nil {
		return nil, nil, false, err
	}
	e = &Entry{Document: d, Stamp: Stamp{UpdatedAt: modified, Hash: sum, ACLReadAt: r.last.StartedAt, Chunking: Chunking}, Chunks: chunks, secret: secret}
	contexts := make([]string, len(e.Chunks))
	if r.context != nil {
		var complete bool
		if contexts, complete, err = r.context.describe(ctx, &d, e.Chunks); err != nil {
			return nil, nil, true, err
		}
		// without UpdatedAt the next run reads it again, and stores it once the model has written
		// more
		if !complete {
			settings := fmt.Sprint(settings, contexts)
			e.Stamp = Stamp{ACLReadAt: r.last.StartedAt, Chunking: Chunking, Hash: fingerprint(&d, item.ModifiedAt, settings)}
			e.plain = true
			if same && (e.Hash == stamp.Hash || stamp.Hash == earlierFingerprint(&d, item.ModifiedAt, settings, stamp.ACL)) {
				return nil, accessChange(&d, e.Hash, stamp), true, nil
			}
		}
	}
	e.SearchText = make([]string, len(e.Chunks))
	for i, c := range e.Chunks {
		e.SearchText[i] = SearchText(&d, c, contexts[i])
	}
	if stored {
		change = narrowedAccess(&d, stamp)
	}
	return e, change, true, nil
}

func accessChange(d *document.Document, sum Hash, stored Stamp) *Access {
	if sum == stored.Hash && slices.Equal(d.ACL, stored.ACL) {
		return nil
	}
	return &Access{ID: d.ID, ACL: d.ACL, Hash: sum}
}

// narrowedAccess returns the access list that applies until the new version of a document is
// stored: the readers of both versions. Storing may take long or fail, but revocations must apply
// at once. The result is nil if everyone keeps access.
func narrowedAccess(d *document.Document, stored Stamp) *Access {
	both := slices.DeleteFunc(slices.Clone(stored.ACL), func(p access.Principal) bool { return !slices.Contains(d.ACL, p) })
	if len(both) == len(stored.ACL) {
		return nil
	}
	return &Access{ID: d.ID, ACL: both, Hash: stored.Hash}
}
