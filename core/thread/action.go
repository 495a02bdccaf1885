package thread

import "strings"

// Action is an action on an answer, by a button, reaction, command or menu. action.Service.Perform
// performs it. The values never change, because buttons in old messages contain them.
type Action string

// Values of [Action].
const (
	ActionUp   Action = "up"   // 👍
	ActionDown Action = "down" // 👎, perhaps with a reason
	// ActionRetry answers the question again. The new answer replaces the old one.
	ActionRetry  Action = "retry"
	ActionDeeper Action = "deeper" // like ActionRetry, with a deep search
	// ActionReport is like ActionRetry, but continues from the findings of a stopped deep search.
	ActionReport Action = "report"
	ActionStart  Action = "start" // starts a waiting deep search
	ActionPlain  Action = "plain" // answers the question of a waiting deep search without the search
	ActionStop   Action = "stop"  // stops the running answer
	// ActionPrivate gives the asker a private answer from all documents that the asker may read.
	ActionPrivate  Action = "private"
	ActionShare    Action = "share"    // posts a private answer to its thread
	ActionKeep     Action = "keep"     // keeps a private answer private, in a permanent message
	ActionRemove   Action = "remove"   // removes an answer
	ActionCorrect  Action = "correct"  // replaces an answer with a moderator's text
	ActionWhy      Action = "why"      // explains how the answer was made
	ActionFollow   Action = "follow"   // the bot follows the thread again
	ActionOwner    Action = "owner"    // asks the owner of the closest page in the thread
	ActionUnfollow Action = "unfollow" // the bot answers mentions only in this thread
)

// labels holds the text of each action's button or menu entry, as plain text.
var labels = map[Action]string{
	ActionUp: "👍", ActionDown: "👎", ActionRetry: "Try again", ActionDeeper: "Look deeper", ActionReport: "Write the report", ActionStart: "Start", ActionPlain: "Just answer", ActionStop: "Stop", ActionPrivate: "Answer me privately",
	ActionShare: "Share in the thread", ActionKeep: "Keep private", ActionRemove: "Remove answer", ActionCorrect: "Correct answer",
	ActionOwner: "Ask the owner", ActionWhy: "Why this answer?", ActionFollow: "Follow this thread", ActionUnfollow: "Stop following",
}

// Label returns the text for a button or menu entry. It returns "" for an unknown action.
func (a Action) Label() string { return labels[a] }

// Known reports whether the action is one of the constants of this package.
func (a Action) Known() bool { return labels[a] != "" }

// Menu returns the actions for a message's menu (a message shortcut or message command). Few people
// need these actions, so answers have no buttons for them. A person without permission gets a
// refusal.
func Menu() []Action { return []Action{ActionWhy, ActionRetry, ActionCorrect, ActionRemove} }

// Button is a button under a message.
type Button struct {
	Action Action
	Label  string
	// Primary marks the button that most people need.
	Primary bool
}

// ButtonFor returns the button of an action with the default label.
func ButtonFor(a Action) Button { return Button{Action: a, Label: a.Label()} }

const buttonPrefix = "footnote:"

// ButtonID returns the id of a button or form, which contains the action and the turn. The platform
// sends the id when the button is used. With turn ids from a store, the id has at most 60
// characters (Discord allows 100, Slack 255). It contains no secret, because permissions are
// checked when the button is used.
func ButtonID(a Action, turn string) string { return buttonPrefix + string(a) + ":" + turn }

// ParseButtonID parses an id from ButtonID. ok is false for ids of other programs or newer
// versions.
func ParseButtonID(id string) (a Action, turn string, ok bool) {
	rest, ours := strings.CutPrefix(id, buttonPrefix)
	if !ours {
		return "", "", false
	}
	kind, turn, _ := strings.Cut(rest, ":")
	return Action(kind), turn, Action(kind).Known()
}
