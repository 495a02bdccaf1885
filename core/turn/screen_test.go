package turn_test

import (
	"context"
	"errors"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"pgregory.net/rapid"
)

func blockList(t testing.TB, words ...string) *filter.List {
	t.Helper()
	l, err := filter.NewList(words, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What is refused reaches neither the model nor a search, and neither does it with the next
// question.
func TestRefusedQuestionIsNotSentToAModel(t *testing.T) {
	t.Parallel()
	rules := &filter.Filter{Questions: blockList(t, "layoffs"), Refusal: "Ask HR about that."}
	for name, question := range map[string]message.Message{
		"a word":             {Role: message.User, Text: "When are the LAYOFFS?"},
		"a word in a file":   {Role: message.User, Text: "Sum this up.", Files: []message.File{{Name: "a.txt", Text: "All about layoffs."}}},
		"the name of a file": {Role: message.User, Text: "Sum this up.", Files: []message.File{{Name: "layoffs.txt"}}},
	} {
		model := llmtest.Native(llmtest.Answer("No."))
		s := ask("", model)
		s.request.Question, s.request.Filter = question, rules
		report, packets := s.run(t, t.Context())
		if a := report.Answers[0]; a.Ending.Outcome != session.Refused || a.Ending.Sentence != "Ask HR about that." || a.Text != "" {
			t.Errorf("%s: it ends %+v", name, a.Ending)
		}
		if len(model.Requests()) > 0 || len(s.index.searches) > 0 || len(packets) != 1 {
			t.Errorf("%s: %d requests, %d searches\n%s", name, len(model.Requests()), len(s.index.searches), show(packets))
		}
	}
	model := llmtest.Native(llmtest.Answer("Thirty days."))
	s := ask("And vacation?", model)
	s.request.Filter = rules
	s.request.History = []message.Message{
		{Turn: 1, Role: message.User, Text: "What is a wiki?"}, {Turn: 1, Role: message.Assistant, Text: "A site."},
		{Turn: 2, Role: message.User, Text: "When are the layoffs?"},
	}
	s.run(t, t.Context())
	var sent strings.Builder
	for _, m := range model.Requests()[0].Messages {
		sent.WriteString(m.Text)
	}
	if strings.Contains(sent.String(), "layoffs") || !strings.Contains(sent.String(), "wiki") {
		t.Errorf("the model was sent %s", sent.String())
	}
}

func TestBlockedTextEndsAnswer(t *testing.T) {
	t.Parallel()
	secret := blockList(t, "secret")
	for name, tt := range map[string]struct {
		stages   []filter.Stage
		shown    string
		outcome  session.Outcome
		sentence string
	}{
		"masked":  {[]filter.Stage{filter.Listed{List: secret}}, "It is a ██████ [[1]](https://docs.example/replication#top) thing.", session.Answered, ""},
		"stopped": {[]filter.Stage{filter.Listed{List: secret, Action: filter.Stop}}, "It is a ", session.Refused, "must not be shown here"},
		"unchecked": {[]filter.Stage{filter.Reviewed{Reviewer: review(func() (filter.Verdict, string, error) { return filter.Allow, "", errors.New("away") })}},
			"", session.Failed, "could not be checked"},
		"blocked by the reviewer": {[]filter.Stage{filter.Reviewed{Reviewer: review(func() (filter.Verdict, string, error) { return filter.Block, "", nil })}},
			"", session.Refused, "must not be shown here"},
		"replaced": {[]filter.Stage{filter.Reviewed{Reviewer: review(func() (filter.Verdict, string, error) { return filter.Replace, "It is [1].", nil })}},
			"It is [[1]](https://docs.example/replication#top).", session.Answered, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.Native(llmtest.Reply{llmtest.Call(0, "c", "internal_search", `{"queries":["the secret thing"]}`)},
				llmtest.Reply{llmtest.Reasoning("the secret"), llmtest.Text("It is a sec"), llmtest.Reasoning(" is out"), llmtest.Text("ret [1] thing.")})
			s := ask("What?", model)
			s.request.Filter = &filter.Filter{Answers: secret, Stages: tt.stages}
			report, packets := s.run(t, t.Context())
			a := report.Answers[0]
			if a.Shown != tt.shown || a.Ending.Outcome != tt.outcome || !strings.Contains(string(a.Ending.Sentence), tt.sentence) {
				t.Errorf("shown %q, %+v", a.Shown, a.Ending)
			}
			if all := show(packets); strings.Contains(all, "secret") || strings.Contains(a.Text, "secret") {
				t.Errorf("it can be seen:\n%s", all)
			}
			if model.Open() != 0 {
				t.Error("the stream was left open")
			}
		})
	}
}

type review func() (filter.Verdict, string, error)

func (r review) Review(context.Context, filter.Paragraph) (filter.Verdict, string, error) { return r() }

// However a model cuts its words, whatever else it does between them, the same is shown, with its
// citations, and no packet holds what is blocked.
func TestBlockedTextIsInNoPacket(t *testing.T) {
	t.Parallel()
	secret := blockList(t, "secret", "top plan")
	pieces := []string{"sec", "ret", " ", "se**cr**et", "top ", "plan", "[1]", "[2]", "\n\n", ". ", "Set it", "top [1] plan", "`secret`", "é", "[9]", "Secret"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 25).Draw(rt, "text"), "")
		action := rapid.SampledFrom([]filter.Action{filter.Mask, filter.Stop}).Draw(rt, "action")
		drop := rapid.Bool().Draw(rt, "drop unsupported")
		run := func(reply llmtest.Reply) (string, []packet.Packet) {
			model := llmtest.Native(llmtest.Reply{llmtest.Call(0, "c", "internal_search", `{"queries":["a"]}`)}, reply, llmtest.Answer("x"))
			s := ask("What?", model)
			s.config.DropUnsupported = drop
			s.request.Filter = &filter.Filter{Answers: secret, Stages: []filter.Stage{filter.Listed{List: secret, Action: action}}}
			report, packets := s.run(t, t.Context())
			return report.Answers[0].Shown, packets
		}
		want, _ := run(llmtest.Answer(text))
		var reply llmtest.Reply
		for rest := []rune(text); len(rest) > 0; {
			n := rapid.IntRange(1, min(9, len(rest))).Draw(rt, "piece")
			reply, rest = append(reply, llmtest.Text(string(rest[:n]))), rest[n:]
		}
		got, packets := run(reply)
		if got != want {
			rt.Errorf("cut it shows %q, uncut %q", got, want)
		}
		var all strings.Builder
		for _, p := range packets {
			if d, ok := p.Payload.(packet.MessageDelta); ok {
				all.WriteString(d.Text)
			}
		}
		for _, paragraph := range strings.Split(all.String(), "\n\n") {
			if secret.Match(paragraph) {
				rt.Errorf("%q shows what is blocked: %q", text, paragraph)
			}
		}
	})
}

