package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/retrieve"
)

// Step is one sentence of the reasoning that leads to an answer, and the documents that it rests
// on.
type Step struct {
	Text  string
	Pages []string
}

// steps reads the reasoning of each query from goldFile, which may be missing.
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

// Way is a way of searching for a question that needs more than one document.
type Way string

// The ways, in the order in which they are reported.
const (
	Once Way = "once" // the question alone
	// the question, and the parts that deepsearch.Decompose takes it apart into
	ByRule Way = "by rule"
	// the question, and once more with each name that its first passages hold
	ByName    Way = "by name"
	RuleNames Way = "rule, name" // both, as a deep search does without a model
)

// Ways are all of them.
func Ways() []Way { return []Way{Once, ByRule, ByName, RuleNames} }

// DeepResult is how well a way finds all documents that a question needs.
type DeepResult struct {
	Way Way `json:"way"`
	// share of the queries of which all documents are among the first ten
	AllTen float64 `json:"all_in_ten"`
	// share of a query's documents among the first five, mean over queries
	Recall5  float64 `json:"recall_5"`
	Searches float64 `json:"searches"` // for a query, mean
}

// Ordered is how often a reader who takes the steps of the reasoning in order, and looks at the
// first so many documents of each search, would find every document before the step that rests on
// it: by the question, or by a step before.
type Ordered struct {
	Depth int     `json:"depth"`
	Found float64 `json:"found"` // share of the queries
}

// Deep are the results of a collection whose questions need several documents.
type Deep struct {
	Queries int          `json:"queries"`
	Results []DeepResult `json:"results"`
	Ordered []Ordered    `json:"in_order,omitempty"` // none where the collection has no steps
}

// depths are how many documents of each search a reader looks at.
var depths = []int{3, 5, 10}

// nameDepth is how many passages of the first search names are taken from.
const nameDepth = 3

// Deep measures every way of searching in a mode, without a model. The rankings of several searches
// take turns.
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
			ranking, searches, err := d.ranked(ctx, q, way)
			if err != nil {
				return Deep{}, err
			}
			ten, five := found(c, q, ranking)
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

// deepRun are the searches of one evaluation, each made once.
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
	found, err := d.ask(ctx, d.hybrid, Text{ID: q.ID, Text: text}, retrieve.Search{Limit: 2 * 10})
	if d.made == nil {
		d.made = make(map[string]retrieve.Result)
	}
	d.made[text] = found
	return found, err
}

// ranked is the ranking that a way comes to, and how many searches it took.
func (d *deepRun) ranked(ctx context.Context, q Text, way Way) ([]string, int, error) {
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
	return taken(rankings), len(texts), nil
}

// taken is one ranking in which several take turns.
func taken(rankings [][]string) []string {
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

// found is whether the first ten documents are all that answer, and which share of them the first
// five hold.
func found(c *Collection, q Text, ranking []string) (ten, five float64) {
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

// inOrder reports whether each document of a step is among the first ones of the question's search
// or of a step's before it.
func (d *deepRun) inOrder(ctx context.Context, q Text, depth int) (bool, error) {
	known := make(map[string]bool)
	learn := func(text string) error {
		found, err := d.search(ctx, q, text)
		for _, id := range limited(d.c.extend(nil, q, found.Hits), depth) {
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

func limited(list []string, n int) []string { return list[:min(len(list), n)] }
