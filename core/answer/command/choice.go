package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/turn"
)

// ChosenModels parses a comma-separated list of model names. known are the permitted models. If a
// name is not permitted, or there are too many names, refusal is a sentence for the person.
func ChosenModels(text string, known []string) (names []string, refusal string) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "" || slices.Contains(names, name):
			continue
		case len(known) == 0:
			return nil, "No models can be chosen here. Leave them away to get an answer."
		case !slices.Contains(known, name):
			return nil, fmt.Sprintf("There is no model %s. Choose among %s.", asCode(name), strings.Join(known, ", "))
		}
		names = append(names, name)
	}
	if len(names) > turn.MaxModels {
		return nil, fmt.Sprintf("At most %d models answer at once. Name fewer.", turn.MaxModels)
	}
	return names, ""
}
