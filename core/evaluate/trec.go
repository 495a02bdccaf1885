package evaluate

import (
	"bufio"
	"fmt"
	"io"
)

// WriteRun writes the rankings of a result as a run in the layout of TREC, which trec_eval,
// pytrec_eval and ir_measures read: a line for each document found, in the order of the
// collection's queries, with the columns query, Q0, document, rank from 1, score, name of the run.
// The columns are parted by tabs, since ids may hold spaces. Those tools sort by score; a ranking
// may be put together from several searches, whose scores do not compare, so what stands there is
// 100 for the first document, 99 for the second and so on.
func (c *Collection) WriteRun(w io.Writer, r Result) error {
	out := bufio.NewWriter(w)
	for _, q := range c.Queries {
		for i, id := range r.Rankings[q.ID] {
			fmt.Fprintf(out, "%s\tQ0\t%s\t%d\t%d\tfootnote-%s\n", q.ID, id, i+1, rankingDepth-i, r.Mode)
		}
	}
	return out.Flush()
}
