package tool_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
)

// A terminal shows the log between the lines of a chat: a stop is no failure of the tool that it
// ends.
func TestStopIsNotLoggedAsFailure(t *testing.T) {
	t.Parallel()
	for name, stops := range map[string]bool{"a stop": true, "a failure": false} {
		ctx, stop := context.WithCancel(t.Context())
		set, err := tool.NewSet(fake{"busy", func(ctx context.Context, _ tool.Call, _ *packet.Emitter) (tool.Result, error) {
			if stops {
				stop()
			}
			return tool.Result{}, errors.New("it does not work")
		}})
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		queue, drained := make(chan packet.Packet, 100), make(chan struct{})
		ran := tool.NewRunner(tool.RunnerConfig{}, slog.New(slog.NewTextHandler(&log, nil))).Run(ctx, []llm.ToolCall{{ID: "1", Name: "busy"}},
			tool.Step{Tools: set}, packet.NewEmitter(queue, drained, packet.Placement{}))
		close(drained)
		if logged := strings.Contains(log.String(), "tool call failed"); logged == stops || ran[0].Err == nil {
			t.Errorf("%s: error %v, log %q", name, ran[0].Err, log.String())
		}
		stop()
	}
}
