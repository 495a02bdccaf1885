package evaluate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
)

// Reply is the bot's answer to one question of an evaluation.
type Reply struct {
	Text     string
	Cited    []document.ID // cited documents in the order of their citation numbers
	Found    []document.ID // results of the turn's searches, best first
	Outcome  string
	Asserted bool // the reply makes a claim, with or without sources
	Linked   bool // the reply shows only links
	Quoted   int  // number of Cited that are quoted or referred to; the rest is only linked
}

// Asker opens threads in which an evaluation asks its questions. It is not safe for concurrent use.
type Asker interface {
	// Open begins a thread. Each question of the thread follows the answer to the previous
	// question.
	Open(ctx context.Context) (Thread, error)
}

// Thread is a conversation in which each question follows the answer to the previous one.
type Thread interface {
	// Ask asks a question and waits for the answer.
	Ask(ctx context.Context, question string) (Reply, error)
	Close(ctx context.Context) error
}

// Interview asks questions in threads, as people do. It also searches for each question separately,
// so that search results and answers can be judged apart.
type Interview struct {
	Asker     Asker
	Retriever retrieve.Retriever
	Audience  access.Audience
	Sources   []document.SourceID // sources to search; empty means all
}

// Run asks all questions and returns the judged answers in the same order. After each thread it
// calls done with the number of questions asked so far.
func (i Interview) Run(ctx context.Context, questions []Question, done func(asked int)) ([]Judged, error) {
	followers := make(map[string][]int)
	for n, q := range questions {
		if q.After != "" {
			followers[q.After] = append(followers[q.After], n)
		}
	}
	results := make([]Judged, len(questions))
	asked := 0
	for n, q := range questions {
		if q.After != "" {
			continue
		}
		// Each path of follow-ups gets its own thread, so that follow-ups of one question do not see
		// each other.
		paths := threadsFrom(questions, followers, n)
		judged := make(map[int]bool)
		for _, path := range paths {
			if err := i.thread(ctx, questions, path, results, judged); err != nil {
				return nil, err
			}
		}
		asked += len(judged)
		done(asked)
	}
	return results, nil
}

// threadsFrom returns all threads that begin with the given question, as lists of indexes. Each
// thread follows one chain of follow-ups to its end. A follow-up always comes after its question in
// the file, so the recursion ends.
func threadsFrom(questions []Question, followers map[string][]int, opener int) [][]int {
	next := followers[questions[opener].ID]
	if len(next) == 0 {
		return [][]int{{opener}}
	}
	var paths [][]int
	for _, n := range next {
		for _, rest := range threadsFrom(questions, followers, n) {
			paths = append(paths, append([]int{opener}, rest...))
		}
	}
	return paths
}

// thread asks the questions of one path in a new thread and stores the judged answers in results.
// Questions that are already in judged are asked for the sake of their follow-ups. Their results
// stay unchanged.
func (i Interview) thread(ctx context.Context, questions []Question, path []int, results []Judged, judged map[int]bool) (err error) {
	thread, err := i.Asker.Open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if closing := thread.Close(ctx); err == nil && closing != nil {
			err = closing
		}
	}()
	for _, n := range path {
		q := questions[n]
		reply, err := thread.Ask(ctx, q.Text)
		if err != nil {
			return fmt.Errorf("ask %s: %w", q.ID, err)
		}
		if judged[n] {
			continue
		}
		judged[n] = true
		if results[n], err = i.judge(ctx, q, reply); err != nil {
			return fmt.Errorf("search for %s: %w", q.ID, err)
		}
	}
	return nil
}

// Maximum numbers of tokens in the passages of a search, for Judged.Passage2000 and
// Judged.Passage6000.
const (
	smallPrompt = 2000
	largePrompt = 6000
)

func (i Interview) judge(ctx context.Context, q Question, reply Reply) (Judged, error) {
	j := Judged{ID: q.ID, Kind: q.Kind, Question: q.Text, After: q.After, Answerable: q.Answerable(), Cited: pagesOf(reply.Cited), Asserted: reply.Asserted,
		Linked:  reply.Linked,
		Outcome: reply.Outcome, Answer: reply.Text}
	if !q.Answerable() {
		return j, nil
	}
	right := func(page string) bool { return q.Pages.MatchString(page) }
	j.Right = slices.ContainsFunc(j.Cited, right)
	j.Quoted = slices.ContainsFunc(pagesOf(reply.Cited[:reply.Quoted]), right)
	j.First = len(j.Cited) > 0 && right(j.Cited[0])
	if q.After != "" { // a separate search lacks the topic of the previous question
		j.Rank = slices.IndexFunc(pagesOf(reply.Found), right) + 1
		return j, nil
	}
	search := retrieve.Search{Audience: i.Audience, Queries: []retrieve.Query{{Text: q.Text}}, Sources: i.Sources}
	found, err := i.Retriever.Search(ctx, search)
	if err != nil {
		return j, err
	}
	var documents []document.ID
	for _, h := range found.Hits {
		documents = append(documents, h.Document.ID)
	}
	j.Rank = slices.IndexFunc(pagesOf(documents), right) + 1
	for _, within := range []struct {
		tokens int
		holds  *bool
	}{{smallPrompt, &j.Passage2000}, {largePrompt, &j.Passage6000}} {
		search.MaxTokens = within.tokens
		if found, err = i.Retriever.Search(ctx, search); err != nil {
			return j, err
		}
		*within.holds = slices.ContainsFunc(found.Hits, func(h retrieve.Hit) bool {
			return q.Answer != "" && right(Page(h.Document.ID)) && cite.Supported(q.Answer, []string{h.Text}) >= SupportedAnswer
		})
	}
	return j, nil
}

// Page returns the path of a document within its source: "install.md" for "docs:install.md".
// [Question.Pages] matches this path.
func Page(id document.ID) string {
	_, name, _ := strings.Cut(string(id), ":")
	return name
}

func pagesOf(ids []document.ID) []string {
	pages := []string{}
	for _, id := range ids {
		if page := Page(id); !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	return pages
}
