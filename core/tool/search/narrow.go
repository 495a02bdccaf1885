package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/tool"
)

// narrow returns the sources that a call asks for, by their names or kinds as the prompt lists them. The error tells the model which
// there are.
func narrow(asked tool.Strings, scope tool.Scope) ([]document.SourceID, error) {
	if len(asked) == 0 || len(scope.Catalogue) == 0 { // where none is listed, the model made the names up
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
