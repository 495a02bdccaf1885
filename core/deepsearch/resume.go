package deepsearch

import (
	"context"
	"fmt"
	"maps"

	"github.com/footnotehq/footnote/core/document"
)

// resume is what an earlier attempt at the turn has done, as far as it still holds: for the same
// question and the same listeners, and of what was found that which they may read at this moment. A
// plan that was made for others may hold names that only they could read, so it is made again.
func (s *inquiry) resume(ctx context.Context) (Record, error) {
	if s.Journal == nil {
		return Record{}, nil
	}
	record, err := s.Journal.Record(ctx, s.req.Audience.Tenant(), s.req.Turn)
	if err != nil {
		return Record{}, fmt.Errorf("find out what was found before: %w", err)
	}
	if !record.Planned() || record.Question != s.req.Question.Text || record.Audience != s.listeners() {
		return Record{}, nil
	}
	var ids []document.ID
	for _, f := range record.Findings {
		for _, ref := range f.References {
			ids = append(ids, ref.Document.ID)
		}
	}
	if s.Library == nil || len(ids) == 0 {
		return record, nil
	}
	readable, err := s.Library.Readable(ctx, s.req.Audience, ids)
	if err != nil {
		return Record{}, fmt.Errorf("find out what of the findings may be read: %w", err)
	}
	for _, f := range record.Findings {
		if !f.readable(readable) && len(record.Judgments) > 0 {
			return Record{}, nil // what was asked further may repeat it
		}
	}
	maps.DeleteFunc(record.Findings, func(_ int, f Finding) bool { return !f.readable(readable) })
	return record, nil
}
