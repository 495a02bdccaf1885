package event

import (
	"strings"

	"github.com/footnotehq/footnote/core/thread"
)

// Actions that only Slack knows, beside those of core/thread.
const (
	ActionAsk   thread.Action = "ask"   // the shortcut "Ask about this" in a message's menu
	ActionStill thread.Action = "still" // a question that nobody was there for is wanted after all
)

// ActionID is what Slack keeps with a button, a shortcut or a form, and gives back.
func ActionID(a thread.Action, turn string) string { return thread.ButtonID(a, turn) }

// ParseAction is the inverse of actionID. ok is false for what is not ours, or of a newer version.
func ParseAction(id string) (a thread.Action, turn string, ok bool) {
	if a, turn, ok = thread.ParseButtonID(id); ok {
		return a, turn, true
	}
	for _, own := range []thread.Action{ActionAsk, ActionStill} {
		if rest, found := strings.CutPrefix(id, thread.ButtonID(own, "")); found {
			return own, rest, true
		}
	}
	return "", "", false
}
