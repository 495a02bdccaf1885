package wire

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/retrieve"
)

// notice is how long a process may search with a local model that another process has replaced. Its vectors are kept that long, and
// longer: until the training after the next.
const notice = time.Minute

// liveRetriever is hybrid search that takes over a newly trained local model without a restart. It is safe for concurrent use.
type liveRetriever struct {
	base    *Base
	current atomic.Pointer[retrieve.Hybrid]

	mu      sync.Mutex // held by whoever looks for a newer model
	version string
	looked  time.Time
}

var _ retrieve.Retriever = (*liveRetriever)(nil)

// LiveRetriever returns a retriever for processes that run for long.
func (b *Base) LiveRetriever(ctx context.Context) (retrieve.Retriever, error) {
	r := &liveRetriever{base: b}
	if err := r.refresh(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// Search implements retrieve.Retriever.
func (r *liveRetriever) Search(ctx context.Context, s retrieve.Search) (retrieve.Result, error) {
	if r.mu.TryLock() { // one search looks; the others do not wait for it
		if time.Since(r.looked) > notice {
			if err := r.refresh(ctx); err != nil {
				r.base.Logger.WarnContext(ctx, "looking for a newer local embedder failed; searches go on with the one at hand", "error", err)
			}
		}
		r.mu.Unlock()
	}
	// The configuration file may have been read again.
	return r.current.Load().WithSynonyms(r.base.File().Synonyms()).Search(ctx, s)
}

// refresh builds the retriever anew when the newest local model is another one.
func (r *liveRetriever) refresh(ctx context.Context) error {
	r.looked = time.Now()
	version, err := r.base.Index.LocalModelVersion(ctx, r.base.Tenant)
	if err != nil || version == r.version && r.current.Load() != nil {
		return err
	}
	hybrid, err := r.base.Retriever(ctx)
	if err != nil {
		return err
	}
	r.version = version
	r.current.Store(hybrid)
	return nil
}
