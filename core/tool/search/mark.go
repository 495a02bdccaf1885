package search

import (
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// replacement is a document that replaces another one, or that says so without the right to.
type replacement struct {
	by      document.Ref
	claimed bool
}

// replaced returns what replaces the documents found, by their ids, as far as the readers may see
// both and the page that states it. It returns nothing where the graph cannot be asked: passages
// are then shown without marks.
func (t *Tool) replaced(ctx context.Context, hits []retrieve.Hit, scope tool.Scope) map[document.ID]replacement {
	by := make(map[document.ID]replacement)
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
		claimed := !s.MayRetire(*s.ObjectRef)
		// the newest statement comes first
		if r, marked := by[s.ObjectRef.ID]; !marked || r.claimed && !claimed {
			by[s.ObjectRef.ID] = replacement{*s.SubjectRef, claimed}
		}
	}
	return by
}

// Replaced returns a sentence that says which document replaced d, if the audience may see both. It
// is empty if no replacement is known.
func (t *Tool) Replaced(ctx context.Context, d document.Ref, scope tool.Scope) string {
	h := retrieve.Hit{Document: d}
	return marks(h, resemblance{}, t.replaced(ctx, []retrieve.Hit{h}, scope), nil).metadata
}

// maxReplaced is how many statements are looked at.
const maxReplaced = 100

// mark is what is said of a passage next to it.
type mark struct {
	metadata string        // for the model; empty: nothing
	title    string        // behind the title, for the reader; empty: nothing
	other    *document.Ref // which it speaks of, and which is not among the passages
}

// marks says of a passage that its page was replaced, or that a passage before it says the same.
// Both rest on pages that the readers may see: what replaces it was looked up on their behalf, and
// copies are found among the passages themselves.
func marks(h retrieve.Hit, text resemblance, replaced map[document.ID]replacement, before []numbered) mark {
	var m mark
	if r, is := replaced[h.Document.ID]; is {
		m.metadata = "replaced by: " + r.by.Title + dated(r.by)
		m.title, m.other = " (replaced by “"+short(r.by.Title)+"”)", &r.by
		if r.claimed {
			m.metadata = "another source claims to replace it, unconfirmed: " + r.by.Title + dated(r.by)
			m.title = " (“" + short(r.by.Title) + "” claims to replace it)"
		}
	}
	for _, b := range before {
		how := text.like(b.words)
		if how == "" || b.hit.Document.ID == h.Document.ID {
			continue
		}
		said := fmt.Sprintf("%s as: document %d", how, b.number)
		switch age := h.Document.UpdatedAt.Compare(b.hit.Document.UpdatedAt); {
		case h.Document.UpdatedAt.IsZero() || b.hit.Document.UpdatedAt.IsZero() || age == 0:
		case age < 0:
			said += ", which is newer"
			if m.title == "" {
				m.title = " (older copy of “" + short(b.hit.Document.Title) + "”)"
			}
		default:
			said += ", which is older"
		}
		if m.metadata != "" {
			said = m.metadata + "; " + said
		}
		m.metadata = said
		break
	}
	return m
}

func dated(ref document.Ref) string {
	if ref.UpdatedAt.IsZero() {
		return ""
	}
	return " (" + ref.UpdatedAt.Format("2006-01-02") + ")"
}

// short cuts a title to what stands well behind another.
func short(title string) string {
	const most = 60
	title = strings.Join(strings.Fields(title), " ")
	if runes := []rune(title); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return title
}
