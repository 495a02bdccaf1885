package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
)

// maxRefusals is the number of consecutive documents that the embedder or the store may refuse
// before the run fails. A single bad document does not stop a run, but an endpoint that is down
// does.
const maxRefusals = 3

func (r *run) storeStep(ctx context.Context, s step) error {
	if s.resumed && !r.continued {
		r.continued = true
		r.saved = findings{r.last.Counts, r.last.Failures, r.last.Skipped}
		r.state.Counts, r.state.Failures, r.state.Skipped = r.saved.counts, r.saved.failures, r.saved.skipped
	}
	for _, n := range s.failures {
		r.addFailure(n)
	}
	if err := r.recordSlow(s); err != nil {
		return err
	}
	r.state.Counts.Skipped += len(s.skipped)
	r.state.Skipped = appendCapped(r.state.Skipped, slices.Concat(s.skipped, s.partly))
	r.state.Counts.Unchanged += s.unchanged
	r.state.Counts.Shared += s.shared
	r.state.Counts.Total = max(r.state.Counts.Total, s.total)
	if err := r.review(ctx, s.review); err != nil {
		return err
	}
	if err := r.remove(ctx, s.remove); err != nil {
		return err
	}
	if err := r.setACL(ctx, s.access); err != nil { // revocations come before slow work
		return err
	}
	if err := r.resolveClaims(ctx, s.entries); err != nil { // the previous group is stored by now
		return err
	}
	if err := r.storeEntries(ctx, s.entries); err != nil {
		return err
	}
	if len(s.checked) > 0 {
		if err := r.store.Checked(ctx, r.tenant, r.state.Source.ID, s.checked); err != nil {
			return fmt.Errorf("note %d unchanged documents: %w", len(s.checked), err)
		}
	}
	if s.next != nil {
		r.state.Checkpoint = s.next
		r.saved = findings{r.state.Counts, r.state.Failures, r.state.Skipped}
	}
	r.recordTimes()
	if err := r.store.Save(ctx, r.tenant, r.state); err != nil {
		return fmt.Errorf("save the state of indexing %s: %w", r.state.Source.Name, err)
	}
	r.report(progressOf(r.state.Counts, r.state.Worked, r.state.Waited))
	return nil
}

// storeEntries stores entries together. If this fails, it stores them one by one to find the faulty
// entry.
func (r *run) storeEntries(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	err := r.storeGroup(ctx, entries)
	if err == nil {
		r.refusals = 0
		return nil
	}
	for i := range entries {
		if err := r.ended(ctx); err != nil {
			return err
		}
		if errors.Is(err, errVectors) || errors.Is(err, llm.ErrBudget) {
			return err // would fail for every document
		}
		if len(entries) > 1 {
			err = r.storeGroup(ctx, entries[i:i+1])
		}
		if err == nil {
			r.refusals = 0
			continue
		}
		if r.refusals++; r.refusals >= maxRefusals {
			return err
		}
		r.addFailure(Notice{Name: string(entries[i].Document.ID), Sentence: fmt.Sprintf("It could not be stored (%v). The next run tries again.", err)})
	}
	return nil
}

func (r *run) storeGroup(ctx context.Context, entries []Entry) error {
	if r.embed != nil {
		var texts []string
		ids := make([]document.ID, len(entries))
		for i, e := range entries {
			texts = append(texts, e.SearchText...)
			ids[i] = e.Document.ID
		}
		vectors, err := r.vectors(ctx, ids, texts)
		if err != nil {
			return err
		}
		for i := range entries {
			n := len(entries[i].Chunks)
			entries[i].Vectors, vectors = vectors[:n:n], vectors[n:]
			entries[i].Model = r.embed.model.Model()
		}
	}
	if err := r.store.Put(ctx, r.tenant, entries); err != nil {
		return fmt.Errorf("store %d documents: %w", len(entries), err)
	}
	r.state.Counts.Indexed += len(entries)
	for _, e := range entries {
		r.updateStamp(e.Document.ID, e.Hash, e.Document.ACL)
		r.state.Counts.Chunks += len(e.Chunks)
		if e.plain {
			r.state.Counts.Plain++
		}
	}
	return nil
}

// vectors returns the embedding vectors of texts. It reuses vectors that are stored for the
// documents ids, unless the run rebuilds everything.
func (r *run) vectors(ctx context.Context, ids []document.ID, texts []string) ([][]float32, error) {
	if r.state.Again {
		return r.embed.vectors(ctx, texts)
	}
	there, err := r.store.Vectors(ctx, r.tenant, r.embed.model.Model(), ids)
	if err != nil {
		return nil, fmt.Errorf("look for vectors of unchanged text: %w", err)
	}
	vectors := make([][]float32, len(texts))
	var missing []string
	for i, text := range texts {
		if v := there[text]; len(v) == r.embed.model.Dimensions() {
			vectors[i] = v
		} else {
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return vectors, nil
	}
	made, err := r.embed.vectors(ctx, missing)
	if err != nil {
		return nil, err
	}
	for i := range vectors {
		if vectors[i] == nil {
			vectors[i], made = made[0], made[1:]
		}
	}
	return vectors, nil
}

func (r *run) addFailure(n Notice) {
	r.state.Counts.Failed++
	r.state.Failures = appendCapped(r.state.Failures, []Notice{n})
}

// appendCapped appends more to list, up to MaxNotices in total. When the list is full, further
// notices about secrets replace other notices.
func appendCapped(list, more []Notice) []Notice {
	room := min(len(more), MaxNotices-len(list))
	list = append(list, more[:room]...)
	at := len(list)
	for _, n := range more[room:] {
		if !n.Secret {
			continue
		}
		for at--; at >= 0 && list[at].Secret; at-- {
		}
		if at < 0 {
			break
		}
		list[at] = n
	}
	return list
}
