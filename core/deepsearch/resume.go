package deepsearch

import (
	"context"
	"fmt"
	"maps"

	"github.com/footnotehq/footnote/core/document"
)

// resume is what an earlier attempt at the turn has done, as far as it still holds: for the same question, and of what was found that which all who listen
// now may read. What was not found for others is looked for again.
func (s *inquiry) resume(ctx context.Context) (Record, error) {
	if s.Journal == nil {
		return Record{}, nil
	}
	record, err := s.Journal.Record(ctx, s.req.Audience.Tenant(), s.req.Turn)
	if err != nil {
		return Record{}, fmt.Errorf("find out what was found before: %w", err)
	}
	if !record.Planned() || record.Question != s.req.Question.Text {
		return Record{}, nil
	}
	same := record.Audience == s.listeners()
	var ids []document.ID
	for _, f := range record.Findings {
		for _, ref := range f.References {
			ids = append(ids, ref.Document.ID)
		}
	}
	var readable map[document.ID]bool
	if len(ids) > 0 && s.Library != nil {
		if readable, err = s.Library.Readable(ctx, s.req.Audience, ids); err != nil {
			return Record{}, fmt.Errorf("find out what of the findings may be read: %w", err)
		}
	}
	kept := maps.Clone(record.Findings)
	maps.DeleteFunc(kept, func(_ int, f Finding) bool {
		return s.Library != nil && !f.readable(readable) || !same && f.State != Found
	})
	if !same && len(kept) < len(record.Findings) && len(record.Judgments) > 0 {
		return Record{}, nil // what was judged and asked further may repeat what others could read
	}
	record.Findings = kept
	return record, nil
}
