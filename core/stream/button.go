package stream

import (
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Buttons are those that belong under an answer as the view shows it, most wanted first, at most
// five (what one row holds on every platform). A renderer shows those that its platform can carry
// out, under the answer's last page. It is pure.
//
// While the answer runs there is Stop, and while a deep search waits to be started, Start and Just
// answer. Afterwards there are 👍 and 👎 where there is something to judge, Retry where the answer
// failed, was stopped or limited, Write the report where what a deep search had found by then is
// shown, Look deeper where it speaks of a part of the question alone, and Share and Keep under a
// private answer. Under an answer that was removed there is nothing, under one that a person
// corrected only 👍 and 👎. A message next to the answer has none.
func Buttons(v *View) []thread.Button {
	switch {
	case v.Aside:
		return nil
	case v.Phase != Done && v.Progress.Asks > 0:
		start := thread.ButtonFor(thread.ActionStart)
		start.Primary = true
		return []thread.Button{start, thread.ButtonFor(thread.ActionPlain)}
	case v.Phase != Done:
		return []thread.Button{thread.ButtonFor(thread.ActionStop)}
	case v.Removed || v.Outcome.Silent():
		return nil
	}
	var list []thread.Button
	add := func(a thread.Action) { list = append(list, thread.ButtonFor(a)) }
	if len(v.Plan) > 0 && v.Outcome == session.Stopped && v.Len() > 0 && !v.Corrected && !v.Copy {
		add(thread.ActionReport)
	}
	if retryable(v) {
		add(thread.ActionRetry)
		list[0].Primary = true
	}
	if v.Len() > 0 || v.Outcome == session.NoEvidence {
		add(thread.ActionUp)
		add(thread.ActionDown)
	}
	if v.Deeper && !v.Private && !v.Copy && !v.Corrected {
		add(thread.ActionDeeper)
	}
	if v.Private && v.Outcome == session.Answered && !v.Corrected {
		add(thread.ActionShare)
		add(thread.ActionKeep)
	}
	return list
}

// retryable reports whether another try may end otherwise.
func retryable(v *View) bool {
	if v.Corrected || v.Copy {
		return false
	}
	switch v.Outcome {
	case session.Stopped, session.Limited:
		return true
	case session.Failed:
		return v.Problem == nil || v.Problem.Retryable
	default:
		return false
	}
}
