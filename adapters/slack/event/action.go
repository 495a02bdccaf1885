package event

import (
	"strings"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// These actions exist only in Slack. They extend the actions of package thread.
const (
	ActionAsk   thread.Action = "ask"   // the shortcut "Ask about this" in a message's menu
	ActionStill thread.Action = "still" // confirms that a late question is wanted
)

// FieldText is the name of the only field of a form.
const FieldText = "text"

// ActionID returns the id of a button, a shortcut or a form. Slack sends the id back when a person
// uses the item.
func ActionID(a thread.Action, turn string) string { return thread.ButtonID(a, turn) }

// ParseAction parses an id from ActionID. ok is false for ids of other apps or of a newer version.
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
