package evaluate

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Judged says how good the answer to one question of an evaluation is.
type Judged struct {
	ID         string `json:"id"`
	Kind       string `json:"kind,omitempty"`
	Question   string `json:"question"`
	After      string `json:"after,omitempty"`
	Answerable bool   `json:"answerable"`
	// Rank is the rank, from 1, of the first right page in the search. 0 means that no right page
	// was found.
	Rank int `json:"rank"`
	// Passage2000 and Passage6000 say whether a passage with the answer (SupportedAnswer) is among
	// the passages that fit into 2,000 and 6,000 tokens.
	Passage2000 bool     `json:"passage_2000"`
	Passage6000 bool     `json:"passage_6000"`
	Cited       []string `json:"cited"` // paths of the pages cited, in the order of their numbers
	Right       bool     `json:"right"` // at least one cited page is right
	First       bool     `json:"first"` // the first cited page is right
	// Asserted says that the answer makes a claim, with or without a citation. The claim is false
	// if the documents have no answer to the question.
	Asserted bool `json:"asserted"`
	// Linked says that the answer shows only links (retrieve.MayHelp), without a quotation.
	Linked  bool   `json:"linked,omitempty"`
	Quoted  bool   `json:"quoted,omitempty"` // a right page is cited by more than a link
	Outcome string `json:"outcome"`
	Answer  string `json:"answer"`
	// Opinion is a model's judgement of the answer. It is empty if no model was asked.
	Opinion Opinion `json:"opinion,omitempty"`
}

// SupportedAnswer is the minimum share of the expected answer's words and numbers. A passage that
// contains this share counts as an answer. A person may accept passages with less.
const SupportedAnswer = 0.5

