package main_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/core/packet"
)

// byModel answers for some models and is out of order for all others.
func byModel(t *testing.T, answers map[string]string) *openaitest.Server {
	t.Helper()
	server := openaitest.New(t)
	server.Otherwise(func(r openaitest.Request) openaitest.Reply {
		if text, ok := answers[r.Model]; ok {
			return openaitest.Reply{Text: text}
		}
		return openaitest.Reply{Fault: openaitest.NotFound}
	})
	return server
}

// compared is the part of ask --json that several models add.
type compared struct {
	answered
	Model   string
	Answers []struct{ Model, Answer, Outcome, Message string }
}

func TestSeveralModelsAnswerSideBySide(t *testing.T) {
	t.Parallel()
	server := byModel(t, map[string]string{"left": "The left answer.", "right": "The right answer."})
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL())

	r := p.run(t, "ask", "Hello?", "--model", "left", "--model", "right")
	left, right := strings.Index(r.stdout, "── left ──\nThe left answer."), strings.Index(r.stdout, "── right ──\nThe right answer.")
	if left < 0 || right < left {
		t.Errorf("the answers do not stand one after the other:\n%s", r.stdout)
	}

	got := jsonOf[compared](t, p.run(t, "ask", "Hello?", "--model", "left", "--model", "right", "--json"))
	if len(got.Answers) != 2 || got.Answers[1].Answer != "The right answer." || got.Answers[1].Model != "right" || got.Answer != "The left answer." || got.Model != "left" {
		t.Errorf("answers = %+v", got)
	}

	// One that fails takes nothing from the other, and the turn is answered.
	got = jsonOf[compared](t, p.run(t, "ask", "Hello?", "--model", "gone", "--model", "right", "--json"))
	if got.Outcome != "answered" || got.Answer != "The right answer." || got.Answers[0].Outcome != "failed" || got.Answers[0].Message == "" {
		t.Errorf("answers = %+v", got)
	}
	r = p.run(t, "ask", "Hello?", "--model", "right", "--model", "gone", "--model", "left")
	if strings.Count(r.stdout, "── ") != 3 || !strings.Contains(r.stdout, "The left answer.") || !strings.Contains(r.stdout, "Reference: ") {
		t.Errorf("three models:\n%s", r.stdout)
	}

	// The conversation goes on from the one that answered.
	p.run(t, "ask", "First?", "--model", "gone", "--model", "right", "--thread", "t")
	p.run(t, "ask", "Second?", "--model", "left", "--thread", "t")
	requests := server.ChatRequests()
	if earlier := requests[len(requests)-1].Chat.Last("assistant").Text(); earlier != "The right answer." {
		t.Errorf("the follow-up has as the earlier answer %q", earlier)
	}
}

func TestAgentWithSeveralModels(t *testing.T) {
	t.Parallel()
	server := byModel(t, map[string]string{"left": "The left answer.", "right": "The right answer."})
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL())
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("agents:\n  pair:\n    models: [left, right]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := p.run(t, "ask", "Hello?", "--agent", "pair", "--config", file)
	if left, right := strings.Index(r.stdout, "── left ──\nThe left answer."), strings.Index(r.stdout, "── right ──\nThe right answer."); left < 0 || right < left {
		t.Errorf("the answers do not stand one after the other:\n%s", r.stdout)
	}
	r = p.run(t, "ask", "Hello?", "--agent", "pair", "--model", "right", "--config", file)
	if strings.Contains(r.stdout, "left") {
		t.Errorf("a model that was chosen does not take the place of the agent's:\n%s", r.stdout)
	}
}

func TestPacketsSayWhichModelTheyAreOf(t *testing.T) {
	t.Parallel()
	server := byModel(t, map[string]string{"left": "Left.", "right": "Right."})
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL())
	r := p.run(t, "ask", "Hello?", "--model", "left", "--model", "right", "--packets")
	text, stops := map[int]string{}, map[int]int{}
	for lines := bufio.NewScanner(strings.NewReader(r.stdout)); lines.Scan(); {
		var got packet.Packet
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		switch payload := got.Payload.(type) {
		case packet.MessageDelta:
			text[got.Placement.ModelIndex] += payload.Text
		case packet.Stop:
			stops[got.Placement.ModelIndex]++
		}
	}
	if text[0] != "Left." || text[1] != "Right." || stops[0] != 1 || stops[1] != 1 {
		t.Errorf("texts %v, stops %v", text, stops)
	}
}

func TestModelsThatCannotBeChosen(t *testing.T) {
	t.Parallel()
	without := &program{}
	with := &program{env: []string{"OPENAI_BASE_URL=http://127.0.0.1:1/v1"}}
	for name, tt := range map[string]struct {
		p    *program
		args []string
		want string
	}{
		"no endpoint": {without, []string{"--model", "a"}, "OPENAI_BASE_URL"},
		"too many":    {with, []string{"--model", "a", "--model", "b", "--model", "c", "--model", "d"}, "at most 3"},
		"twice":       {with, []string{"--model", "a", "--model", "a"}, "once"},
	} {
		if r := tt.p.try(t, "", append([]string{"ask", "Hello?"}, tt.args...)...); r.code != 2 || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("%s: exit code %d\n%s", name, r.code, r.stderr)
		}
	}
}

func TestFallbackModelAnswersInstead(t *testing.T) {
	t.Parallel()
	server := byModel(t, map[string]string{"spare": "The spare answer."})
	p := newProgram(t, "OPENAI_BASE_URL="+server.URL(), "LLM_MODEL=gone", "FALLBACK_LLM_MODEL=spare")
	got := jsonOf[compared](t, p.run(t, "ask", "Hello?", "--json"))
	if got.Answer != "The spare answer." || got.Model != "spare" || got.Outcome != "answered" {
		t.Errorf("answer = %+v", got)
	}
}
