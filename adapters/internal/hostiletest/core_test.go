package hostiletest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/textcall"
)

func sources() *cite.Mapping {
	m := cite.NewMapping()
	for range 3 {
		m.Add(cite.Source{Title: "A", URL: "https://docs.example/a"})
	}
	return m
}

func TestHostileAnswersAreCitedInLinearTime(t *testing.T) {
	for name, options := range map[string]cite.Options{
		"links":  {},
		"judged": {Keep: func(sentence string, _ int) bool { return cite.Supported(sentence, []string{"some words"}) > 0 }},
		"cleaned": {
			Invented: func(int) {}, DropList: true,
			Lead: func(int) func(string) cite.Source {
				return func(sentence string) cite.Source {
					return cite.Source{URL: fmt.Sprintf("https://docs.example/a#%d", cite.Section(sentence, []string{"some words", "other words"}))}
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			hostiletest.Linear(t, func(text string) {
				cited(text, options)
			})
		})
	}
}

func cited(text string, options cite.Options) {
	p := cite.NewProcessor(sources(), options)
	var events []cite.Event
	for len(text) > 0 {
		n := min(16, len(text))
		events = p.Push(text[:n], events[:0])
		text = text[n:]
	}
	p.Flush(events[:0])
}

// called reads the calls that a model without a protocol for them writes as text.
func called(text string) {
	f := textcall.NewFilter([]llm.ToolSpec{{Name: "internal_search", Parameters: json.RawMessage(`{"properties":{"queries":{"type":"array"}}}`)}}, true)
	for len(text) > 0 {
		n := min(128, len(text)) // what may be a call, at most 64 kB, is copied with each piece
		f.Push(text[:n])
		text = text[n:]
	}
	f.Flush()
	for _, call := range f.Calls() {
		if _, err := tool.ParseArguments(call.Arguments); err != nil {
			continue // which the model is told
		}
	}
}

func TestHostileToolCallsAreReadInLinearTime(t *testing.T) { hostiletest.Linear(t, called) }

func FuzzCited(f *testing.F) {
	for text := range hostiletest.One(2000) {
		f.Add(text.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text), 0)()
		cited(text, cite.Options{Keep: func(sentence string, _ int) bool { return cite.Supported(sentence, []string{"some words"}) > 0 }})
	})
}

func FuzzToolCalls(f *testing.F) {
	for text := range hostiletest.One(2000) {
		f.Add(text.Text)
	}
	for _, token := range []string{"<tool_call>", "{\"name\":", "<invoke name=\"", "[TOOL_CALLS][", "\n{\"a\":[", "<function=x>", "</tool_call", "```json\n{"} {
		f.Add(strings.Repeat(token, 200))
	}
	f.Fuzz(func(t *testing.T, text string) { hostiletest.Bounded(t, text, func() { called(text) }) })
}

func TestHostileAnswersAreCheckedInLinearTime(t *testing.T) {
	hostiletest.Linear(t, func(text string) {
		for sentence := range cite.Sentences(text, func(n int) bool { return n < 4 }) {
			cite.Supported(sentence, []string{"some words"})
		}
	})
}

func TestHostileAnswersAreFilteredInLinearTime(t *testing.T) {
	for name, pattern := range map[string]string{"a short pattern": `key-[0-9]{4}`, "a pattern without a limit": `secret.*key`} {
		list, err := filter.NewList([]string{"blocked word"}, []string{pattern})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			hostiletest.Linear(t, func(text string) {
				screen := filter.Listed{List: list}.Screen(filter.Answer{})
				for len(text) > 0 {
					n := min(16, len(text))
					if _, err := screen.Push(t.Context(), text[:n]); err != nil {
						t.Fatal(err)
					}
					text = text[n:]
				}
				if _, err := screen.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
