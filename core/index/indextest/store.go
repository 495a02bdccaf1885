// Package indextest provides an index.Store in memory, a connector that yields given documents, and
// a test suite for every Store.
package indextest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Store is an [index.Store] in memory. It is safe for concurrent use. The zero Store is empty.
type Store struct {
	// Refuse, if set, is called before each Put. If it returns an error, Put returns it and stores
	// nothing.
	Refuse func([]index.Entry) error

	mu      sync.Mutex
	entries map[key]index.Entry
	runs    map[sourceKey]index.Run // last saved run
	whole   map[sourceKey]index.Run // last successful run
	puts    int

	listings map[sourceKey]*listings
}

type key struct {
	tenant access.TenantID
	id     document.ID
}

type sourceKey struct {
	tenant access.TenantID
	source document.SourceID
}

var _ index.Store = (*Store)(nil)

// Begin implements index.Store.
func (s *Store) Begin(_ context.Context, tenant access.TenantID, run index.Run) (index.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := sourceKey{tenant, run.Source.ID}
	whole, last := s.whole[at], s.runs[at]
	now := time.Now()
	begun := index.Run{Settings: whole.Settings, LastSuccess: whole.LastSuccess, Checkpoint: last.Checkpoint, StartedAt: now, PassStartedAt: now}
	if !last.StartedAt.IsZero() && !last.Succeeded && last.Settings == run.Settings && last.Again == run.Again && !last.PassStartedAt.IsZero() {
		begun.Continues, begun.PassStartedAt = true, last.PassStartedAt
		begun.Counts, begun.Failures, begun.Skipped = last.Counts, last.Failures, last.Skipped
		begun.Worked, begun.Waited, begun.Slow = last.Worked, last.Waited, last.Slow
	}
	return begun, nil
}

// Checked implements index.Store.
func (s *Store) Checked(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if e, ok := s.entries[key{tenant, id}]; ok && e.Document.Source == source {
			e.CheckedAt, e.Chunking = time.Now(), index.Chunking
			s.entries[key{tenant, id}] = e
		}
	}
	return ctx.Err()
}

// SetACL implements index.Store.
func (s *Store) SetACL(ctx context.Context, tenant access.TenantID, source document.SourceID, changes []index.Access) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		e, ok := s.entries[key{tenant, c.ID}]
		if ok && e.Document.Source == source && !index.NewerACL(e.ACLReadAt, c.ReadAt) {
			e.Document.ACL, e.Hash, e.ACLReadAt = slices.Compact(slices.Sorted(slices.Values(c.ACL))), c.Hash, c.ReadAt
			s.entries[key{tenant, c.ID}] = e
		}
	}
	return ctx.Err()
}

// Known implements index.Store.
func (s *Store) Known(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) (map[document.ID]index.Stamp, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamps := make(map[document.ID]index.Stamp)
	for k, e := range s.entries {
		if k.tenant == tenant && e.Document.Source == source && (ids == nil || slices.Contains(ids, k.id)) {
			stamp := e.Stamp
			stamp.ACL = slices.Compact(slices.Sorted(slices.Values(e.Document.ACL)))
			stamps[k.id] = stamp
		}
	}
	return stamps, ctx.Err()
}

// Holders implements index.Store.
func (s *Store) Holders(ctx context.Context, tenant access.TenantID, addresses []string) (map[string][]document.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := make(map[string][]document.ID)
	for k, e := range s.entries {
		if k.tenant == tenant && slices.Contains(addresses, e.Document.URL) {
			found[e.Document.URL] = append(found[e.Document.URL], k.id)
		}
	}
	return found, ctx.Err()
}

// Vectors implements index.Store.
func (s *Store) Vectors(ctx context.Context, tenant access.TenantID, model string, ids []document.ID) (map[string][]float32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := make(map[string][]float32)
	for _, id := range ids {
		e := s.entries[key{tenant, id}]
		for i, v := range e.Vectors {
			if e.Model == model {
				out[e.SearchText[i]] = v
			}
		}
	}
	return out, nil
}

// Put implements index.Store.
func (s *Store) Put(ctx context.Context, tenant access.TenantID, entries []index.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.Refuse != nil {
		if err := s.Refuse(entries); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries == nil {
		s.entries = make(map[key]index.Entry)
	}
	for _, e := range entries {
		if old := s.entries[key{tenant, e.Document.ID}]; index.NewerACL(old.ACLReadAt, e.ACLReadAt) {
			e.Document.ACL, e.ACLReadAt = old.Document.ACL, old.ACLReadAt
		}
		e.CheckedAt = time.Now()
		s.entries[key{tenant, e.Document.ID}] = e
	}
	s.puts += len(entries)
	return nil
}

// Remove implements index.Store.
func (s *Store) Remove(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if e, ok := s.entries[key{tenant, id}]; ok && e.Document.Source == source {
			delete(s.entries, key{tenant, id})
		}
	}
	return ctx.Err()
}

// Save implements index.Store.
func (s *Store) Save(_ context.Context, tenant access.TenantID, run index.Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = make(map[sourceKey]index.Run)
	}
	at := sourceKey{tenant, run.Source.ID}
	if run.LastSuccess.IsZero() {
		run.LastSuccess = s.whole[at].LastSuccess
	}
	s.runs[at] = run
	if s.whole == nil {
		s.whole = make(map[sourceKey]index.Run)
	}
	if run.Succeeded {
		s.whole[at] = run
	}
	return nil
}

// Entries returns a tenant's indexed documents, sorted by id.
func (s *Store) Entries(tenant access.TenantID) []index.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []index.Entry
	for k, e := range s.entries {
		if k.tenant == tenant {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b index.Entry) int {
		if a.Document.ID < b.Document.ID {
			return -1
		}
		return 1
	})
	return entries
}

// Saved returns the last saved state of a source. It is zero if there is none.
func (s *Store) Saved(tenant access.TenantID, source document.SourceID) index.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[sourceKey{tenant, source}]
}

// Puts returns the number of entries stored so far, including replaced ones.
func (s *Store) Puts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.puts
}

// Document returns a document with one paragraph of text, which [access.Members] may read.
func Document(id document.ID, text string) document.Document {
	return document.Document{
		Ref:      document.Ref{ID: id, Title: "About " + string(id), UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		ACL:      access.ACL{access.Members},
		Sections: []document.Section{{Blocks: []document.Block{{Kind: document.Paragraph, Text: text}}}},
	}
}

// IDs returns the distinct document ids of entries, sorted.
func IDs(entries []index.Entry) []document.ID {
	ids := make(map[document.ID]struct{}, len(entries))
	for _, e := range entries {
		ids[e.Document.ID] = struct{}{}
	}
	return slices.Sorted(maps.Keys(ids))
}
