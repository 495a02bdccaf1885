package search

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/tool"
)

const (
	maxKeywords     = 3
	maxKeywordWords = 8 // a longer line is a sentence, so the model ignored the instructions
	maxQueryRunes   = 400
)

//go:embed standalone.md
var standalonePrompt string

//go:embed keywords.md
var keywordsPrompt string

// indexQueries returns the queries to run, in descending order of weight. own has the model's
// queries. The first search of a turn, and a search without queries, also uses the question in
// several wordings.
func (t *Tool) indexQueries(ctx context.Context, own []string, scope tool.Scope) []retrieve.Query {
	var set querySet
	question := strings.TrimSpace(scope.Question)
	if scope.First || len(own) == 0 {
		standalone, keywords := t.expand(ctx, question, scope.History)
		set.add(standalone, retrieve.WeightStandalone, nil)
		alpha := retrieve.AlphaKeyword
		for _, k := range keywords {
			set.add(k, retrieve.WeightKeyword, &alpha)
		}
	}
	repeats := scope.First && topicIndex(question, scope.History) < len(scope.History) && dependenceOf(question) == dependent
	for _, q := range own {
		if repeats && strings.EqualFold(strings.TrimSpace(q), question) {
			continue // a dependent question is no query, even if the model repeats it
		}
		set.add(q, retrieve.WeightModel, nil)
	}
	if scope.First {
		set.add(question, retrieve.WeightOriginal, nil)
	}
	slices.SortStableFunc(set.queries, func(a, b retrieve.Query) int { return cmp.Compare(b.Weight, a.Weight) })
	return set.queries
}

type querySet struct{ queries []retrieve.Query }

func (s *querySet) add(text string, weight float64, alpha *float64) {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxQueryRunes {
		text = string(runes[:maxQueryRunes])
	}
	if text == "" {
		return
	}
	for i := range s.queries {
		if strings.EqualFold(s.queries[i].Text, text) {
			s.queries[i].Weight += weight
			if alpha == nil {
				s.queries[i].Alpha = nil
			}
			return
		}
	}
	s.queries = append(s.queries, retrieve.Query{Text: text, Weight: weight, Alpha: alpha})
}

// expand asks the fast model for a standalone form of the question and for keywords, in parallel.
// Without the first reply it uses [Standalone]. Without the second there are no keywords.
func (t *Tool) expand(ctx context.Context, question string, history []message.Message) (standalone string, keywords []string) {
	standalone = Standalone(question, history)
	if t.config.Fast == nil {
		return standalone, nil
	}
	ctx, cancel := context.WithTimeout(ctx, t.config.Wait)
	defer cancel()
	var wait sync.WaitGroup
	if len(history) > 0 {
		wait.Go(func() {
			if lines := t.askFastModel(ctx, standalonePrompt, question, history); len(lines) > 0 && isPlausible(lines[0], question, history) {
				standalone = lines[0]
			}
		})
	}
	wait.Go(func() {
		for _, line := range t.askFastModel(ctx, keywordsPrompt, question, history) {
			if len(keywords) < maxKeywords && len(strings.Fields(line)) <= maxKeywordWords {
				keywords = append(keywords, line)
			}
		}
	})
	wait.Wait()
	return standalone, keywords
}

func (t *Tool) askFastModel(ctx context.Context, instructions, question string, history []message.Message) (lines []string) {
	// This runs outside the tool's own goroutine, where a panic would not be caught.
	defer func() {
		if p := recover(); p != nil {
			t.config.Logger.ErrorContext(ctx, "fast model panicked; searching without it", "model", t.config.Fast.Info().Name,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			lines = nil
		}
	}()
	messages := []llm.Message{{Role: llm.System, Text: strings.TrimSpace(instructions)}}
	for _, m := range recentHistory(history) {
		role := llm.User
		if m.Role == message.Assistant {
			role = llm.Assistant
		}
		messages = append(messages, llm.Message{Role: role, Text: excerpt(m.Text)})
	}
	messages = append(messages, llm.Message{Role: llm.User, Text: excerpt(question)})
	ctx, modelSpan := span.Begin(ctx, "model", slog.String("model", t.config.Fast.Info().Name), slog.String("purpose", "queries"))
	var failed error
	defer func() { modelSpan.End(failed) }()
	var text strings.Builder
	for d, err := range t.config.Fast.Stream(ctx, llm.Request{Messages: messages, MaxTokens: 200}) {
		if err != nil {
			failed = err
			return nil
		}
		if d.Usage != nil {
			modelSpan.Note(slog.Int("input_tokens", d.Usage.Input), slog.Int("output_tokens", d.Usage.Output))
		}
		text.WriteString(d.Text)
	}
	for line := range strings.Lines(text.String()) {
		line = strings.Trim(strings.TrimSpace(line), "\"`")
		line = strings.TrimSpace(strings.TrimLeft(line, "-*•0123456789.) "))
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// recentHistory returns the last six messages. The fast model needs them to resolve pronouns.
func recentHistory(history []message.Message) []message.Message {
	var talk []message.Message
	for _, m := range history {
		if m.Text != "" && (m.Role == message.User || m.Role == message.Assistant) {
			talk = append(talk, m)
		}
	}
	return talk[max(0, len(talk)-6):]
}

const excerptRunes = 1500

func excerpt(text string) string {
	if runes := []rune(text); len(runes) > excerptRunes {
		return string(runes[:excerptRunes]) + " …"
	}
	return text
}
