package event

import (
	"strings"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Actions that exist only in Slack, in addition to those of core/thread.
const (
	ActionAsk   thread.Action = "ask"   // the shortcut "Ask about this" in a message's menu
	ActionStill thread.Action = "still" // confirms that a late question is wanted
)

// FieldText is the name of a form's only field.
const FieldText = "text"

// ActionID returns the id of a button, a shortcut or a form. Slack returns it when a person uses
// the item.
func ActionID(a thread.Action, turn string) string { return thread.ButtonID(a, turn) }

// ParseAction is the inverse of ActionID. ok is false for ids of other apps or of a newer version.
func ParseAction(id string) (a thread.Action, turn session.TurnID, ok bool) {
	if a, turn, ok := thread.ParseButtonID(id); ok {
		return a, session.TurnID(turn), true
	}
	for _, own := range []thread.Action{ActionAsk, ActionStill} {
		if rest, found := strings.CutPrefix(id, thread.ButtonID(own, "")); found {
			return own, session.TurnID(rest), true
		}
	}
	return "", "", false
}
