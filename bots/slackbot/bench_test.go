package slackbot_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// spoken is when a model's first and last token came.
type spoken struct {
	mu          sync.Mutex
	first, last map[string]time.Time // by the answer's mark
}

func (s *spoken) answer(mark string, words int, gap time.Duration) llmtest.Reply {
	note := func(times map[string]time.Time) llmtest.Step {
		return llmtest.Do(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			times[mark] = time.Now()
		})
	}
	r := llmtest.Reply{note(s.first), llmtest.Text("Answer " + mark + " begins: ")}
	for i := range words {
		r = append(r, llmtest.Text([]string{"every ", "word ", "of ", "it ", "counts, ", "and ", "so ", "on. "}[i%8]), llmtest.Sleep(gap))
	}
	return append(r, llmtest.Text("The end."), note(s.last))
}

// BenchmarkAnswers writes answers of 300 words at 30 words a second under Slack's real tiers, in as
// many threads of five channels at once. "words" is from the model's first token to the first
// visible words, "final" from its last token to the final write; both are the slowest of a run. One
// answer's edit log is printed. It is made with
//
//	go test ./bots/slackbot -run '^$' -bench Answers -benchtime 1x -v
func BenchmarkAnswers(b *testing.B) {
	for _, n := range []int{1, 10, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				measure(b, n)
			}
		})
	}
}

func measure(b *testing.B, n int) {
	heard := &spoken{first: make(map[string]time.Time), last: make(map[string]time.Time)}
	var replies []llmtest.Reply
	for i := range n {
		replies = append(replies, heard.answer(fmt.Sprintf("#%d#", i), 300, time.Second/30))
	}
	s := play(b, options{patience: 5 * time.Minute}, replies...)
	channels := []*slacktest.Channel{s.general}
	for i := range 4 {
		channels = append(channels, s.Channel(fmt.Sprintf("more-%d", i), nil, s.ann, s.bob))
	}
	type asked struct {
		channel *slacktest.Channel
		root    string
	}
	var questions []asked
	for i := range n {
		c := channels[i%len(channels)]
		questions = append(questions, asked{c, s.ann.Say(c, "", slacktest.Mention()+" how so?")})
	}
	var words, final []time.Duration
	edits := 0
	for _, q := range questions {
		shown := s.answered(q.channel, q.root, 1)[0]
		mark := shown[strings.Index(shown, "#") : strings.LastIndex(shown, "#")+1]
		var first, last time.Time
		for _, v := range s.Versions() {
			if v.Thread != q.root || v.User != slacktest.BotUser {
				continue
			}
			edits++
			if first.IsZero() && strings.Contains(v.Shown(), "Answer") {
				first = v.At
			}
			last = v.At
			if n == 1 {
				b.Logf("%6d ms  %-18s %5d characters", v.At.Sub(heard.first[mark]).Milliseconds(), v.Op, utf8.RuneCountInString(v.Shown()))
			}
		}
		words, final = append(words, first.Sub(heard.first[mark])), append(final, last.Sub(heard.last[mark]))
	}
	slices.Sort(words)
	slices.Sort(final)
	var acks []time.Duration
	for _, d := range s.Deliveries() {
		acks = append(acks, d.Acked.Sub(d.Sent))
	}
	slices.Sort(acks)
	b.ReportMetric(float64(words[len(words)/2].Milliseconds()), "ms-words-p50")
	b.ReportMetric(float64(words[len(words)-1].Milliseconds()), "ms-words-max")
	b.ReportMetric(float64(final[len(final)-1].Milliseconds()), "ms-final-max")
	b.ReportMetric(float64(acks[len(acks)*99/100].Microseconds())/1000, "ms-ack-p99")
	b.ReportMetric(float64(edits)/float64(n), "writes/answer")
	b.ReportMetric(float64(s.Limited()), "429s")
	s.halt()
}

// BenchmarkStop measures from a 🛑 in Slack to the closed model connection.
func BenchmarkStop(b *testing.B) {
	var took []time.Duration
	for b.Loop() {
		closed := make(chan time.Time, 1)
		s := play(b, options{wrap: func(m llm.Model) llm.Model { return &watched{m, closed} }},
			llmtest.Reply{llmtest.Text("This much was written. "), llmtest.Hang()})
		root := s.ann.Say(s.general, "", slacktest.Mention()+" go on")
		s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) > 0 })
		begin := time.Now()
		s.ann.React(s.general, root, "octagonal_sign")
		took = append(took, (<-closed).Sub(begin))
		s.halt()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-max")
}

// watched tells when the stream of its answer was let go of.
type watched struct {
	llm.Model
	closed chan<- time.Time
}

func (w *watched) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		defer func() { w.closed <- time.Now() }()
		w.Model.Stream(ctx, req)(yield)
	}
}
