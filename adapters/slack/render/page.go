package render

import "github.com/footnotehq/footnote/core/thread"

// Limits of one message. Slack documents 12,000 characters of standard Markdown over all blocks of
// a payload, but was seen to refuse less after it expanded the blocks. A mrkdwn section holds 3,000
// characters, and chat.update refuses text of more than 4,000.
const (
	MaxMarkdown = 11000 // characters of Page.Markdown
	MaxSection  = 2900  // characters of one element of Page.Sections
	MaxSections = 4     // elements of Page.Sections
	MaxText     = 3900  // characters of Page.Text
	MaxNote     = 1000  // characters of one element of Page.Notes
	MaxSources  = 10    // elements of Page.Sources
	MaxPages    = 2     // pages of a report; a longer one becomes a file

	MaxTaskSources = 5 // elements of Task.Sources
)

// FileTitle is the displayed name of the file of a long report.
const FileTitle = "answer.md"

// Page is one Slack message, or a piece that a Tail appends to a stream. It contains no mentions
// and no images, and is within all limits: the sender must not cut, escape or add text. The sender
// turns off link previews.
//
// As a message, its blocks are in this order: Markdown as one markdown block, or each of Sections
// as a mrkdwn section; each of Notes as a mrkdwn context; the Sources; the Buttons.
//
// As a piece, Markdown and Tasks are chunks to append. The last piece (Done) also has Notes,
// Sources and Buttons, which are the blocks of chat.stopStream.
type Page struct {
	// standard Markdown for markdown blocks and streams; in a piece, only the new text
	Markdown string
	Sections []string // mrkdwn, instead of Markdown, for workspaces without markdown blocks
	// plain text of the whole message, for notifications and screen readers; empty in a piece
	Text string

	// mrkdwn sentences below the answer: errors, a stop, the basis of the answer
	Notes   []string
	Heading string   // plain text above Sources; empty without sources
	Sources []Source // below the last page of a finished answer
	More    string   // sentence with the number of omitted documents, or ""
	Buttons []thread.Button

	// Markdown of a whole report. If set, the message is this file; of the other fields, only
	// Number and Done are used
	File string `json:",omitempty"`

	Tasks []Task // in a piece: new or changed search steps
	// in a piece: Markdown of the following messages, in order, because the current message is full
	Rolls []string
	// in a piece: how to continue in another message, for example if a stream grows too old
	Cut Cut

	// index of the page, from 0; in a piece, index of the message that holds the piece's last text
	Number int
	Done   bool // the answer has ended; this is the last page or piece
}

// Cut splits a message inside a code block or a table. Close ends the block in this message; Open
// reopens it in the next one. Both are usually empty.
type Cut struct{ Close, Open string }

// Source is a cited document or, if nothing was cited, a close one.
type Source struct {
	Number int    // 0 if not cited
	Title  string // one line, not escaped; contains no mention
	// escaped for all renderers; empty if there is no address that a reader could open
	URL string
	// location and age: "docs.example · 5 months old"; empty if neither is known
	Detail string

	// further cited sections of the document; only number, title and address are set
	Also []Source `json:",omitempty"`
}

// TaskStatus is the state of a search step.
type TaskStatus string

// States that Slack's task cards have and a search can be in.
const (
	TaskRunning  TaskStatus = "in_progress"
	TaskComplete TaskStatus = "complete"
)

// Task is the card that shows an answer's searches in a stream. It replaces an earlier task with
// the same ID.
type Task struct {
	ID      string
	Title   string // plain text, one line
	Status  TaskStatus
	Output  string   // plain text: number of cited documents; empty until the end
	Sources []Source // cited documents with an address, at most MaxTaskSources
}
