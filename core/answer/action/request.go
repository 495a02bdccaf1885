package action

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Request is a person's action on an answer, as a platform's adapter reports it. The adapter must
// have verified By, Moderator, and that the person can see the message. [Service.Perform] checks
// permissions.
type Request struct {
	Do     thread.Action
	Tenant access.TenantID
	// Ref is where the person acted. Platform, workspace and channel must match the turn, except
	// for a private answer.
	Ref thread.Ref
	// At is the thread of Message. ActionOwner posts its message there. Empty means Ref.
	At thread.Ref
	// Turn is the turn in the id of the button or form (thread.ParseButtonID). It takes precedence
	// over Message.
	Turn session.TurnID
	// Message is a page of the answer, its question, or a notice. If it is empty, ActionStop stops
	// the whole thread Ref.
	Message thread.MessageID
	// Key is the platform's id of this press, command or submission, such as a trigger id or
	// interaction id. It is required, and makes the action idempotent.
	Key string
	By  thread.Person
	// Moderator says that the person may manage other people's answers here. Moderators are
	// administrators and people who may delete messages.
	Moderator bool
	// Holds returns what this person may read. ActionStop calls it only if the permission depends
	// on it. If it is nil, the person has no permissions.
	Holds func(ctx context.Context) (access.Audience, error)
	// Text is the reason for a vote or removal, or the Markdown of a correction.
	Text string
	// Submitted says that the person has submitted the action's Form, or gave all input in a
	// command.
	Submitted bool
	// Reply is the platform's token for replying to the press. A private answer and the retry of a
	// private answer are written with this token.
	Reply *session.ReplyToken
	// Vanishing says that the message is ephemeral. ActionKeep then sends the answer again as a
	// permanent message.
	Vanishing bool
}

// Reply is what the person who acted gets: a sentence, a form, or both.
type Reply struct {
	// Sentence is shown only to the person. It is empty if the changed message is enough of a
	// response.
	Sentence string
	// Form is shown at once, unless it is nil. The submission of the form is the same Request with
	// Text and Submitted set. The part of the action that needs no form is already done. For
	// example, a vote counts without a reason. A platform without forms shows only the Sentence.
	Form *Form
	// Post is a message for the turn's thread, or nil. The caller posts it once. If posting fails,
	// the caller calls Unposted.
	Post *chat.Notice
	// Turn is the turn that the action created, such as a retry, a private turn or a shared copy.
	// If the action created none, it is the turn that the action refers to. It is empty if no turn
	// was found.
	Turn session.TurnID
	// Duplicate says that the action had no effect because it was done before.
	Duplicate bool
	// Refused says that the action is not permitted or not possible. Sentence has the reason.
	Refused bool
}

// Form asks a person for one text. Its texts fit the forms of Slack and Discord: Title 24
// characters, Label 45, Hint 100, Submit 24.
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
