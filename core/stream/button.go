package stream

import (
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Buttons returns at most five buttons for an answer in its current state, most important first.
// Five buttons fit in one row on every platform. A renderer shows the buttons that its platform
// supports, below the answer's last page.
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
	if v.Owner != nil && v.Owner.Ask && !v.Private && !v.Copy && !v.Corrected {
		list = append(list, thread.Button{Action: thread.ActionOwner, Label: "Ask " + shortName(v.Owner.Name)})
	}
	if v.Private && v.Outcome == session.Answered && !v.Corrected {
		add(thread.ActionShare)
		add(thread.ActionKeep)
	}
	return list
}

const maxAsked = 30

func shortName(name string) string {
	if r := []rune(name); len(r) > maxAsked {
		return string(r[:maxAsked-1]) + "…"
	}
	return name
}

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