// quoting answers by quoting, as the model does that needs no endpoint.
func quoting() llm.Model {
	return llmtest.New(llm.Info{Name: "quoting", NativeTools: true, Extractive: true}, llmtest.Answer("Set wal_level to replica [1]."), llmtest.Answer("No more."))
}

// searchingFirst quotes once it has searched.
func searchingFirst() llm.Model {
	return llmtest.New(llm.Info{Name: "quoting", NativeTools: true, Extractive: true},
		llmtest.Reply{llmtest.Call(0, "c", "internal_search", call)}, llmtest.Answer("Set wal_level to replica [1]."))
}

// paid refuses after so many calls.
type paid struct {
	*llmtest.Model
	left int
}

func (p *paid) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	if p.left--; p.left < 0 {
		return func(yield func(llm.Delta, error) bool) {
			yield(llm.Delta{}, &spend.CapError{Period: "daily", Until: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)})
		}
	}
	return p.Model.Stream(ctx, req)
}

func TestStandInQuotesWithoutBudget(t *testing.T) {
	t.Parallel()
	const notice = "The budget for today is used up, so this answer quotes the documents instead of writing about them."
	for name, tt := range map[string]struct {
		left    int
		native  bool
		standIn llm.Model
		format  string
		outcome session.Outcome
	}{
		"from the beginning":              {0, true, searchingFirst(), "", session.Answered},
		"after the search":                {1, true, quoting(), "", session.Answered},
		"of a model without tools":        {0, false, searchingFirst(), "", session.Answered},
		"where nothing stands in":         {0, true, nil, "", session.Limited},
		"where the answer must be JSON":   {0, true, quoting(), `{"type":"object"}`, session.Limited},
		"after a whole answer, not again": {2, true, quoting(), "", session.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &paid{left: tt.left, Model: llmtest.New(llm.Info{Name: "m", NativeTools: tt.native},
				llmtest.Reply{llmtest.Call(0, "c", "internal_search", call)}, llmtest.Answer("Written."))}
			s := ask("How do I set wal_level and create a replication slot?", model)
			s.request.StandIn = tt.standIn
			if tt.format != "" {
				s.request.ResponseFormat = []byte(tt.format)
			}
			report, _ := s.run(t, t.Context())
			a := report.Answers[0]
			quotes := tt.standIn != nil && tt.format == "" && tt.left < 2
			if a.Ending.Outcome != tt.outcome || slices.Contains(a.Notices, notice) != quotes || (a.Model == "quoting") != quotes {
				t.Errorf("model %s, notices %q, ending %+v (%v)", a.Model, a.Notices, a.Ending, a.Cause)
			}
			if quotes && !strings.Contains(a.Shown, "wal_level to replica") || quotes && len(a.Citations) == 0 {
				t.Errorf("shown %q, citations %v", a.Shown, a.Citations)
			}
			if tt.outcome == session.Limited && !strings.Contains(string(a.Ending.Sentence), "The budget for today is used up. Ask again after 2 March 00:00 UTC.") {
				t.Errorf("it says %q", a.Ending.Sentence)
			}
		})
	}
}

