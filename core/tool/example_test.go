package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
)

// onCall is a tool that tells who is on call for a team. A team that it does not know is told to
// the model, which can ask again.
type onCall struct{ people map[string]string }

func (onCall) Spec() llm.ToolSpec {
	return llm.ToolSpec{
		Name: "on_call", Description: "Tells who is on call for a team.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {"team": {"type": "string"}}, "required": ["team"]}`),
	}
}

func (onCall) Guide() string {
	return "Use on_call when somebody asks whom to call, and not for what the documents say of it."
}

func (t onCall) Run(_ context.Context, call tool.Call, _ *packet.Emitter) (tool.Result, error) {
	var asked struct{ Team string }
	if err := json.Unmarshal(call.Arguments, &asked); err != nil {
		return tool.Result{}, fmt.Errorf(`"team" must be a name in quotation marks: %w`, err)
	}
	person, ok := t.people[asked.Team]
	if !ok {
		return tool.Result{}, errors.New("there is no such team; the teams are: storage")
	}
	return tool.Result{Content: person + " is on call for " + asked.Team + "."}, nil
}

// A tool is registered under its name, and the runner runs what a model calls. What goes wrong
// becomes text for the model.
func Example() {
	tools, err := tool.NewSet(onCall{people: map[string]string{"storage": "Ada"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	packets := make(chan packet.Packet, 16) // in a turn its reader is the view
	emit := packet.NewEmitter(packets, nil, packet.Placement{})
	calls := []llm.ToolCall{
		{ID: "1", Name: "on_call", Arguments: `{"team": "storage"}`},
		{ID: "2", Name: "on_call", Arguments: `{"team": "moon"}`},
	}
	runner := tool.NewRunner(tool.RunnerConfig{}, slog.New(slog.DiscardHandler))
	for _, ran := range runner.Run(context.Background(), calls, tool.Step{Tools: tools}, emit) {
		fmt.Println(ran.Result.Content)
	}
	// Output:
	// Ada is on call for storage.
	// This call failed: there is no such team; the teams are: storage.
}
