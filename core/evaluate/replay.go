package evaluate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
)

// ReadQueries reads the search queries that a model made, by question id. The first line of the
// file begins with "id". Each further line has a question's id and the queries of the model's first
// call, separated by tabs.
func ReadQueries(from io.Reader) (map[string][]string, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxQuestionLine)
	queries := make(map[string][]string)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		id := strings.TrimSpace(fields[0])
		switch {
		case n == 1 && id != "id":
			return nil, errors.New(`line 1: the first column is not "id"; write id, a tab and "queries"`)
		case n == 1 || id == "":
			continue
		}
		for _, q := range fields[1:] {
			if q = strings.TrimSpace(q); q != "" {
				queries[id] = append(queries[id], q)
			}
		}
		if len(queries[id]) == 0 {
			return nil, fmt.Errorf("line %d: the question %q has no query; write at least one behind its id, parted by a tab", n, id)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(queries) == 0 {
		return nil, errors.New("the file has no queries")
	}
	return queries, nil
}

// Replay runs the recorded search queries of a model through the search tool, without the model.
type Replay struct {
	Search   tool.Tool
	Counter  budget.Counter
	Audience access.Audience
	Sources  []document.SourceID // sources to search; empty means all
	Now      time.Time
}

// Replayed is the result of replaying the queries for one question.
type Replayed struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Queries  []string `json:"queries"`
	// rank of the first passage of a right page, from 1; 0 if no such passage is shown
	Rank     int      `json:"rank"`
	Passages int      `json:"passages"` // passages shown
	Tokens   int      `json:"tokens"`   // size of the whole result
	Pages    []string `json:"pages"`    // paths of the passages' pages, best first
}

// Run replays the recorded queries of all answerable questions. It returns an error if there are
// none.
func (r Replay) Run(ctx context.Context, questions []Question, queries map[string][]string) ([]Replayed, error) {
	var out []Replayed
	for _, q := range questions {
		own := queries[q.ID]
		if len(own) == 0 || !q.Answerable() {
			continue
		}
		arguments, err := json.Marshal(map[string][]string{"queries": own})
		if err != nil {
			return nil, err
		}
		result, err := r.search(ctx, tool.Call{ID: q.ID, Arguments: arguments, Scope: tool.Scope{
			Audience: r.Audience, Question: q.Text, Quoted: []string{q.Text}, Sources: r.Sources, Citations: cite.NewMapping(), First: true, Now: r.Now,
		}})
		if err != nil {
			return nil, fmt.Errorf("search for %s: %w", q.ID, err)
		}
		shown := Replayed{ID: q.ID, Question: q.Text, Queries: own, Tokens: r.Counter.Count(result.Content)}
		for _, ref := range result.References {
			if ref.Chunk != nil {
				shown.Pages = append(shown.Pages, Page(ref.Document.ID))
			}
		}
		shown.Passages = len(shown.Pages)
		shown.Rank = slices.IndexFunc(shown.Pages, q.Pages.MatchString) + 1
		out = append(out, shown)
	}
	if len(out) == 0 {
		return nil, errors.New("no answerable question has recorded queries: the first column of the file of queries holds ids of questions")
	}
	return out, nil
}

func (r Replay) search(ctx context.Context, call tool.Call) (tool.Result, error) {
	queue, drained := make(chan packet.Packet), make(chan struct{})
	go func() {
		defer close(drained)
		for range queue { // discard them
		}
	}()
	result, err := r.Search.Run(ctx, call, packet.NewEmitter(queue, drained, packet.Placement{}))
	close(queue)
	<-drained
	return result, err
}

// ReplaySummary holds totals and means over all replayed questions.
type ReplaySummary struct {
	Questions int     `json:"questions"`
	First     int     `json:"first"`  // questions with a right page as the first passage
	Top5      int     `json:"top5"`   // questions with a right page among the first five passages
	Shown     int     `json:"shown"`  // questions with a right page among all passages
	Tokens    float64 `json:"tokens"` // mean size of a result
	Passages  float64 `json:"passages"`
}

// SummariseReplay computes totals and means of the replayed questions.
func SummariseReplay(all []Replayed) ReplaySummary {
	s := ReplaySummary{Questions: len(all)}
	for _, r := range all {
		if r.Rank == 1 {
			s.First++
		}
		if r.Rank >= 1 && r.Rank <= 5 {
			s.Top5++
		}
		if r.Rank >= 1 {
			s.Shown++
		}
		s.Tokens += float64(r.Tokens) / float64(max(len(all), 1))
		s.Passages += float64(r.Passages) / float64(max(len(all), 1))
	}
	return s
}
