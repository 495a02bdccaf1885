package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
)

// patience is how many documents in a row may be refused by the embedder or the store before the
// run gives up: one bad document must not stop the others, and an endpoint that is down must not be
// asked for each of a million.
const patience = 3

// keep embeds and stores a step, and records how far the run is.
func (r *run) keep(ctx context.Context, s step) error {
	if s.resumed && !r.carried {
		r.carried = true
		r.saved = findings{r.last.Counts, r.last.Failures, r.last.Skipped}
		r.state.Counts, r.state.Failures, r.state.Skipped = r.saved.counts, r.saved.failures, r.saved.skipped
	}
	for _, n := range s.failures {
		r.failed(n)
	}
	r.state.Counts.Skipped += len(s.skipped)
	r.state.Skipped = capped(r.state.Skipped, slices.Concat(s.skipped, s.partly))
	r.state.Counts.Unchanged += s.unchanged
	r.state.Counts.Shared += s.shared
	r.state.Counts.Total = max(r.state.Counts.Total, s.total)
	if err := r.review(ctx, s.review); err != nil {
		return err
	}
	if err := r.remove(ctx, s.remove); err != nil {
		return err
	}
	if err := r.setACL(ctx, s.access); err != nil { // before anything that may take long
		return err
	}
	if err := r.settle(ctx, s.entries); err != nil { // once the group before is stored
		return err
	}
	if err := r.putAll(ctx, s.entries); err != nil {
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
	r.time()
	if err := r.store.Save(ctx, r.tenant, r.state); err != nil {
		return fmt.Errorf("save the state of indexing %s: %w", r.state.Source.Name, err)
	}
	r.report(progressOf(r.state.Counts, r.state.Worked, r.state.Waited))
	return nil
}

// putAll stores entries together and, when that fails, one by one to find the one that is to blame.
func (r *run) putAll(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	err := r.put(ctx, entries)
	if err == nil {
		r.failing = 0
		return nil
	}
	for i := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, errVectors) || errors.Is(err, llm.ErrBudget) {
			return err // the same for every document
		}
		if len(entries) > 1 {
			err = r.put(ctx, entries[i:i+1])
		}
		if err == nil {
			r.failing = 0
			continue
		}
		if r.failing++; r.failing >= patience {
			return err
		}
		r.failed(Notice{Name: string(entries[i].Document.ID), Sentence: fmt.Sprintf("It could not be stored (%v). The next run tries again.", err)})
	}
	return nil
}

func (r *run) put(ctx context.Context, entries []Entry) error {
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
		r.note(e.Document.ID, e.Hash, e.Document.ACL)
		r.state.Counts.Chunks += len(e.Chunks)
		if e.plain {
			r.state.Counts.Plain++
		}
	}
	return nil
}

// vectors returns one vector per text, in order. A text that the documents have in the index
// already keeps its vector, unless the run is to make everything again: an edit, or an upgrade that
// cuts documents in another way, costs what has changed.
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

func (r *run) failed(n Notice) {
	r.state.Counts.Failed++
	r.state.Failures = capped(r.state.Failures, []Notice{n})
}

// capped appends up to MaxNotices in all. Those of secrets take the place of others when there are
// more.
func capped(list, more []Notice) []Notice {
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
