package deepsearch

import (
	"context"
	"fmt"
	"maps"

	"github.com/footnotehq/footnote/core/document"
)

// loadRecord returns the stored record of the search, without findings that the audience may no
// longer read. The result is empty if the record is for another question or audience. It is also
// empty if the text of a further question may repeat an unreadable finding.
func (s *inquiry) loadRecord(ctx context.Context) (Record, error) {
	if s.Journal == nil {
		return Record{}, nil
	}
	record, err := s.Journal.Record(ctx, s.req.Audience.Tenant(), s.req.Turn)
	if err != nil {
		return Record{}, fmt.Errorf("load the record of the deep search: %w", err)
	}
	if !record.Planned() || record.Question != s.req.Question.Text || record.Audience != s.audienceKey() {
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
		return Record{}, fmt.Errorf("check access to the findings: %w", err)
	}
	for _, f := range record.Findings {
		if !f.isReadable(readable) && len(record.Judgments) > 0 {
			return Record{}, nil // further questions may repeat the unreadable text
		}
	}
	maps.DeleteFunc(record.Findings, func(_ int, f Finding) bool { return !f.isReadable(readable) })
	return record, nil
}
