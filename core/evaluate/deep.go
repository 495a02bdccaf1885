package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/retrieve"
)

// Step is one sentence of the reasoning that leads to an answer, with the documents that support
// the sentence.
type Step struct {
	Text  string
	Pages []string
}

func (r *reader) steps() (map[string][]Step, error) {
	if !r.has(goldFile) {
		return nil, nil
	}
	all := make(map[string][]Step)
	err := r.eachLine(goldFile, func(_ int, raw string) error {
		var line struct {
			ID    scalar     `json:"id"`
			Steps []string   `json:"steps"`
			Pages [][]string `json:"pages"`
		}
		if err := json.Unmarshal([]byte(raw), &line); err != nil {
			return fmt.Errorf("it is not a JSON object with id, steps and pages: %w", err)
		}
		for i, text := range line.Steps {
			s := Step{Text: text}
			if i < len(line.Pages) {
				s.Pages = line.Pages[i]
			}
			all[line.ID.text] = append(all[line.ID.text], s)
		}
		return nil
	})
	return all, err
}

// Way is a search strategy for a question that needs several documents.
type Way string

// The search strategies, in the order of reports.
const (
	Once Way = "once" // only the question
	// ByRule searches for the question and for its parts, as [deepsearch.Decompose] returns them.
	ByRule Way = "by rule"
	// ByName searches for the question, and for the question combined with each name in its first
	// passages.
	ByName    Way = "by name"
	RuleNames Way = "rule, name" // ByRule and ByName combined, like a deep search without a model
)

// Ways returns all search strategies, in the order of reports.
func Ways() []Way { return []Way{Once, ByRule, ByName, RuleNames} }

// DeepResult measures how well a search strategy finds all documents that a question needs.
type DeepResult struct {
	Way Way `json:"way"`
	// share of the queries whose relevant documents are all among the first ten
	AllTen float64 `json:"all_in_ten"`
	// share of a query's relevant documents that are among the first five, averaged over queries
	Recall5  float64 `json:"recall_5"`
	Searches float64 `json:"searches"` // per query, mean
}

// Ordered measures searches that follow the reasoning: first for the question, then for each step.
// A query counts as found if the documents of every step are among the first Depth results of an
// earlier search.
type Ordered struct {
	Depth int     `json:"depth"`
	Found float64 `json:"found"` // share of the queries
}

// Deep holds the measurements of a collection whose questions need several documents.
type Deep struct {
	Queries int          `json:"queries"`
	Results []DeepResult `json:"results"`
	Ordered []Ordered    `json:"in_order,omitempty"` // empty if the collection has no steps
}

var depths = []int{3, 5, 10}

// nameDepth is the number of passages of the first search from which names are taken.
const nameDepth = 3

// Deep measures every search strategy on a collection, without a model. If a strategy makes several
// searches, Deep interleaves their rankings.
func (r Runner) Deep(ctx context.Context, c *Collection, mode Mode, done func(queries int)) (Deep, error) {
	hybrid, err := r.hybrid(mode, r.Config)
	if err != nil {
		return Deep{}, err
	}
	d := &deepRun{Runner: r, c: c, hybrid: hybrid}
	out := Deep{Queries: len(c.Queries)}
	sums := make([]DeepResult, len(Ways()))
	reached := make([]int, len(depths))
	for i, q := range c.Queries {
		for w, way := range Ways() {
			ranking, searches, err := d.rankingOf(ctx, q, way)
			if err != nil {
				return Deep{}, err
			}
			ten, five := recallOf(c, q, ranking)
			sums[w].AllTen += ten
			sums[w].Recall5 += five
			sums[w].Searches += float64(searches)
		}
		for k, depth := range depths {
			ok, err := d.inOrder(ctx, q, depth)
			if err != nil {
				return Deep{}, err
			}
			if ok {
				reached[k]++
			}
		}
		done(i + 1)
	}
	n := float64(max(1, len(c.Queries)))
	for w, way := range Ways() {
		out.Results = append(out.Results, DeepResult{Way: way, AllTen: sums[w].AllTen / n, Recall5: sums[w].Recall5 / n, Searches: sums[w].Searches / n})
	}
	if len(c.Steps) > 0 {
		for k, depth := range depths {
			out.Ordered = append(out.Ordered, Ordered{depth, float64(reached[k]) / n})
		}
	}
	return out, nil
}

