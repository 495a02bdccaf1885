package llmtest

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/llm"
)

// Reply is the script for one request. Without Finish, Fail, Cut or Hang, it ends as the API does.
// The finish reason is tool_calls after a tool call, and stop otherwise.
type Reply []Step

// Step is one action of a reply. It returns false if the stream is over.
type Step func(*play) bool

type play struct {
	ctx    context.Context
	yield  func(llm.Delta, error) bool
	finish llm.Finish
	called bool
}

func (p *play) send(d llm.Delta) bool { return p.yield(d, nil) }

// Answer returns a reply of text only, with one delta per piece.
func Answer(pieces ...string) Reply {
	var r Reply
	for _, piece := range pieces {
		r = append(r, Text(piece))
	}
	return r
}

// Text sends a piece of the answer.
func Text(s string) Step { return func(p *play) bool { return p.send(llm.Delta{Text: s}) } }

// Reasoning sends a piece of the reasoning.
func Reasoning(s string) Step { return func(p *play) bool { return p.send(llm.Delta{Reasoning: s}) } }

// Call sends a whole tool call in three pieces.
func Call(index int, id, name, arguments string) Step {
	return func(p *play) bool {
		half := len(arguments) / 2
		return CallPart(index, id, name, "")(p) && CallPart(index, "", "", arguments[:half])(p) &&
			CallPart(index, "", "", arguments[half:])(p)
	}
}

// CallPart sends one piece of a tool call.
func CallPart(index int, id, name, arguments string) Step {
	return func(p *play) bool {
		p.called = true
		return p.send(llm.Delta{Call: &llm.CallDelta{Index: index, ID: id, Name: name, Arguments: arguments}})
	}
}

// Usage sends the numbers of input and output tokens.
func Usage(input, output int) Step {
	return func(p *play) bool { return p.send(llm.Delta{Usage: &llm.Usage{Input: input, Output: output}}) }
}

// Finish ends the reply with a reason.
func Finish(reason llm.Finish) Step {
	return func(p *play) bool {
		p.finish = reason
		return p.send(llm.Delta{Finish: reason})
	}
}

// Fail ends the stream with an error.
func Fail(err error) Step {
	return func(p *play) bool {
		p.yield(llm.Delta{}, err)
		return false
	}
}

// Cut ends the stream without a finish reason, as a lost connection does.
func Cut() Step { return func(*play) bool { return false } }

// Panic panics inside the stream.
func Panic(value any) Step { return func(*play) bool { panic(value) } }

// Hang sends nothing until the request is cancelled.
func Hang() Step {
	return func(p *play) bool {
		<-p.ctx.Done()
		return true
	}
}

// Wait blocks until the channel is closed or has a value, or until the request is cancelled. It
// sends nothing.
func Wait(c <-chan struct{}) Step {
	return func(p *play) bool {
		select {
		case <-c:
		case <-p.ctx.Done():
		}
		return true
	}
}

// Sleep blocks for a duration, or until the request is cancelled. It sends nothing.
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

// Do calls f between two deltas, so that a test can observe or interfere. f must not block. To
// block, use Wait, which ends with the request.
func Do(f func()) Step {
	return func(*play) bool {
		f()
		return true
	}
}
