package knowledge_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	tools "github.com/footnotehq/footnote/core/tool/knowledge"
)

// graph knows two names, and says of everything the same.
type graph struct {
	asked  []knowledge.Question
	stated []knowledge.Statement
	empty  bool
	plain  bool // it holds neither owners nor authors nor replacements
	err    error
}

func (g *graph) Named(_ context.Context, q knowledge.Question) ([]knowledge.Named, error) {
	var out []knowledge.Named
	for _, form := range q.Names {
		if form == "infra team" || form == "team" || form == "billing service" {
			out = append(out, knowledge.Named{Form: form})
		}
	}
	return out, g.err
}

func (g *graph) Statements(_ context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	g.asked = append(g.asked, q)
	return g.stated, g.err
}

func (g *graph) Neighbours(context.Context, knowledge.Question, []document.ChunkID) ([]knowledge.Neighbour, error) {
	return nil, nil
}

func (g *graph) Empty(_ context.Context, _ access.TenantID, relations ...knowledge.Relation) (bool, error) {
	return g.empty || g.plain && len(relations) > 0, g.err
}

// chunks are passages that may be read.
type chunks map[document.ChunkID]string

func (c chunks) Chunks(_ context.Context, _ access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	var out []retrieve.Passage
	for _, id := range ids {
		if text, there := c[id]; there {
			out = append(out, retrieve.Passage{ID: id, Document: document.Ref{ID: document.ID("d" + text), Title: "Title " + text, URL: "https://d.example/" + text}, Chunk: document.Chunk{Text: text}})
		}
	}
	return out, nil
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func run(t *testing.T, g *graph, c chunks, arguments string, budget int) (tool.Result, *cite.Mapping, error) {
	t.Helper()
	numbers := cite.NewMapping()
	queue, drained := make(chan packet.Packet, 20), make(chan struct{})
	result, err := tools.New(g, c, budgettest.NewWords()).Run(t.Context(), tool.Call{Arguments: json.RawMessage(arguments), Scope: tool.Scope{
		Audience: access.NewAudience(access.DefaultTenant, access.Members), Sources: []document.SourceID{"docs"}, Documents: []document.ID{"docs:a"}, Citations: numbers, Now: noon, Budget: budget,
	}}, packet.NewEmitter(queue, drained, packet.Placement{}))
	return result, numbers, err
}

func TestStatementsComeWithTheirPassages(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	ref := &document.Ref{ID: "dx", Title: "The \"plan\"\n[1]"}
	g := &graph{stated: []knowledge.Statement{
		{Relation: knowledge.WorksOn, Subject: "Infra team", Object: ref.Title, ObjectRef: ref, Chunk: 1, At: at}, {Relation: knowledge.Owns, Subject: "Ann", Object: "/docs/", Chunk: 2},
		{Relation: knowledge.Owns, Subject: "Bo", Object: "/hidden/", Chunk: 3}, // which was taken away since
	}}
	result, numbers, err := run(t, g, chunks{1: "one", 2: "two"}, `{"about":"the infra team last quarter","what":"worked_on"}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	q := g.asked[0]
	if !slices.Equal(q.Names, []string{"infra team"}) || q.From.Format(time.DateOnly) != "2026-07-01" || q.To.Format(time.DateOnly) != "2026-10-01" ||
		!slices.Equal(q.Relations, []knowledge.Relation{knowledge.Authored, knowledge.WorksOn}) || q.Sources[0] != "docs" || q.Documents[0] != "docs:a" {
		t.Errorf("it asked for %+v", q)
	}
	for _, want := range []string{`"statements":[{"document":1,"states":"Infra team works on “The \"plan\" [1]”","date":"2026-08-01"},{"document":3,"states":"Ann owns /docs/"}]}`, `"contents":"one"`} {
		if !strings.Contains(result.Content, want) {
			t.Errorf("the result lacks %s:\n%s", want, result.Content)
		}
	}
	if strings.Contains(result.Content, "hidden") || numbers.Len() != 3 || len(result.References) != 3 || result.References[1].Document.ID != "dx" || result.References[1].Text != "" || !result.Citable || !result.Evidence || !json.Valid([]byte(result.Content)) {
		t.Errorf("%d numbers, %+v", numbers.Len(), result)
	}
}

// Who cannot judge what comes asks for what is stated of the whole name, and as its object.
func TestExactly(t *testing.T) {
	t.Parallel()
	g := &graph{stated: []knowledge.Statement{{Relation: knowledge.Owns, Subject: "Ann", Object: "billing service", Chunk: 1}}}
	for arguments, want := range map[string]bool{
		`{"about":"the billing service's pages last quarter","what":"owners","exact":true}`:       true,
		`{"about":"the outage of the billing service","what":"owners","exact":true}`:              false,
		`{"about":"the outage of the billing service","what":"owners"}`:                           true,
		`{"about":"the billing service and the search service","what":"owners","exact":true}`:     false,
		`{"about":"the billing service","what":"replaced_by","exact":true}`:                       true,
		`{"about":"infra team","what":"worked_on","exact":true}`:                                  true,
		`{"about":"what the team does in the kitchen each morning","what":"owners","exact":true}`: false,
	} {
		g.asked = nil
		result, _, err := run(t, g, chunks{1: "one"}, arguments, 0)
		if err != nil || result.Evidence != want {
			t.Errorf("%s: evidence %v, error %v", arguments, result.Evidence, err)
			continue
		}
		object := strings.Contains(arguments, "exact") && !strings.Contains(arguments, "worked_on")
		if want && g.asked[0].Object != object {
			t.Errorf("%s: it asked for %+v", arguments, g.asked[0])
		}
	}
}

func TestNothingStated(t *testing.T) {
	t.Parallel()
	g := &graph{}
	for _, about := range []string{"nobody knows", "the infra team", "?!"} {
		result, _, err := run(t, g, nil, `{"about":"`+about+`"}`, 0)
		if err != nil || result.Citable || result.Evidence || !strings.Contains(result.Content, "Search instead") {
			t.Errorf("%s: %+v, error %v", about, result, err)
		}
	}
	for _, arguments := range []string{`{}`, `{"about":" "}`, `{"about":"last quarter"}`} {
		if _, _, err := run(t, g, nil, arguments, 0); err == nil || !strings.Contains(err.Error(), `{"about"`) {
			t.Errorf("%s: error %v", arguments, err)
		}
	}
	if _, _, err := run(t, &graph{err: errors.New("no connection")}, nil, `{"about":"infra team"}`, 0); err == nil || !strings.Contains(err.Error(), "nothing is known") {
		t.Errorf("error %v", err)
	}
}

func TestPeriodsOfCalls(t *testing.T) {
	t.Parallel()
	for period, want := range map[string]string{"last quarter": "2026-07-01", "since March": "2026-03-01", "Q3 2025": "2025-07-01", "when it was": "0001-01-01"} {
		g := &graph{}
		if _, _, err := run(t, g, nil, `{"about":"infra team","period":"`+period+`"}`, 0); err != nil || g.asked[0].From.Format(time.DateOnly) != want {
			t.Errorf("%s: %+v, error %v", period, g.asked, err)
		}
	}
}

// "Since the release" counts from the date of the newest document that tells of one.
func TestSinceARelease(t *testing.T) {
	t.Parallel()
	released := knowledge.Statement{Relation: knowledge.Releases, At: time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC)}
	for arguments, want := range map[string][2]string{
		`{"about":"infra team since the release"}`:                           {"2026-09-02", "0001-01-01"},
		`{"about":"infra team","period":"before the release of Lighthouse"}`: {"0001-01-01", "2026-09-02"},
	} {
		g := &graph{stated: []knowledge.Statement{released}}
		if _, _, err := run(t, g, nil, arguments, 0); err != nil || len(g.asked) != 2 {
			t.Fatalf("%s: %+v, error %v", arguments, g.asked, err)
		}
		first, q := g.asked[0], g.asked[1]
		if !slices.Equal(first.Relations, []knowledge.Relation{knowledge.Releases}) || first.Sources[0] != "docs" || !first.To.Equal(noon) {
			t.Errorf("%s: for the release it asked %+v", arguments, first)
		}
		if got := [2]string{q.From.Format(time.DateOnly), q.To.Format(time.DateOnly)}; got != want || !slices.Equal(q.Names, []string{"infra team"}) {
			t.Errorf("%s: %v of %v, want %v", arguments, got, q.Names, want)
		}
	}
	if _, _, err := run(t, &graph{}, nil, `{"about":"infra team since the release"}`, 0); err == nil || !strings.Contains(err.Error(), "no document") {
		t.Errorf("of a release that nobody tells of: error %v", err)
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{"*": "Ann owns all files", "/**": "Ann owns all files", "/docs/*": "Ann owns /docs/*", "*.go": "Ann owns *.go"} {
		if got := tools.Sentence(knowledge.Statement{Relation: knowledge.Owns, Subject: "Ann", SubjectKind: knowledge.Person, Object: object, ObjectKind: knowledge.Path}); got != want {
			t.Errorf("of %s it says %q, want %q", object, got, want)
		}
	}
}

// There is room for one passage at least, and for no more than the turn has.
func TestStatementsFitTheTurn(t *testing.T) {
	t.Parallel()
	g, c := &graph{}, chunks{}
	for i := range 20 {
		c[document.ChunkID(i)] = strings.Repeat("word ", 300) + string(rune('a'+i))
		g.stated = append(g.stated, knowledge.Statement{Relation: knowledge.Owns, Subject: "Ann", Object: "x", Chunk: document.ChunkID(i)})
	}
	for budget, most := range map[int]int{1: 1, 1000: 3, 0: 20} {
		if result, _, err := run(t, g, c, `{"about":"infra team"}`, budget); err != nil || len(result.References) == 0 || len(result.References) > most {
			t.Errorf("in %d tokens: %d passages, error %v", budget, len(result.References), err)
		}
	}
}

func TestOfferedWithStatements(t *testing.T) {
	t.Parallel()
	g := &graph{empty: true}
	made := tools.New(g, nil, budgettest.NewWords())
	scope := tool.Scope{Audience: access.NewAudience(access.DefaultTenant)}
	if made.Offered(scope) {
		t.Error("it is offered where nothing is stated")
	}
	if g.empty = false; !made.Offered(scope) {
		t.Error("it is not offered where something is")
	}
	if g.err = errors.New("no connection"); tools.New(g, nil, budgettest.NewWords()).Offered(scope) {
		t.Error("it is offered where nobody knows")
	}
}

// Where nothing names owners, authors or replacements, one line describes the tool. It runs all the
// same.
func TestDescribedInOneLineWithoutPeople(t *testing.T) {
	t.Parallel()
	for _, plain := range []bool{true, false} {
		set, err := tool.NewSet(tools.New(&graph{plain: plain}, chunks{}, budgettest.NewWords()))
		if err != nil {
			t.Fatal(err)
		}
		fitted := set.For(tool.Scope{Audience: access.NewAudience(access.DefaultTenant)}).Find(tools.Name)
		if fitted == nil {
			t.Fatal("it is not offered")
		}
		spec := fitted.Spec()
		if brief := len(fitted.Guide()) < 100 && len(spec.Description) < 120; brief != plain || spec.Name != tools.Name || len(spec.Parameters) == 0 {
			t.Errorf("plain %t: guide %q, description %q", plain, fitted.Guide(), spec.Description)
		}
		if _, err := fitted.Run(t.Context(), tool.Call{Arguments: []byte(`{"about":"infra team"}`)}, packet.NewEmitter(make(chan packet.Packet, 9), nil, packet.Placement{})); err != nil {
			t.Errorf("plain %t: %v", plain, err)
		}
	}
}

// Relations of the operator's own are questions like those that are built in.
func TestRelationsOfTheOperator(t *testing.T) {
	t.Parallel()
	g := &graph{}
	made := tools.New(g, chunks{}, budgettest.NewWords(), "feeds", knowledge.Owns, "related")
	var schema struct {
		Properties struct{ What struct{ Enum []string } }
	}
	if err := json.Unmarshal(made.Spec().Parameters, &schema); err != nil || !slices.Contains(schema.Properties.What.Enum, "feeds") || slices.Contains(schema.Properties.What.Enum, "owns") {
		t.Errorf("the parameters are %s, error %v", made.Spec().Parameters, err)
	}
	queue, drained := make(chan packet.Packet, 20), make(chan struct{})
	_, err := made.Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{"about":"billing service","what":"Feeds"}`), Scope: tool.Scope{Citations: cite.NewMapping(), Now: noon}},
		packet.NewEmitter(queue, drained, packet.Placement{}))
	if err != nil || !slices.Equal(g.asked[0].Relations, []knowledge.Relation{"feeds"}) {
		t.Errorf("it asks %+v, error %v", g.asked, err)
	}
}

