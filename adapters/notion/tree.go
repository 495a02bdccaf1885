package notion

import (
	"context"
	"fmt"
	"strings"
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
	trashed bool   // it is visible and in the trash
	name    string // as object.name, shortened; "" if only the position is known
	unnamed bool   // the object was requested for its name, and is not visible
}

// longestName is the maximum length in bytes of a cached page name.
const longestName = 500

func (o *object) spot() spot {
	name := o.name()
	return spot{above: o.Parent.place(), gone: o.InTrash, trashed: o.InTrash, name: strings.ToValidUTF8(name[:min(len(name), longestName)], "")}
}

// deepest is the maximum nesting of objects. Objects at a deeper level have no readers.
const deepest = 500

func (c *Connector) tree() *tree { return &tree{Connector: c, known: make(map[string]spot)} }

func (t *tree) recordParents(o *object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := bareID(o.ID)
	t.known[id] = o.spot()
	if o.Parent.DataSourceID != "" && o.Parent.DatabaseID != "" { // a page in a database names both
		source := bareID(o.Parent.DataSourceID)
		if _, known := t.known[source]; !known {
			t.known[source] = spot{above: place{database, bareID(o.Parent.DatabaseID)}}
		}
	}
	if o.DatabaseParent != nil && o.Parent.DatabaseID != "" {
		above := bareID(o.Parent.DatabaseID)
		known := t.known[above]
		t.known[above] = spot{above: o.DatabaseParent.place(), gone: o.InTrash, trashed: o.InTrash, name: known.name, unnamed: known.unnamed}
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

// name returns the name of an object, or "" if the object is gone or its name is not visible. It
// requests the object if its name is unknown.
func (t *tree) name(ctx context.Context, at place) (string, error) {
	s, err := t.spot(ctx, at)
	if err == nil && !s.gone && s.name == "" && !s.unnamed {
		s, err = t.request(ctx, at)
	}
	if s.gone {
		return "", err
	}
	return s.name, err
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
	return t.request(ctx, at)
}

// request requests an object and caches its position. If the object is not visible, request keeps a
// position that another object named.
func (t *tree) request(ctx context.Context, at place) (spot, error) {
	var o object
	err := t.client.get(ctx, string(at.kind)+"/"+at.id, &o)
	if err != nil && !absent(err) {
		return spot{}, fmt.Errorf("find out where %s stands: %w", at.id, err)
	}
	if err == nil {
		t.recordParents(&o)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, known := t.known[at.id]
	switch {
	case err == nil:
		s = o.spot()
	case known:
		s.unnamed = true
	default:
		s.gone = true
	}
	t.known[at.id] = s
	return s, nil
}
