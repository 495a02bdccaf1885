package turn_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/google/go-cmp/cmp"
)

// The whole path: a question, reasoning, a search, and an answer with citations, word by word.
func TestQuestionToCitedAnswer(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(
		llmtest.Reply{llmtest.Reasoning("I should "), llmtest.Reasoning("look."), llmtest.Text("Let me look."), llmtest.Call(0, "c1", "internal_search", call), llmtest.Usage(100, 10)},
		llmtest.Reply{llmtest.Text("Set wal_level [1"), llmtest.Text("], then copy"), llmtest.Text(" the data [2][1]. Array a[9]."), llmtest.Usage(300, 20)},
	)
	report, packets := ask("How do I set up streaming replication?", model).run(t, t.Context())
	want := `0.0.0 reasoning_start
0.0.0 reasoning_delta "I should "
0.0.0 reasoning_delta "look."
0.0.0 reasoning_done
0.1.0 status "Let me look."
0.1.0 search_tool_start
0.1.0 search_tool_queries_delta ["streaming replication setup" "How do I set up streaming replication?"]
0.1.0 search_tool_documents_delta docs:replication docs:backup
0.1.0 section_end
0.2.0 message_start docs:replication docs:backup
0.2.0 message_delta "Set wal_level"
0.2.0 message_delta " "
0.2.0 citation_info 1 docs:replication https://docs.example/replication#top
0.2.0 message_delta "[[1]](https://docs.example/replication#top), then copy"
0.2.0 message_delta " the data "
0.2.0 citation_info 2 docs:backup https://docs.example/backup#top
0.2.0 message_delta "[[2]](https://docs.example/backup#top)[[1]](https://docs.example/replication#top). Array a[9]."
0.2.0 section_end
0.3.0 stop answered cited ""
`
	if diff := cmp.Diff(want, show(packets)); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
	a := report.Best()
	if a.Text != "Set wal_level [1], then copy the data [2][1]. Array a[9]." {
		t.Errorf("text = %q", a.Text)
	}
	if got := shown(packets, 0); a.Shown != got {
		t.Errorf("shown = %q, but the packets say %q", a.Shown, got)
	}
	if report.Outcome() != session.Answered || a.Usage != (llm.Usage{Input: 400, Output: 30}) || a.Reasoning != 14 {
		t.Errorf("outcome %s, usage %+v, reasoning %d", report.Outcome(), a.Usage, a.Reasoning)
	}
	if len(a.Citations) != 2 || a.Citations[0].Document.ID != "docs:replication" || a.Citations[0].ModelSees != 1 ||
		a.Citations[0].Link != "https://docs.example/replication#top" || !strings.HasPrefix(a.Citations[0].Quote, "Set wal_level") {
		t.Errorf("citations = %+v", a.Citations)
	}
	if len(a.References) != 2 || len(a.Steps) != 2 || a.Steps[0].Text != "" ||
		string(a.Steps[0].Calls[0].Arguments) != `{"queries":["streaming replication setup","How do I set up streaming replication?"]}` {
		t.Errorf("references %+v, steps %+v", a.References, a.Steps)
	}
	if model.Open() != 0 {
		t.Error("a stream is still open")
	}
	// What the model read in the second step: its own words, the call as it ran, the documents, the
	// reminder last.
	second := model.Requests()[1].Messages
	roles := ""
	for _, m := range second {
		roles += string(m.Role)[:1]
	}
	if roles != "suuatu" || second[3].Text != "Let me look." || !strings.Contains(second[4].Text, `{"document":1,"page_id":"p1","title":"REPLICATION"`) ||
		!strings.Contains(second[5].Text, "Remember") || !strings.Contains(second[0].Text, "# Citations") {
		t.Errorf("second prompt %s: %+v", roles, second)
	}
	if first := model.Requests()[0].Messages; !cmp.Equal(first, second[:len(first)]) {
		t.Error("the first prompt does not begin the second")
	}
}

func TestPlainAnswerGetsNoDocumentNotice(t *testing.T) {
	t.Parallel()
	report, packets := ask("Hello?", llmtest.Native(llmtest.Answer("\n", "Hi", " there."))).run(t, t.Context())
	a := report.Best()
	if a.Ending.Outcome != session.Answered || a.Ending.Grounding != packet.General || a.Ending.Sentence == "" || a.Shown != "Hi there." {
		t.Errorf("answer = %+v\n%s", a, show(packets))
	}
}
