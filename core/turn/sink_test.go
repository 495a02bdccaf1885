package turn_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
)

// A sink that panics leaves nothing behind: a bubble does not end while a goroutine of it is
// blocked.
func TestPanickingSink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := llmtest.Native(llmtest.Answer(strings.Repeat("word ", 100)))
		s := ask("How?", model)
		s.config.Queue = 1
		s.sink = func(packet.Packet) { panic("boom") }
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("recovered %v", p)
			}
			if model.Open() != 0 {
				t.Error("the stream of the model is open")
			}
		}()
		s.run(t, t.Context())
	})
}
