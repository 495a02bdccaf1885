// Package knowledge implements the tool knowledge. A model uses it to ask what documents state
// about people, teams, projects and other documents. Each statement has its source passage, with
// the number under which the model cites it.
package knowledge

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// Name is the name by which models call the tool.
const Name = "knowledge"

//go:embed description.md
var description string

//go:embed guide.md
var guide string

// questionSpec says which statements answer a kind of question about a thing. side says whether the
// thing is their subject or their object. If kinds is not empty, their subject must be of one of
// these kinds.
type questionSpec struct {
	relations []knowledge.Relation
	side      side
	kinds     []knowledge.Kind
}

type side int

const (
	anySide   side = iota
	asObject       // the thing is owned, written, replaced
	asSubject      // the thing owns, needs, replaces
)

var questionSpecs = map[string]questionSpec{
	"owners":      {[]knowledge.Relation{knowledge.Owns}, asObject, nil},
	"owned":       {[]knowledge.Relation{knowledge.Owns}, asSubject, nil},
	"authors":     {[]knowledge.Relation{knowledge.Authored}, asObject, nil},
	"worked_on":   {[]knowledge.Relation{knowledge.Authored, knowledge.WorksOn}, anySide, nil},
	experts:       {[]knowledge.Relation{knowledge.Owns, knowledge.Authored, knowledge.WorksOn}, asObject, nil},
	person:        {[]knowledge.Relation{knowledge.Owns, knowledge.Authored, knowledge.WorksOn, knowledge.PartOf}, asSubject, []knowledge.Kind{knowledge.Person, knowledge.Team}},
	"belongs_to":  {[]knowledge.Relation{knowledge.PartOf}, asObject, nil},
	"depends_on":  {[]knowledge.Relation{knowledge.DependsOn, "uses"}, asSubject, nil},
	"needed_by":   {[]knowledge.Relation{knowledge.DependsOn, "uses"}, asObject, nil},
	"replaced_by": {[]knowledge.Relation{knowledge.Supersedes}, asObject, nil},
	"replaces":    {[]knowledge.Relation{knowledge.Supersedes}, asSubject, nil},
	"linked_from": {[]knowledge.Relation{knowledge.LinksTo}, asObject, nil},
	related:       {},
}

const (
	experts = "experts" // sorts people by their number of statements
	person  = "person"
	related = "related"
)

const (
	maxStatements = 20
	maxCounted    = 200 // statements that determine the experts
	maxOfEach     = 2   // statements listed for each expert
	cacheTTL      = time.Minute
)

// Chunks reads the passages of statements. Implementations are safe for concurrent use.
type Chunks interface {
	// Chunks returns the chunks that still exist and that the audience may read now, in any order.
	Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error)
}

// Tool implements the tool knowledge. It is safe for concurrent use.
type Tool struct {
	graph     knowledge.Graph
	chunks    Chunks
	counter   budget.Counter
	questions map[string]questionSpec
	spec      llm.ToolSpec

	mu    sync.Mutex
	cache map[access.TenantID]graphContents
}

// graphContents says what a tenant's knowledge graph contains, as of the time at. empty means that
// it has no statements. plain means that it has none about owners, authors, contributors or
// replacements.
type graphContents struct {
	empty, plain bool
	at           time.Time
}

// Texts of the tool if no document states an owner, author, contributor or replacement.
const (
	plainDescription = "Answers from what documents state of one another: what links to, belongs to or depends on something."
	plainGuide       = "Knows what links to, belongs to and depends on what. Search as well when it does not answer."
)

var (
	_ tool.Tool    = (*Tool)(nil)
	_ tool.Offerer = (*Tool)(nil)
	_ tool.Fitter  = (*Tool)(nil)
)

// New returns the tool. own lists relations that the operator has defined, in addition to the
// built-in ones. The tool offers a kind of question for each of them.
func New(graph knowledge.Graph, chunks Chunks, counter budget.Counter, own ...knowledge.Relation) *Tool {
	t := &Tool{graph: graph, chunks: chunks, counter: counter, questions: maps.Clone(questionSpecs), cache: make(map[access.TenantID]graphContents)}
	for _, r := range own {
		if !slices.Contains(knowledge.Relations(), r) {
			if _, known := t.questions[string(r)]; !known {
				t.questions[string(r)] = questionSpec{relations: []knowledge.Relation{r}}
			}
		}
	}
	t.spec = llm.ToolSpec{Name: Name, Description: strings.TrimSpace(description), Parameters: parameters(slices.Sorted(maps.Keys(t.questions)))}
	return t
}

func parameters(what []string) json.RawMessage {
	listed, err := json.Marshal(what)
	if err != nil {
		panic(err) // strings always marshal
	}
	return json.RawMessage(`{"type":"object","properties":{"about":{"type":"string","description":"The person, team, document, project, ticket or path, as the question names it."},` +
		`"what":{"type":"string","enum":` + string(listed) + `,"description":"What is asked of it; related is everything."},` +
		`"period":{"type":"string","description":"Such as \"last quarter\", \"before March\" or \"since 2026-01-31\". Leave it out where the question names no time."}},"required":["about"]}`)
}

