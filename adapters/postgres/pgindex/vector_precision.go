package pgindex

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
)

// Bits returns the precision of a model's stored vectors and that of new models, in bits per
// component (16 or 32). The first result is 0 if the model does not exist.
func (x *Index) Bits(ctx context.Context, tenant access.TenantID, name string) (kept, fresh int, err error) {
	bits := map[string]int{precisionHalf: 16, precisionFull: 32}
	m, found, err := loadModel(ctx, x.db.Pool, tenant, name)
	if err == nil && found {
		kept = bits[m.precision]
	}
	return kept, bits[x.cfg.Precision], err
}