// Share is a proportion with its 95 % confidence interval (Wilson, 1927).
type Share struct {
	Count int     `json:"count"`
	Of    int     `json:"of"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// NewShare returns the proportion count/of with its confidence interval. If of is 0, the interval
// is 0 to 1.
func NewShare(count, of int) Share {
	s := Share{Count: count, Of: of, High: 1}
	if of == 0 {
		return s
	}
	const z = 1.959964 // of the normal distribution, for 95 %
	n, p := float64(of), float64(count)/float64(of)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	spread := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	s.Low, s.High = round(max(0, middle-spread)), round(min(1, middle+spread))
	return s
}

// Summary holds the results of a group of questions.
type Summary struct {
	Group     string `json:"group"`
	Questions int    `json:"questions"`
	// Shares of the answerable questions:
	Cited Share `json:"cited"` // a right page is cited
	First Share `json:"first"` // the first cited page is right
	// a right page is among the first five results of the search
	Top5        Share `json:"top_5"`
	Top25       Share `json:"top_25"`       // a right page is among the first 25 results
	Passage2000 Share `json:"passage_2000"` // share of expected answers that are in 2,000 tokens
	Passage6000 Share `json:"passage_6000"` // share of expected answers that are in 6,000 tokens
	WrongOnly   Share `json:"wrong_only"`   // pages are cited, and none is right
	Refused     Share `json:"refused"`      // nothing is cited
	// nothing is cited; counted over questions with a right page among the first five results
	RefusedFound Share `json:"refused_found"`
	// a right page is cited by more than a link
	Quoted Share `json:"quoted"`
	// Shares of the questions without an answer in the documents:
	False  Share `json:"false"`  // the answer makes a claim
	Linked Share `json:"linked"` // the answer shows links and makes no claim

	PagesPerAnswer float64 `json:"pages_per_answer"` // mean over answers with citations
}

// Groups that [Summarise] forms in addition to the kinds of questions. Openers are the first
// questions of threads. NoAnswer holds the questions that the documents do not answer.
const (
	Openers   = "openers"
	FollowUps = "follow-ups"
	NoAnswer  = "no answer"
)

// Summarise counts the results of judged questions. It returns Openers, FollowUps and NoAnswer
// first, then the kinds of openers by name. expected holds the ids of questions with an expected
// answer.
func Summarise(results []Judged, expected map[string]bool) []Summary {
	groups := map[string][]Judged{}
	kinds := map[string][]Judged{}
	for _, r := range results {
		switch {
		case !r.Answerable:
			groups[NoAnswer] = append(groups[NoAnswer], r)
		case r.After != "":
			groups[FollowUps] = append(groups[FollowUps], r)
		default:
			groups[Openers] = append(groups[Openers], r)
			if r.Kind != "" {
				kinds[r.Kind] = append(kinds[r.Kind], r)
			}
		}
	}
	var out []Summary
	for _, name := range []string{Openers, FollowUps, NoAnswer} {
		if len(groups[name]) > 0 {
			out = append(out, summarise(name, groups[name], expected))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		out = append(out, summarise(kind, kinds[kind], expected))
	}
	return out
}

func summarise(group string, results []Judged, expected map[string]bool) Summary {
	count := func(of, counts func(Judged) bool) Share {
		n, all := 0, 0
		for _, r := range results {
			if !of(r) {
				continue
			}
			all++
			if counts(r) {
				n++
			}
		}
		return NewShare(n, all)
	}
	answerable := func(r Judged) bool { return r.Answerable }
	unanswerable := func(r Judged) bool { return !r.Answerable }
	stated := func(r Judged) bool { return r.Answerable && expected[r.ID] }
	within := func(n int) func(Judged) bool { return func(r Judged) bool { return r.Rank > 0 && r.Rank <= n } }
	silent := func(r Judged) bool { return len(r.Cited) == 0 }
	s := Summary{
		Group: group, Questions: len(results),
		Cited: count(answerable, func(r Judged) bool { return r.Right }), First: count(answerable, func(r Judged) bool { return r.First }),
		Top5: count(answerable, within(5)), Top25: count(answerable, within(25)),
		Passage2000: count(stated, func(r Judged) bool { return r.Passage2000 }), Passage6000: count(stated, func(r Judged) bool { return r.Passage6000 }),
		WrongOnly: count(answerable, func(r Judged) bool { return !silent(r) && !r.Right }), Refused: count(answerable, silent),
		RefusedFound: count(func(r Judged) bool { return r.Answerable && within(5)(r) }, silent),
		False:        count(unanswerable, func(r Judged) bool { return (r.Asserted || !silent(r)) && !r.Linked }),
		Quoted:       count(answerable, func(r Judged) bool { return r.Quoted }),
		Linked:       count(unanswerable, func(r Judged) bool { return r.Linked }),
	}
	pages, answers := 0, 0
	for _, r := range results {
		if !silent(r) {
			pages, answers = pages+len(r.Cited), answers+1
		}
	}
	if answers > 0 {
		s.PagesPerAnswer = round(float64(pages) / float64(answers))
	}
	return s
}

// Change is a question whose verdict differs from an earlier run.
type Change struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Better   bool   `json:"better"`
	Before   string `json:"before"` // verdict in the earlier run
	Now      string `json:"now"`
}

// Verdict returns the result in words, such as "right page first" or "refused, found".
func (r Judged) Verdict() string {
	switch {
	case !r.Answerable && r.Linked:
		return "links alone"
	case !r.Answerable && (r.Asserted || len(r.Cited) > 0):
		return "answered falsely"
	case !r.Answerable:
		return "said that nothing answers"
	case r.First:
		return "right page first"
	case r.Right:
		return "right page cited"
	case len(r.Cited) > 0:
		return "wrong pages only"
	case r.Rank > 0:
		return "refused, found"
	}
	return "refused, not found"
}

func (r Judged) merit() int {
	return slices.Index([]string{"answered falsely", "wrong pages only", "refused, found", "refused, not found", "right page cited", "right page first", "links alone",
		"said that nothing answers"}, r.Verdict())
}

// Changes lists the questions whose verdict differs from an earlier run, those with a worse verdict
// first.
func Changes(now, before []Judged) []Change {
	earlier := make(map[string]Judged, len(before))
	for _, r := range before {
		earlier[r.ID] = r
	}
	changes := []Change{}
	for _, r := range now {
		if e, there := earlier[r.ID]; there && e.Verdict() != r.Verdict() {
			changes = append(changes, Change{ID: r.ID, Question: r.Question, Better: r.merit() > e.merit(), Before: e.Verdict(), Now: r.Verdict()})
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		if a.Better == b.Better {
			return cmp.Compare(a.ID, b.ID)
		}
		if a.Better {
			return 1
		}
		return -1
	})
	return changes
}
