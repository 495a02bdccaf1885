// Package extractive answers without a language model. It searches and quotes the best matching
// blocks of the documents, paragraphs, lists, table rows and code, each below the title of its page,
// which is its citation. It calls the search tool, so it runs in the same loop as any model.
//
// Quotations are verbatim except for white space, a backslash before a document's own "[1]", code
// marks around placeholders, and "…" where a block goes on. Table rows come below their header.
//
// The steps of an answer: turn.go reads the conversation and question.go the question, block.go
// parses passages, choose.go compares and decides, and answer.go writes.
package extractive

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool/knowledge"
)

var _ llm.Model = (*Model)(nil)

// SearchTool is the name of the search tool, which is called if it is offered.
const SearchTool = "internal_search"

const (
	window = 1 << 20 // tokens; nothing here costs more with length than reading it
	reply  = 4_096
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
		call, said, err := m.reply(ctx, req)
		finish := llm.FinishStop
		if call != nil {
			finish = llm.FinishToolCalls
			if !yield(llm.Delta{Call: call}, nil) {
				return
			}
		}
		for _, text := range pieces.FindAllString(said, -1) {
			if err = ctx.Err(); err != nil {
				break
			}
			if !yield(llm.Delta{Text: text}, nil) {
				return
			}
		}
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		yield(llm.Delta{Finish: finish}, nil)
	}
}

// pieces finds the deltas of an answer: three words each. Joined they are the answer.
var pieces = regexp.MustCompile(`(?:\S*\s+){1,3}|\S+$`)

// reply returns the call of a tool, or the whole answer.
func (m *Model) reply(ctx context.Context, req llm.Request) (*llm.CallDelta, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if len(req.ResponseFormat) > 0 {
		return nil, "", fmt.Errorf("%w: answers in a given format need a language model; set OPENAI_API_KEY or OPENAI_BASE_URL", llm.ErrBadRequest)
	}
	t := readTurn(req.Messages)
	if said := t.statements(); said != "" {
		return nil, said, nil
	}
	if about, what, ok := knowledge.Asked(t.question); ok && len(t.consulted) == 0 && offered(req, KnowledgeTool) {
		call, err := callOf(KnowledgeTool, map[string]any{"about": about, "what": what, "exact": true})
		return call, "", err
	}
	if !t.searched && t.question != "" && offered(req, SearchTool) {
		call, err := callOf(SearchTool, map[string]any{"queries": []string{t.question}})
		return call, "", err
	}
	said, err := m.answer(ctx, t)
	return nil, said, err
}

// offered reports whether a tool may be called.
func offered(req llm.Request, name string) bool {
	return req.Choice.Mode != llm.None && (req.Choice.Name == "" || req.Choice.Name == name) &&
		slices.ContainsFunc(req.Tools, func(t llm.ToolSpec) bool { return t.Name == name })
}

func callOf(name string, arguments map[string]any) (*llm.CallDelta, error) {
	written, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("write the arguments of %s: %w", name, err)
	}
	return &llm.CallDelta{ID: "call_" + rand.Text(), Name: name, Arguments: string(written)}, nil
}
