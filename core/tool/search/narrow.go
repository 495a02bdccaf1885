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

// narrow limits the scope to the sources whose names, kinds or ids a call lists. Without any, it
// leaves the scope as it is. The catalogue may be a few minutes old, so narrow lists the sources
// again before it refuses a name. The text of the error lists the valid names for the model.
func (t *Tool) narrow(ctx context.Context, asked tool.Strings, scope *tool.Scope) error {
	// no sources are listed, so the model invented the names
	if len(asked) == 0 || len(scope.Catalogue) == 0 {
		return nil
	}
	ids, unknown := sourcesNamed(asked, scope.Catalogue)
	if unknown != "" && t.config.List != nil {
		if fresh, err := t.config.List(ctx, scope.Audience); err == nil {
			scope.Catalogue = slices.DeleteFunc(slices.Clone(fresh), func(s tool.Source) bool {
				return len(scope.Sources) > 0 && !slices.Contains(scope.Sources, s.ID)
			})
			ids, unknown = sourcesNamed(asked, scope.Catalogue)
		} else if t.config.Logger != nil {
			t.config.Logger.WarnContext(ctx, "sources are not listed again", "error", err)
		}
	}
	if unknown != "" {
		names := make([]string, len(scope.Catalogue))
		for i, s := range scope.Catalogue {
			names[i] = fmt.Sprintf("%q", s.Name)
		}
		return fmt.Errorf("there is no source %q: name one of %s, or leave sources out", unknown, strings.Join(names, ", "))
	}
	scope.Sources = ids
	return nil
}

// sourcesNamed returns the sources with these names, kinds or ids, and the first name that no
// source has.
func sourcesNamed(asked tool.Strings, catalogue []tool.Source) (ids []document.SourceID, unknown string) {
	for _, name := range asked {
		found := false
		for _, s := range catalogue {
			if strings.EqualFold(name, s.Name) || strings.EqualFold(name, s.Kind) || name == string(s.ID) {
				found = true
				if !slices.Contains(ids, s.ID) {
					ids = append(ids, s.ID)
				}
			}
		}
		if !found {
			return nil, name
		}
	}
	return ids, ""
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
