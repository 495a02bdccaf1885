// Package llmtest provides a model that follows a script. In tests of turns, the model's replies
// are the input, and packets and a report are the output.
package llmtest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/llm"
)

// ErrScriptEnded is the reply of a [Model] that has no more replies.
var ErrScriptEnded = errors.New("the scripted model has no more replies")

// Model is an [llm.Model] that sends scripted replies, one for each call of Stream. It is safe for
// concurrent use.
type Model struct {
	info llm.Info

	mu       sync.Mutex
	replies  []Reply
	requests []llm.Request
	open     int
}

var _ llm.Model = (*Model)(nil)

// New returns a model that sends the replies in order. By default its window is 32,000 tokens.
func New(info llm.Info, replies ...Reply) *Model {
	if info.Name == "" {
		info.Name = "scripted"
	}
	if info.Window == 0 {
		info.Window = 32_000
	}
	return &Model{info: info, replies: replies}
}

// Native returns a scripted model that calls tools through its API.
func Native(replies ...Reply) *Model { return New(llm.Info{NativeTools: true}, replies...) }

// Info implements llm.Model.
func (m *Model) Info() llm.Info { return m.info }

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		reply := m.next(req)
		defer m.closed()
		p := &play{ctx: ctx, yield: yield}
		for _, step := range reply {
			if !step(p) {
				return
			}
			if ctx.Err() != nil {
				yield(llm.Delta{}, ctx.Err()) // like a real client: the plain error, not the cause
				return
			}
		}
		if p.finish == "" {
			p.finish = llm.FinishStop
			if p.called {
				p.finish = llm.FinishToolCalls
			}
			yield(llm.Delta{Finish: p.finish}, nil)
		}
	}
}

func (m *Model) next(req llm.Request) Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open++
	req.Messages, req.Tools = slices.Clone(req.Messages), slices.Clone(req.Tools)
	m.requests = append(m.requests, req)
	if len(m.replies) == 0 {
		return Reply{Fail(ErrScriptEnded)}
	}
	reply := m.replies[0]
	m.replies = m.replies[1:]
	return reply
}

func (m *Model) closed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open--
}

// Requests returns all requests that the model received so far.
func (m *Model) Requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Open returns the number of streams that are being read now.
func (m *Model) Open() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}
