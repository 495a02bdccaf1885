package index

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/document"
)

// resolveClaims makes sure that two documents do not have the same URL. A document whose URL
// belongs to another document gets its own address (OwnURL) instead. Other documents are looked up
// in the index and in entries. A notice names both documents, because a copied statement is a
// mistake.
func (r *run) resolveClaims(ctx context.Context, entries []Entry) error {
	var claimed []string
	for _, e := range entries {
		if e.Document.OwnURL != "" {
			claimed = append(claimed, e.Document.URL)
		}
	}
	if len(claimed) == 0 {
		return nil
	}
	holders, err := r.store.Holders(ctx, r.tenant, claimed)
	if err != nil {
		return fmt.Errorf("look up %d addresses that documents claim: %w", len(claimed), err)
	}
	taken := make(map[string]document.ID)
	for _, e := range entries { // known addresses win over claimed ones
		if e.Document.OwnURL == "" {
			taken[e.Document.URL] = e.Document.ID
		}
	}
	for i := range entries {
		d := &entries[i].Document
		if d.OwnURL == "" {
			continue
		}
		other, found := taken[d.URL]
		found = found && other != d.ID
		for _, id := range holders[d.URL] {
			if id != d.ID {
				other, found = id, true
			}
		}
		if found {
			r.state.Skipped = appendCapped(r.state.Skipped, []Notice{{Name: string(d.ID), Moved: true, Sentence: Shorten(fmt.Sprintf(
				"It is indexed, but states an address that %s has: %s. Answers link to %s instead. If both exist, correct the statement in one of the two.", other, d.URL, d.OwnURL))}})
			d.URL = d.OwnURL
		}
		taken[d.URL] = d.ID
	}
	return nil
}