type deepRun struct {
	Runner
	c      *Collection
	hybrid *retrieve.Hybrid
	made   map[string]retrieve.Result
}

func (d *deepRun) search(ctx context.Context, q Text, text string) (retrieve.Result, error) {
	if found, ok := d.made[text]; ok {
		return found, nil
	}
	found, err := d.searchQuery(ctx, d.hybrid, Text{ID: q.ID, Text: text}, retrieve.Search{Limit: 2 * 10})
	if d.made == nil {
		d.made = make(map[string]retrieve.Result)
	}
	d.made[text] = found
	return found, err
}

// rankingOf returns the ids of documents, best first, and the number of searches that the strategy
// made.
func (d *deepRun) rankingOf(ctx context.Context, q Text, way Way) ([]string, int, error) {
	texts := []string{q.Text}
	if way == ByRule || way == RuleNames {
		for _, part := range deepsearch.Decompose(q.Text) {
			texts = append(texts, part.Text)
		}
	}
	if way == ByName || way == RuleNames {
		first, err := d.search(ctx, q, q.Text)
		if err != nil {
			return nil, 0, err
		}
		var passages []string
		for _, h := range first.Hits[:min(len(first.Hits), nameDepth)] {
			passages = append(passages, h.Document.Title+". "+h.Text)
		}
		for _, name := range deepsearch.Names(q.Text, passages) {
			texts = append(texts, deepsearch.WithName(q.Text, name))
		}
	}
	slices.Sort(texts[1:])
	texts = slices.Compact(texts)
	rankings := make([][]string, len(texts))
	for i, text := range texts {
		found, err := d.search(ctx, q, text)
		if err != nil {
			return nil, 0, err
		}
		rankings[i] = d.c.extend(nil, q, found.Hits)
	}
	return interleave(rankings), len(texts), nil
}

// interleave takes the first entry of each ranking, then the second of each, without duplicates.
func interleave(rankings [][]string) []string {
	var out []string
	for i := 0; ; i++ {
		more := false
		for _, r := range rankings {
			if i < len(r) {
				more = true
				if !slices.Contains(out, r[i]) {
					out = append(out, r[i])
				}
			}
		}
		if !more {
			return out
		}
	}
}

// recallOf measures a ranking with the relevant documents of a query. ten is 1 if the first ten
// documents include all relevant ones, and otherwise 0. five is the share of the relevant documents
// that are among the first five.
func recallOf(c *Collection, q Text, ranking []string) (ten, five float64) {
	needed, atTen, atFive := 0, 0, 0
	for id, grade := range c.Judgements[q.ID] {
		if grade <= 0 {
			continue
		}
		needed++
		at := slices.Index(ranking, id)
		if at >= 0 && at < 10 {
			atTen++
		}
		if at >= 0 && at < 5 {
			atFive++
		}
	}
	if atTen == needed {
		ten = 1
	}
	return ten, float64(atFive) / float64(max(1, needed))
}

// inOrder searches for the question, and then for each step of the reasoning. It reports whether
// the documents of every step are among the first depth results of an earlier search.
func (d *deepRun) inOrder(ctx context.Context, q Text, depth int) (bool, error) {
	known := make(map[string]bool)
	learn := func(text string) error {
		found, err := d.search(ctx, q, text)
		for _, id := range firstN(d.c.extend(nil, q, found.Hits), depth) {
			known[id] = true
		}
		return err
	}
	if err := learn(q.Text); err != nil {
		return false, err
	}
	for _, step := range d.c.Steps[q.ID] {
		for _, page := range step.Pages {
			if !known[page] {
				return false, nil
			}
		}
		if err := learn(step.Text); err != nil {
			return false, err
		}
	}
	return true, nil
}

func firstN(list []string, n int) []string { return list[:min(len(list), n)] }
