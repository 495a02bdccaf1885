package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/staticembed"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// The floors of what clusters find of the planted gaps of a month, by pairs of questions: how many
// pairs of a cluster belong together, and how many of those that do are in one.
const (
	minPrecision = 0.9
	minRecall    = 0.75
)

// A month of questions in which ten gaps were planted among questions about single things. The
// labels in the file were written by hand, before anything was clustered.
func TestGapsOfAMonthAreFound(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/month.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var asked []gaps.Asked
	var texts []string
	labels := make(map[session.TurnID]string)
	until := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		label, text, _ := strings.Cut(lines.Text(), "\t")
		n := len(asked)
		if label == "-" {
			label = fmt.Sprint("single ", n)
		}
		q := review.Question{
			Turn: session.TurnID(fmt.Sprint("t", n)), Text: text, Outcome: session.NoEvidence, At: until.Add(-time.Duration(n*17%700) * time.Hour), Asker: thread.Person{ID: fmt.Sprint("U", n%9)},
		}
		labels[q.Turn], texts = label, append(texts, text)
		asked = append(asked, gaps.Asked{Question: q})
	}
	embedder, err := staticembed.New()
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := embedder.Embed(t.Context(), retrieve.ForQuery, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range asked {
		asked[i].Vector = vectors[i]
	}
	report, err := gaps.Find(t.Context(), asked, until.AddDate(0, -1, 0), until, gaps.Group)
	if err != nil {
		t.Fatal(err)
	}
	together, right, planted := 0, 0, 0
	for i := range asked {
		for j := range i {
			if labels[asked[i].Turn] == labels[asked[j].Turn] {
				planted++
			}
		}
	}
	for _, c := range report.Clusters {
		var all []string
		for i, a := range c.Questions {
			all = append(all, labels[a.Turn]+": "+a.Text)
			for _, b := range c.Questions[:i] {
				if together++; labels[a.Turn] == labels[b.Turn] {
					right++
				}
			}
		}
		t.Logf("%q, %s, weeks %v:\n  %s", c.Label, c.Trend(), c.Weeks, strings.Join(all, "\n  "))
	}
	precision, recall := float64(right)/float64(together), float64(right)/float64(planted)
	t.Logf("%d clusters, precision %.3f, recall %.3f", len(report.Clusters), precision, recall)
	if precision < minPrecision || recall < minRecall {
		t.Errorf("precision %.3f, recall %.3f", precision, recall)
	}
}

// Who waits for a set that another request clusters stops waiting when the page is given up.
func TestGroupedWaitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	g := newGrouped()
	asked := []gaps.Asked{{Vector: []float32{1, 0}}, {Vector: []float32{1, 0}}}
	g.one <- struct{}{} // questions are being clustered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if clusters, err := g.group(ctx, asked); !errors.Is(err, context.Canceled) {
		t.Errorf("group() = %v, %v", clusters, err)
	}
	<-g.one
	for range 2 {
		if clusters, err := g.group(t.Context(), asked); err != nil || len(clusters) != 1 {
			t.Errorf("group() = %v, %v", clusters, err)
		}
	}
	if len(g.known) != 1 {
		t.Errorf("%d sets are remembered", len(g.known))
	}
}
