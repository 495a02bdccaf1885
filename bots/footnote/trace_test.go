package main_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/adapters/telemetry/telemetrytest"
)

// A question becomes one trace, from its intake to the last write of its answer, that tells times,
// ids, models and numbers, and nothing that anybody wrote.
func TestAQuestionBecomesATrace(t *testing.T) {
	t.Parallel()
	slack, collector := slacktest.Start(slacktest.Config{}), telemetrytest.Start(t)
	t.Cleanup(slack.Close)
	model := openaitest.New(t,
		openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["vacation days per year"]}`}}},
		openaitest.Reply{Text: "You have thirty days [1]."},
	)
	p := newProgram(t, socketSettings(slack, "OPENAI_BASE_URL="+model.URL(), "LLM_MODEL=test-model", "EMBEDDING_MODEL=test-embedding", "EMBEDDING_DIMENSIONS=64",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL(), "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20s3cret")...)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "public")
	if n := len(collector.Spans()); n > 0 {
		t.Errorf("indexing sent %d spans", n)
	}
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	s := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	alice.Say(room, "", slacktest.Mention()+" How much vacation do I get?")
	// The attempt ends last: what it is made of was sent before it, or with it.
	_, err := collector.Wait(ctx, func(spans []telemetrytest.Span) bool {
		return slices.ContainsFunc(spans, func(s telemetrytest.Span) bool { return s.Name == "turn" })
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	s.stop(t)
	spans := collector.Spans()

	tree := make(map[string]int)
	byID := make(map[string]telemetrytest.Span)
	for _, s := range spans {
		byID[s.ID] = s
	}
	path := func(s telemetrytest.Span) string {
		names := []string{s.Name}
		for s.Parent != "" {
			s = byID[s.Parent]
			names = append(names, cmp.Or(s.Name, "?"))
			if s.Name == "" {
				break
			}
		}
		slices.Reverse(names)
		return strings.Join(names, "/")
	}
	for _, s := range spans {
		tree[path(s)]++
		if s.Trace != spans[0].Trace {
			t.Errorf("%s is in another trace", path(s))
		}
		if s.End.Before(s.Start) || s.Start.IsZero() {
			t.Errorf("%s lasted from %s to %s", path(s), s.Start, s.End)
		}
		if s.Attributes["footnote.session"] == "" || strings.ReplaceAll(s.Attributes["footnote.turn"], "-", "") != s.Trace {
			t.Errorf("%s has the attributes %v in the trace %s", path(s), s.Attributes, s.Trace)
		}
		switch {
		case s.Name == "model" && (s.Attributes["gen_ai.request.model"] != "test-model" || s.Attributes["gen_ai.usage.input_tokens"] == "0"),
			s.Name == "turn" && s.Attributes["footnote.outcome"] != "answered",
			s.Name == "tool" && s.Attributes["gen_ai.tool.name"] != "internal_search":
			t.Errorf("%s has the attributes %v", path(s), s.Attributes)
		}
	}
	const search = "intake/turn/step/tool/search"
	for path, want := range map[string]int{
		"intake": 1, "intake/queue": 1, "intake/turn": 1, "intake/turn/prepare": 1, "intake/turn/step": 2, "intake/turn/step/model": 2, "intake/turn/step/tool": 1,
		search: 1, search + "/embed": 1, search + "/access": 1, search + "/keyword": 1, search + "/semantic": 1, search + "/passages": 1,
		"intake/turn/save": 1, "intake/turn/deliver": 1,
	} {
		if tree[path] != want {
			t.Errorf("%s: %d spans, want %d", path, tree[path], want)
		}
	}
	writes := tree["intake/turn/write"] + tree["intake/turn/deliver/write"]
	if writes == 0 {
		t.Error("no write of the answer was traced")
	}
	sent := collector.Text()
	for _, secret := range []string{"acation", "thirty", "alice", room.ID, "docs.example", "s3cret"} {
		if strings.Contains(sent, secret) {
			t.Errorf("the traces hold %q", secret)
		}
	}
	if got := collector.Header("Authorization"); got != "Bearer s3cret" {
		t.Errorf("the collector was shown %q", got)
	}
	if t.Failed() {
		t.Logf("%v\n%s", tree, s.log)
	}
	linesNameTheirTurn(t, s.log.String())
}

// linesNameTheirTurn checks that the log tells of the turn with its ids.
func linesNameTheirTurn(t *testing.T, log string) {
	t.Helper()
	told := 0
	for line := range strings.Lines(log) {
		if strings.Contains(line, `msg="turn ended"`) {
			told++
		}
		if strings.Contains(line, `msg="turn ended"`) && !strings.Contains(line, " turn=") || strings.Contains(line, " turn=") != strings.Contains(line, " session=") {
			t.Errorf("a line does not name its turn and session: %s", line)
		}
	}
	if told != 1 {
		t.Errorf("the log does not tell of the turn:\n%s", log)
	}
}
