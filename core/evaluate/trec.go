package evaluate

import (
	"bufio"
	"fmt"
	"io"
)

// WriteRun writes the rankings of a result as a TREC run for trec_eval, pytrec_eval and
// ir_measures. Each line is one document: query, Q0, document, rank from 1, score, and name of the
// run. Tabs separate the columns, because ids may contain spaces.
//
// These tools sort by score, but the scores of combined searches are not comparable. So the score
// is 100 for the first document, 99 for the second and so on.
func (c *Collection) WriteRun(w io.Writer, r Result) error {
	out := bufio.NewWriter(w)
	for _, q := range c.Queries {
		for i, id := range r.Rankings[q.ID] {
			fmt.Fprintf(out, "%s\tQ0\t%s\t%d\t%d\tfootnote-%s\n", q.ID, id, i+1, rankingDepth-i, r.Mode)
		}
	}
	return out.Flush()
}
