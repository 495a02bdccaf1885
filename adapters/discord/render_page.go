package discord

// What one message can hold. Discord refuses more than 2,000 characters of content; pages keep room for what is put below them, and
// are counted in UTF-16 code units, which are never fewer than what Discord counts.
const (
	MaxContent = 2000 // of Page.Content; what is laid out is at most pageLimit
	MaxPages   = 4    // of an answer; the whole of a longer one is attached as a file
	MaxSources = 10   // lines of sources
)

// AttachmentName is the file name of an answer that is too long for messages.
const AttachmentName = "answer.md"

// Page is one Discord message. Its content mentions nobody, and no link in it has a preview; the sender allows no mentions all the
// same, suppresses embeds, and cuts, escapes and adds nothing.
type Page struct {
	Content    string
	Buttons    []Button
	Attachment string // Markdown of the whole answer, to be attached as AttachmentName to this message; empty nearly always
	Number     int    // of the page, from 0
	Done       bool   // the answer has ended and this is its last page
}

// Action is what a button does.
type Action string

// The buttons of an answer. Their custom ids, which say for which turn, are the sender's.
const (
	ActionStop      Action = "stop"      // while the answer runs
	ActionHelpful   Action = "helpful"   // 👍
	ActionUnhelpful Action = "unhelpful" // 👎
	ActionRetry     Action = "retry"     // after a failure that may pass
)

// Button is a button under an answer.
type Button struct {
	Action Action
	Label  string
}
