package render

import "github.com/footnotehq/footnote/core/thread"

// What one message can hold. Slack takes 12,000 characters of standard Markdown over all blocks of
// a payload, but was seen to refuse less than its documents say once the blocks are expanded; a
// section of mrkdwn takes 3,000, and chat.update refuses more than 4,000 characters of text.
const (
	MaxMarkdown = 11000 // characters of Page.Markdown
	MaxSection  = 2900  // characters of one element of Page.Sections
	MaxSections = 4     // elements of Page.Sections
	MaxText     = 3900  // characters of Page.Text
	MaxNote     = 1000  // characters of one element of Page.Notes
	MaxSources  = 10    // elements of Page.Sources
	MaxPages    = 2     // of a report; a longer one is a file below its digest

	MaxTaskSources = 5 // elements of Task.Sources
)

// FileTitle is how the file of a long report is called where it is shown.
const FileTitle = "answer.md"

// Page is one Slack message, or, from a Tail, one piece to be appended. It holds nothing that can
// mention anyone and no image, and every limit holds already: whoever sends it cuts, escapes and
// adds nothing. Unfurls are off by the sender.
//
// As a message its blocks are, in this order: Markdown as one markdown block, or each of Sections
// as a mrkdwn section; each of Notes as a mrkdwn context; the Sources; the Buttons.
//
// As a piece, Markdown and Tasks are chunks to be appended. The last piece (Done) has Notes,
// Sources and Buttons too: they are the blocks of chat.stopStream.
type Page struct {
	// standard Markdown, for markdown blocks and streams; in a piece only what is new
	Markdown string
	Sections []string // mrkdwn, instead of Markdown, for workspaces without markdown blocks
	// the whole message in plain words, for notifications and screen readers; empty in a piece
	Text string

	// mrkdwn sentences under the answer: what went wrong, that it was stopped, what it rests on
	Notes   []string
	Heading string   // plain words above Sources; empty when there are none
	Sources []Source // under the last page of a finished answer
	More    string   // a sentence that says how many documents Sources leaves out; empty when none
	Buttons []thread.Button

	// Markdown of a whole report: the message is this file, and nothing else of the page but Number
	// and Done counts
	File string `json:",omitempty"`

	Tasks []Task // in a piece: search steps that are new or have changed
	// in a piece: Markdown of messages to follow, in order, because the present one is full with
	// Markdown
	Rolls []string
	// in a piece: how to go on in another message after it, for example when a stream grows too old
	Cut Cut

	// of the page, from 0; in a piece the number of the message that the last text of the piece
	// belongs to
	Number int
	Done   bool // nothing more will come: the answer has ended and this is the last page or piece
}

// Cut is what ends a message in the midst of a code block or a table, and what takes it up again in
// the next one. Both are empty nearly always.
type Cut struct{ Close, Open string }

// Source is one cited document, or, where nothing was cited, one that came close.
type Source struct {
	Number int    // 0 for one that was not cited
	Title  string // one line, nothing escaped; contains no mention
	// escaped for every renderer; empty when there is no address that a reader could open
	URL string
	// where it lies and how old it is: "docs.example · 5 months old"; empty when neither is known
	Detail string

	// other sections of the document that are cited, with nothing but number, title and address
	Also []Source `json:",omitempty"`
}

// TaskStatus is the state of a search step.
type TaskStatus string

// The states that Slack's task cards know and a search can have.
const (
	TaskRunning  TaskStatus = "in_progress"
	TaskComplete TaskStatus = "complete"
)

// Task is the card of an answer's searches in a stream. A task with an ID that was sent before
// replaces that one.
type Task struct {
	ID      string
	Title   string // plain text, one line
	Status  TaskStatus
	Output  string   // plain text: how many documents are cited; empty until the end
	Sources []Source // the cited documents that have an address, at most MaxTaskSources
}
