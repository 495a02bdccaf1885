package wire

import (
	"context"

	"github.com/footnotehq/footnote/core/retrieve"
)

// liveRetriever is hybrid search for processes that run for long: it follows the configuration file. It is safe for concurrent use.
type liveRetriever struct {
	base   *Base
	hybrid *retrieve.Hybrid
}

var _ retrieve.Retriever = liveRetriever{}

// LiveRetriever returns a retriever for processes that run for long.
func (b *Base) LiveRetriever() (retrieve.Retriever, error) {
	hybrid, err := b.Retriever()
	return liveRetriever{base: b, hybrid: hybrid}, err
}

// Search implements retrieve.Retriever.
func (r liveRetriever) Search(ctx context.Context, s retrieve.Search) (retrieve.Result, error) {
	// The file may have been read again.
	return r.hybrid.WithSynonyms(r.base.File().Synonyms()).Search(ctx, s)
}
