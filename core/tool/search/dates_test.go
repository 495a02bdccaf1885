package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

// releasing is a graph that says when something was released.
type releasing struct {
	knowledge.Graph
	at time.Time // zero: nothing was
}

func (r releasing) Statements(_ context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	if r.at.IsZero() || !slices.Contains(q.Relations, knowledge.Releases) {
		return nil, nil
	}
	return []knowledge.Statement{{Relation: knowledge.Releases, At: r.at}}, nil
}

// Documents of the time that a question or a call names are found, on the asker's clock; where
// there are none, others are shown as what they are.
func TestDatesOfDocuments(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("NZDT", 13*3600)
	now := time.Date(2026, 11, 23, 1, 0, 0, 0, zone) // a day later than in UTC
	index := retrievetest.NewMemory()
	for id, at := range map[string]string{"may": "2025-05-02T10:00:00Z", "march": "2026-03-02T10:00:00Z", "yesterday": "2026-11-21T12:00:00Z", "today": "2026-11-22T11:30:00Z", "dateless": ""} {
		d := retrievetest.One(id, "Backup policy "+id, "The backup policy changed: snapshots are kept longer.")
		if at != "" {
			when, err := time.Parse(time.RFC3339, at)
			if err != nil {
				t.Fatal(err)
			}
			d.UpdatedAt = when
		}
		if err := index.Put(t.Context(), access.DefaultTenant, d); err != nil {
			t.Fatal(err)
		}
	}
	cfg := retrieve.DefaultConfig()
	cfg.Above, cfg.Below = 0, 0
	hybrid, err := retrieve.NewHybrid(index, nil, cfg)
	if err != nil {
		t.Fatal(err)
	}
	released := releasing{at: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	all := "dateless march may today yesterday"
	for _, c := range []struct {
		question, period string
		later            bool // not the first search of the turn
		graph            knowledge.Graph
		want, note       string
	}{
		{question: "what changed in the backup policy yesterday?", want: "yesterday"},
		{question: "what changed in the backup policy since January?", want: "march today yesterday"},
		{question: "pages on the backup policy before 2026", want: "may"},
		{question: "what does the backup policy keep in 2025?", want: all},
		{question: "what changed in the backup policy in 2025?", want: all}, // so long ago that other pages tell of it as well
		{question: "what changed in the backup policy since January?", later: true, want: all},
		{question: "backup policy", period: "last quarter", want: all, note: "2026-07-01 to 2026-09-30"},
		{question: "backup policy", period: "March", want: "march"},
		{question: "backup policy", period: "before March", later: true, want: "may"},
		{question: "what changed in the backup policy since the release?", graph: released, want: "march today yesterday"},
		{question: "what changed in the backup policy since the release?", graph: releasing{}, want: all},
		{question: "backup policy", period: "since the release", graph: releasing{}, note: "no document that these readers may see tells when"},
		{question: "backup policy", period: "some day", note: "is invalid"},
	} {
		queue, drained := make(chan packet.Packet, 20), make(chan struct{})
		arguments, err := json.Marshal(map[string]any{"queries": []string{c.question}, "period": c.period})
		if err != nil {
			t.Fatal(err)
		}
		result, err := search.New(hybrid, index, budgettest.NewWords(), search.Config{Graph: c.graph}).Run(t.Context(), tool.Call{Arguments: arguments,
			Scope: tool.Scope{Audience: members, Question: c.question, First: !c.later, Now: now, Citations: cite.NewMapping()}}, packet.NewEmitter(queue, drained, packet.Placement{}))
		var got []string
		for _, r := range result.References {
			got = append(got, string(r.Document.ID))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want || !strings.Contains(fmt.Sprint(result.Content, err), c.note) || result.Evidence != (c.note == "") {
			t.Errorf("%s (%s): %v, want %s; evidence %v, error %v\n%s", c.question, c.period, got, c.want, result.Evidence, err, result.Content)
		}
	}
	rankings, tools := &retrieve.Rankings{}, search.New(hybrid, index, budgettest.NewWords(), search.Config{})
	for page := 1; page <= 2; page++ { // what is of other times is no evidence on its further pages either
		queue, drained := make(chan packet.Packet, 20), make(chan struct{})
		result, err := tools.Run(t.Context(), tool.Call{Arguments: json.RawMessage(fmt.Sprintf(`{"queries":["backup policy"],"period":"last quarter","page":%d}`, page)),
			Scope: tool.Scope{Audience: members, Question: "backup policy", First: page == 1, Now: now, Citations: cite.NewMapping(), Rankings: rankings}}, packet.NewEmitter(queue, drained, packet.Placement{}))
		if err != nil || result.Evidence {
			t.Errorf("page %d: evidence %v, error %v\n%s", page, result.Evidence, err, result.Content)
		}
	}
	if _, err := tools.Merge([]json.RawMessage{json.RawMessage(`{"queries":["a"],"period":"March"}`), json.RawMessage(`{"queries":["b"]}`)}); err == nil {
		t.Error("calls for different times were merged")
	}
}
