package deepsearch_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

// However many searches run at once, so many sub-questions are worked on and no more, and an
// ordinary question waits for none of them.
func TestHundredConcurrentSearches(t *testing.T) {
	t.Parallel()
	const searches, together = 100, 7
	crowd := ask(twoServices, quoter(), nil)
	crowd.config.Together = together
	crowd.shelf.wait = make(chan struct{})
	crowd.shelf.begun = make(chan struct{}, 2*searches)
	runner := crowd.runner(t)
	var all sync.WaitGroup
	ended := make([]session.Outcome, searches)
	for i := range searches {
		all.Go(func() {
			req := crowd.request
			req.Turn = session.TurnID(fmt.Sprint(i))
			report, err := runner.Run(t.Context(), req, packet.SinkFunc(func(packet.Packet) {}))
			if err != nil {
				t.Error(err)
				return
			}
			ended[i] = report.Outcome()
		})
	}
	for range together {
		<-crowd.shelf.begun
	}
	plain := crowd.request
	plain.Depth, plain.Models = nil, []llm.Model{llmtest.Native(llmtest.Answer("At once."))}
	if report, err := runner.Run(t.Context(), plain, packet.SinkFunc(func(packet.Packet) {})); err != nil || report.Best().Shown != "At once." {
		t.Errorf("an ordinary question: %+v, %v", report, err)
	}
	if n := len(crowd.shelf.begun); n > 0 {
		t.Errorf("%d searches too many were begun", n)
	}
	close(crowd.shelf.wait)
	all.Wait()
	for i, outcome := range ended {
		if outcome != session.Answered {
			t.Errorf("search %d ended as %q", i, outcome)
		}
	}
	if n := len(crowd.shelf.asked()); n != 2*searches {
		t.Errorf("%d searches for %d parts", n, 2*searches)
	}
}
