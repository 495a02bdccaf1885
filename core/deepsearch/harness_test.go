package deepsearch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// shelf is a retriever over a few pages: it finds those that share a word of five letters or more
// with a query, best first.
type shelf struct {
	pages []page
	wait  chan struct{} // unless nil, a search goes on once it is closed, or its context has ended
	once  sync.Once
	begun chan struct{} // unless nil, told of each search

	mu       sync.Mutex
	searches []string
	failing  bool
	open     int // searches that have not returned
}

type page struct{ name, text string }

func (s *shelf) Search(ctx context.Context, q retrieve.Search) (retrieve.Result, error) {
	s.mu.Lock()
	s.searches = append(s.searches, q.Queries[0].Text)
	failing := s.failing
	s.open++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.open--
		s.mu.Unlock()
	}()
	if s.begun != nil {
		s.begun <- struct{}{}
	}
	if s.wait != nil {
		select {
		case <-s.wait:
		case <-ctx.Done():
			return retrieve.Result{}, ctx.Err()
		}
	}
	if failing {
		return retrieve.Result{}, fmt.Errorf("the database is away")
	}
	type scored struct {
		page
		score int
	}
	var found []scored
	for _, p := range s.pages {
		n := 0
		for _, query := range q.Queries {
			for word := range strings.FieldsSeq(strings.ToLower(query.Text)) {
				if word = strings.Trim(word, "?.,()"); len(word) > 4 && strings.Contains(strings.ToLower(p.text), word) {
					n++
				}
			}
		}
		if n > 0 {
			found = append(found, scored{p, n})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return b.score - a.score })
	r := retrieve.Result{Evidence: len(found) > 0}
	for _, f := range found {
		ref := document.Ref{ID: document.ID("docs:" + f.name), Kind: "file", Title: strings.ToUpper(f.name), URL: "https://docs.example/" + f.name}
		r.Hits = append(r.Hits, retrieve.Hit{Document: ref, Metadata: map[string]string{"status": "live"}, Chunk: document.ChunkID(len(f.name)*1000 + int(f.name[0])), Link: ref.URL, Text: f.text, Scores: retrieve.Scores{Score: 0.5}})
	}
	return r, nil
}

// asked are the queries that were searched for so far.
func (s *shelf) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.searches)
}

func company() *shelf {
	return &shelf{pages: []page{
		{"billing", "The billing service is owned by team Falcon and runs in Frankfurt."},
		{"lookup", "The lookup service is owned by team Osprey and runs in Dublin."},
		{"falcon", "Mara Lindqvist directs team Falcon."},
		{"holiday", "Employees have 28 days of holiday."},
	}}
}

// journal keeps deep searches in memory, as a database does.
type journal struct {
	mu      sync.Mutex
	records map[session.TurnID]deepsearch.Record
	fenced  bool
	found   []int
	onFound func(number int)
	parked  []time.Duration
	ends    []packet.Progress
}

var _ deepsearch.Journal = (*journal)(nil)

func newJournal() *journal { return &journal{records: make(map[session.TurnID]deepsearch.Record)} }

func (j *journal) Record(_ context.Context, _ access.TenantID, id session.TurnID) (deepsearch.Record, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.records[id]
	findings := make(map[int]deepsearch.Finding)
	for n, f := range r.Findings {
		findings[n] = f
	}
	r.Findings = findings
	r.Questions, r.Order = slices.Clone(r.Questions), slices.Clone(r.Order)
	return r, nil
}

func (j *journal) write(id session.TurnID, change func(*deepsearch.Record)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fenced {
		return session.ErrFenced
	}
	r := j.records[id]
	change(&r)
	j.records[id] = r
	return nil
}

func (j *journal) Plan(_ context.Context, f session.Fence, plan deepsearch.Record) error {
	return j.write(f.Turn, func(r *deepsearch.Record) { *r = plan })
}

func (j *journal) Extend(_ context.Context, f session.Fence, known int, judged deepsearch.Judgment, more []deepsearch.SubQuestion) error {
	j.mu.Lock()
	steered := len(j.records[f.Turn].Questions) != known
	j.mu.Unlock()
	if steered {
		return deepsearch.ErrSteered
	}
	return j.write(f.Turn, func(r *deepsearch.Record) {
		r.Judgments, r.Questions = append(r.Judgments, judged), append(r.Questions, more...)
	})
}

