package indextest

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

type listings struct {
	stored func() []document.ID

	mu    sync.Mutex
	notes map[string][]byte
	lists map[string]map[document.ID]listed
}

type listed struct {
	pass int64
	made time.Time
}

// Listings implements index.Store.
func (s *Store) Listings(tenant access.TenantID, source document.SourceID) index.Listings {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := sourceKey{tenant, source}
	if s.listings == nil {
		s.listings = make(map[sourceKey]*listings)
	}
	if s.listings[at] == nil {
		s.listings[at] = &listings{
			notes: make(map[string][]byte), lists: make(map[string]map[document.ID]listed),
			stored: func() []document.ID {
				s.mu.Lock()
				defer s.mu.Unlock()
				var ids []document.ID
				for k, e := range s.entries {
					if k.tenant == tenant && e.Document.Source == source {
						ids = append(ids, k.id)
					}
				}
				return ids
			},
		}
	}
	return s.listings[at]
}

// Notes implements index.Listings.
func (l *listings) Notes(ctx context.Context) (map[string][]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.notes), ctx.Err()
}

// Note implements index.Listings.
func (l *listings) Note(ctx context.Context, notes map[string][]byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, value := range notes {
		if value == nil {
			delete(l.notes, key)
		} else {
			l.notes[key] = bytes.Clone(value)
		}
	}
	return nil
}

// List implements index.Listings.
func (l *listings) List(ctx context.Context, list string, pass int64, met []index.Listed) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lists[list] == nil {
		l.lists[list] = make(map[document.ID]listed)
	}
	for _, m := range met {
		if was, held := l.lists[list][m.ID]; !held || was.pass <= pass {
			l.lists[list][m.ID] = listed{pass, m.Made.UTC()}
		}
	}
	return nil
}

// Unlist implements index.Listings.
func (l *listings) Unlist(ctx context.Context, list string, ids []document.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		delete(l.lists[list], id)
	}
	return nil
}

// Lists implements index.Listings.
func (l *listings) Lists(ctx context.Context, ids []document.ID) (map[document.ID][]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := make(map[document.ID][]string)
	for _, list := range slices.Sorted(maps.Keys(l.lists)) {
		for _, id := range ids {
			if _, held := l.lists[list][id]; held && !slices.Contains(found[id], list) {
				found[id] = append(found[id], list)
			}
		}
	}
	return found, ctx.Err()
}

// Missing implements index.Listings.
func (l *listings) Missing(ctx context.Context, list string, before int64, from, to time.Time) ([]document.ID, int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var missing []document.ID
	for id, m := range l.lists[list] {
		if m.pass < before && (from.IsZero() || !m.made.IsZero() && !m.made.Before(from) && !m.made.After(to)) {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return missing, len(l.lists[list]), ctx.Err()
}

// Strays implements index.Listings.
func (l *listings) Strays(ctx context.Context) ([]document.ID, error) {
	stored := l.stored()
	l.mu.Lock()
	defer l.mu.Unlock()
	strays := slices.DeleteFunc(stored, func(id document.ID) bool {
		for _, held := range l.lists {
			if _, is := held[id]; is {
				return true
			}
		}
		return false
	})
	slices.Sort(strays)
	return strays, ctx.Err()
}
