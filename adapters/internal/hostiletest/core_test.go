package hostiletest_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/filter"
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
		"links": {}, "markers": {Mode: cite.KeepMarkers}, "removed": {Mode: cite.Remove},
		"judged": {Keep: func(sentence string, _ int) bool { return cite.Supported(sentence, []string{"some words"}) > 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			hostiletest.Linear(t, func(text string) {
				p := cite.NewProcessor(sources(), options)
				var events []cite.Event
				for len(text) > 0 {
					n := min(16, len(text))
					events = p.Push(text[:n], events[:0])
					text = text[n:]
				}
				p.Flush(events[:0])
			})
		})
	}
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
