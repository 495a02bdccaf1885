package thread

import "strings"

// Action is what a person does to an answer, on whichever platform and by whatever means: a button,
// a reaction, a command, a menu. action.Service.Perform carries it out. The names never change:
// they are in buttons that were posted long ago.
type Action string

// The actions.
const (
	ActionUp   Action = "up"   // 👍
	ActionDown Action = "down" // 👎, perhaps with a reason
	// the question is answered again, and the new answer replaces the old one
	ActionRetry  Action = "retry"
	ActionDeeper Action = "deeper" // likewise, by a deep search
	// likewise, from what a deep search had found when it was stopped
	ActionReport Action = "report"
	ActionStart  Action = "start" // a deep search that waits is begun
	ActionPlain  Action = "plain" // likewise, its question is answered without it
	ActionStop   Action = "stop"  // what is being written ends
	// the asker wants the answer that may draw on everything the asker can read
	ActionPrivate  Action = "private"
	ActionShare    Action = "share"    // a private answer is posted to its thread
	ActionKeep     Action = "keep"     // a private answer stays private, and stays
	ActionRemove   Action = "remove"   // a moderator takes an answer away
	ActionCorrect  Action = "correct"  // a moderator puts a text of one's own in its place
	ActionWhy      Action = "why"      // how the answer came about, told to whoever asks
	ActionFollow   Action = "follow"   // the bot follows the thread again
	ActionUnfollow Action = "unfollow" // the bot answers mentions only in this thread
)

// labels are what stands on a button or in a menu, in plain words that every platform can show.
var labels = map[Action]string{
	ActionUp: "👍", ActionDown: "👎", ActionRetry: "Try again", ActionDeeper: "Look deeper", ActionReport: "Write the report", ActionStart: "Start", ActionPlain: "Just answer", ActionStop: "Stop", ActionPrivate: "Answer me privately",
	ActionShare: "Share in the thread", ActionKeep: "Keep private", ActionRemove: "Remove answer", ActionCorrect: "Correct answer",
	ActionWhy: "Why this answer?", ActionFollow: "Follow this thread", ActionUnfollow: "Stop following",
}

// Label is what stands on a button or in a menu; empty for an action that is not known.
func (a Action) Label() string { return labels[a] }

// Known reports whether the action is one of those above.
func (a Action) Known() bool { return labels[a] != "" }

// Menu are the actions that belong in a message's menu (a message shortcut, a message command) and
// not under every answer: few people need them, and who may not gets a refusal.
func Menu() []Action { return []Action{ActionWhy, ActionRetry, ActionCorrect, ActionRemove} }

// Button is a button under a message.
type Button struct {
	Action Action
	Label  string
	// Primary says that the button is what most people will want among its neighbours.
	Primary bool
}

// ButtonFor returns the button of an action under its usual label.
func ButtonFor(a Action) Button { return Button{Action: a, Label: a.Label()} }

// buttonPrefix begins every id of ours.
const buttonPrefix = "footnote:"

// ButtonID is what a platform keeps with a button or a form and gives back when it is used: the
// action and the turn that it is about. It is at most 60 characters for the ids that stores make
// (Discord takes 100, Slack 255), and holds no secret: who may do what is decided when it comes
// back.
func ButtonID(a Action, turn string) string { return buttonPrefix + string(a) + ":" + turn }

// ParseButtonID is the inverse of ButtonID. ok is false for what is not ours, or of a newer
// version.
func ParseButtonID(id string) (a Action, turn string, ok bool) {
	rest, ours := strings.CutPrefix(id, buttonPrefix)
	if !ours {
		return "", "", false
	}
	kind, turn, _ := strings.Cut(rest, ":")
	return Action(kind), turn, Action(kind).Known()
}
