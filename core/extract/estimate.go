package extract

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
)

// Estimate is the work that a [Reader.Run] would do.
type Estimate struct {
	Documents int // due documents
	Passages  int // passages of the due documents
	Texts     int // distinct passages that the model has not read yet
	Input     int // tokens sent for Texts, without tokens that the provider adds
}

// Estimate counts the work of a Run without calling the model. tokens must return the number of
// tokens of a text.
func (r *Reader) Estimate(ctx context.Context, tenant access.TenantID, tokens func(string) int) (Estimate, error) {
	var e Estimate
	var last Document
	asked := make(map[Digest]bool)
	told := tokens(r.config.Schema.request("").Messages[0].Text) + tokens(r.config.Schema.request("").Messages[1].Text)
	for {
		docs, err := r.store.Due(ctx, tenant, r.promptDigest, last, dueStep)
		if err != nil || len(docs) == 0 {
			return e, err
		}
		of, passages, order := r.texts(docs)
		known, err := r.store.Known(ctx, tenant, order)
		if err != nil {
			return e, err
		}
		for _, digests := range of {
			e.Passages += len(digests)
		}
		for _, digest := range order {
			if _, settled := known[digest]; !settled && !asked[digest] {
				asked[digest] = true
				e.Texts++
				e.Input += told + tokens(passages[digest])
			}
		}
		e.Documents += len(docs)
		last = docs[len(docs)-1]
	}
}
