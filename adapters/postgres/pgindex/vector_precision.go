package pgindex

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
)

// Bits returns how many bits a number has in the vectors of a model, 16 or 32, and how many it has
// in those of a model that is new. kept is 0 for a model without vectors.
func (x *Index) Bits(ctx context.Context, tenant access.TenantID, name string) (kept, fresh int, err error) {
	bits := map[string]int{precisionHalf: 16, precisionFull: 32}
	m, found, err := loadModel(ctx, x.db.Pool, tenant, name)
	if err == nil && found {
		kept = bits[m.precision]
	}
	return kept, bits[x.cfg.Precision], err
}
