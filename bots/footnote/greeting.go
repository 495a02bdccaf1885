package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/suggest"
)

const (
	greetedSources   = 3 // number of sources to name
	greetedQuestions = 3
)

// greeting returns the first text at the terminal: what is indexed, what writes answers, and
// examples. It returns "" if nothing is indexed. An empty writes means the configured model.
func greeting(ctx context.Context, base *wire.Base, writes string) (string, error) {
	audience := base.ConsoleAudience()
	sources, err := base.Index.Searchable(ctx, audience)
	if err != nil || len(sources) == 0 { // an empty index was reported before
		return "", err
	}
	headings, err := base.Index.Headings(ctx, audience)
	if err != nil {
		return "", err
	}
	documents, names := 0, []string(nil)
	for _, s := range sources {
		documents += s.Documents
		names = append(names, s.Name)
	}
	from := plural.Count(len(sources), "source")
	if len(sources) <= greetedSources {
		from = strings.Join(names, ", ")
	}
	if writes == "" {
		writes = "Answers quote the passages that match best."
		if base.Config.HasModel() {
			writes = base.Config.Model + " writes the answers."
		}
	}
	says := fmt.Sprintf("Indexed: %s from %s.\n%s\n", plural.Count(documents, "document"), from, writes)
	if state, used, err := base.FillState(ctx); err != nil {
		return "", err
	} else if used && !state.Complete {
		says += fmt.Sprintf("Sentence vectors are made while you ask: %s. They make searches better.\n", state)
	}
	if questions := suggest.Questions(headings, greetedQuestions); len(questions) > 0 {
		says += "You can ask, for example:\n"
		for _, q := range questions {
			says += "  " + q + "\n"
		}
	}
	return says, nil
}
