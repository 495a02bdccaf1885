package knowledge

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/retrieve"
)

type report struct {
	name  string
	sets  map[string]*sums
	steps []time.Duration // that the step took
}

type sums struct {
	questions int
	pages     bool // one page is enough
	// every right document in the first ten; of them in the first five; nDCG@10
	all, r5, ndcg float64
	in            [4]float64 // right pages among the first 1, 5, 10 and 25
}

var depths = [4]int{1, 5, 10, 25}

func newReport(name string) *report { return &report{name: name, sets: make(map[string]*sums)} }

func (r *report) add(q question, found retrieve.Result) {
	if took, stepped := found.Trace.Timings["knowledge"]; stepped {
		r.steps = append(r.steps, took)
	}
	var ranking []string
	for _, h := range found.Hits {
		if id := string(h.Document.ID); !slices.Contains(ranking, id) {
			ranking = append(ranking, id)
		}
	}
	s := r.sets[q.set]
	if s == nil {
		s = &sums{pages: q.any}
		r.sets[q.set] = s
	}
	s.questions++
	within := func(k int) (n int) {
		for _, id := range ranking[:min(k, len(ranking))] {
			if q.grades[id] > 0 {
				n++
			}
		}
		return n
	}
	if within(10) == len(q.grades) {
		s.all++
	}
	s.r5 += float64(within(5)) / float64(max(len(q.grades), 1))
	s.ndcg += evaluate.NDCG(ranking, q.grades, 10)
	for i, k := range depths {
		if within(k) > 0 {
			s.in[i]++
		}
	}
}

func (r *report) print(out io.Writer) {
	_, _ = fmt.Fprintf(out, "\n%s", r.name) // what is printed is for a person who watches
	if len(r.steps) > 0 {
		_, _ = fmt.Fprintf(out, "; the step takes %s, p95 %s", quantile(r.steps, .5).Round(10*time.Microsecond), quantile(r.steps, .95).Round(10*time.Microsecond))
	}
	_, _ = fmt.Fprintln(out)
	for _, set := range slices.Sorted(maps.Keys(r.sets)) {
		s := r.sets[set]
		n := float64(s.questions)
		if s.pages {
			_, _ = fmt.Fprintf(out, "  %-10s %3d questions; a right page among the first 1, 5, 10, 25: %.0f, %.0f, %.0f, %.0f\n", set, s.questions, s.in[0], s.in[1], s.in[2], s.in[3])
			continue
		}
		_, _ = fmt.Fprintf(out, "  %-10s %3d questions; all right ones in the first ten %.3f, R@5 %.3f, nDCG@10 %.4f\n", set, s.questions, s.all/n, s.r5/n, s.ndcg/n)
	}
}
