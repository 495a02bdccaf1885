package deepsearch_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
)

// A plan of more sub-questions than an agent allows waits: it is shown with what it would take,
// nothing is searched for, and what is chosen then counts.
func TestSearchWaitsForStart(t *testing.T) {
	t.Parallel()
	parts := []string{"Which team owns the billing service?", "Which team owns the lookup service?"}
	for name, c := range map[string]struct {
		change func(*deepsearch.Record)
		waits  bool
		says   string // among the notices; empty: a deep search was made
	}{
		"nobody has chosen": {func(*deepsearch.Record) {}, true, ""},
		"started":           {func(r *deepsearch.Record) { r.Choice = deepsearch.Start }, false, ""},
		"just answered":     {func(r *deepsearch.Record) { r.Choice = deepsearch.Plainly }, false, "as was chosen"},
		"nobody came":       {func(r *deepsearch.Record) { r.Waited = time.Hour }, false, "The deep search was not started within 10 minutes"},
		"begun before": {func(r *deepsearch.Record) {
			r.Waited, r.Findings, r.Order = time.Hour, map[int]deepsearch.Finding{1: {State: deepsearch.Missing}}, []int{1}
		}, false, ""},
		"made smaller meanwhile": {func(r *deepsearch.Record) {
			r.Findings, r.Order = map[int]deepsearch.Finding{2: {State: deepsearch.Dropped}}, []int{2}
		}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := newJournal()
			s := ask("Who owns billing, and who owns the lookup?", planner(parts, enough, llmtest.Answer("Falcon [1].")), &worker{})
			s.request.Depth.Ask, s.deps.Journal = 1, kept
			var shown []packet.Progress
			sink := packet.SinkFunc(func(p packet.Packet) {
				if progress, ok := p.Payload.(packet.Progress); ok {
					shown = append(shown, progress)
				}
			})
			var awaiting *deepsearch.Awaiting
			if _, err := s.runner(t).Run(t.Context(), s.request, sink); !errors.As(err, &awaiting) {
				t.Fatalf("it ends with %v", err)
			}
			if last := shown[len(shown)-1]; last.Asks != 10 || last.More == 0 || len(s.shelf.asked()) != 0 {
				t.Errorf("it shows %+v, and searched for %q", last, s.shelf.asked())
			}
			if err := errors.Join(awaiting.Suspend(t.Context(), true), awaiting.Suspend(t.Context(), false)); err != nil || kept.parked[0] != 10*time.Minute || kept.parked[1] >= time.Minute {
				t.Errorf("parked for %v, %v", kept.parked, err)
			}
			if err := kept.write("t1", c.change); err != nil {
				t.Fatal(err)
			}
			s.request.Attempt = 2
			report, err := s.runner(t).Run(t.Context(), s.request, sink)
			if errors.As(err, &awaiting) != c.waits || !c.waits && err != nil {
				t.Fatalf("then it ends with %v", err)
			}
			if c.waits {
				return
			}
			said := strings.Join(report.Best().Notices, " ")
			if c.says != "" && !strings.Contains(said, c.says) || c.says == "" && (said != "" || len(kept.found) == 0 || len(kept.ends) != 1) {
				t.Errorf("notices %q, findings %v, ends %v", said, kept.found, kept.ends)
			}
		})
	}
}
