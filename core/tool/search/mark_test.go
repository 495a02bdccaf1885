package search_test

import (
	"context"
	"encoding/json"
	"errors"
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
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

// replacing is a graph that says what replaces what.
type replacing struct {
	knowledge.Graph
	asked  knowledge.Question
	stated []knowledge.Statement
	err    error
}

func (r *replacing) Statements(_ context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	r.asked = q
	return r.stated, r.err
}

func TestReplacedPagesAreMarked(t *testing.T) {
	t.Parallel()
	index := retrievetest.NewMemory()
	for id, title := range map[string]string{"old": "Backup policy 2025", "new": "Backup policy"} {
		if err := index.Put(t.Context(), access.DefaultTenant, retrievetest.One(id, title, "Backups are kept.")); err != nil {
			t.Fatal(err)
		}
	}
	hybrid, err := retrieve.NewHybrid(index, nil, retrieve.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	older := &document.Ref{ID: "older", Title: "Older", UpdatedAt: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	newer := &document.Ref{ID: "new", Title: "Backup policy", UpdatedAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	old := &document.Ref{ID: "old", Source: "docs"}
	inDocs, itself, elsewhere := document.Ref{ID: "index", Source: "docs"}, document.Ref{ID: "old", Source: "docs"}, document.Ref{ID: "wiki:1", Source: "wiki"}
	for name, c := range map[string]struct {
		graph *replacing
		want  int // marks
		claim int // marks that say whose claim it is
	}{
		"replaced": {&replacing{stated: []knowledge.Statement{{SubjectRef: newer, ObjectRef: old, Document: inDocs}, {SubjectRef: older, ObjectRef: old, Document: inDocs},
			{SubjectRef: old, ObjectRef: old, Document: inDocs}, {SubjectRef: newer, Document: inDocs}}}, 1, 0},
		"its own statement":       {&replacing{stated: []knowledge.Statement{{SubjectRef: newer, ObjectRef: old, Document: itself}}}, 1, 0},
		"another source":          {&replacing{stated: []knowledge.Statement{{SubjectRef: newer, ObjectRef: old, Document: elsewhere}}}, 0, 1},
		"another source is newer": {&replacing{stated: []knowledge.Statement{{SubjectRef: older, ObjectRef: old, Document: elsewhere}, {SubjectRef: newer, ObjectRef: old, Document: inDocs}}}, 1, 0},
		"not":                     {&replacing{}, 0, 0},
		"cannot tell":             {&replacing{err: errors.New("no connection")}, 0, 0},
		"no graph":                {nil, 0, 0},
	} {
		config := search.Config{}
		if c.graph != nil {
			config.Graph = c.graph
		}
		queue, drained := make(chan packet.Packet, 20), make(chan struct{})
		result, err := search.New(hybrid, index, budgettest.NewWords(), config).Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{"queries":["backups kept"]}`),
			Scope: tool.Scope{Audience: members, Question: "backups", Citations: cite.NewMapping(), Sources: []document.SourceID{"docs"}}}, packet.NewEmitter(queue, drained, packet.Placement{}))
		if err != nil || strings.Count(result.Content, `"metadata":"replaced by: Backup policy (2026-03-01)"`) != c.want || strings.Count(result.Content, "replaced by") != c.want ||
			strings.Count(result.Content, `"metadata":"another source claims to replace it, unconfirmed: Backup policy (2026-03-01)"`) != c.claim {
			t.Errorf("%s: error %v\n%s", name, err, result.Content)
		}
		named, cited, claimed := 0, 0, 0
		for _, r := range result.References {
			if r.Document.ID == newer.ID && r.Text == "" {
				named++ // so that nobody is shown the mark later who may not see the page
			}
			if r.Document.Title == "Backup policy 2025 (replaced by “Backup policy”)" {
				cited++
			}
			if r.Document.Title == "Backup policy 2025 (“Backup policy” claims to replace it)" {
				claimed++
			}
		}
		if named != c.want+c.claim || cited != c.want || claimed != c.claim {
			t.Errorf("%s: %d titles, %d marks and %d claims among %+v", name, named, cited, claimed, result.References)
		}
		if c.graph != nil && (len(c.graph.asked.Names) != 2 || c.graph.asked.Audience.Key() != members.Key() || len(c.graph.asked.Sources) != 1 || c.graph.asked.Relations[0] != knowledge.Supersedes) {
			t.Errorf("%s: it asked for %+v", name, c.graph.asked)
		}
	}
}

// Passages that say the same are marked, whichever way round they are found; which is newer shows
// where both pages have a date.
func TestCopiesAreMarked(t *testing.T) {
	t.Parallel()
	const text = "Backups of the billing database are kept for thirty days in hall two and then deleted."
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		first, second string
		at            [2]time.Time
		mark, title   string
	}{
		"the same":           {text, text, [2]time.Time{day(2), day(1)}, `"metadata":"same text as: document 1, which is newer"`, "Second (older copy of “First”)"},
		"in other marks":     {text, strings.ToUpper(strings.ReplaceAll(text, " ", "  ")) + "!", [2]time.Time{day(1), day(2)}, `"metadata":"same text as: document 1, which is older"`, "Second"},
		"one word":           {text, strings.Replace(text, "thirty", "ninety", 1), [2]time.Time{}, `"metadata":"nearly the same text as: document 1"`, "Second"},
		"of one day":         {text, text, [2]time.Time{day(1), day(1)}, `"metadata":"same text as: document 1"`, "Second"},
		"another":            {text, "Backups of the billing database are made at night by a program that nobody likes.", [2]time.Time{}, "", "Second"},
		"too short to judge": {"Backups of billing", "Backups of billing", [2]time.Time{}, "", "Second"},
	} {
		index := retrievetest.NewMemory()
		for i, said := range []string{c.first, c.second} {
			doc := retrievetest.One([]string{"a", "b"}[i], []string{"First", "Second"}[i], said)
			doc.UpdatedAt = c.at[i]
			if err := index.Put(t.Context(), access.DefaultTenant, doc); err != nil {
				t.Fatal(err)
			}
		}
		config := retrieve.DefaultConfig()
		config.TimeDecay = 0
		hybrid, err := retrieve.NewHybrid(index, nil, config)
		if err != nil {
			t.Fatal(err)
		}
		queue, drained := make(chan packet.Packet, 20), make(chan struct{})
		result, err := search.New(hybrid, index, budgettest.NewWords(), search.Config{}).Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{"queries":["backups of the first billing"]}`),
			Scope: tool.Scope{Audience: members, Question: "backups", Citations: cite.NewMapping()}}, packet.NewEmitter(queue, drained, packet.Placement{}))
		if err != nil || len(result.References) != 2 {
			t.Fatalf("%s: %+v, error %v", name, result.References, err)
		}
		if strings.Count(result.Content, "same text as") != min(len(c.mark), 1) || !strings.Contains(result.Content, c.mark) || result.References[1].Document.Title != c.title {
			t.Errorf("%s: %s\n%+v", name, result.Content, result.References[1].Document)
		}
	}
}
