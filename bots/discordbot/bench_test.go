package discordbot_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// timed notes when a model's streams began to write and when they ended.
type timed struct {
	llm.Model
	mu    sync.Mutex
	first []time.Time
	last  []time.Time
	ended chan struct{}
}

// Stream implements llm.Model.
func (m *timed) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		begun := false
		for d, err := range m.Model.Stream(ctx, req) {
			if d.Text != "" && !begun {
				begun = true
				m.note(&m.first)
			}
			if !yield(d, err) {
				break
			}
		}
		m.note(&m.last)
		m.ended <- struct{}{}
	}
}

func (m *timed) note(to *[]time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*to = append(*to, time.Now())
}

// platform sets the limits of the real Discord.
func platform(s *setting) {
	s.server = discordtest.Config{}
	s.bot.Discord = discord.Config{}
}

// BenchmarkAnswers writes answers of eight seconds each, so many at once, under Discord's own
// limits. Each is timed from the model's first token to the first words that can be read, and from
// its last token to the final write. With one answer the log of its edits is printed.
//
//	go test -run '^$' -bench Answers ./bots/discordbot
func BenchmarkAnswers(b *testing.B) {
	for _, tt := range []struct {
		name       string
		n          int
		oneChannel bool // Discord opens five threads of a channel in five seconds
	}{{"1", 1, false}, {"10", 10, false}, {"50", 50, false}, {"10-in-one-channel", 10, true}, {"50-in-one-channel", 50, true}} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				answerMany(b, tt.n, tt.oneChannel)
			}
		})
	}
}

func answerMany(b *testing.B, n int, oneChannel bool) {
	model := &timed{ended: make(chan struct{}, n)}
	var replies []llmtest.Reply
	for range n {
		replies = append(replies, said(50*time.Millisecond, words(160)...))
	}
	w := begin(b, llmtest.Native(replies...), platform, func(s *setting) {
		s.wrap = func(m llm.Model) llm.Model { model.Model = m; return model }
	})
	var threads []string
	channels := []string{w.general}
	for i := 1; i < n && !oneChannel; i++ {
		channels = append(channels, w.guild.AddText(fmt.Sprintf("channel-%d", i)).ID)
	}
	for i := range n {
		threads = append(threads, w.ada.Mention(channels[i%len(channels)], fmt.Sprintf("Question %d?", i)))
	}
	var edits int
	var first, final time.Duration
	for _, thread := range threads {
		w.until("the answer is finished", func() bool {
			got := w.discord.Answers(thread)
			return len(got) > 0 && strings.Contains(got[len(got)-1].Content, "not based on any document")
		})
	}
	// A question's model is not known by name: the first answer to appear is held against the first
	// model to speak, and so on.
	var shown, done []time.Time
	for _, v := range w.discord.Versions() {
		if v.Author != w.discord.Bot().ID || v.Content == "" {
			continue
		}
		edits++
		if v.Op == "create" && strings.HasPrefix(v.Content, "Sentence 0 ") {
			shown = append(shown, v.At)
		}
		if strings.Contains(v.Content, "not based on any document") {
			done = append(done, v.At)
		}
	}
	for i := range n {
		first = max(first, shown[i].Sub(model.first[i]))
		final = max(final, done[i].Sub(model.last[i]))
	}
	b.ReportMetric(float64(first.Milliseconds()), "ms-to-first-text")
	b.ReportMetric(float64(final.Milliseconds()), "ms-to-final")
	b.ReportMetric(float64(edits)/float64(n), "writes/answer")
	b.ReportMetric(float64(w.discord.Count(http.StatusTooManyRequests)), "refusals")
	if n == 1 {
		printEdits(w, model)
	}
	w.stop()
}

// printEdits prints every version of an answer. A benchmark's own log is cut after ten lines.
func printEdits(w *world, model *timed) {
	fmt.Printf("\nthe model wrote from 0 ms to %d ms\n", model.last[0].Sub(model.first[0]).Milliseconds())
	for _, v := range w.discord.Versions() {
		if v.Author == w.discord.Bot().ID {
			fmt.Printf("%6d ms  %-6s  message %s  %4d characters\n", v.At.Sub(model.first[0]).Milliseconds(), v.Op, v.Message, len([]rune(v.Content)))
		}
	}
}

// BenchmarkStop times a 🛑 from the reaction to the end of the model's stream.
//
//	go test -run '^$' -bench Stop -benchtime 20x ./bots/discordbot
func BenchmarkStop(b *testing.B) {
	const most = 1000
	model := &timed{ended: make(chan struct{}, most)}
	var replies []llmtest.Reply
	for range most {
		replies = append(replies, llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Hang()})
	}
	w := begin(b, llmtest.Native(replies...), func(s *setting) {
		s.wrap = func(m llm.Model) llm.Model { model.Model = m; return model }
	})
	var worst time.Duration
	for b.Loop() {
		b.StopTimer()
		question := w.ada.Mention(w.general, "What is it?")
		w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
		b.StartTimer()
		began := time.Now()
		w.ada.React(question, "🛑")
		select {
		case <-model.ended:
		case <-w.ctx.Done():
			b.Fatal("the model was not stopped")
		}
		worst = max(worst, time.Since(began))
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms-worst")
}
