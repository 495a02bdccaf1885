package notion

import (
	"context"
	"fmt"
	"sync"
)

// tree caches the parents of objects during a pass. It is safe for concurrent use.
type tree struct {
	*Connector
	mu    sync.Mutex
	known map[string]spot // positions by object id
}

// spot is the position of an object in the tree: its parent, and whether the object is gone. An
// object is gone if it is deleted, in the trash or invisible.
type spot struct {
	above   place
	gone    bool
	trashed bool // it is visible and in the trash
}

// deepest is the maximum nesting of objects. Objects at a deeper level have no readers.
const deepest = 500

func (c *Connector) tree() *tree { return &tree{Connector: c, known: make(map[string]spot)} }

func (t *tree) recordParents(o *object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := bareID(o.ID)
	t.known[id] = spot{above: o.Parent.place(), gone: o.InTrash, trashed: o.InTrash}
	if o.Parent.DataSourceID != "" && o.Parent.DatabaseID != "" { // a page in a database names both
		source := bareID(o.Parent.DataSourceID)
		if _, known := t.known[source]; !known {
			t.known[source] = spot{above: place{database, bareID(o.Parent.DatabaseID)}}
		}
	}
	if o.DatabaseParent != nil && o.Parent.DatabaseID != "" {
		t.known[bareID(o.Parent.DatabaseID)] = spot{above: o.DatabaseParent.place(), gone: o.InTrash, trashed: o.InTrash}
	}
}

// root returns the id of the nearest object with configured readers, at or above an object. It
// returns "" if there is none. Its errors are transient.
func (t *tree) root(ctx context.Context, at place) (string, error) {
	for range deepest {
		if at.kind == atTop {
			return "", nil
		}
		s, err := t.spot(ctx, at)
		switch {
		case err != nil:
			return "", err
		case s.gone:
			return "", nil
		}
		if _, listed := t.roots[at.id]; listed {
			return at.id, nil
		}
		at = s.above
	}
	return "", nil // a cycle, or too deep
}

// trashed reports whether an object or a visible ancestor is in the trash.
func (t *tree) trashed(ctx context.Context, at place) (bool, error) {
	for range deepest {
		if at.kind == atTop {
			break
		}
		s, err := t.spot(ctx, at)
		if err != nil || s.trashed {
			return s.trashed, err
		}
		if s.gone {
			break // it is invisible, and so are its ancestors
		}
		at = s.above
	}
	return false, nil
}

// spot returns the position of an object in the tree. It requests the object only if the position
// is not cached.
func (t *tree) spot(ctx context.Context, at place) (spot, error) {
	t.mu.Lock()
	s, known := t.known[at.id]
	t.mu.Unlock()
	if known {
		return s, nil
	}
	var o object
	switch err := t.client.get(ctx, string(at.kind)+"/"+at.id, &o); {
	case absent(err):
		s = spot{gone: true}
	case err != nil:
		return spot{}, fmt.Errorf("find out where %s stands: %w", at.id, err)
	default:
		t.recordParents(&o)
		s = spot{above: o.Parent.place(), gone: o.InTrash, trashed: o.InTrash}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[at.id] = s
	return s, nil
}
