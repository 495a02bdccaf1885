package search

import (
	"context"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// replaced are the documents that replace some of those found, as far as the readers may see both and what states it. Where that cannot be asked nothing is marked:
// the passages stand for themselves.
func (t *Tool) replaced(ctx context.Context, hits []retrieve.Hit, scope tool.Scope) map[document.ID]document.Ref {
	by := make(map[document.ID]document.Ref)
	if t.config.Graph == nil || len(hits) == 0 {
		return by
	}
	q := knowledge.Question{Audience: scope.Audience, Sources: scope.Sources, Documents: scope.Documents, Relations: []knowledge.Relation{knowledge.Supersedes}, Limit: maxReplaced}
	seen := make(map[string]bool)
	for _, h := range hits {
		if form := knowledge.Form(h.Document.Title); form != "" && !seen[form] {
			seen[form] = true
			q.Names = append(q.Names, form)
		}
	}
	stated, err := t.config.Graph.Statements(ctx, q)
	if err != nil {
		t.config.Logger.WarnContext(ctx, "what replaces the passages found could not be looked up; they are not marked", "error", err)
		return by
	}
	for _, s := range stated {
		if s.ObjectRef == nil || s.SubjectRef == nil || s.ObjectRef.ID == s.SubjectRef.ID {
			continue
		}
		if _, marked := by[s.ObjectRef.ID]; !marked { // the newest statement comes first
			by[s.ObjectRef.ID] = *s.SubjectRef
		}
	}
	return by
}

// maxReplaced is how many statements are looked at.
const maxReplaced = 100

// marked adds to what is known of a document that another one replaces it.
func marked(metadata string, by document.Ref) string {
	mark := "replaced by: " + by.Title
	if !by.UpdatedAt.IsZero() {
		mark += " (" + by.UpdatedAt.Format("2006-01-02") + ")"
	}
	if metadata == "" {
		return mark
	}
	return mark + "; " + metadata
}
