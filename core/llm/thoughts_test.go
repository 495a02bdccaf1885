package llm_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/llm"
)

// pieces streams a text in pieces of so many bytes, and then the last delta or the error.
func pieces(text string, size int, err error) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for len(text) > 0 {
			n := min(size, len(text))
			if !yield(llm.Delta{Text: text[:n]}, nil) {
				return
			}
			text = text[n:]
		}
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		yield(llm.Delta{Finish: llm.FinishStop}, nil)
	}
}

func TestThoughtsArePartedFromTheAnswer(t *testing.T) {
	t.Parallel()
	cut := errors.New("cut")
	for name, tc := range map[string]struct {
		reply, thought, text string
		err                  error
	}{
		"none":                 {reply: "So it is.", text: "So it is."},
		"think":                {reply: "\n<think>\nhm <b> </thin\n</think>\n\nSo.", thought: "\nhm <b> </thin\n", text: "\n\nSo."},
		"two blocks":           {reply: "<think>a</think>\n<think>b</think>So.", thought: "ab", text: "So."},
		"Magistral":            {reply: "[THINK]a[/THINK]So.", thought: "a", text: "So."},
		"Kimi":                 {reply: "◁think▷a◁/think▷So.", thought: "a", text: "So."},
		"gpt-oss":              {reply: "<|channel|>analysis<|message|>a<|channel|>final<|message|>So.", thought: "a", text: "So."},
		"thinking":             {reply: "<thinking>a</thinking>So.", thought: "a", text: "So."},
		"never closed":         {reply: "<think>a, then b </th", thought: "a, then b </th"},
		"tags further down":    {reply: "Write <think>x</think>.", text: "Write <think>x</think>."},
		"the beginning of one": {reply: "<thi", text: "<thi"},
		"another tag":          {reply: "<thin>ice", text: "<thin>ice"},
		"an error inside":      {reply: "<think>a</th", thought: "a</th", err: cut},
		"an error at once":     {reply: "<th", text: "<th", err: cut},
		"nothing":              {},
	} {
		for _, size := range []int{1, 2, 3, 7, 1000} {
			var thought, text string
			var finish llm.Finish
			var failed error
			for d, err := range llm.Thoughts(pieces(tc.reply, size, tc.err)) {
				thought, text = thought+d.Reasoning, text+d.Text
				if d.Finish != "" {
					finish = d.Finish
				}
				failed = err
			}
			if thought != tc.thought || text != tc.text || !errors.Is(failed, tc.err) || (finish == "") != (tc.err != nil) {
				t.Errorf("%s in pieces of %d: thought %q, text %q, finish %q, error %v", name, size, thought, text, finish, failed)
			}
		}
	}
}

func TestTextAfterThoughtsIsNotHeld(t *testing.T) {
	t.Parallel()
	for d, err := range llm.Thoughts(pieces("<think>a</think>So it is.", 18, nil)) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != "" {
			if d.Text != "So" {
				t.Errorf("first text %q", d.Text)
			}
			return
		}
	}
	t.Error("no text")
}

// A small local model can fall into white space without end. It is held only until it could not be
// the beginning of a reply, so the limits of an answer count it.
func TestWhiteSpaceBeforeAReplyIsCounted(t *testing.T) {
	t.Parallel()
	limits := llm.Limits{Text: 1000, Bytes: 100_000, Duration: time.Hour}
	sent := 0
	stream := limits.Stream(t.Context(), llm.Request{}, func(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
		return llm.Thoughts(func(yield func(llm.Delta, error) bool) {
			for sent = 0; sent < 10_000_000; sent += 100 {
				if !yield(llm.Delta{Text: strings.Repeat(" ", 99) + "\n"}, nil) {
					return
				}
			}
		})
	})
	var last error
	for d, err := range stream {
		if d.Text != "" {
			t.Fatalf("the answer has the text %q", d.Text)
		}
		last = err
	}
	if !errors.Is(last, llm.ErrEndless) || sent > 2*limits.Bytes {
		t.Errorf("the stream ended with %v after %d bytes", last, sent)
	}
}