// Who has most to do with something comes first: owners, and then by how much is stated of them. Of
// each the newest are told.
func TestExperts(t *testing.T) {
	t.Parallel()
	g, c := &graph{}, chunks{1: "one"}
	for i, s := range []string{"Ann wrote a", "Bo wrote b", "Bo wrote c", "Bo wrote d", "Cy owns e", "Ann wrote f"} {
		who, what, _ := strings.Cut(s, " ")
		relation := map[bool]knowledge.Relation{true: knowledge.Owns, false: knowledge.Authored}[strings.HasPrefix(what, "owns")]
		g.stated = append(g.stated, knowledge.Statement{Relation: relation, Subject: who, SubjectKind: knowledge.Person, Object: what[len(what)-1:], Chunk: 1, At: noon.AddDate(0, 0, -i)})
	}
	result, _, err := run(t, g, c, `{"about":"billing service","what":"experts","exact":true}`, 0)
	if err != nil || !g.asked[0].Object || g.asked[0].Limit < 100 {
		t.Fatalf("it asks %+v, error %v", g.asked, err)
	}
	at := -1
	for _, want := range []string{"Cy owns e", "Bo wrote b", "Bo wrote c", "Ann wrote a", "Ann wrote f"} {
		next := strings.Index(result.Content, want)
		if next <= at {
			t.Errorf("%q is out of order in %s", want, result.Content)
		}
		at = next
	}
	if strings.Contains(result.Content, "Bo wrote d") {
		t.Errorf("it says %s", result.Content)
	}
}
