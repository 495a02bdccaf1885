package action

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Action is what a person does to an answer, as a platform's adapter hands it over. The adapter
// vouches for who the person is, for Moderator, and that the person can see the message; Perform
// decides who may do what.
type Request struct {
	Do     thread.Action
	Tenant access.TenantID
	// where the person is; its platform, workspace and channel must be those of the turn, but for a
	// private answer's
	Ref thread.Ref
	// where Message is; ActionOwner posts there; empty: Ref
	At thread.Ref
	// as the button or the form says (thread.ParseButtonID); leads over Message
	Turn session.TurnID
	// that was pointed at: a page of the answer, its question or a notice; ActionStop: required, or
	// all of Ref is meant
	Message thread.MessageID
	// Key is the platform's id of this press, command or submission (a trigger or interaction id);
	// required. Another delivery of the same one changes nothing.
	Key string
	By  thread.Person
	// may look after other people's answers here: an administrator, or whoever may delete messages
	Moderator bool
	// Holds returns what the person alone may read; ActionStop asks where that decides. Nil counts
	// as nothing.
	Holds func(ctx context.Context) (access.Audience, error)
	// Text is the reason of a vote or a removal, or the Markdown of a correction.
	Text string
	// Submitted says that the person has filled in the Form of this action, or has said all in a
	// command: it is not asked for again.
	Submitted bool
	// Reply answers the press where the platform gives a token for that: a private answer, or a
	// second try of one, is written to it.
	Reply *session.ReplyToken
	// Vanishing says that the message is of a kind that its reader loses after a while: ActionKeep
	// has it sent again, to stay.
	Vanishing bool
}

// Reply is what the person who acted reads, alone.
type Reply struct {
	// Sentence is shown to the person alone. It is empty when there is nothing to say because the
	// message itself changes.
	Sentence string
	// Form, when not nil, is to be shown at once; its submission comes back as the same Action with
	// Text and Submitted. What was pressed has been taken in already where that needs no form (a
	// vote counts without its reason). Where a platform cannot show a form, the Sentence alone is
	// said.
	Form *Form
	// Post, when not nil, is a message for the turn's thread. The caller posts it once, and calls
	// Unposted if that fails.
	Post *chat.Notice
	// Turn is what the action made or concerns: the newest of a retried turn, the private turn, the
	// shared copy. Empty when none was found.
	Turn session.TurnID
	// Duplicate says that nothing changed, because this press or another one had done it already.
	Duplicate bool
	// Refused says that the person may not, or that it cannot be done; Sentence says why.
	Refused bool
}

// Form asks for one text. Its lengths fit Slack's modals and Discord's: Title 24 characters, Label
// 45, Hint 100, Submit 24.
type Form struct {
	Do       thread.Action
	Turn     session.TurnID
	Title    string
	Label    string
	Hint     string // in the empty field
	Text     string // the field's content to begin with; at most Max characters
	Submit   string // on the button
	Max      int    // characters
	Required bool
}
