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

// replacement is the document that replaced another one. claimed means that only a document of
// another source says so.
type replacement struct {
	by      document.Ref
	claimed bool
}

// replacements returns the documents that replaced found documents, by the id of the found
// document. It returns only documents that the audience may read. If the knowledge graph cannot be
// read, it returns an empty map.
func (t *Tool) replacements(ctx context.Context, hits []retrieve.Hit, scope tool.Scope) map[document.ID]replacement {
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
		t.config.Logger.WarnContext(ctx, "looking up replaced documents failed; passages are not marked", "error", err)
		return by
	}
	for _, s := range stated {
		if s.ObjectRef == nil || s.SubjectRef == nil || s.ObjectRef.ID == s.SubjectRef.ID {
			continue
		}
		claimed := !s.MayRetire(*s.ObjectRef)
		// statements are sorted newest first
		if r, marked := by[s.ObjectRef.ID]; !marked || r.claimed && !claimed {
			by[s.ObjectRef.ID] = replacement{*s.SubjectRef, claimed}
		}
	}
	return by
}

// Replaced returns a sentence that says which document replaced d. The audience must be allowed to
// see both. The sentence is empty if no replacement is known.
func (t *Tool) Replaced(ctx context.Context, d document.Ref, scope tool.Scope) string {
	h := retrieve.Hit{Document: d}
	return markOf(h, fingerprint{}, t.replacements(ctx, []retrieve.Hit{h}, scope), nil).metadata
}

const maxReplaced = 100

type passageMark struct {
	metadata string        // for the model; empty: nothing
	title    string        // suffix of the title, for the reader; empty: nothing
	other    *document.Ref // document that the mark mentions and that is not among the passages
}

func markOf(h retrieve.Hit, text fingerprint, replaced map[document.ID]replacement, before []numberedPassage) passageMark {
	var m passageMark
	if r, is := replaced[h.Document.ID]; is {
		m.metadata = "replaced by: " + r.by.Title + dateSuffix(r.by)
		m.title, m.other = " (replaced by “"+shortTitle(r.by.Title)+"”)", &r.by
		if r.claimed {
			m.metadata = "another source claims to replace it, unconfirmed: " + r.by.Title + dateSuffix(r.by)
			m.title = " (“" + shortTitle(r.by.Title) + "” claims to replace it)"
		}
	}
	for _, b := range before {
		how := text.similarity(b.words)
		if how == "" || b.hit.Document.ID == h.Document.ID {
			continue
		}
		note := fmt.Sprintf("%s as: document %d", how, b.number)
		switch age := h.Document.UpdatedAt.Compare(b.hit.Document.UpdatedAt); {
		case h.Document.UpdatedAt.IsZero() || b.hit.Document.UpdatedAt.IsZero() || age == 0:
		case age < 0:
			note += ", which is newer"
			if m.title == "" {
				m.title = " (older copy of “" + shortTitle(b.hit.Document.Title) + "”)"
			}
		default:
			note += ", which is older"
		}
		if m.metadata != "" {
			note = m.metadata + "; " + note
		}
		m.metadata = note
		break
	}
	return m
}

func dateSuffix(ref document.Ref) string {
	if ref.UpdatedAt.IsZero() {
		return ""
	}
	return " (" + ref.UpdatedAt.Format("2006-01-02") + ")"
}

func shortTitle(title string) string {
	const most = 60
	title = strings.Join(strings.Fields(title), " ")
	if runes := []rune(title); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return title
}
