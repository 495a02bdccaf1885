package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// index is a retriever with fixed hits.
type index struct {
	hits     []retrieve.Hit
	evidence bool
	err      error
	once     error // of the first search alone
	trace    retrieve.Trace

	mu       sync.Mutex
	searches []retrieve.Search
}

func (x *index) Search(_ context.Context, s retrieve.Search) (retrieve.Result, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.searches = append(x.searches, s)
	if len(x.searches) == 1 && x.once != nil {
		return retrieve.Result{}, x.once
	}
	found := retrieve.Result{Hits: x.hits, Evidence: x.evidence, Trace: x.trace}
	for _, h := range x.hits {
		found.Closest = append(found.Closest, h.Document)
	}
	return found, x.err
}

func hit(name, text string) retrieve.Hit {
	ref := document.Ref{ID: document.ID("docs:" + name), Kind: "file", Title: strings.ToUpper(name), URL: "https://docs.example/" + name}
	return retrieve.Hit{
		Document: ref, Chunk: document.ChunkID(len(name)*1000 + int(name[0])), Anchor: "top", Link: ref.Link("top"), Text: text,
		Scores: retrieve.Scores{Score: 0.5},
	}
}

func replication() *index {
	return &index{evidence: true, hits: []retrieve.Hit{
		hit("replication", "Set wal_level to replica and create a replication slot."), hit("backup", "Use pg_basebackup."),
	}}
}

// probe is a tool that does what a test says.
type probe struct {
	name string
	run  func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error)
}

