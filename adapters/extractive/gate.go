package extractive

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/retrieve"
)

const (
	maxCompared   = 3   // quotations that are compared with the question: as many as are shown
	maxSimilarity = 600 // bytes of one that are compared, about 128 tokens
	gateWait      = 2 * time.Second
)

// band says what is shown of the spans, the best one of each page first. covered reports whether
// the question's words are evidence. They alone decide where no sentence model is, where it takes
// too long, and where the question or the documents are not in its language.
func (m *Model) band(ctx context.Context, t turn, best []span, covered bool) (retrieve.Band, error) {
	byWords := retrieve.Nothing
	if covered {
		byWords = retrieve.Quotes
	}
	if m.sentences == nil || len(best) == 0 {
		return byWords, nil
	}
	question := t.question
	if elliptic(question) {
		question = t.before + " " + question
	}
	texts := []string{question}
	for i := range best[:min(len(best), maxCompared)] {
		x := &best[i]
		text := x.part.pieces[x.at].section + ". " + x.text()
		texts = append(texts, strings.ToValidUTF8(text[:min(len(text), maxSimilarity)], ""))
	}
	limited, cancel := context.WithTimeout(ctx, gateWait)
	defer cancel()
	vectors, err := m.sentences.Embed(limited, retrieve.ForQuery, texts)
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return byWords, nil
	case err != nil:
		return retrieve.Nothing, err
	}
	similarity, comparable := -1.0, false
	for _, v := range vectors[1:] {
		if retrieve.Cosine(vectors[0], vectors[0]) > 0 && retrieve.Cosine(v, v) > 0 {
			similarity, comparable = max(similarity, retrieve.Cosine(vectors[0], v)), true
		}
	}
	if !comparable {
		return byWords, nil
	}
	return m.gate.Band(similarity, covered), nil
}

// links writes the titles of the spans' pages, each once.
func links(spans []span) string {
	lines, seen := []string{retrieve.MayHelp + "\n"}, map[*page]bool{}
	for i := range spans {
		page := spans[i].page
		if title := strings.Join(strings.Fields(spans[i].part.Title), " "); !seen[page] && len(seen) < maxPages {
			seen[page] = true
			lines = append(lines, strings.TrimSpace("- "+protect(title))+" ["+strconv.Itoa(spans[i].part.Number)+"]")
		}
	}
	return strings.Join(lines, "\n")
}
