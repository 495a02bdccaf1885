package deepsearch

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

const (
	sentenceStopped   = "Stopped. What had been found by then is shown."
	sentenceUnstarted = "Stopped before anything was found."
	// stopLimit is the maximum time for writing the report after a person stopped the search. This
	// report needs no model.
	stopLimit = 10 * time.Second
)

func (s *inquiry) endStopped(ctx context.Context) (turn.Report, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	s.recheck(ctx)
	rows := s.snapshot()
	if !hasState(rows, Found) || s.req.SearchOnly {
		return s.endWithoutText(ctx, turn.Ending{Outcome: session.Stopped, Sentence: sentenceUnstarted}, nil), nil
	}
	written := &fixedModel{text: compose(rows)}
	report, err := s.runReport(ctx, rows, written, written, func(stop *packet.Stop) {
		if stop.Reason == string(session.Answered) {
			stop.Reason, stop.Message = string(session.Stopped), sentenceStopped
		}
	})
	for i := range report.Answers {
		if e := &report.Answers[i].Ending; e.Outcome == session.Answered {
			e.Outcome, e.Sentence = session.Stopped, sentenceStopped
		}
	}
	return report, err
}
