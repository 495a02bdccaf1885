package thread

import "strings"

// Action is something that a person can do to an answer with a button, reaction, command or menu.
// action.Service.Perform carries it out. The names never change, because old messages have buttons
// with them.
type Action string

// The actions.
const (
	ActionUp   Action = "up"   // 👍
	ActionDown Action = "down" // 👎, perhaps with a reason
	// answers the question again; the new answer replaces the old one
	ActionRetry  Action = "retry"
	ActionDeeper Action = "deeper" // likewise, by a deep search
	// like ActionRetry, but from the findings of a deep search that was stopped
	ActionReport Action = "report"
	ActionStart  Action = "start" // starts a waiting deep search
	ActionPlain  Action = "plain" // likewise, its question is answered without it
	ActionStop   Action = "stop"  // stops the running answer
	// gives the asker an answer from everything that the asker can read
	ActionPrivate  Action = "private"
	ActionShare    Action = "share"    // a private answer is posted to its thread
	ActionKeep     Action = "keep"     // a private answer stays private, and stays
	ActionRemove   Action = "remove"   // a moderator takes an answer away
	ActionCorrect  Action = "correct"  // a moderator puts a text of one's own in its place
	ActionWhy      Action = "why"      // explains how the answer was made
	ActionFollow   Action = "follow"   // the bot follows the thread again
	ActionOwner    Action = "owner"    // the owner of the nearest page is asked in the thread
	ActionUnfollow Action = "unfollow" // the bot answers mentions only in this thread
)

// labels are the labels of buttons and menu entries, in plain words that every platform can show.
var labels = map[Action]string{
	ActionUp: "👍", ActionDown: "👎", ActionRetry: "Try again", ActionDeeper: "Look deeper", ActionReport: "Write the report", ActionStart: "Start", ActionPlain: "Just answer", ActionStop: "Stop", ActionPrivate: "Answer me privately",
	ActionShare: "Share in the thread", ActionKeep: "Keep private", ActionRemove: "Remove answer", ActionCorrect: "Correct answer",
	ActionOwner: "Ask the owner", ActionWhy: "Why this answer?", ActionFollow: "Follow this thread", ActionUnfollow: "Stop following",
}

// Label returns the text for a button or menu; empty for an unknown action.
func (a Action) Label() string { return labels[a] }

// Known reports whether the action is one of the constants above.
func (a Action) Known() bool { return labels[a] != "" }

// Menu returns the actions for a message's menu (a message shortcut or message command). They are
// not shown under every answer, because few people need them. People without permission get a
// refusal.
func Menu() []Action { return []Action{ActionWhy, ActionRetry, ActionCorrect, ActionRemove} }

// Button is a button under a message.
type Button struct {
	Action Action
	Label  string
	// Primary marks the button that most people will want.
	Primary bool
}

// ButtonFor returns the button of an action under its usual label.
func ButtonFor(a Action) Button { return Button{Action: a, Label: a.Label()} }

// buttonPrefix begins every id of ours.
const buttonPrefix = "footnote:"

// ButtonID returns the id of a button or form: its action and turn. The platform returns it when
// the button is used. It has at most 60 characters with the turn ids that stores create (Discord
// allows 100, Slack 255). It contains no secret: permissions are checked when the button is used.
func ButtonID(a Action, turn string) string { return buttonPrefix + string(a) + ":" + turn }

// ParseButtonID reverses ButtonID. ok is false for ids of other programs or newer versions.
func ParseButtonID(id string) (a Action, turn string, ok bool) {
	rest, ours := strings.CutPrefix(id, buttonPrefix)
	if !ours {
		return "", "", false
	}
	kind, turn, _ := strings.Cut(rest, ":")
	return Action(kind), turn, Action(kind).Known()
}