// Spec implements tool.Tool.
func (t *Tool) Spec() llm.ToolSpec { return t.spec }

// Guide implements tool.Tool.
func (t *Tool) Guide() string { return strings.TrimSpace(guide) }

// Offered implements tool.Offerer. It returns true if the documents contain statements. It returns
// false if that is unknown.
func (t *Tool) Offered(scope tool.Scope) bool { return !t.contentsOf(scope.Audience.Tenant()).empty }

// Fit implements tool.Fitter. The tool gets a description of one line if no document states an
// owner, author, contributor or replacement, because it can then answer few questions.
func (t *Tool) Fit(scope tool.Scope) tool.Tool {
	if t.contentsOf(scope.Audience.Tenant()).plain {
		return briefTool{t}
	}
	return t
}

type briefTool struct{ *Tool }

// Spec implements tool.Tool.
func (b briefTool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: Name, Description: plainDescription, Parameters: b.spec.Parameters}
}

// Guide implements tool.Tool.
func (briefTool) Guide() string { return plainGuide }

// contentsOf returns which statements a tenant's graph has, if possible from the cache. After an
// error, the graph counts as empty.
func (t *Tool) contentsOf(tenant access.TenantID) graphContents {
	t.mu.Lock()
	known, asked := t.cache[tenant]
	t.mu.Unlock()
	if asked && time.Since(known.at) < cacheTTL && !known.empty {
		return known
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	empty, err := t.graph.Empty(ctx, tenant)
	if err != nil {
		return graphContents{empty: true}
	}
	found := graphContents{empty: empty, at: time.Now()}
	if !empty {
		if found.plain, err = t.graph.Empty(ctx, tenant, knowledge.Authored, knowledge.Owns, knowledge.WorksOn, knowledge.Supersedes); err != nil {
			return graphContents{empty: true}
		}
	}
	t.mu.Lock()
	t.cache[tenant] = found
	t.mu.Unlock()
	return found
}

type arguments struct {
	About  string `json:"about"`
	What   string `json:"what,omitempty"`
	Period string `json:"period,omitempty"`
	// Exact limits the result to statements in the requested direction, about things whose names
	// contain all words of About. Callers that cannot judge whether a statement answers their
	// question set it. It is not in the schema for models.
	Exact bool `json:"exact,omitempty"`
}

var errAbout = errors.New(`there is nothing to ask about: write {"about": "…", "what": "owners"}`)

// Run implements tool.Tool.
func (t *Tool) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	emit.Emit(packet.SearchStart{})
	var args arguments
	err := json.Unmarshal(call.Arguments, &args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("parse the arguments: %w", err)
	}
	args.What = strings.ToLower(strings.TrimSpace(args.What))
	if _, known := t.questions[args.What]; !known {
		args.What = related
	}
	wanted := t.questions[args.What]
	now := call.Scope.Now
	if now.IsZero() {
		now = time.Now()
	}
	q := knowledge.Question{Audience: call.Scope.Audience, Sources: call.Scope.Sources, Documents: call.Scope.Documents,
		Relations: wanted.relations, Limit: maxStatements, Whole: args.Exact, Object: args.Exact && wanted.side == asObject, Subject: args.Exact && wanted.side == asSubject}
	if args.What == experts {
		q.Limit = maxCounted
	}
	period, err := knowledge.DatedAlone(ctx, t.graph, q, args.Period, now)
	if err != nil {
		return tool.Result{}, err
	}
	inside, about, err := knowledge.Dated(ctx, t.graph, q, args.About, now)
	if period.Open() {
		if err != nil {
			return tool.Result{}, err
		}
		period = inside
	}
	if strings.TrimSpace(about) == "" {
		return tool.Result{}, errAbout
	}
	emit.Emit(packet.SearchQueries{Queries: []string{strings.TrimSpace(about)}})
	q.From, q.To = period.From, period.To
	stated, err := knowledge.Ask(ctx, t.graph, about, q)
	if err != nil {
		return tool.Result{}, fmt.Errorf("looking up statements failed, so nothing is known about it: %w", err)
	}
	if len(wanted.kinds) > 0 {
		stated = slices.DeleteFunc(stated, func(s knowledge.Statement) bool { return !slices.Contains(wanted.kinds, s.SubjectKind) })
	}
	if args.What == experts {
		stated = rankExperts(stated)
	}
	result, err := t.buildResult(ctx, stated, call.Scope)
	if err != nil {
		return tool.Result{}, err
	}
	var docs []packet.Document
	seen := make(map[document.ID]bool)
	for _, r := range result.References {
		if !seen[r.Document.ID] && r.Text != "" {
			seen[r.Document.ID] = true
			docs = append(docs, packet.DocumentOf(r.Document, r.Anchor, r.Score))
		}
	}
	emit.Emit(packet.SearchDocuments{Documents: docs})
	return result, nil
}
