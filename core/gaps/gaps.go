// Package gaps finds subjects that the documents do not cover. It takes questions whose answers
// were missing or poor, and clusters them by their vectors.
package gaps

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/review"
)

// MaxQuestions is the maximum number of questions that a report clusters. If there are more, it
// uses the newest.
const MaxQuestions = 2000

// Asked is a question to be clustered, with its embedding vector and the nearest documents.
type Asked struct {
	review.Question
	Vector  []float32      // unit vector; zero or nil: the question is in no cluster
	Closest []document.Ref // documents that the report's reader may see, the closest first
}

// Cluster is a group of questions on one subject that the documents do not cover.
type Cluster struct {
	Label     string            // the most central question
	Questions []review.Question // the newest first
	Askers    int
	Weeks     []int // questions of each week, the newest week first
	Closest   []document.Ref
	Owners    []string // names of the owners of Closest
}

// Report lists the subjects that the documents did not cover in a period.
type Report struct {
	Since, Until time.Time
	Questions    int  // questions with a missing or poor answer
	Single       int  // questions in no cluster
	Cut          bool // only the newest MaxQuestions are included
	Clusters     []Cluster
}

// Scope returns the scope of questions that a report for a viewer may include: those asked in
// channels. Private questions are excluded, even the viewer's, because a report may be passed on to
// other people.
func Scope(v review.Viewer) review.Scope {
	s := v.Scope()
	s.Person, s.Revealed = access.Account{}, nil
	return s
}

const (
	// minSimilarity is the minimum mean cosine similarity at which two clusters are merged.
	minSimilarity = 0.5
	// smallest is the minimum number of questions in a cluster. mostNear is the maximum number of
	// documents that a cluster names.
	smallest = 2
	mostNear = 3
)

// Trend compares the questions of the newest week with the week before: "rising", "falling" or
// "steady".
func (c Cluster) Trend() string {
	switch this, last := c.week(0), c.week(1); {
	case this > last:
		return "rising"
	case this < last:
		return "falling"
	}
	return "steady"
}

func (c Cluster) week(n int) int {
	if n < len(c.Weeks) {
		return c.Weeks[n]
	}
	return 0
}

// Find clusters questions and returns a report with the largest clusters first. group is usually
// [Group].
func Find(
	ctx context.Context, asked []Asked, since, until time.Time, group func(context.Context, []Asked) ([][]int, error),
) (Report, error) {
	asked = slices.Clone(asked)
	slices.SortStableFunc(asked, func(a, b Asked) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Turn, b.Turn)) })
	r := Report{Since: since, Until: until, Questions: len(asked)}
	if len(asked) > MaxQuestions {
		asked, r.Cut = asked[:MaxQuestions], true
	}
	clusters, err := group(ctx, asked)
	if err != nil {
		return Report{}, fmt.Errorf("cluster questions: %w", err)
	}
	for _, members := range clusters {
		if len(members) < smallest {
			r.Single += len(members)
			continue
		}
		r.Clusters = append(r.Clusters, describe(asked, members, until))
	}
	slices.SortStableFunc(r.Clusters, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(len(b.Questions), len(a.Questions)), b.Questions[0].At.Compare(a.Questions[0].At), cmp.Compare(a.Label, b.Label))
	})
	return r, nil
}

func describe(asked []Asked, members []int, until time.Time) Cluster {
	members = slices.Sorted(slices.Values(members)) // the newest first, as asked is
	var c Cluster
	askers := make(map[[2]string]bool)
	// The dot product of a question's vector and this sum is high for a central question.
	sum := make([]float32, len(asked[members[0]].Vector))
	for _, i := range members {
		for d := range sum {
			sum[d] += asked[i].Vector[d]
		}
	}
	best, near := float32(-1), make(map[document.ID]int)
	var documents []document.Ref
	for _, i := range members {
		q := asked[i]
		c.Questions = append(c.Questions, q.Question)
		askers[[2]string{string(q.Ref.Platform), q.Asker.ID}] = true
		if alike := cosine(q.Vector, sum); alike > best {
			best, c.Label = alike, q.Text
		}
		for _, d := range q.Closest {
			if near[d.ID]++; near[d.ID] == 1 {
				documents = append(documents, d)
			}
		}
		if week := int(until.Sub(q.At) / (7 * 24 * time.Hour)); week >= 0 && week < 520 {
			for len(c.Weeks) <= week {
				c.Weeks = append(c.Weeks, 0)
			}
			c.Weeks[week]++
		}
	}
	c.Askers = len(askers)
	slices.SortStableFunc(documents, func(a, b document.Ref) int { return cmp.Compare(near[b.ID], near[a.ID]) })
	c.Closest = documents[:min(len(documents), mostNear)]
	return c
}

