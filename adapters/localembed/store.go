package localembed

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/core/access"
)

// ErrNoModel says that none was saved yet.
var ErrNoModel = errors.New("no local embedding model has been trained yet")

// Store keeps trained models, so that every replica works in the same space. Implementations are safe for concurrent use.
type Store interface {
	// Load returns the newest saved model of a tenant, or ErrNoModel.
	Load(ctx context.Context, tenant access.TenantID) (Stored, error)
	// Save keeps a model beside the earlier ones of the tenant, whose vectors are in use until new ones are there. Saving a version twice
	// changes nothing.
	Save(ctx context.Context, tenant access.TenantID, model Stored) error
}

// Stored is a model as a Store sees it.
type Stored struct {
	Version string
	Data    []byte // Model.MarshalBinary
	Chunks  int    // how many there were when it was trained
}

// Load reads the newest model of a tenant.
func Load(ctx context.Context, store Store, tenant access.TenantID) (*Model, error) {
	stored, err := store.Load(ctx, tenant)
	if err != nil {
		return nil, err
	}
	m := new(Model)
	if err := m.UnmarshalBinary(stored.Data); err != nil {
		return nil, err
	}
	return m, nil
}

// Save keeps a model.
func Save(ctx context.Context, store Store, tenant access.TenantID, m *Model) error {
	data, err := m.MarshalBinary()
	if err != nil {
		return err
	}
	return store.Save(ctx, tenant, Stored{Version: m.Version(), Data: data, Chunks: m.Chunks()})
}