func TestStandInQuotesWhileTheModelIsDown(t *testing.T) {
	t.Parallel()
	notice := regexp.MustCompile(`^I can't reach the language model right now\. Here is what your documents say: \(code ([a-z0-9]{10})\)\n\n`)
	down := llmtest.Reply{llmtest.Fail(llm.ErrUnavailable)}
	silent := llmtest.New(llm.Info{Name: "quoting", NativeTools: true, Extractive: true}, searching("1"), llmtest.Answer("Nothing fits."))
	for name, tt := range map[string]struct {
		replies []llmtest.Reply
		standIn llm.Model
		quotes  bool
		says    string
	}{
		"from the beginning":            {[]llmtest.Reply{down}, searchingFirst(), true, ""},
		"after the search":              {[]llmtest.Reply{searching("1"), down}, quoting(), true, ""},
		"silent beyond the limit":       {[]llmtest.Reply{{llmtest.Fail(llm.ErrStalled)}}, searchingFirst(), true, ""},
		"with nothing to quote":         {[]llmtest.Reply{down}, silent, false, "can't reach the language model"},
		"in the middle of its answer":   {[]llmtest.Reply{{llmtest.Text("Half"), llmtest.Fail(llm.ErrUnavailable)}}, quoting(), false, "can't reach the language model"},
		"with a key that is not valid":  {[]llmtest.Reply{{llmtest.Fail(llm.ErrAuth)}}, quoting(), false, "set up"},
		"where it asks for a pause":     {[]llmtest.Reply{{llmtest.Fail(&llm.RateLimitError{})}}, quoting(), false, "too much to do"},
		"where there is no replacement": {[]llmtest.Reply{down}, nil, false, "can't reach the language model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ask("How do I set wal_level and create a replication slot?", llmtest.Native(tt.replies...))
			s.request.StandIn = tt.standIn
			report, packets := s.run(t, t.Context())
			a := report.Answers[0]
			if (a.Ending.Outcome == session.Answered) != tt.quotes || notice.MatchString(shown(packets, 0)) != tt.quotes || (len(a.Citations) > 0) != tt.quotes {
				t.Errorf("notices %q, citations %v, ending %+v (%v)", a.Notices, a.Citations, a.Ending, a.Cause)
			}
			code := notice.FindStringSubmatch(a.Shown)
			if tt.quotes && (a.Ending.Reference != code[1] || a.Ending.Cause != session.CauseDown && a.Ending.Cause != session.CauseStalled || strings.Contains(a.Text, "can't reach")) {
				t.Errorf("the ending is %+v, and the text %q", a.Ending, a.Text)
			}
			if !tt.quotes && (a.Ending.Reference == "" || a.Ending.Cause == "") {
				t.Errorf("the ending is %+v", a.Ending)
			}
			if !strings.Contains(string(a.Ending.Sentence), tt.says) || strings.Contains(shown(packets, 0), "Nothing fits") {
				t.Errorf("it shows %q and says %q", shown(packets, 0), a.Ending.Sentence)
			}
		})
	}
}
