// Package extractive answers without a language model. Like any model, it calls the search tool. It
// quotes the best matching paragraphs, lists, table rows and code, each below the title and
// citation of its page.
//
// Quotations are verbatim, with four exceptions: white space, a backslash before a document's own
// "[1]", code marks around placeholders, and "…" where a block was cut. Table rows are below the
// column names.
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

// The model calls these tools if they are offered: the knowledge tool for questions about who does
// what, else the search tool.
const (
	SearchTool    = "internal_search"
	KnowledgeTool = knowledge.Name
)

const (
	window = 1 << 20 // tokens; a long request costs little more than its reading
	reply  = 4_096
)

// Model is an [llm.Model] that quotes documents instead of generating text. It needs no key and no
// network. Its output is deterministic, except for the ids of tool calls. It is safe for concurrent
// use.
type Model struct {
	why     string
	vectors *vectors // of the sentence model; nil: words decide what is shown
	gate    retrieve.Gate
	wait    time.Duration // for the sentence model; 0: gateWait
}

// New returns a model. Its first answer in a thread says that no language model is configured.
func New() *Model { return &Model{why: "No language model is configured, so "} }

// StandIn returns a model that temporarily replaces a language model. The caller must tell people
// why.
func StandIn() *Model { return &Model{} }

// WithSentences returns a copy of the model that selects passages by the similarity of their
// embeddings to the question. gate says which similarity suffices for a quotation. If sentences is
// nil, the copy selects passages by matching words.
func (m *Model) WithSentences(sentences retrieve.Embedder, gate retrieve.Gate) *Model {
	with := *m
	if with.vectors, with.gate = nil, gate; sentences != nil {
		with.vectors = &vectors{embedder: sentences, known: map[string][]float32{}}
	}
	return &with
}

// Waiting returns a copy of the model that waits at most the given time for the embeddings of an
// answer. After that time, it selects passages by matching words.
func (m *Model) Waiting(wait time.Duration) *Model {
	with := *m
	with.wait = wait
	return &with
}

// Info implements llm.Model.
func (*Model) Info() llm.Info {
	return llm.Info{Name: "extractive", Window: window, Reply: reply, NativeTools: true, Extractive: true}
}

// Stream implements llm.Model. It calls the search tool once, and then answers from the documents
// that the tool returned. A request with a response format fails with [llm.ErrBadRequest].
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		first, said, err := m.reply(ctx, req)
		finish := llm.FinishStop
		for _, d := range first {
			if d.Call != nil {
				finish = llm.FinishToolCalls
			}
			if !yield(d, nil) {
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

// pieces splits an answer into deltas of up to three words.
var pieces = regexp.MustCompile(`(?:\S*\s+){1,3}|\S+$`)

// reply returns a call or the sections of the quotations, and the text of the answer.
func (m *Model) reply(ctx context.Context, req llm.Request) (first []llm.Delta, said string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if len(req.ResponseFormat) > 0 {
		return nil, "", fmt.Errorf("%w: answers in a given format need a language model; set OPENAI_API_KEY or OPENAI_BASE_URL", llm.ErrBadRequest)
	}
	t := readTurn(req.Messages)
	if said := knowledge.Answer(t.stated); said != "" {
		return nil, said, nil
	}
	if about, what, ok := knowledge.Asked(t.question); ok && len(t.consulted) == 0 && offered(req, KnowledgeTool) {
		return callOf(KnowledgeTool, map[string]any{"about": about, "what": what, "exact": true})
	}
	if !t.searched && t.question != "" && offered(req, SearchTool) {
		return callOf(SearchTool, map[string]any{"queries": []string{t.question}})
	}
	return m.answer(ctx, t)
}

func offered(req llm.Request, name string) bool {
	return req.Choice.Mode != llm.None && (req.Choice.Name == "" || req.Choice.Name == name) &&
		slices.ContainsFunc(req.Tools, func(t llm.ToolSpec) bool { return t.Name == name })
}

func callOf(name string, arguments map[string]any) ([]llm.Delta, string, error) {
	written, err := json.Marshal(arguments)
	if err != nil {
		return nil, "", fmt.Errorf("write the arguments of %s: %w", name, err)
	}
	return []llm.Delta{{Call: &llm.CallDelta{ID: "call_" + rand.Text(), Name: name, Arguments: string(written)}}}, "", nil
}