func (j *journal) Found(_ context.Context, f session.Fence, number int, finding deepsearch.Finding) error {
	err := j.write(f.Turn, func(r *deepsearch.Record) {
		if r.Findings == nil {
			r.Findings = make(map[int]deepsearch.Finding)
		}
		if _, known := r.Findings[number]; !known {
			r.Order = append(r.Order, number)
		}
		if r.Findings[number].State == deepsearch.Dropped {
			return
		}
		r.Findings[number] = finding
		j.found = append(j.found, number)
	})
	if j.onFound != nil {
		j.onFound(number)
	}
	return err
}

// steer changes a plan, as a database does for a person.
func (j *journal) steer(in deepsearch.Instruction) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.records["t1"]
	if r.Findings == nil {
		r.Findings = make(map[int]deepsearch.Finding)
	}
	drop := func(n int) {
		if _, known := r.Findings[n]; !known {
			r.Order = append(r.Order, n)
		}
		r.Findings[n] = deepsearch.Finding{State: deepsearch.Dropped}
	}
	for _, n := range in.Drop {
		drop(n)
	}
	for i := range r.Questions {
		if _, known := r.Findings[i+1]; in.Rest && !known {
			drop(i + 1)
		}
	}
	if in.Add != "" {
		last := r.Questions[len(r.Questions)-1]
		r.Questions = append(slices.Clone(r.Questions), deepsearch.SubQuestion{Text: in.Add, Round: last.Round, Added: true})
	}
	j.records["t1"] = r
}

func (j *journal) Changes(_ context.Context, f session.Fence, known int) (c deepsearch.Changes, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.records[f.Turn]
	c.Added = slices.Clone(r.Questions[min(known, len(r.Questions)):])
	for n, found := range r.Findings {
		if found.State == deepsearch.Dropped {
			c.Dropped = append(c.Dropped, n)
		}
	}
	return c, nil
}

func (j *journal) Close(_ context.Context, f session.Fence, known int) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.records[f.Turn].Questions) <= known, nil
}

func (j *journal) Forget(_ context.Context, f session.Fence, text string) error {
	return j.write(f.Turn, func(r *deepsearch.Record) {
		r.Judgments = make([]deepsearch.Judgment, len(r.Judgments))
		for i, q := range r.Questions {
			if q.Round > 0 {
				r.Questions[i].Text = text
			}
		}
	})
}

// lent is a library of which some documents may not be read any more.
type lent struct{ gone map[document.ID]bool }

func (l lent) Readable(ctx context.Context, _ access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	if ctx.Err() != nil { // as a database does
		return nil, ctx.Err()
	}
	out := make(map[document.ID]bool)
	for _, id := range ids {
		out[id] = !l.gone[id]
	}
	return out, nil
}

// stage is a deep search about to be run.
type stage struct {
	shelf   *shelf
	deps    deepsearch.Deps
	config  deepsearch.Config
	request turn.Request
	sink    func(packet.Packet)
	more    []tool.Tool // beside the search
}

// offeredTool is a tool that is offered but never called.
type offeredTool struct {
	tool.Tool
	name string
}

func (n offeredTool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: n.name, Parameters: json.RawMessage(`{"type":"object"}`)}
}
func (n offeredTool) Guide() string { return "" }

func ask(question string, model, fast llm.Model) *stage {
	return &stage{
		shelf: company(), deps: deepsearch.Deps{Fast: fast}, config: deepsearch.Config{Policy: llm.Policy{Attempts: 1}, Steer: 2 * time.Millisecond},
		request: turn.Request{
			Turn: "t1", Attempt: 1, Audience: access.NewAudience(access.DefaultTenant, access.Members), Models: []llm.Model{model},
			Question: message.Message{Role: message.User, Text: question}, Now: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC),
			Depth: &turn.Depth{Blind: true},
		},
	}
}

// outcome is the result of a deep search.
type outcome struct {
	turn.Answer
	packets []packet.Packet
}

// runner is what runs it.
func (s *stage) runner(t testing.TB) *deepsearch.Runner {
	t.Helper()
	words := budgettest.NewWords()
	tools, err := tool.NewSet(append(s.more, search.New(s.shelf, nil, words, search.Config{}))...)
	if err != nil {
		t.Fatal(err)
	}
	s.deps.Tools, s.deps.Counter = tools, words
	s.deps.Plain = turn.NewRunner(tools, words, turn.Config{Policy: llm.Policy{Attempts: 1}}, slog.New(slog.DiscardHandler))
	runner, err := deepsearch.New(s.deps, s.config)
	if err != nil {
		t.Fatal(err)
	}
	return runner
}

