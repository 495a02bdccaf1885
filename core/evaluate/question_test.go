package evaluate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/google/go-cmp/cmp"
)

const header = "id\tkind\tquestion\tpages_regex\tafter\tanswer\n"

func TestQuestionsAreRead(t *testing.T) {
	t.Parallel()
	got, err := evaluate.ReadQuestions(strings.NewReader("\uFEFFquestion\tid\tpages_regex\r\nWhat is it?\ta\t^it\\.html$\r\n\r\nAnd why?\tb\t-\r\n"))
	if err != nil || len(got) != 2 || got[0].Text != "What is it?" || !got[0].Answerable() || !got[0].Pages.MatchString("it.html") || got[1].Answerable() {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestQuestionFaultsNameLines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, want string }{
		"empty":             {"", "no question in the file"},
		"only columns":      {header, "no question in the file"},
		"an unknown column": {"id\tquestion\tpages_regex\tcolour\n", `line 1: the column "colour" is unknown`},
		"a column twice":    {"id\tid\tquestion\tpages_regex\n", `"id" is named twice`},
		"a column missing":  {"id\tquestion\n", "the column pages_regex is missing"},
		"an id twice":       {header + "a\t\tq\t-\n\na\t\tr\t-\n", `line 4: the id "a"`},
		"no question":       {header + "a\t\t \t-\n", "line 2: id and question"},
		"no pages":          {header + "a\t\tq\t\n", "line 2: it does not say which pages answer"},
		"a broken regex":    {header + "a\t\tq\t(x\n", "line 2: pages_regex"},
		"a later opener":    {header + "a\t\tq\t-\tb\nb\t\tr\t-\n", `line 2: it follows the question "b"`},
		"too many columns":  {header + "a\tk\tq\t-\t\tx\ty\n", "line 2: it has 7 columns"},
		"a huge line":       {header + strings.Repeat("a", 2<<20), "too long"},
	} {
		if _, err := evaluate.ReadQuestions(strings.NewReader(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	_, err := evaluate.ReadQuestions(strings.NewReader(header + strings.Repeat("a\t\t\t-\n", 50)))
	if n := strings.Count(err.Error(), "line "); n != 20 {
		t.Errorf("%d faults are told at once", n)
	}
}

// scripted answers by a table and remembers what each thread was asked.
type scripted struct {
	replies map[string]evaluate.Reply
	threads []string
	closed  int
}

type scriptedThread struct {
	all   *scripted
	asked []string
}

func (s *scripted) Open(context.Context) (evaluate.Thread, error) {
	return &scriptedThread{all: s}, nil
}

func (s *scriptedThread) Ask(_ context.Context, question string) (evaluate.Reply, error) {
	s.asked = append(s.asked, question)
	reply, there := s.all.replies[question]
	if !there {
		return reply, errors.New("no reply is written for it")
	}
	return reply, nil
}

func (s *scriptedThread) Close(context.Context) error {
	s.all.threads = append(s.all.threads, strings.Join(s.asked, " | "))
	s.all.closed++
	return nil
}

// hits is a retriever that finds the same for everything, the second hit only where there is room
// for it.
type hits struct{}

func (hits) Search(_ context.Context, s retrieve.Search) (retrieve.Result, error) {
	found := []retrieve.Hit{
		{Document: document.Ref{ID: "s:other.html"}, Text: "nothing of use"},
		{Document: document.Ref{ID: "s:right.html"}, Text: "set the busy timeout to 5000 milliseconds"},
	}
	if s.MaxTokens == 2000 {
		found = found[:1]
	}
	return retrieve.Result{Hits: found}, nil
}

func TestInterviewIsJudged(t *testing.T) {
	t.Parallel()
	questions, err := evaluate.ReadQuestions(strings.NewReader(header +
		"a\thowto\tone\t^right\t\tset a busy timeout\nb\thowto\ttwo\t^right\n" +
		"f\t\tthen\t^right\ta\ng\t\tor else\t^right\ta\nh\t\tlast\t^right\tf\nn\tnone\tnever\t-\nm\tnone\tquiet\t-\n"))
	if err != nil {
		t.Fatal(err)
	}
	asker := &scripted{replies: map[string]evaluate.Reply{
		"one": {Cited: []document.ID{"s:other.html", "s:right.html", "s:right.html"}, Asserted: true}, "two": {},
		"then": {Cited: []document.ID{"s:right.html"}, Found: []document.ID{"s:x", "s:y", "s:right.html"}}, "or else": {Cited: []document.ID{"s:x"}}, "last": {},
		"never": {Asserted: true}, "quiet": {},
	}}
	results, err := evaluate.Interview{Asker: asker, Retriever: hits{}, Audience: access.NewAudience("default", access.Public)}.Run(t.Context(), questions, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"right page cited", "refused, found", "right page first", "wrong pages only", "refused, not found", "answered falsely", "said that nothing answers"}
	var got []string
	for _, r := range results {
		got = append(got, r.Verdict())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"one | then | last", "one | or else", "two", "never", "quiet"}, asker.threads); diff != "" || asker.closed != 5 {
		t.Errorf("threads (-want +got), %d of them closed:\n%s", asker.closed, diff)
	}
	if r := results[0]; r.Rank != 2 || r.Passage2000 || !r.Passage6000 || len(r.Cited) != 2 || results[2].Rank != 3 {
		t.Errorf("the first is %+v, the follow-up ranks %d", r, results[2].Rank)
	}
	summaries := evaluate.Summarise(results, map[string]bool{"a": true})
	if len(summaries) != 4 || summaries[3].Group != "howto" {
		t.Fatalf("%+v", summaries)
	}
	openers, followers, none := summaries[0], summaries[1], summaries[2]
	if openers.Cited.Count != 1 || openers.Cited.Of != 2 || openers.First.Count != 0 || openers.Passage6000.Of != 1 || openers.Refused.Count != 1 ||
		openers.RefusedFound.Of != 2 || openers.PagesPerAnswer != 2 || followers.WrongOnly.Count != 1 || followers.Questions != 3 || none.False.Count != 1 || none.False.Of != 2 {
		t.Errorf("openers %+v\nfollow-ups %+v\nwithout an answer %+v", openers, followers, none)
	}

	// Question by question, the worse ones first.
	later := append([]evaluate.Judged{}, results...)
	later[0].Cited, later[0].Right = []string{"other.html"}, false
	later[5].Asserted = false
	changes := evaluate.Changes(later, results)
	if len(changes) != 2 || changes[0].ID != "a" || changes[0].Better || changes[0].Now != "wrong pages only" || changes[1].ID != "n" || !changes[1].Better {
		t.Errorf("changes: %+v", changes)
	}
	if same := evaluate.Changes(results, results); len(same) != 0 {
		t.Errorf("nothing changed, and yet %+v", same)
	}
}

func TestAFailedReplyNamesItsQuestion(t *testing.T) {
	t.Parallel()
	questions := []evaluate.Question{{ID: "a", Text: "unknown"}}
	_, err := evaluate.Interview{Asker: &scripted{}, Retriever: hits{}}.Run(t.Context(), questions, func(int) {})
	if err == nil || !strings.Contains(err.Error(), "ask a: no reply") {
		t.Errorf("the error is %v", err)
	}
}

// Values of the interval as Brown, Cai and DasGupta (2001) define it, computed by hand.
func TestIntervals(t *testing.T) {
	t.Parallel()
	for _, want := range []evaluate.Share{
		{Count: 0, Of: 0, Low: 0, High: 1}, {Count: 0, Of: 10, Low: 0, High: 0.277533}, {Count: 5, Of: 10, Low: 0.236593, High: 0.763407},
		{Count: 10, Of: 10, Low: 0.722467, High: 1},
	} {
		got := evaluate.NewShare(want.Count, want.Of)
		if d := got.Low - want.Low; d > 1e-5 || d < -1e-5 {
			t.Errorf("%d of %d: %+v", want.Count, want.Of, got)
		}
		if d := got.High - want.High; d > 1e-5 || d < -1e-5 {
			t.Errorf("%d of %d: %+v", want.Count, want.Of, got)
		}
	}
}