func (p *probe) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: p.name, Description: "A tool for tests.", Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"string"}}}`)}
}
func (p *probe) Guide() string { return "Use it in tests." }
func (p *probe) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	emit.Emit(packet.CustomToolStart{Name: p.name})
	return p.run(ctx, call, emit)
}

// stage is a turn about to be run.
type stage struct {
	index   *index
	library interface { // instead of index, with passages that are read again
		retrieve.Retriever
		search.Chunks
	}
	tools   []tool.Tool
	config  turn.Config
	request turn.Request
	sink    func(packet.Packet)
}

const call = `{"queries":["streaming replication setup"]}`

func ask(question string, models ...llm.Model) *stage {
	return &stage{
		index: replication(), config: turn.Config{Policy: llm.Policy{Attempts: 1}},
		request: turn.Request{
			Turn: "t1", Audience: access.NewAudience(access.DefaultTenant, access.Members), Models: models,
			Question: message.Message{Role: message.User, Text: question}, Now: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC),
		},
	}
}

func (s *stage) run(t *testing.T, ctx context.Context) (turn.Report, []packet.Packet) {
	t.Helper()
	words := budgettest.NewWords()
	finder := search.New(s.index, nil, words, search.Config{})
	if s.library != nil {
		finder = search.New(s.library, s.library, words, search.Config{})
	}
	tools, err := tool.NewSet(append([]tool.Tool{finder}, s.tools...)...)
	if err != nil {
		t.Fatal(err)
	}
	var packets []packet.Packet
	report, err := turn.NewRunner(tools, words, s.config, slog.New(slog.DiscardHandler)).Run(ctx, s.request,
		packet.SinkFunc(func(p packet.Packet) {
			packets = append(packets, p)
			if s.sink != nil {
				s.sink(p)
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(packets, len(s.request.Models)); err != nil {
		t.Errorf("%v\n%s", err, show(packets))
	}
	return report, packets
}

// wellFormed checks what every stream of packets keeps to, whatever happened in the turn.
func wellFormed(packets []packet.Packet, models int) error {
	type stream struct {
		open    map[packet.Placement]string
		top     int // of blocks that were opened
		cited   map[int]bool
		places  map[string]bool
		stopped bool
	}
	streams := make([]stream, models)
	numbers := make(map[string]int) // of places, that the models share, in the order of first use by any
	for i := range streams {
		streams[i] = stream{open: make(map[packet.Placement]string), cited: make(map[int]bool), places: make(map[string]bool)}
	}
	for n, p := range packets {
		s := &streams[p.Placement.ModelIndex]
		at := p.Placement
		if s.stopped {
			return fmt.Errorf("packet %d follows the stop of its model", n)
		}
		inside := s.open[at]
		switch payload := p.Payload.(type) {
		case packet.ReasoningStart, packet.MessageStart, packet.SearchStart, packet.CustomToolStart, packet.FileReaderStart:
			if inside != "" {
				return fmt.Errorf("packet %d opens a block inside %s", n, inside)
			}
			for other := range s.open {
				if other.TurnIndex != at.TurnIndex {
					return fmt.Errorf("packet %d opens block %d while %d is open", n, at.TurnIndex, other.TurnIndex)
				}
			}
			if at.TurnIndex < s.top {
				return fmt.Errorf("packet %d opens block %d after block %d", n, at.TurnIndex, s.top)
			}
			s.top = at.TurnIndex
			s.open[at] = p.Payload.Kind()
		case packet.ReasoningDelta, packet.MessageDelta, packet.SearchQueries, packet.SearchDocuments, packet.CustomToolResult, packet.FileReaderResult:
			want := map[string]string{
				"reasoning_delta": "reasoning_start", "message_delta": "message_start", "search_tool_queries_delta": "search_tool_start",
				"search_tool_documents_delta": "search_tool_start", "custom_tool_delta": "custom_tool_start",
				"file_reader_result": "file_reader_start",
			}[p.Payload.Kind()]
			if inside != want {
				return fmt.Errorf("packet %d, %s, is inside %q", n, p.Payload.Kind(), inside)
			}
			if d, ok := payload.(packet.MessageDelta); ok {
				for number := range linked(d.Text) {
					if !s.cited[number] {
						return fmt.Errorf("packet %d links %d before its citation info", n, number)
					}
				}
			}
		case packet.CitationInfo:
			place := string(payload.Document) + " " + payload.URL
			if inside != "message_start" || models == 1 && payload.Number != len(s.cited)+1 || s.places[place] {
				return fmt.Errorf("packet %d introduces citation %d of %s out of order", n, payload.Number, payload.Document)
			}
			if known := numbers[place]; known != 0 && known != payload.Number || known == 0 && slices.Contains(slices.Collect(maps.Values(numbers)), payload.Number) {
				return fmt.Errorf("packet %d gives %s the number %d, which models do not share", n, payload.Document, payload.Number)
			}
			numbers[place] = payload.Number
			s.cited[payload.Number], s.places[place] = true, true
		case packet.ReasoningDone:
			if inside != "reasoning_start" {
				return fmt.Errorf("packet %d ends reasoning inside %q", n, inside)
			}
			delete(s.open, at)
		case packet.SectionEnd:
			if inside == "" || inside == "reasoning_start" {
				return fmt.Errorf("packet %d ends a section inside %q", n, inside)
			}
			delete(s.open, at)
		case packet.Stop:
			if len(s.open) > 0 || payload.Reason == "" {
				return fmt.Errorf("packet %d stops with open blocks %v and reason %q", n, s.open, payload.Reason)
			}
			s.stopped = true
		}
	}
	for i, s := range streams {
		if !s.stopped {
			return fmt.Errorf("model %d has no stop", i)
		}
	}
	return nil
}

// linked are the numbers of links to documents in a text.
func linked(text string) map[int]bool {
	numbers := make(map[int]bool)
	for rest := text; ; {
		i := strings.Index(rest, "[[")
		if i < 0 {
			return numbers
		}
		rest = rest[i+2:]
		var n int
		if _, err := fmt.Sscanf(rest, "%d]](https://docs.example/", &n); err == nil {
			numbers[n] = true
		}
	}
}

// show writes packets as one line each, without what tests do not look at.
func show(packets []packet.Packet) string {
	var b strings.Builder
	for _, p := range packets {
		fmt.Fprintf(&b, "%d.%d.%d %s", p.Placement.ModelIndex, p.Placement.TurnIndex, p.Placement.TabIndex, p.Payload.Kind())
		switch payload := p.Payload.(type) {
		case packet.MessageDelta:
			fmt.Fprintf(&b, " %q", payload.Text)
		case packet.ReasoningDelta:
			fmt.Fprintf(&b, " %q", payload.Text)
		case packet.SearchQueries:
			fmt.Fprintf(&b, " %q", payload.Queries)
		case packet.SearchDocuments:
			for _, d := range payload.Documents {
				fmt.Fprintf(&b, " %s", d.ID)
			}
		case packet.MessageStart:
			for _, d := range payload.Documents {
				fmt.Fprintf(&b, " %s", d.ID)
			}
		case packet.CitationInfo:
			fmt.Fprintf(&b, " %d %s %s", payload.Number, payload.Document, payload.URL)
		case packet.CustomToolResult:
			fmt.Fprintf(&b, " %s", payload.Error)
		case packet.Branching:
			fmt.Fprintf(&b, " %d", payload.Branches)
		case packet.Error:
			fmt.Fprintf(&b, " %q retryable=%v", payload.Message, payload.Retryable)
		case packet.Stop:
			fmt.Fprintf(&b, " %s %s %q", payload.Reason, payload.Grounding, payload.Message)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// shown is the text that the reader of one model sees.
func shown(packets []packet.Packet, model int) string {
	var b strings.Builder
	for _, p := range packets {
		if p.Placement.ModelIndex != model {
			continue
		}
		switch payload := p.Payload.(type) {
		case packet.MessageStart:
			if b.Len() > 0 {
				b.WriteString("\n\n")
			}
		case packet.MessageDelta:
			b.WriteString(payload.Text)
		}
	}
	return b.String()
}
