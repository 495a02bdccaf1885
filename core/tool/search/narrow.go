package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/tool"
)

// sourcesNamed returns the sources that the model asks for, by name, kind or id. If the model names
// none, it returns all sources of the scope. The error is a text for the model that lists the valid
// names.
func sourcesNamed(asked tool.Strings, scope tool.Scope) ([]document.SourceID, error) {
	// no sources are listed, so the model invented the names
	if len(asked) == 0 || len(scope.Catalogue) == 0 {
		return scope.Sources, nil
	}
	var ids []document.SourceID
	for _, name := range asked {
		found := false
		for _, s := range scope.Catalogue {
			if strings.EqualFold(name, s.Name) || strings.EqualFold(name, s.Kind) || name == string(s.ID) {
				found = true
				if !slices.Contains(ids, s.ID) {
					ids = append(ids, s.ID)
				}
			}
		}
		if !found {
			var names []string
			for _, s := range scope.Catalogue {
				names = append(names, fmt.Sprintf("%q", s.Name))
			}
			return nil, fmt.Errorf("there is no source %q: name one of %s, or leave sources out", name, strings.Join(names, ", "))
		}
	}
	return ids, nil
}

// maxAuthored is the maximum number of an author's documents that are searched. The newest are
// used.
const maxAuthored = 500

// writtenBy returns the documents by any of the named authors within the scope. Without authors, it
// returns the documents of the scope. The model reads the text of the error.
func (t *Tool) writtenBy(ctx context.Context, authors tool.Strings, scope tool.Scope) ([]document.ID, error) {
	if len(authors) == 0 {
		return scope.Documents, nil
	}
	if t.config.Graph == nil {
		return nil, errors.New("authors of documents are unknown here: leave authors out")
	}
	var ids []document.ID
	for _, author := range authors {
		stated, err := knowledge.Ask(ctx, t.config.Graph, author, knowledge.Question{
			Audience: scope.Audience, Sources: scope.Sources, Documents: scope.Documents,
			Relations: []knowledge.Relation{knowledge.Authored}, Limit: maxAuthored, Whole: true, Subject: true,
		})
		if err != nil {
			return nil, &Failure{fmt.Errorf("look up the author: %w", err)}
		}
		for _, s := range stated {
			if !slices.Contains(ids, s.Document.ID) {
				ids = append(ids, s.Document.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no document names %q as its author: leave authors out, and search for the name", []string(authors))
	}
	return ids, nil
}
