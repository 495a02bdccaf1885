package stream_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

// deep is a deep search with a row in each state, up to a finding.
func deep() *stream.View {
	v := &stream.View{}
	apply := func(tab int, p packet.Payload) {
		v.Apply(packet.Packet{Placement: packet.Placement{TurnIndex: 1, TabIndex: tab, SubTurnIndex: new(int)}, Payload: p})
	}
	v.Apply(packet.Packet{Payload: packet.DeepSearchPlanStart{}})
	for i, q := range []string{"Where does billing run?", "Who built the pyramid?", "Who leads Falcon?", "What does it cost?", "What else?"} {
		apply(i, packet.SubQuestion{Question: q})
	}
	apply(0, packet.SearchStart{})
	apply(0, packet.CitationInfo{Number: 1, Document: "billing"})
	apply(0, packet.Finding{State: "found", Text: "In Frankfurt. [[1]](https://docs.example/billing)"})
	apply(1, packet.Finding{State: "missing"})
	apply(2, packet.Finding{State: "failed", Text: "The model cannot be reached."})
	apply(3, packet.SearchStart{})
	v.Apply(packet.Packet{Payload: packet.Progress{Seconds: 83, Searches: 12, Most: 40, Documents: 9, Cost: "0.12 USD"}})
	return v
}

func TestDeepSearchPlan(t *testing.T) {
	t.Parallel()
	v := deep()
	want := `**Looking into 5 questions**

✅ 1. Where does billing run?\
↳ In Frankfurt. [[1]](https://docs.example/billing)

➖ 2. Who built the pyramid?\
↳ Not in the documents that everyone here can read.

⚠️ 3. Who leads Falcon?\
↳ The model cannot be reached.

🔎 4. What does it cost?

◦ 5. What else?

_3 of 5 done · 1 min 23 s · searches: 12 (at most 40) · documents read: 9 · 0.12 USD_`
	if diff := cmp.Diff(want, stream.PlanText(v)); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		said string
		p    packet.Progress
	}{ // that it waits comes first: what waits no more is not asked about again
		{"_This would take about 3 min and at most 40 searches, and cost about 0.06 USD, of 4.20 USD that are left of the budget. Unless it is started within 9 min, one search answers the question._", packet.Progress{Most: 40, More: 200, MoreCost: "0.06 USD", Left: "4.20 USD", Asks: 9}},
		{"_3 of 5 done · 0 s, about 40 s more · searches: 0 (at most 40) · documents read: 0 · about 0.06 USD more, 4.20 USD left of the budget_", packet.Progress{Most: 40, More: 46, MoreCost: "0.06 USD", Left: "4.20 USD"}},
		{"_3 of 5 done · 9 s, about 3 min more · searches: 0 · documents read: 0 · 0.01 USD, about 0.06 USD more_", packet.Progress{Seconds: 9, More: 200, Cost: "0.01 USD", MoreCost: "0.06 USD"}},
	} {
		said, p := tt.said, tt.p
		v.Apply(packet.Packet{Payload: p})
		if got := stream.PlanText(v); !strings.HasSuffix(got, said) {
			t.Errorf("plan ends with %q, want %q", got[strings.LastIndex(got, "\n")+1:], said)
		}
		buttons := []thread.Button{thread.ButtonFor(thread.ActionStop)}
		if p.Asks > 0 {
			buttons = []thread.Button{{Action: thread.ActionStart, Label: "Start", Primary: true}, thread.ButtonFor(thread.ActionPlain)}
		}
		if diff := cmp.Diff(buttons, stream.Buttons(v)); diff != "" {
			t.Errorf("buttons (-want +got):\n%s", diff)
		}
	}
	v.Apply(packet.Packet{Payload: packet.Withdrawn{Documents: []document.ID{"billing"}}})
	if got := stream.PlanText(v); strings.Contains(got, "Frankfurt") || !strings.Contains(got, "may not be shown any more") {
		t.Errorf("plan = %s", got)
	}
	v.Apply(packet.Packet{Payload: packet.Stop{Reason: "stopped"}})
	if got := stream.PlanText(v); !strings.HasPrefix(got, "**Looked into 5 questions**") || !strings.Contains(got, "◦ 4. What does it cost?\\\n↳ Not looked into.") {
		t.Errorf("once it is stopped: %s", got)
	}
	v.Apply(packet.Packet{Payload: packet.MessageDelta{Text: "**Where does billing run?**"}})
	folded := "**Looked into 5 questions**\n\n_3 of 5 done · 9 s, about 3 min more · searches: 0 · documents read: 0 · 0.01 USD, about 0.06 USD more_"
	if diff := cmp.Diff(folded, stream.PlanText(v)); diff != "" {
		t.Errorf("above what was found by then (-want +got):\n%s", diff)
	}
}

// What a model or a person asks is shown as it is, and cut between words.
func TestQuestionsArePlainText(t *testing.T) {
	t.Parallel()
	v := &stream.View{}
	v.Apply(packet.Packet{Placement: packet.Placement{SubTurnIndex: new(int)}, Payload: packet.SubQuestion{Question: "Is [this](https://evil.example) *it*? " + strings.Repeat("really ", 20)}})
	if got := stream.PlanText(v); !strings.Contains(got, `\[this\](https://evil.example) \*it\*?`) || !strings.Contains(got, "really…\n") {
		t.Errorf("plan = %s", got)
	}
}

func TestFindingIsCutAtClause(t *testing.T) {
	t.Parallel()
	v := &stream.View{}
	at := packet.Placement{SubTurnIndex: new(int)}
	v.Apply(packet.Packet{Placement: at, Payload: packet.SubQuestion{Question: "Where does it run?"}})
	v.Apply(packet.Packet{Placement: at, Payload: packet.Finding{
		State: "found", Text: "It runs in Frankfurt in two zones with a whole replica of the database in each of them, of which the second one " + strings.Repeat("is for the time when the first cannot ", 3) + "[[1]](https://docs.example/a)",
	}})
	if got, want := stream.PlanText(v), "↳ It runs in Frankfurt in two zones with a whole replica of the database in each of them… [[1]](https://docs.example/a)\n"; !strings.Contains(got, want) {
		t.Errorf("plan = %s", got)
	}
}

// However many rows there are and however much they say, the plan fits into one message of every
// platform, and no link is torn.
func TestLongPlanFitsOneMessage(t *testing.T) {
	t.Parallel()
	const link = "[[1]](https://docs.example.com/handbook/chapter/page-of-this#section-of-that)"
	for rows, links := range map[int]int{3: 3, 6: 6, 12: 12, 18: 0, 24: 0} { // 24: a plan, two rounds, and what people may add
		v := &stream.View{}
		for i := range rows {
			at := packet.Placement{TurnIndex: 1 + i/6, TabIndex: i % 6, SubTurnIndex: new(int)}
			v.Apply(packet.Packet{Placement: at, Payload: packet.SubQuestion{Question: strings.Repeat("what of this ", 40)}})
			v.Apply(packet.Packet{Placement: at, Payload: packet.Finding{State: "found", Text: strings.Repeat("this and that ", 40) + " " + link}})
		}
		v.Apply(packet.Packet{Payload: packet.Progress{Seconds: 83, Searches: 12, Documents: 9, Cost: "0.12 USD"}})
		got := stream.PlanText(v)
		if n := len([]rune(got)); n > 1_850 || strings.Count(got, link) != links || strings.Count(got, "✅") != rows || !strings.HasSuffix(got, "0.12 USD_") {
			t.Errorf("%d rows: %d characters, %d links:\n%s", rows, n, strings.Count(got, link), got)
		}
	}
}