// Group divides questions into clusters of similar vectors. Each cluster is a list of indexes into
// asked. A question without similar ones is a cluster by itself. For MaxQuestions, Group takes
// about 100 ms.
func Group(ctx context.Context, asked []Asked) ([][]int, error) {
	l := newLikeness(ctx, asked)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.clusters(), nil
}

type likeness struct {
	n    int
	pair []float32 // n×n
}

// newLikeness computes the similarity of every pair of questions, on all processors. The result is
// incomplete if ctx is done.
func newLikeness(ctx context.Context, asked []Asked) *likeness {
	l := &likeness{n: len(asked), pair: make([]float32, len(asked)*len(asked))}
	var all sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		all.Go(func() {
			for i := first; i < l.n && ctx.Err() == nil; i += workers {
				for j := range i {
					v := cosine(asked[i].Vector, asked[j].Vector)
					l.pair[i*l.n+j], l.pair[j*l.n+i] = v, v
				}
			}
		})
	}
	all.Wait()
	return l
}

func cosine(a, b []float32) float32 {
	if len(a) != len(b) {
		return 0
	}
	// Four independent sums let the processor overlap the additions.
	var s0, s1, s2, s3 float32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]float32)(a), (*[8]float32)(b)
		s0 += x[0]*y[0] + x[4]*y[4]
		s1 += x[1]*y[1] + x[5]*y[5]
		s2 += x[2]*y[2] + x[6]*y[6]
		s3 += x[3]*y[3] + x[7]*y[7]
		a, b = a[8:], b[8:]
	}
	for i := range a {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// clusters repeatedly merges the most similar pair of clusters, until the mean similarity of each
// pair is below minSimilarity. The method is average linkage by nearest-neighbour chains, in
// O(n²).
func (l *likeness) clusters() [][]int {
	mean := slices.Clone(l.pair) // mean similarity of clusters, indexed by their first members
	members := make([][]int, l.n)
	for i := range members {
		members[i] = []int{i}
	}
	var chain []int
	for start := 0; start < l.n; {
		if len(chain) == 0 {
			if members[start] == nil {
				start++
				continue
			}
			chain = append(chain, start)
		}
		last := chain[len(chain)-1]
		nearest, best := -1, float32(minSimilarity)
		if len(chain) > 1 { // prefer the previous cluster on a tie, so that the chain ends
			before := chain[len(chain)-2]
			nearest, best = before, mean[last*l.n+before]
		}
		for j := range l.n {
			if j != last && members[j] != nil && (mean[last*l.n+j] > best || nearest < 0 && mean[last*l.n+j] == best) {
				nearest, best = j, mean[last*l.n+j]
			}
		}
		switch {
		case nearest < 0: // no cluster is similar to it, and merged clusters are less similar
			chain, start = nil, start+1
		case len(chain) > 1 && nearest == chain[len(chain)-2]:
			chain = chain[:len(chain)-2]
			into, from := min(last, nearest), max(last, nearest)
			a, b := float32(len(members[into])), float32(len(members[from]))
			for j := range l.n {
				joined := (a*mean[into*l.n+j] + b*mean[from*l.n+j]) / (a + b)
				mean[into*l.n+j], mean[j*l.n+into] = joined, joined
			}
			members[into], members[from] = append(members[into], members[from]...), nil
		default:
			chain = append(chain, nearest)
		}
	}
	return slices.DeleteFunc(members, func(m []int) bool { return m == nil })
}
