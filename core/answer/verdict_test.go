package answer_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// What was heard is known, at once and after it was written down.
func TestWhatWasHeardIsKnown(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, _ := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.hear(r, "thanks", replying)
		s.settle()
		passed := func(id thread.MessageID) bool {
			s.Helper()
			passed, err := r.Passed(s.Context(), tenant, channelRef, id)
			if err != nil {
				s.Fatal(err)
			}
			return passed
		}
		for _, when := range []time.Duration{0, time.Minute} {
			time.Sleep(when)
			for id, want := range map[thread.MessageID]bool{"q1": false, "q2": true, "unheard": false} {
				if got := passed(id); got != want {
					s.Errorf("after %s: message %s was passed: %v", when, id, got)
				}
			}
		}
	})
}
