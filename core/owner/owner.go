// Package owner decides who owns a page and whether the owner may be asked about the page in a
// thread. It ensures that an owner is asked only once.
package owner

import (
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
)

// Owner is a person or team that owns a page according to documents.
type Owner struct {
	Page document.Ref
	Name string // as the document writes it
	// Identity distinguishes people with the same name. It is a mail address, or an account of the
	// page's source with "@". It is empty for teams and for people known only by name.
	Identity string
	Source   document.SourceID // source of the stating document
	// Claimed says that a document of another source names the owner. Such a document must not
	// decide who is asked about the page.
	Claimed bool
}

// Called returns the owner's name in a form that can be put into a sentence. See the function
// [Called].
func (o Owner) Called() string { return Called(o.Name) }

// Called returns a name in a form that can be put into a sentence. It shortens the name to maxName
// characters and removes text that a platform would read as a mention or link.
func Called(name string) string { return cut(cite.SafeTitle(name), maxName) }

// Library checks who may read documents. It must be safe for concurrent use.
type Library interface {
	// Readable returns the documents that exist and that everyone in the audience may read at the
	// time of the call.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Finder finds the owners of pages in the knowledge graph. It is safe for concurrent use.
type Finder struct {
	Graph   knowledge.Graph
	Library Library
}

const (
	maxName = 60
	// slack is the number of statements to read for each wanted owner. Some statements are about
	// other pages with the same title.
	slack = 4
)

// Of returns up to limit owners of a page. It uses only statements in documents that the audience
// may read. If no document states an owner, Of returns the page's authors. It returns none if the
// audience may not read the page.
func (f Finder) Of(ctx context.Context, audience access.Audience, page document.Ref, limit int) ([]Owner, error) {
	form := knowledge.Form(page.Title)
	if !knowledge.Nameable(form) {
		return nil, nil
	}
	for _, relation := range []knowledge.Relation{knowledge.Owns, knowledge.Authored} {
		stated, err := f.Graph.Statements(ctx, knowledge.Question{
			Audience: audience, Names: []string{form}, Relations: []knowledge.Relation{relation}, Object: true, Limit: slack * limit,
		})
		if err != nil {
			return nil, fmt.Errorf("ask who owns a document: %w", err)
		}
		owners, err := f.readable(ctx, audience, page, stated, limit)
		if err != nil || len(owners) > 0 {
			return owners, err
		}
	}
	return nil, nil
}

// readable returns up to limit owners of a page from statements about it. It skips statements in
// documents that the audience may not read. It returns none if the audience may not read the page.
func (f Finder) readable(ctx context.Context, audience access.Audience, page document.Ref, stated []knowledge.Statement, limit int) ([]Owner, error) {
	ids := []document.ID{page.ID}
	for _, s := range stated {
		ids = append(ids, s.Document.ID)
	}
	if len(stated) == 0 {
		return nil, nil
	}
	readable, err := f.Library.Readable(ctx, audience, ids)
	if err != nil {
		return nil, fmt.Errorf("find out who may read what is stated of a document: %w", err)
	}
	var owners []Owner
	seen := make(map[string]bool)
	for _, s := range stated {
		own, about := concerns(s, page)
		if !about || !readable[page.ID] || !readable[s.Document.ID] || strings.TrimSpace(s.Subject) == "" || seen[s.Subject] || len(owners) == limit {
			continue
		}
		seen[s.Subject] = true
		owners = append(owners, Owner{Page: page, Name: s.Subject, Identity: identity(s), Source: s.Document.Source, Claimed: !own})
	}
	return owners, nil
}

// concerns reports whether a statement is about a page (about), and whether it comes from the page
// itself or from another document of the same source (own).
func concerns(s knowledge.Statement, page document.Ref) (own, about bool) {
	if s.ObjectRef != nil {
		own = s.Document.ID == s.ObjectRef.ID || s.Document.Source == s.ObjectRef.Source
		return own, s.ObjectRef.ID == page.ID
	}
	if s.ObjectKind != knowledge.Path {
		return false, false
	}
	source, file, found := strings.Cut(string(page.ID), ":")
	of, pattern := knowledge.SourceOf(s.ObjectKey)
	return true, found && string(of) == source && knowledge.Covers(pattern, file)
}

func identity(s knowledge.Statement) string {
	if s.SubjectKind != knowledge.Person || strings.ContainsAny(s.SubjectKey, " /") {
		return ""
	}
	if at := strings.IndexByte(s.SubjectKey, '@'); at == 0 && len(s.SubjectKey) > 1 || at > 0 && at < len(s.SubjectKey)-1 {
		return s.SubjectKey
	}
	return ""
}

func cut(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return strings.TrimSpace(string(r[:limit-1])) + "…"
	}
	return text
}
