package llmtest

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/llm"
)

// Reply is the script for one request. By default it ends with the finish reason tool_calls if it
// has a tool call, and stop otherwise.
type Reply []Step

// Step is one action of a [Reply]. It returns false if the stream is over.
type Step func(*play) bool

type play struct {
	ctx    context.Context
	yield  func(llm.Delta, error) bool
	finish llm.Finish
	called bool
}

func (p *play) send(d llm.Delta) bool { return p.yield(d, nil) }

// Answer returns a reply of text, with one delta per piece.
func Answer(pieces ...string) Reply {
	var r Reply
	for _, piece := range pieces {
		r = append(r, Text(piece))
	}
	return r
}

// Text returns a Step that sends a piece of the answer.
func Text(s string) Step { return func(p *play) bool { return p.send(llm.Delta{Text: s}) } }

// Quoted returns a Step that says what the answer quotes.
func Quoted(q llm.Quoted) Step { return func(p *play) bool { return p.send(llm.Delta{Quoted: &q}) } }

// Reasoning returns a Step that sends a piece of reasoning.
func Reasoning(s string) Step { return func(p *play) bool { return p.send(llm.Delta{Reasoning: s}) } }

// Call returns a Step that sends a whole tool call in three pieces.
func Call(index int, id, name, arguments string) Step {
	return func(p *play) bool {
		half := len(arguments) / 2
		return CallPart(index, id, name, "")(p) && CallPart(index, "", "", arguments[:half])(p) &&
			CallPart(index, "", "", arguments[half:])(p)
	}
}

// CallPart returns a Step that sends one piece of a tool call.
func CallPart(index int, id, name, arguments string) Step {
	return func(p *play) bool {
		p.called = true
		return p.send(llm.Delta{Call: &llm.CallDelta{Index: index, ID: id, Name: name, Arguments: arguments}})
	}
}

// Usage returns a Step that sends the numbers of input and output tokens.
func Usage(input, output int) Step {
	return func(p *play) bool { return p.send(llm.Delta{Usage: &llm.Usage{Input: input, Output: output}}) }
}

// Finish returns a Step that sends the finish reason.
func Finish(reason llm.Finish) Step {
	return func(p *play) bool {
		p.finish = reason
		return p.send(llm.Delta{Finish: reason})
	}
}

// Fail returns a Step that ends the stream with an error.
func Fail(err error) Step {
	return func(p *play) bool {
		p.yield(llm.Delta{}, err)
		return false
	}
}

// Cut returns a Step that ends the stream without a finish reason, as a lost connection does.
func Cut() Step { return func(*play) bool { return false } }

// Panic returns a Step that panics inside the stream.
func Panic(value any) Step { return func(*play) bool { panic(value) } }

// Hang returns a Step that sends nothing until the request is cancelled.
func Hang() Step {
	return func(p *play) bool {
		<-p.ctx.Done()
		return true
	}
}

// Wait returns a Step that blocks until it receives from c or the request is cancelled.
func Wait(c <-chan struct{}) Step {
	return func(p *play) bool {
		select {
		case <-c:
		case <-p.ctx.Done():
		}
		return true
	}
}

// Sleep returns a Step that blocks for a duration, or until the request is cancelled.
func Sleep(d time.Duration) Step {
	return func(p *play) bool {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-p.ctx.Done():
		}
		return true
	}
}

// Do returns a Step that calls f between two deltas. f must not block; to block, use [Wait], which
// ends with the request.
func Do(f func()) Step {
	return func(*play) bool {
		f()
		return true
	}
}
