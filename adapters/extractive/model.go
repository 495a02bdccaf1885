// Package extractive answers without a language model. It searches and quotes the best matching
// paragraphs, lists, table rows and code, each with its citation. It calls the search tool, so it
// runs in the same loop as any model. Quotes are verbatim except for five changes. White space may
// differ. A backslash keeps a document's own "[1]" from being read as a citation. Table rows come
// below their header. An explanation comes after the term that it explains. Options and
// placeholders are written as code if they would be misread otherwise.
//
// The steps of an answer: turn.go reads the conversation and question.go the question. block.go and
// unit.go split the passages into pieces. passages.go finds quotable pieces of each page and
// selects some. choose.go decides whether the question's words are evidence, and answer.go writes
// the answer.
package extractive

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
)

var _ llm.Model = (*Model)(nil)

// SearchTool is the name of the search tool, which is called if it is offered.
const SearchTool = "internal_search"

const (
	window     = 1 << 20 // tokens; nothing here costs more with length than reading it
	reply      = 4_096
	deltaWords = 3 // words per delta
)

// Model is an llm.Model that needs no key and no network, and no weights unless it has a sentence
// model. It has no state, is deterministic except for the ids of calls, and is safe for concurrent
// use.
type Model struct {
	why     string
	vectors *vectors // of the sentence model; nil: words decide what is shown
	gate    retrieve.Gate
	wait    time.Duration // for the sentence model; 0: gateWait
}

// New returns the model for a program without a configured language model. Its answers say so.
func New() *Model { return &Model{why: "No language model is configured, so "} }

// StandIn returns the model that replaces a language model. The caller must say why.
func StandIn() *Model { return &Model{} }

// WithSentences makes the sentence model select the passages, and makes the gate decide whether to
// quote them. If sentences is nil, word matching does both.
func (m *Model) WithSentences(sentences retrieve.Embedder, gate retrieve.Gate) *Model {
	with := *m
	if with.vectors, with.gate = nil, gate; sentences != nil {
		with.vectors = &vectors{embedder: sentences, known: map[string][]float32{}}
	}
	return &with
}

// Waiting limits the sentence model to wait for the passages of an answer. Passages that it has not
// compared by then are selected by words.
func (m *Model) Waiting(wait time.Duration) *Model {
	with := *m
	with.wait = wait
	return &with
}

// Info implements llm.Model.
func (*Model) Info() llm.Info {
	return llm.Info{Name: "extractive", Window: window, Reply: reply, NativeTools: true, Extractive: true}
}

// Stream implements llm.Model. If the search tool is offered and this turn has no results yet, it
// calls the tool with the question. Otherwise it answers from the documents in the turn. It ignores
// response formats.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(llm.Delta{}, err)
			return
		}
		if len(req.ResponseFormat) > 0 {
			yield(llm.Delta{}, fmt.Errorf("%w: answers in a given format need a language model; set OPENAI_API_KEY or OPENAI_BASE_URL", llm.ErrBadRequest))
			return
		}
		call, said, req, err := knowing(req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		if call != nil {
			if yield(llm.Delta{Call: call}, nil) {
				yield(llm.Delta{Finish: llm.FinishToolCalls}, nil)
			}
			return
		}
		t := readTurn(req.Messages)
		if said == "" && !t.searched && t.question != "" && offered(req) {
			call, err := searchFor(t.question)
			if err != nil {
				yield(llm.Delta{}, err)
				return
			}
			if yield(llm.Delta{Call: call}, nil) {
				yield(llm.Delta{Finish: llm.FinishToolCalls}, nil)
			}
			return
		}
		if said == "" {
			if said, err = m.answer(ctx, t); err != nil {
				yield(llm.Delta{}, err)
				return
			}
		}
		for text := range pieces(said) {
			if err := ctx.Err(); err != nil {
				yield(llm.Delta{}, err)
				return
			}
			if !yield(llm.Delta{Text: text}, nil) {
				return
			}
		}
		yield(llm.Delta{Finish: llm.FinishStop}, nil)
	}
}

// offered reports whether the search tool may be called.
func offered(req llm.Request) bool {
	if req.Choice.Mode == llm.None || req.Choice.Mode == llm.Required && req.Choice.Name != "" && req.Choice.Name != SearchTool {
		return false
	}
	for _, tool := range req.Tools {
		if tool.Name == SearchTool {
			return true
		}
	}
	return false
}

func searchFor(question string) (*llm.CallDelta, error) {
	arguments, err := json.Marshal(struct {
		Queries []string `json:"queries"`
	}{[]string{question}})
	if err != nil {
		return nil, fmt.Errorf("write the arguments of %s: %w", SearchTool, err)
	}
	return &llm.CallDelta{ID: "call_" + rand.Text(), Name: SearchTool, Arguments: string(arguments)}, nil
}

// pieces cuts text after every few words. Joined they are the text.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, words := 0, 0
		for i := range len(text) {
			if text[i] != ' ' && text[i] != '\n' {
				continue
			}
			if words++; words == deltaWords {
				if !yield(text[start : i+1]) {
					return
				}
				start, words = i+1, 0
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}
