package main_test

import (
	"fmt"
	"strings"
	"testing"
)

// Whatever somebody sends instead of a question ends with an outcome and a sentence, and cites
// nothing that has nothing to do with it.
func TestOddQuestions(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	var trace strings.Builder
	trace.WriteString("java.lang.IllegalStateException: frobnication failed\n")
	for i := range 5000 {
		fmt.Fprintf(&trace, "at b.C%d(D:%d)\n", i%97, i)
	}
	for _, c := range []struct {
		name, question string
		cites          string // "yes", "no", or "" where either is right
	}{
		{"a greeting", "Hi there!", "no"},
		{"greetings and thanks", "Good morning everybody, thanks a lot and kind regards, Bob", "no"},
		{"a stack trace of 5,000 lines", trace.String(), "no"},
		{"a question behind one", trace.String() + "\nHow many vacation days do I get?", ""},
		{"an address", "https://example.com/a/b?c=d&e=%20f#g", "no"},
		{"an emoji", "🎉", "no"},
		{"emoji and marks", "👍👍 ?!?! ¯\\_(ツ)_/¯", "no"},
		{"another language", "Сколько стоит проезд на автобусе?", "no"},
		{"another script", "明日の天気はどうですか", "no"},
		{"another language with the documents' word", "Wie viele vacation days bekomme ich pro Jahr?", ""},
		{"Markdown alone", "```\n```\n# \n> \n- ", "no"},
		{"control characters", "\x1b[31mred\x07\u202evacation?", "yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := p.try(t, "", "ask", c.question, "--json")
			got := jsonOf[answered](t, r)
			if got.Outcome != "answered" && got.Outcome != "no_evidence" && got.Outcome != "refused" || got.Answer+got.Message == "" {
				t.Errorf("outcome %q, answer %q, message %q\n%s", got.Outcome, got.Answer, got.Message, r.stderr)
			}
			if c.cites != "" && len(got.Citations) > 0 != (c.cites == "yes") {
				t.Errorf("%d citations: %q, %q", len(got.Citations), got.Answer, got.Message)
			}
			if strings.Contains(got.Answer+got.Message, "\x1b") {
				t.Errorf("a control character is shown: %q", got.Answer+got.Message)
			}
		})
	}
	// What is too long to be read is told at once, with what to do.
	if r := p.try(t, "", "ask", trace.String()+trace.String()[:30_000]); r.code == 0 || !strings.Contains(r.stderr, "at most 100000 can be read. Ask with less text") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}
