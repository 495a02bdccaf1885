// Package filter decides which questions may be asked and which text may be shown. It supports
// block lists of words and patterns. It also supports an external reviewer that checks every
// paragraph before a reader sees it. Filters work on streams. Removed or withheld text is never
// shown, wherever the stream was split.
package filter

import (
	"context"
	"errors"
)

// Filter checks questions and answers. A nil Filter allows everything. A Filter is immutable and
// safe for concurrent use.
type Filter struct {
	Questions *List   // blocked questions; nil for none
	Refusal   string  // the reply to a blocked question; empty means DefaultRefusal
	Answers   *List   // masked in the model's other output, such as queries; nil for none
	Stages    []Stage // filters for answers, in order
}

// Stage is one check of answers, such as a block list. Implementations must be safe for concurrent
// use.
type Stage interface {
	// Screen returns a Screen for one message of an answer.
	Screen(a Answer) Screen
}

// Screen filters one message of an answer while it streams. It is not safe for concurrent use.
type Screen interface {
	// Push adds the next piece of the message and returns the text that may be shown now. After an
	// error no more text may be shown, except the text that Push returned with the error.
	Push(ctx context.Context, text string) (string, error)
	// Flush ends the message and returns the text that was held back.
	Flush(ctx context.Context) (string, error)
}

// Answer identifies an answer by its turn and model.
type Answer struct {
	Turn  string
	Model string
}

// Texts that people see if their question is refused (DefaultRefusal) or the answer is stopped
// (sentenceBlock).
const (
	DefaultRefusal = "The question, or something that came with it, holds words that whoever runs this bot does not want answered. Ask without them, or ask a person."
	sentenceBlock  = "The answer was stopped because it came to something that must not be shown here. Ask in other words, or ask a person."
)

// Blocked is the error that ends an answer with forbidden content. Sentence tells the reader why
// the answer ended.
type Blocked struct{ Sentence string }

// Error implements error.
func (b *Blocked) Error() string { return "a filter stopped the answer" }

// ErrUnchecked is the error that ends an answer if the reviewer cannot be reached or fails.
var ErrUnchecked = errors.New("the answer could not be checked before it is shown")

// Refuse returns the reply to a question that must not be answered. It returns "" if all texts are
// allowed.
func (f *Filter) Refuse(texts ...string) string {
	if f == nil || f.Questions == nil {
		return ""
	}
	for _, text := range texts {
		if f.Questions.Match(text) {
			if f.Refusal == "" {
				return DefaultRefusal
			}
			return f.Refusal
		}
	}
	return ""
}

// Redact masks the matches of the block list Answers in a complete text.
func (f *Filter) Redact(text string) string {
	if f == nil || f.Answers == nil {
		return text
	}
	return f.Answers.Redact(text)
}

// Screens reports whether the filter has any stage.
func (f *Filter) Screens() bool { return f != nil && len(f.Stages) > 0 }

// Screen returns a Screen that passes one message of an answer through all stages.
func (f *Filter) Screen(a Answer) Screen {
	if f == nil {
		return chain(nil)
	}
	c := make(chain, len(f.Stages))
	for i, stage := range f.Stages {
		c[i] = stage.Screen(a)
	}
	return c
}

type chain []Screen

// Push implements Screen.
func (c chain) Push(ctx context.Context, text string) (string, error) {
	for i, s := range c {
		out, err := s.Push(ctx, text)
		if err != nil { // earlier text is still shown completely
			rest, _ := c[i+1:].end(ctx, out)
			return rest, err
		}
		text = out
	}
	return text, nil
}

// Flush implements Screen.
func (c chain) Flush(ctx context.Context) (string, error) { return c.end(ctx, "") }

// end passes the last piece through all screens and flushes them. It returns the first error.
func (c chain) end(ctx context.Context, text string) (string, error) {
	for i, s := range c {
		out, err := s.Push(ctx, text)
		if err == nil {
			var tail string
			tail, err = s.Flush(ctx)
			out += tail
		}
		if err != nil {
			rest, _ := c[i+1:].end(ctx, out)
			return rest, err
		}
		text = out
	}
	return text, nil
}