func (s *stage) run(ctx context.Context, t *testing.T) outcome {
	t.Helper()
	var r outcome
	report, err := s.runner(t).Run(ctx, s.request, packet.SinkFunc(func(p packet.Packet) {
		r.packets = append(r.packets, p)
		if s.sink != nil {
			s.sink(p)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Answers) != 1 {
		t.Fatalf("%d answers", len(report.Answers))
	}
	r.Answer = report.Answers[0]
	stops := 0
	for i, p := range r.packets {
		if _, last := p.Payload.(packet.Stop); last {
			if stops++; i != len(r.packets)-1 {
				t.Errorf("packet %d of %d is a stop", i, len(r.packets))
			}
		}
	}
	if stops != 1 {
		t.Errorf("%d stops", stops)
	}
	return r
}

// kinds lists the packets of some kinds, in order, with what they say.
func (r outcome) said() string {
	var b strings.Builder
	for _, p := range r.packets {
		data, _ := json.Marshal(p.Payload)
		switch p.Payload.(type) {
		case packet.DeepSearchPlanDelta, packet.SubQuestion, packet.SubAnswerDelta, packet.Finding, packet.Refinement, packet.CitationInfo, packet.Stop:
			fmt.Fprintf(&b, "%d.%d %s %s\n", p.Placement.TurnIndex, p.Placement.TabIndex, p.Payload.Kind(), data)
		}
	}
	return b.String()
}

// findings are the states of the rows, by their places.
func (r outcome) findings() string {
	var out []string
	for _, p := range r.packets {
		if f, ok := p.Payload.(packet.Finding); ok {
			out = append(out, fmt.Sprintf("%d.%d %s", p.Placement.TurnIndex, p.Placement.TabIndex, f.State))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// planner is a model whose first reply is a plan, and whose next ones are those given.
func planner(plan []string, then ...llmtest.Reply) *llmtest.Model {
	return llmtest.Native(append([]llmtest.Reply{form("plan_search", map[string]any{"sub_questions": plan})}, then...)...)
}

// form is a reply that calls one tool.
func form(name string, arguments any) llmtest.Reply {
	data, _ := json.Marshal(arguments)
	return llmtest.Reply{llmtest.Call(0, "form", name, string(data)), llmtest.Usage(10, 5)}
}

var enough = form("judge_findings", map[string]any{"answer": "All known [1].", "enough": true, "sub_questions": []string{}})

// worker is a fast model that searches for what it is asked and then cites the first document.
type worker struct {
	quotes bool // it stands for a model that quotes, where there is no other

	mu    sync.Mutex
	fails func(question string) error
	asks  int
}

func (w *worker) Info() llm.Info {
	return llm.Info{Name: "worker", Window: 32_000, NativeTools: true, Extractive: w.quotes}
}

func quoter() *worker { return &worker{quotes: true} }

func (w *worker) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if ctx.Err() != nil {
			yield(llm.Delta{}, ctx.Err())
			return
		}
		question, found := "", ""
		for _, m := range req.Messages {
			switch {
			case m.Role == llm.User && !strings.HasPrefix(m.Text, "Remember") && !strings.HasPrefix(m.Text, "You look into"):
				question = m.Text
			case m.Role == llm.Tool:
				found = m.Text
			}
		}
		w.mu.Lock()
		w.asks++
		fails := w.fails
		w.mu.Unlock()
		if fails != nil {
			if err := fails(question); err != nil {
				yield(llm.Delta{}, err)
				return
			}
		}
		if found == "" {
			data, _ := json.Marshal(map[string]any{"queries": []string{question}})
			_ = yield(llm.Delta{Call: &llm.CallDelta{ID: "c", Name: search.Name, Arguments: string(data)}}, nil) && yield(llm.Delta{Finish: llm.FinishToolCalls}, nil)
			return
		}
		var docs struct {
			Documents []struct {
				Document int    `json:"document"`
				Contents string `json:"contents"`
			} `json:"documents"`
		}
		text := "Nothing was found."
		if json.Unmarshal([]byte(found), &docs) == nil && len(docs.Documents) > 0 {
			text = fmt.Sprintf("%s [%d]", docs.Documents[0].Contents, docs.Documents[0].Document)
		}
		_ = yield(llm.Delta{Text: text, Usage: &llm.Usage{Input: 20, Output: 10}}, nil) && yield(llm.Delta{Finish: llm.FinishStop}, nil)
	}
}

func (j *journal) Await(_ context.Context, f session.Fence, w deepsearch.Waiting) error {
	return j.write(f.Turn, func(*deepsearch.Record) { j.parked = append(j.parked, w.Again) })
}

func (j *journal) Conclude(_ context.Context, f session.Fence, p packet.Progress) error {
	return j.write(f.Turn, func(*deepsearch.Record) { j.ends = append(j.ends, p) })
}
