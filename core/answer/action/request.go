package action

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Request is an action on an answer, as reported by a platform's adapter. The adapter vouches for
// the person's identity, for Moderator, and that the person can see the message. Perform checks
// permissions.
type Request struct {
	Do     thread.Action
	Tenant access.TenantID
	// the person's place; platform, workspace and channel must match the turn, except for a private
	// answer
	Ref thread.Ref
	// the thread of Message, to which ActionOwner posts; empty means Ref
	At thread.Ref
	// the turn in the button or form (thread.ParseButtonID); takes precedence over Message
	Turn session.TurnID
	// a page of the answer, its question or a notice; without it, ActionStop refers to the whole
	// Ref
	Message thread.MessageID
	// Key is the platform's id of this press, command or submission, such as a trigger or
	// interaction id. It is required and makes the action idempotent.
	Key string
	By  thread.Person
	// may manage other people's answers here: an administrator, or a person who may delete messages
	Moderator bool
	// Holds returns what the person alone may read. ActionStop calls it if that decides. Nil counts
	// as nothing.
	Holds func(ctx context.Context) (access.Audience, error)
	// Text is the reason for a vote or removal, or the Markdown of a correction.
	Text string
	// Submitted says that the person has submitted the action's Form, or gave everything in a
	// command.
	Submitted bool
	// Reply is the platform's token for replying to the press. A private answer, or a retry of one,
	// is written to it.
	Reply *session.ReplyToken
	// Vanishing says that the message is ephemeral. ActionKeep sends it again as a permanent one.
	Vanishing bool
}

// Reply is the response to the person who acted.
type Reply struct {
	// Sentence is shown to the person only. It is empty if the change of the message is enough.
	Sentence string
	// Form, if not nil, is to be shown at once. Its submission is the same Request with Text and
	// Submitted set. A part that needs no form is already done: a vote counts without a reason. A
	// platform without forms shows only the Sentence.
	Form *Form
	// Post, if not nil, is a message for the turn's thread. The caller posts it once, and calls
	// Unposted if that fails.
	Post *chat.Notice
	// Turn is the turn that the action created or concerns: a retry, the private turn, or the
	// shared copy. It is empty if no turn was found.
	Turn session.TurnID
	// Duplicate says that the action had no effect, because it was already done.
	Duplicate bool
	// Refused says that the action is not permitted or not possible; Sentence has the reason.
	Refused bool
}

// Form requests one text. Its lengths fit the forms of Slack and Discord: Title 24 characters,
// Label 45, Hint 100, Submit 24.
type Form struct {
	Do       thread.Action
	Turn     session.TurnID
	Title    string
	Label    string
	Hint     string // placeholder of the empty field
	Text     string // initial content, at most Max characters
	Submit   string // label of the button
	Max      int    // characters
	Required bool
}
